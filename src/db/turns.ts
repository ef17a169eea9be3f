import { AsyncLocalStorage } from 'node:async_hooks'

const owners = new AsyncLocalStorage<number>()

/** Requests whose business is not known take turns together, as one. */
const NOBODY = 0

/**
 * Runs the work of a request. If connections or batches are short, the businesses take turns, so
 * that one business's burst does not hold up the requests of the others.
 */
export const inTurnsOf = <T>(businessId: number | undefined, work: () => T): T =>
  businessId === undefined ? work() : owners.run(businessId, work)

/** Work for several businesses takes turns as one more of them. */
const SEVERAL = -1

/** Runs work for several businesses, whichever of them has started it. */
export const inTurnsOfSeveral = <T>(work: () => T): T => owners.run(SEVERAL, work)

/** Returns the business whose turn the current work waits for. */
export const turnOwner = (): number => owners.getStore() ?? NOBODY
