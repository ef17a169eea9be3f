import type { Database, Tx } from '../db/database.ts'
import { groupsFor } from '../db/distributed/rewrite.ts'
import { sequenceValues } from '../db/ids.ts'
import { isOneOf, type RowKey } from '../db/leases.ts'
import { plainArray, textArray } from '../db/pg-arrays.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { randomText } from '../lib/tokens.ts'

/**
 * Rows with columns that only the server can change. Code that writes one of these columns also
 * writes a note about the row in the same transaction. The audit compares each row with its latest
 * note.
 */
export interface ProtectedRows {
  /**
   * Never reuse a kind for other columns, because the audit compares notes with the columns they
   * were made from. A different set of columns needs a different kind.
   */
  kind: string
  /**
   * The migration in the release that first wrote notes of this kind. Default: the migration that
   * introduced notes.
   */
  since?: number
  table: string
  /**
   * Selects `business_id, live, id, content, created_at` of each row. `content` is a JSON array of
   * the watched columns, as text.
   */
  rows: Sql
  /**
   * The content of a row that has not been updated since it was created, for kinds that need no
   * note for such rows.
   */
  unwritten?: string
}

/** The content of a row that has been deleted. */
const GONE = 'gone'

/** The digest of row `n` of `row_notes`, with the content in `r.content`. */
export const ROW_NOTE_DIGEST: Sql = sql`sha256(convert_to(concat_ws(E'\\n', n.business_id,
  n.live::text, n.kind, n.subject_id, n.number, n.id, encode(sha256(convert_to(
    n.salt || coalesce(r.content, ${GONE}), 'UTF8')), 'hex')), 'UTF8'))`

/**
 * Writes a note of the state in which this transaction leaves a row, or of the row's deletion. The
 * transaction must hold a lock on the row.
 */
export const writeRowNote = (
  tx: Tx,
  watched: ProtectedRows,
  { businessId, live }: Tenant,
  id: number,
): Promise<void> => writeRowNotes(tx, watched, [{ businessId, live, id }])

/** Like `writeRowNote`, for several rows, of any tenants. */
export async function writeRowNotes(
  tx: Tx,
  { kind, rows }: ProtectedRows,
  written: readonly (Tenant & { id: number })[],
): Promise<void> {
  // Of the machines of a divided database, only the coordinator has the sequence.
  const ids = tx.isDivided ? await sequenceValues(tx, written.length) : undefined
  await tx.run`
    with noted as (
      insert into row_notes (business_id, live, kind, subject_id, number, id, salt)
      select w.business_id, w.live, ${kind}, w.id, 1 + coalesce((
        select max(number) from row_notes p
        where p.business_id = w.business_id and p.live = w.live and p.kind = ${kind}
          and p.subject_id = w.id), 0), ${ids ? sql`w.note_id` : sql`nextval('ids')`}, w.salt
      from unnest(
        ${plainArray(written.map(({ businessId }) => businessId))}::bigint[],
        ${plainArray(written.map(({ live }) => live))}::boolean[],
        ${plainArray(written.map(({ id }) => id))}::bigint[],
        ${textArray(written.map(() => randomText(22)))}::text[]
        ${ids ? sql`, ${plainArray(ids)}::bigint[]` : sql``}
      ) as w (business_id, live, id, salt${ids ? sql`, note_id` : sql``})
      returning *
    )
    insert into digests_unsealed (business_id, live, kind, ids, digests)
    select n.business_id, n.live, 'row', array_agg(n.id), array_agg(${ROW_NOTE_DIGEST})
    from noted n
    left join lateral (select * from (${rows}) as every
      where every.business_id = n.business_id and every.live = n.live
        and every.id = n.subject_id) as r on true
    group by n.business_id, n.live`
}

/**
 * How long servers of the previous version, which doesn't write notes or digests, can keep running.
 */
const DEPLOYED_WITHIN = sql`interval '1 day'`

/**
 * If the migration ran this soon after the first one, no older version has ever run on this
 * database.
 */
const SET_UP_WITHIN = sql`interval '1 hour'`

const DIGESTS = 36

/** The time from which every row must have the note or digest that a migration introduced. */
const notedFrom = (migration: number) => sql`
  select a.applied_at + case when a.applied_at - f.applied_at < ${SET_UP_WITHIN}
    then interval '0' else ${DEPLOYED_WITHIN} end as at
  from schema_migrations a, schema_migrations f where a.version = ${migration} and f.version = 1`

/**
 * Selects `business_id, live, until`. Rows created before `until` may come from a server that did
 * not write notes of this kind yet. Test data uses its business's test clock, which only moves
 * forward.
 */
export const beforeNotes = (since = DIGESTS): Sql => sql`
  select b.id as business_id, m.live, noted.at
    + case when m.live then 0 else b.test_clock_offset_ms end * interval '1 millisecond' as until
  from businesses b
  cross join (values (true), (false)) as m (live)
  cross join (${notedFrom(since)}) as noted`

/** The same for digests, and for the notes that were introduced together with them. */
export const BEFORE_DIGESTS: Sql = beforeNotes()

/** Selects rows of one kind that have no note and were created before servers wrote notes. */
const oldRows = ({ kind, since, rows, unwritten }: ProtectedRows) => sql`
  select r.business_id, r.live, r.id
  from (${rows}) as r
  join (${beforeNotes(since)}) as old using (business_id, live)
  where r.created_at < old.until and r.content is distinct from ${unwritten ?? null}::text
    and not exists (
      select from row_notes n
      where (n.business_id, n.live, n.kind, n.subject_id) = (r.business_id, r.live, ${kind}, r.id))`

const ROWS_MAX = 500

/**
 * Writes notes for rows created by a version that did not write notes, once no server of that
 * version is running. After the last of these notes, any row without a note counts as forged.
 */
export const oldRowJob = (watched: readonly ProtectedRows[]) => ({
  name: 'old-rows',
  everyMs: 10 * 60_000,
  async run(db: Database, now: Date, only?: number): Promise<number> {
    if (only !== undefined) return 0
    const begun = await db.many<{ kind: string }>`select kind from row_notes_begun`
    for (const one of watched) {
      if (begun.some(({ kind }) => kind === one.kind)) continue
      if (await isDeployed(db, one, now)) return noteOld(db, one, now)
    }
    return 0
  },
})

/** Returns whether every running server writes notes of this kind. */
const isDeployed = async (db: Database, { since = DIGESTS }: ProtectedRows, now: Date) =>
  (await db.maybe`
    select from (${notedFrom(since)}) as noted where noted.at <= ${now}::timestamptz`) !== undefined

async function noteOld(db: Database, watched: ProtectedRows, now: Date): Promise<number> {
  const found = await db.many<RowKey>`${oldRows(watched)} limit ${ROWS_MAX}`
  if (found.length === 0) {
    return db.run`
      insert into row_notes_begun (kind, begun_at) values (${watched.kind}, ${now})
      on conflict do nothing`
  }
  for (const group of groupsFor(db, found, (row) => row.business_id)) {
    await db.transaction(async (tx) => {
      const rows = await tx.many<RowKey>`${oldRows(watched)} and ${isOneOf(group)} for update of r`
      for (const { business_id: businessId, live, id } of rows) {
        await writeRowNote(tx, watched, { businessId, live }, id)
      }
    })
  }
  return found.length
}
