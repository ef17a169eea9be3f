import type { Tenant } from '../lib/caller.ts'
import { Problem, type ProblemKind } from '../lib/problem.ts'
import { openBatch } from './batch.ts'
import type { Database, Tx } from './database.ts'
import { shortenLockTimeout } from './dedicated-connection.ts'
import { type Claim, onceInBatch, type StoredResponse } from './idempotency.ts'

/** An effect that is written together with others. */
export interface Wanted extends Tenant {
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
 * Returns their outcomes in the same order. Other batches are a single statement. This is for
 * effects with rules that depend on each other and on several tables, such as balances and limits:
 * the rules are in TypeScript, and the same function also writes a single effect.
 */
export function batchedOnce<Item extends Wanted, Body>(
  db: Database,
  write: (
    tx: Tx,
    items: readonly Item[],
  ) => Promise<Outcome<{ answer?: StoredResponse<Body> | undefined }>[]>,
  bytesOf: (item: Item) => number,
): (item: Item) => Promise<StoredResponse<Body>> {
  type Written = Outcome<{ answer?: StoredResponse<Body> | undefined }>

  /**
   * If other transactions were faster each time, such as those that take the last money from a
   * wallet, writes smaller and smaller parts, so that only those effects are refused which really
   * cannot be written.
   */
  async function writeAll(items: readonly Item[]): Promise<Written[]> {
    try {
      return await db.transaction(async (tx) => {
        await shortenLockTimeout(tx, LOCK_MS)
        return write(tx, items)
      })
    } catch (error) {
      if (!(error instanceof Problem) || OF_THE_WHOLE.has(error.kind)) throw error
      if (items.length === 1) return [{ error }]
      const middle = items.length >> 1
      return [...(await writeAll(items.slice(0, middle))), ...(await writeAll(items.slice(middle)))]
    }
  }

  const batch = openBatch<Item, Written>({
    db,
    businessOf: ({ businessId }) => businessId,
    write: writeAll,
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

/** Kinds of errors that smaller parts would get too. */
const OF_THE_WHOLE: ReadonlySet<ProblemKind> = new Set(['unavailable', 'internal'])

/** How long a batch waits for a lock, such as the one on a wallet that payments settle into. */
const LOCK_MS = 500

/** Returns what was written of an effect without a claim. Throws its error if it was refused. */
export function madeOf<Made>(outcome: Outcome<Made> | undefined): Made {
  if (outcome === undefined || outcome === 'key_used') throw new Error('The effect has no outcome')
  if ('error' in outcome) throw outcome.error
  return outcome.made
}
