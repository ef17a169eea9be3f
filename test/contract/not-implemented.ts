/**
 * The operations of docs/CONTRACT.md that are not mounted yet. Remove an operation in the commit
 * that mounts it: test/contract.test.ts fails if an operation is both here and mounted.
 */
export const NOT_IMPLEMENTED: readonly string[] = []
