import type pg from 'pg'
import { type Database, type Db, dbOn } from '../db/database.ts'
import { isIndivisible } from '../db/failures.ts'
import { type Sql, sql } from '../db/sql.ts'
import { DEBIT_KINDS } from './accounts.ts'
import { sealedContent, sealedContent1 } from './seals.ts'

/** One row that breaks a rule. */
export interface Finding {
  check: string
  table: string
  businessId: number
  live: boolean
  /**
   * Identifies the row within its tenant: usually by id, sometimes by a seal's number or a
   * currency.
   */
  id: string
  problem: string
}

/**
 * A rule that stored rows must meet. Other folders pass their checks to `runAudit` along with
 * `auditChecks`.
 */
export interface AuditCheck {
  name: string
  what: string
  table: string
  /**
   * Selects `business_id, live, id, problem`: one row for each row of `table` that breaks the rule.
   */
  sql: Sql
}

/** Returns a check that every journal with this cause has a record. */
export const causeCheck = (name: string, cause: string, records: Sql): AuditCheck => ({
  name: `${name}-journals`,
  what: `every ${cause.replace('_', ' ')} journal refers to an existing record`,
  table: 'ledger_journals',
  sql: sql`
    select business_id, live, id,
      format('its %s %s (%s) does not exist', replace(cause_type, '_', ' '), cause_id, verb)
      as problem
    from ledger_journals j
    where cause_type = ${cause} and not exists (
      select from ${records} r
      where (r.business_id, r.live, r.id) = (j.business_id, j.live, j.cause_id))`,
})

const accountChecks: readonly AuditCheck[] = [
  {
    name: 'balances',
    what: 'an account’s debits and credits are the sums of its transfers',
    table: 'ledger_accounts',
    sql: sql`
      select a.business_id, a.live, a.id, format(
        'the %s %s account has debits of %s and credits of %s; its transfers total %s and %s',
        a.currency, a.kind, a.debits_minor, a.credits_minor,
        coalesce(debits, 0), coalesce(credits, 0)) as problem
      from ledger_accounts a
      left join (
        select business_id, live, id, sum(debit) as debits, sum(credit) as credits
        from (
          select business_id, live, debit_account_id, amount_minor, 0 from ledger_transfers
          union all
          select business_id, live, credit_account_id, 0, amount_minor from ledger_transfers
        ) as sides (business_id, live, id, debit, credit)
        group by business_id, live, id
      ) as sums using (business_id, live, id)
      where (a.debits_minor, a.credits_minor) <> (coalesce(debits, 0), coalesce(credits, 0))`,
  },
  {
    name: 'overdrawn',
    what: 'only accounts that debits increase can have more debits than credits',
    table: 'ledger_accounts',
    sql: sql`
      select business_id, live, id, format('the balance of the %s %s account is %s',
        currency, kind, credits_minor - debits_minor) as problem
      from ledger_accounts
      where kind <> all (${DEBIT_KINDS}::text[]) and credits_minor < debits_minor`,
  },
  {
    name: 'currencies',
    what: 'in each currency, total debits equal total credits',
    table: 'ledger_accounts',
    sql: sql`
      select business_id, live, currency as id, format('debits total %s, but credits total %s',
        sum(debits_minor), sum(credits_minor)) as problem
      from ledger_accounts
      group by business_id, live, currency
      having sum(debits_minor) <> sum(credits_minor)`,
  },
  {
    name: 'transfers',
    what: 'a transfer moves a positive amount between two accounts in its tenant and currency',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, problem
      from (
        select t.business_id, t.live, t.id, case
          when t.amount_minor <= 0 then format('its amount is %s', t.amount_minor)
          when t.debit_account_id = t.credit_account_id
            then format('it debits and credits the same account, %s', d.id)
          when d.id is null
            then format('its debit account %s does not belong to this tenant', t.debit_account_id)
          when c.id is null
            then format('its credit account %s does not belong to this tenant', t.credit_account_id)
          when d.currency <> t.currency
            then format('it is in %s, but its debit account %s is in %s',
              t.currency, d.id, d.currency)
          when c.currency <> t.currency
            then format('it is in %s, but its credit account %s is in %s',
              t.currency, c.id, c.currency)
          end as problem
        from ledger_transfers t
        left join ledger_accounts d
          on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
        left join ledger_accounts c
          on (c.business_id, c.live, c.id) = (t.business_id, t.live, t.credit_account_id)
      ) as looked_at
      where problem is not null`,
  },
]

const journalChecks: readonly AuditCheck[] = [
  {
    name: 'empty-journals',
    what: 'every journal has at least one transfer',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, id,
        format('the journal (%s of %s %s) has no transfers', verb, cause_type, cause_id) as problem
      from ledger_journals j
      where not exists (
        select from ledger_transfers t
        where (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id))`,
  },
  {
    name: 'orphan-transfers',
    what: 'every transfer belongs to an existing journal',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, format('its journal %s does not exist', journal_id) as problem
      from ledger_transfers t
      where not exists (
        select from ledger_journals j
        where (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id))`,
  },
  {
    name: 'causes',
    what: 'a cause has at most one journal for each verb, and a hold ends only once',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, max(id) as id, format('%s %s was posted %s times (%s)',
        cause_type, cause_id, count(*), string_agg(verb, ', ' order by id)) as problem
      from ledger_journals
      group by business_id, live, cause_type, cause_id,
        case when verb in ('post', 'void') then 'end of a hold' else verb end
      having count(*) > 1`,
  },
  {
    name: 'holds',
    what: 'no record releases more than it put on hold, and a hold that has ended is empty',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, max(journal_id) as id,
        format('%s %s has %s left on hold', cause_type, cause_id, sum(amount)) ||
          case when bool_or(ended) then ', although its hold has ended' else '' end as problem
      from (
        select j.business_id, j.live, j.id, j.cause_type, j.cause_id, a.id,
          case when a.id = t.credit_account_id then t.amount_minor else -t.amount_minor end,
          j.verb in ('post', 'void')
        from ledger_accounts a
        join ledger_transfers t on (t.business_id, t.live) = (a.business_id, a.live)
          and a.id in (t.debit_account_id, t.credit_account_id)
        join ledger_journals j
          on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
        where a.kind = 'held'
      ) as moves (business_id, live, journal_id, cause_type, cause_id, account_id, amount, ended)
      group by business_id, live, cause_type, cause_id, account_id
      having sum(amount) < 0 or (bool_or(ended) and sum(amount) <> 0)`,
  },
  {
    name: 'events',
    what: 'each object’s events are numbered from 1 without gaps',
    table: 'events',
    sql: sql`
      select business_id, live, id, format(
        'this event of %s %s is number %s, but the previous one is number %s',
        object_type, object_id, sequence, previous) as problem
      from (
        select business_id, live, id, object_type, object_id, sequence,
          coalesce(lag(sequence) over (
            partition by business_id, live, object_type, object_id order by sequence
          ), 0) as previous
        from (
          select business_id, live, id, object_type, object_id, sequence from events
          union all
          select business_id, live, id, object_type, object_id, sequence from forgotten_events
        ) as every
      ) as numbered
      where sequence <> previous + 1`,
  },
]

const sealChecks: readonly AuditCheck[] = [
  {
    // Compares with the stored hash of the previous seal, so one changed row produces one finding,
    // not a finding for every later row.
    name: 'seals',
    what: 'no transfer or journal has changed since it was sealed',
    table: 'ledger_transfers',
    sql: sql`
      select s.business_id, s.live, s.transfer_id as id, case
        when t.id is null then format('it is missing, but seal %s covers it', s.seq)
        else format('it or its journal no longer matches seal %s, or the seal was changed',
          s.seq) end as problem
      from (
        select *, lag(seq, 1, 0::bigint) over chain as previous,
          lag(hash, 1, decode(repeat('00', 32), 'hex')) over chain as previous_hash
        from ledger_seals
        window chain as (partition by business_id, live order by seq)
      ) as s
      left join ledger_transfers t
        on (t.business_id, t.live, t.id) = (s.business_id, s.live, s.transfer_id)
      left join ledger_journals j
        on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
      where t.id is null or (s.seq = s.previous + 1
        and s.hash <> sha256(s.previous_hash || convert_to(
          case s.version when 1 then ${sealedContent1}
            else ${sealedContent(sql`s.sealed_at`)} end, 'UTF8')))`,
  },
  {
    name: 'seal-gaps',
    what: 'each chain’s seals are numbered from 1 without gaps',
    table: 'ledger_seals',
    sql: sql`
      select business_id, live, previous + 1 as id,
        format('seals %s to %s are missing; the next seal covers transfer %s',
          previous + 1, seq - 1, transfer_id) as problem
      from (
        select *, lag(seq, 1, 0::bigint) over (partition by business_id, live order by seq)
          as previous
        from ledger_seals
      ) as numbered
      where seq <> previous + 1`,
  },
  {
    name: 'chain-ends',
    what: 'each chain ends at its chain head',
    table: 'ledger_seals',
    sql: sql`
      select c.business_id, c.live, c.seq as id,
        format('the chain head is seal %s, which is missing or was changed', c.seq) as problem
      from ledger_chains c
      left join ledger_seals s on (s.business_id, s.live, s.seq) = (c.business_id, c.live, c.seq)
      where c.seq > 0 and s.hash is distinct from c.hash
      union all
      select s.business_id, s.live, s.seq, format('it comes after the chain head, %s', c.seq)
      from ledger_seals s
      left join ledger_chains c on (c.business_id, c.live) = (s.business_id, s.live)
      where c.seq is null or s.seq > c.seq`,
  },
  {
    name: 'seal-queue',
    what: 'every journal queued for sealing exists and is not sealed yet',
    table: 'ledger_unsealed',
    sql: sql`
      select u.business_id, u.live, u.journal_id as id, case
        when j.id is null then 'this journal is queued for sealing but does not exist'
        else 'this journal is queued for sealing but already sealed' end as problem
      from ledger_unsealed u
      left join ledger_journals j on (j.business_id, j.live, j.id)
        = (u.business_id, u.live, u.journal_id)
      left join (
        select t.business_id, t.live, t.journal_id as id
        from ledger_transfers t
        join ledger_seals s
          on (s.business_id, s.live, s.transfer_id) = (t.business_id, t.live, t.id)
        group by t.business_id, t.live, t.journal_id
      ) as sealed on (sealed.business_id, sealed.live, sealed.id)
        = (u.business_id, u.live, u.journal_id)
      where j.id is null or sealed.id is not null`,
  },
  {
    name: 'unsealed',
    what: 'every transfer is sealed or queued for sealing',
    table: 'ledger_transfers',
    sql: sql`
      select t.business_id, t.live, t.id, 'it is neither sealed nor queued for sealing' as problem
      from ledger_transfers t
      left join ledger_seals s
        on (s.business_id, s.live, s.transfer_id) = (t.business_id, t.live, t.id)
      where s.seq is null and not exists (
        select from ledger_unsealed u
        where (u.business_id, u.live, u.journal_id) = (t.business_id, t.live, t.journal_id))`,
  },
]

export const auditChecks: readonly AuditCheck[] = [
  ...accountChecks,
  ...journalChecks,
  ...sealChecks,
]

/** Further findings from the same check would add nothing new. */
const FINDINGS_MAX = 100

const HOUR_MS = 60 * 60 * 1000

/**
 * Runs every check on a single snapshot of the database, taken when the audit starts. It can run
 * while the server handles requests, because it doesn't hold any lock that they would wait for.
 * Returns at most 100 findings for each check.
 */
export function runAudit(
  db: Database,
  checks: readonly AuditCheck[] = auditChecks,
): Promise<Finding[]> {
  return withSnapshot(db, (snapshot) => findingsIn(snapshot, checks))
}

/** Runs the checks on a given snapshot, for a command that also reads other data from it. */
export async function findingsIn(snapshot: Db, checks: readonly AuditCheck[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) {
    const find = snapshot.isDivided ? findingsOnMachines : findingsOf
    findings.push(...(await find(snapshot, check)))
  }
  return findings
}

/**
 * If the tables are divided among machines, each machine runs a check on its own rows. Some checks
 * cannot be divided, so they run for one business after another.
 */
async function findingsOnMachines(snapshot: Db, check: AuditCheck): Promise<Finding[]> {
  await snapshot.run`savepoint whole`
  try {
    const found = await findingsOf(snapshot, check)
    await snapshot.run`release savepoint whole`
    return found
  } catch (error) {
    if (!isIndivisible(error)) throw error
    await snapshot.run`rollback to savepoint whole`
  }
  const found: Finding[] = []
  for (const { id } of await snapshot.many<{ id: number }>`select id from businesses order by id`) {
    found.push(...(await findingsOf(snapshot, check, sql`business_id = ${id}`)))
  }
  return found.slice(0, FINDINGS_MAX)
}

async function findingsOf(
  db: Db,
  { name, table, sql: check }: AuditCheck,
  isChecked = sql`true`,
): Promise<Finding[]> {
  const rows = await db.many<Omit<Finding, 'check' | 'table' | 'businessId'> & TenantColumn>`
    select business_id, live, id::text, problem from (${check}) as wrong
    where ${isChecked} limit ${FINDINGS_MAX}`
  return rows.map(({ business_id: businessId, ...row }) => ({
    check: name,
    table,
    businessId,
    ...row,
  }))
}

interface TenantColumn {
  business_id: number
}

/** Runs `work` in a transaction that sees one snapshot and can take an hour instead of seconds. */
export function withSnapshot<T>(db: Database, work: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.withClient(async (client) => {
    await client.query('begin isolation level repeatable read read only')
    try {
      await client.query(`set local statement_timeout = ${HOUR_MS}`)
      await client.query(`set local idle_in_transaction_session_timeout = ${HOUR_MS}`)
      // The checks read whole tables. With outdated statistics, PostgreSQL chose a nested loop that
      // took 280 s for 138,000 transfers; a hash join took 0.1 s. A merge join that follows an
      // index on just the tenant compares all of a tenant's rows with each other, which took 71 s
      // for 32,000 transactions.
      await client.query('set local enable_nestloop = off')
      await client.query('set local enable_mergejoin = off')
      // Where a nested loop is the only way, its cost is now so high that PostgreSQL would compile
      // the statement, which took 500 ms for an empty table.
      await client.query('set local jit = off')
      // With one connection to each machine, the machine has one snapshot.
      if (db.isDivided) await client.query('set local citus.max_adaptive_executor_pool_size = 1')
      return await work(
        dbOn((query) => client.query({ ...query, query_timeout: HOUR_MS } as pg.QueryConfig), {
          prepare: false,
          isDivided: db.isDivided,
        }),
      )
    } finally {
      await client.query('rollback')
    }
  })
}
