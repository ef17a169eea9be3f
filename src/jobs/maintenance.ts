import { deleteFullBuckets } from '../db/shared-limits.ts'
import { indexQueued, type Searchable } from '../db/text-search.ts'
import { type EncryptedColumn, encryptOld } from '../encryption/columns.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { Job } from './jobs.ts'

/**
 * Encrypts secrets that an earlier version stored in plain text, or with a key in the database. No
 * index finds them, so it seldom looks for them once there are none.
 */
export const secretJob = (keyring: Keyring, columns: readonly EncryptedColumn[]): Job => ({
  name: 'encrypt-secrets',
  everyMs: 3_600_000,
  async run(db, _now, only) {
    if (only !== undefined) return 0
    let count = 0
    let failure: unknown
    for (const column of columns) {
      try {
        count += await encryptOld(db, keyring, column)
      } catch (error) {
        failure = error
      }
    }
    // What can be encrypted comes first.
    if (count === 0 && failure) throw failure
    return count
  },
})

/** Below this size, any plan reads a table quickly. */
const SIZE_MIN_BYTES = 131_072

/**
 * Discards query plans when a table has doubled in size, because plans suit the size that tables
 * had when the plans were made. PostgreSQL itself discards them only after its next `analyze`,
 * minutes later.
 */
export function planJob(): Job {
  const sizes = new Map<string, number>()
  return {
    name: 'plans',
    everyMs: 2_000,
    isOfProcess: true,
    async run(db) {
      const tables = await db.many<{ name: string; bytes: number }>`
        select relname as name, pg_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace`
      const grown = tables.filter(({ name, bytes }) => {
        const before = sizes.get(name)
        return before !== undefined && bytes >= Math.max(2 * before, SIZE_MIN_BYTES)
      })
      if (grown.length > 0) db.replan()
      for (const table of grown) sizes.set(table.name, table.bytes)
      for (const { name, bytes } of tables)
        sizes.set(name, Math.min(bytes, sizes.get(name) ?? bytes))
      return 0
    },
  }
}

/** Deletes the rows of rate limits that the servers share and that nobody uses any more. */
export const sharedLimitJob: Job = {
  name: 'rate-limits',
  everyMs: 60_000,
  async run(db, now, only) {
    if (only === undefined) await deleteFullBuckets(db, now)
    return 0
  },
}

/** Indexing 500 rows takes about 50 ms. */
const ROWS_MAX = 500

/**
 * Indexes new and changed text in these kinds of records. This is not done in requests, because it
 * would double the cost of creating an invoice. It does not depend on the time.
 */
export const textJob = (kinds: readonly Searchable[]): Job => ({
  name: 'search-texts',
  everyMs: 1_000,
  restFactor: 9,
  async run(db, _now, only) {
    let count = 0
    if (only !== undefined) return count
    for (const kind of kinds) {
      count += await db.transaction((tx) => indexQueued(tx, kind, ROWS_MAX))
    }
    return count
  },
})
