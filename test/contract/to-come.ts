/**
 * The operations of docs/CONTRACT.md that are not mounted yet. Strike an operation in the commit
 * that mounts it: test/contract.test.ts fails while one is both here and mounted.
 */
export const TO_COME: readonly string[] = []
