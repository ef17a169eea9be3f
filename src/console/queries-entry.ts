import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'
import { type MoveRow, movesOf } from './queries-ledger.ts'

/** More than any journal has: 100 subaccounts, two movements each, and the business's own. */
const MOVES_MAX = 1_000

/** All movements of one journal: what was posted together. */
export function selectJournal(db: Db, tenant: Tenant, journalId: number) {
  const { columns, joins } = movesOf(tenant)
  return db.many<MoveRow>`
    select ${columns} from (
      select * from ledger_transfers
      where business_id = ${tenant.businessId} and live = ${tenant.live}
        and journal_id = ${journalId}
      order by id limit ${MOVES_MAX}
    ) t ${joins} order by t.id`
}

/** In which journal a movement stands, and its place in the hash chain, once it has one. */
export function selectEntry(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<{ journal_id: number; seal: number | null; sealed_at: Date | null }>`
    select t.journal_id, s.seq as seal, s.sealed_at from ledger_transfers t
    left join ledger_seals s
      on s.business_id = ${businessId} and s.live = ${live} and s.transfer_id = t.id
    where t.business_id = ${businessId} and t.live = ${live} and t.id = ${id}`
}

/** What else the same thing did to the books, in the order of time, each by its first movement. */
export function selectSteps(
  db: Db,
  { businessId, live }: Tenant,
  { type, id }: { type: string; id: number },
) {
  return db.many<{ id: number; verb: string; entry_id: number; created_at: Date }>`
    select j.id, j.verb, j.created_at, (
        select min(t.id) from ledger_transfers t
        where t.business_id = ${businessId} and t.live = ${live} and t.journal_id = j.id
      ) as entry_id
    from ledger_journals j
    where j.business_id = ${businessId} and j.live = ${live}
      and j.cause_type = ${type} and j.cause_id = ${id}
    order by j.created_at, j.id limit 100`
}
