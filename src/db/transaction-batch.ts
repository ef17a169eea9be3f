import type { Tenant } from '../lib/caller.ts'
import { openBatch } from './batch.ts'
import type { Database, Tx } from './database.ts'
import { shortenLockTimeout } from './dedicated-connection.ts'
import { type Claim, onceInBatch, type StoredResponse } from './idempotency.ts'

/** An effect that is written together with others. */
export interface Effect extends Tenant {
  /** The claim to its Idempotency-Key, if `write` below also has to store it. */
  claim?: Claim | undefined
}

/**
 * The outcome of an effect: it was written, its Idempotency-Key has been used before, or it alone
 * was refused with this error.
 */
export type Outcome<Made> = { made: Made } | 'key_used' | { error: unknown }

/**
 * Returns a function that runs effects once for each key, those that arrive at the same time in one
 * transaction (docs/decisions/0011-batched-writes.md).
 *
 * `write` decides about all of them and writes what it accepts, with the claims and responses.
 * Returns their outcomes in the same order. Most other batches are a single statement. This is for
 * effects with rules that depend on each other and on several tables, such as balances and limits:
 * the rules are in TypeScript, and the same function also writes a single effect.
 *
 * If `write` throws a `ConcurrentChange` each time, because other transactions are faster, smaller
 * and smaller parts are written, so that only those effects fail which really cannot be written.
 */
export function batchedOnce<Item extends Effect, Body>(
  db: Database,
  write: (
    tx: Tx,
    items: readonly Item[],
  ) => Promise<Outcome<{ answer?: StoredResponse<Body> | undefined }>[]>,
  bytesOf: (item: Item) => number,
): (item: Item) => Promise<StoredResponse<Body>> {
  const batch = openBatch<Item, Outcome<{ answer?: StoredResponse<Body> | undefined }>>({
    db,
    businessOf: ({ businessId }) => businessId,
    write: (items) =>
      db.transaction(async (tx) => {
        await shortenLockTimeout(tx, LOCK_MS)
        return write(tx, items)
      }),
    bytesOf,
    groupOf: ({ businessId, live }) => `${businessId} ${live}`,
  })
  return (item) =>
    onceInBatch(db, item.claim, {
      async write() {
        const outcome = await batch.add(item)
        return outcome === 'key_used' ? undefined : madeOf(outcome).answer
      },
      async alone(tx) {
        const [outcome] = await write(tx, [{ ...item, claim: undefined }])
        return madeOf(outcome).answer!
      },
    })
}

/** How long a batch waits for a lock, such as the one on a wallet that payments settle into. */
const LOCK_MS = 500

/** Returns what was written of an effect without a claim. Throws its error if it was refused. */
export function madeOf<Made>(outcome: Outcome<Made> | undefined): Made {
  if (outcome === undefined || outcome === 'key_used') throw new Error('The effect has no outcome')
  if ('error' in outcome) throw outcome.error
  return outcome.made
}
