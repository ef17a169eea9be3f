import type pg from 'pg'
import { type Database, type Db, dbThat } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import { accountChecks } from './audit-accounts.ts'
import { journalChecks } from './audit-journals.ts'
import { sealChecks } from './audit-seals.ts'

/** One row that is not as it must be. */
export interface Finding {
  /** The name of the check that found it. */
  check: string
  table: string
  businessId: number
  live: boolean
  /** What tells the row from others of its tenant: mostly its id, a seal's number, a currency. */
  id: string
  /** What is wrong, in words. */
  problem: string
}

/** What must be true of the stored rows. Slices hand theirs to `runAudit` beside `auditChecks`. */
export interface AuditCheck {
  name: string
  /** The rule, in words. */
  what: string
  table: string
  /** Selects `business_id, live, id, problem`: one row for each row of `table` that is wrong. */
  sql: Sql
}

export const auditChecks: readonly AuditCheck[] = [
  ...accountChecks,
  ...journalChecks,
  ...sealChecks,
]

/** After so many of one kind, more of them tell nothing new. */
const FINDINGS_MAX = 100

const HOUR_MS = 60 * 60 * 1000

/**
 * Runs every check on one moment of the database, as it was when the audit began, beside running
 * requests and without a lock that they would wait for. Answers at most 100 findings a check;
 * none at all when everything is right.
 */
export function runAudit(
  db: Database,
  checks: readonly AuditCheck[] = auditChecks,
): Promise<Finding[]> {
  return atOneMoment(db, (snapshot) => findingsIn(snapshot, checks))
}

/** What `runAudit` finds, for a command that looks at more of the same moment. */
export async function findingsIn(snapshot: Db, checks: readonly AuditCheck[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await findingsOf(snapshot, check)))
  return findings
}

async function findingsOf(db: Db, { name, table, sql }: AuditCheck): Promise<Finding[]> {
  const rows = await db.many<Omit<Finding, 'check' | 'table' | 'businessId'> & TenantColumn>`
    select business_id, live, id::text, problem from (${sql}) as wrong limit ${FINDINGS_MAX}`
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

/** Reads in a transaction that sees one moment and may take an hour, where others have seconds. */
export function atOneMoment<T>(db: Database, work: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.withClient(async (client) => {
    await client.query('begin isolation level repeatable read read only')
    try {
      await client.query(`set local statement_timeout = ${HOUR_MS}`)
      await client.query(`set local idle_in_transaction_session_timeout = ${HOUR_MS}`)
      // Checks read whole tables. A nested loop, chosen from statistics that were out of date, took
      // 280 s over 138,000 transfers; a hash join 0.1 s. A merge join by the tenant alone, as
      // an index is sorted, compares all rows of a tenant with each other: 71 s over 32,000
      // transactions.
      await client.query('set local enable_nestloop = off')
      await client.query('set local enable_mergejoin = off')
      return await work(
        dbThat(
          (query) => client.query({ ...query, query_timeout: HOUR_MS } as pg.QueryConfig),
          false,
        ),
      )
    } finally {
      await client.query('rollback')
    }
  })
}
