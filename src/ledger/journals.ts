import type { Tx } from '../db/database.ts'
import { groupsFor } from '../db/distributed/rewrite.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'

export interface JournalRow extends Tenant {
  id: number
  causeType: string
  causeId: number
  verb: string
  now: Date
  /** The account whose event sequence the journal increments. */
  eventAccountId: number | null
}

export interface TransferRow extends Tenant {
  id: number
  journalId: number
  debitId: number
  creditId: number
  amount_minor: Minor
  currency: string
  kind: string
  now: Date
}

/**
 * Writes new journals, their transfers and the changed balances. Returns the journals that were
 * new, with their event numbers.
 *
 * A journal whose cause already exists is left out, along with all its moves. Two of these
 * statements can't deadlock, because journals are inserted in order of cause and accounts are
 * locked in order of id. Amounts are added up per account because one `update` changes a row only
 * once, however often it is joined. After waiting for a lock, PostgreSQL reads the row again, so
 * each sum starts from the newest values. If the tables are divided among machines, this is one
 * statement for each business.
 */
export async function insertJournals(
  tx: Tx,
  journals: readonly JournalRow[],
  transfers: readonly TransferRow[],
): Promise<Written[]> {
  if (!tx.isDivided) return insert(tx, journals, transfers)
  const written: Written[] = []
  const transfersOf = Map.groupBy(transfers, ({ businessId }) => businessId)
  for (const group of groupsFor(tx, journals, ({ businessId }) => businessId)) {
    const { businessId } = group[0]!
    written.push(...(await insert(tx, group, transfersOf.get(businessId) ?? [])))
  }
  return written
}

function insert(
  tx: Tx,
  journals: readonly JournalRow[],
  transfers: readonly TransferRow[],
): Promise<Written[]> {
  const j = columnsOf(journals)
  const t = columnsOf(transfers)
  return tx.many`
    with wanted as (
      select * from unnest(
        ${j('businessId')}::bigint[], ${j('live')}::boolean[], ${j('id')}::bigint[],
        ${j('causeType')}::text[], ${j('causeId')}::bigint[], ${j('verb')}::text[],
        ${j('now')}::timestamptz[], ${j('eventAccountId')}::bigint[]
      ) with ordinality as wanted (business_id, live, id, cause_type, cause_id, verb, created_at,
                                   event_account_id, position)
    ), journals as (
      insert into ledger_journals (business_id, live, id, cause_type, cause_id, verb, created_at)
      select business_id, live, id, cause_type, cause_id, verb, created_at from wanted
      order by business_id, live, cause_type, cause_id, verb, position
      on conflict do nothing
      returning business_id, live, id
    ), moves as (
      select moves.* from unnest(
        ${t('businessId')}::bigint[], ${t('live')}::boolean[], ${t('id')}::bigint[],
        ${t('journalId')}::bigint[], ${t('debitId')}::bigint[], ${t('creditId')}::bigint[],
        ${t('amount_minor')}::bigint[], ${t('currency')}::text[], ${t('kind')}::text[],
        ${t('now')}::timestamptz[]
      ) as moves (business_id, live, id, journal_id, debit_id, credit_id, amount_minor, currency,
                  kind, created_at)
      join journals on journals.id = moves.journal_id
    ), changes as (
      select business_id, live, id, sum(debit)::bigint as debit, sum(credit)::bigint as credit,
        sum(events)::bigint as events
      from (
        select business_id, live, debit_id, amount_minor, 0, 0 from moves
        union all
        select business_id, live, credit_id, 0, amount_minor, 0 from moves
        union all
        select business_id, live, event_account_id, 0, 0, 1 from wanted
        where event_account_id is not null and id in (select id from journals)
      ) as sides (business_id, live, id, debit, credit, events)
      group by business_id, live, id
    ), locked as (
      select a.business_id, a.live, a.id, c.debit, c.credit, c.events
      from changes c join ledger_accounts a using (business_id, live, id)
      order by a.id
      for no key update of a
    ), moved as (
      update ledger_accounts a
      set debits_minor = a.debits_minor + l.debit, credits_minor = a.credits_minor + l.credit,
        event_sequence = a.event_sequence + l.events
      from locked l
      where (a.business_id, a.live, a.id) = (l.business_id, l.live, l.id)
      returning a.id, a.event_sequence, a.credits_minor - a.debits_minor as balance_minor
    ), transfers as (
      insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
        credit_account_id, amount_minor, currency, kind, created_at)
      select business_id, live, id, journal_id, debit_id, credit_id, amount_minor, currency, kind,
        created_at
      from moves
    ), unsealed as (
      insert into ledger_unsealed (business_id, live, journal_id)
      select business_id, live, id from journals
    )
    select wanted.id, event_account_id,
      event_sequence - count(*) over (partition by event_account_id order by position
        rows between 1 following and unbounded following) as event_sequence,
      balance_minor
    from wanted join journals on journals.id = wanted.id
    left join moved on moved.id = wanted.event_account_id`
}

/**
 * A journal that has been written. The ledger account with the id `event_account_id` assigns its
 * event a number, and that account's columns show the state after all journals.
 */
interface Written {
  id: number
  event_account_id: number | null
  event_sequence: number | null
  balance_minor: Minor | null
}

/** Turns rows into columns for `unnest`. */
export const columnsOf =
  <Row extends object>(rows: readonly Row[]) =>
  <Key extends keyof Row>(key: Key): Row[Key][] =>
    rows.map((row) => row[key])
