import type pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { allChecks } from '../../src/audit.ts'
import { dbOn } from '../../src/db/database.ts'
import { forOneMachine } from '../../src/db/distributed/rewrite.ts'
import { type AuditCheck, type Finding, findingsIn, runAudit } from '../../src/ledger/audit.ts'
import { type startServer, undone } from '../harness.ts'

type Server = Awaited<ReturnType<typeof startServer>>

/** A title, the statement that does the damage, and each `check: table id` to be found. */
export type Damage<Rows> = [title: string, sql: (of: Rows) => string, found: (of: Rows) => string[]]

/** These checks compare rows with digests, so they find most damage a second time. */
const DIGESTED = /^(event-digests|lost-events|[a-z]+-notes)$/
const undigested = allChecks.filter(({ name }) => !DIGESTED.test(name))

/** Audits one business of a server in test mode: `check: table id`, sorted. */
export async function findingsOf(
  { db }: Pick<Server, 'db'>,
  business: number,
  looking: readonly AuditCheck[] = undigested,
): Promise<string[]> {
  return namesOf(await runAudit(db, looking), business)
}

/** Audits within the transaction of a client, with the planner settings of `runAudit`. */
export async function findingsWithin(client: pg.Client, checks: readonly AuditCheck[]) {
  await client.query('set local enable_nestloop = off; set local enable_mergejoin = off')
  const { isDivided = false } = inject('cluster').app
  return findingsIn(
    dbOn((query) => client.query(isDivided ? forOneMachine(query) : query), { isDivided }),
    checks,
  )
}

/** Runs the whole audit; much faster than `runAudit` from the second time on. */
export const findings = ({ name }: Pick<Server, 'name'>) =>
  undone(name, (client) => findingsWithin(client, allChecks))

const namesOf = (found: Finding[], business: number): string[] =>
  found
    .filter(({ businessId }) => businessId === business)
    .map(({ check, table, id, live, problem }) => {
      expect([live, problem.length > 10]).toEqual([false, true])
      return `${check}: ${table} ${id}`
    })
    .sort()

interface Damaged<Rows> {
  server: Server
  /** Creates the business that the tests damage; each rolls its damage back. */
  shop(): Promise<Rows>
  damages: readonly Damage<Rows>[]
  /** The checks that must each find at least one damage. */
  checks: readonly AuditCheck[]
  /** The checks to run, if others would find consequences too. Runs all by default. */
  looking?: readonly AuditCheck[]
}

/** Tests that the audit finds exactly the damage done. */
export function testDamages<Rows extends { business: number }>(
  title: string,
  { server, shop, damages, checks, looking }: Damaged<Rows>,
): void {
  describe(title, () => {
    let rows: Rows
    beforeAll(async () => {
      rows = await shop()
    })

    test('finds nothing in an undamaged shop', async () => {
      expect(await findingsOf(server, rows.business, looking ?? allChecks)).toEqual([])
    })

    test('has a damage for every check', () => {
      const tried = damages.flatMap(([, , found]) => found({} as Rows))
      const isTried = ({ name }: AuditCheck) => tried.some((one) => one.startsWith(`${name}:`))
      expect(checks.length).toBeGreaterThan(0)
      expect(checks.filter((check) => !isTried(check))).toEqual([])
    })

    test.each(damages)('names %s', async (_title, sql, expected) => {
      const found = await undone(server.name, async (client) => {
        await client.query(sql(rows))
        return findingsWithin(client, looking ?? undigested)
      })
      expect(namesOf(found, rows.business)).toEqual(expected(rows).sort())
    })
  })
}
