import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Finding } from '../ledger/audit.ts'

/* Where the chains of hashes ended at each audit: kept in a file, out of reach of the database. */

/** The last row of a chain. `live` is false for the audit log, which is of both modes. */
export interface Head {
  chain: 'ledger' | 'audit log' | 'digests'
  businessId: number
  live: boolean
  seq: number
  hash: string
}

/** The heads at the last audit that wrote each of them, and when the last one was. */
export interface Earlier {
  at: string | undefined
  heads: Map<string, Head>
}

interface Line {
  at: string
  /** Only those that moved since the lines before. */
  heads: Head[]
}

const TABLES = { ledger: 'ledger_seals', 'audit log': 'audit_log', digests: 'digest_seals' }

const keyOf = ({ chain, businessId, live }: Head) => `${chain} ${businessId} ${live}`

/** Where each chain ends now. */
export const selectHeads = (db: Db): Promise<Head[]> =>
  db.many<Head>`
    select chain, business_id as "businessId", live, seq, encode(hash, 'hex') as hash from (
      select 'ledger' as chain, business_id, live, seq, hash from ledger_chains
      union all
      select 'audit log', business_id, false, seq, hash from audit_chains
      union all
      select 'digests', business_id, live, seq, hash from digest_chains
    ) as chains
    where seq > 0
    order by business_id, live, chain`

/** What the file has; nothing where there is no file yet. Throws for a line that is damaged. */
export async function readHeads(file: string): Promise<Earlier> {
  const earlier: Earlier = { at: undefined, heads: new Map() }
  let number = 0
  try {
    for await (const text of createInterface({ input: createReadStream(file) })) {
      number += 1
      const { at, heads } = JSON.parse(text) as Line
      earlier.at = at
      for (const head of heads) earlier.heads.set(keyOf(head), head)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return earlier
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    throw new Error(`line ${number} of ${file} is damaged: restore that file from a copy`)
  }
  return earlier
}

/** The chains that do not have the row with which they ended before. */
export async function compareHeads(db: Db, { at, heads }: Earlier): Promise<Finding[]> {
  const lost = await db.many<Head>`
    select b.chain, b.business_id as "businessId", b.live, b.seq, b.hash
    from json_to_recordset(${JSON.stringify([...heads.values()].map(columnsOf))}::json)
      as b (chain text, business_id bigint, live boolean, seq bigint, hash text)
    left join (${ROWS}) as r
      on (r.chain, r.business_id, r.live, r.seq) = (b.chain, b.business_id, b.live, b.seq)
    where r.hash is distinct from decode(b.hash, 'hex')`
  return lost.map(({ chain, businessId, live, seq, hash }) => ({
    check: 'heads',
    table: TABLES[chain],
    businessId,
    live,
    id: String(seq),
    problem:
      `the ${chain} had this entry with the hash ${hash.slice(0, 16)}… at the audit of ${at} or ` +
      'before, and does not have it now: its end was cut off or rewritten',
  }))
}

const columnsOf = ({ businessId, ...head }: Head) => ({ ...head, business_id: businessId })

const ROWS = sql`
  select 'ledger' as chain, business_id, live, seq, hash from ledger_seals
  union all
  select 'audit log', business_id, false, seq, hash from audit_log
  union all
  select 'digests', business_id, live, seq, hash from digest_seals`

/** Adds what moved since to the file, and waits until it is on disk. */
export async function writeHeads(
  file: string,
  { heads: before }: Earlier,
  now: readonly Head[],
  at: Date,
): Promise<void> {
  const heads = now.filter((head) => before.get(keyOf(head))?.hash !== head.hash)
  const line: Line = { at: at.toISOString(), heads }
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(`${JSON.stringify(line)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
