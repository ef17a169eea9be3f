import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../src/audit.ts'
import { dbThat } from '../src/db/database.ts'
import { type AuditCheck, type Finding, findingsIn, runAudit } from '../src/ledger/audit.ts'
import { type startServer, undone } from './harness.ts'

type Server = Awaited<ReturnType<typeof startServer>>

/** What is wrong, the statement that makes it so, and each `check: table id` that must be found. */
export type Damage<Rows> = [title: string, sql: (of: Rows) => string, found: (of: Rows) => string[]]

/** These compare all that was written with digests, so they name most damage a second time. */
const DIGESTED = /^(event-digests|lost-events|[a-z]+-notes)$/
const undigested = allChecks.filter(({ name }) => !DIGESTED.test(name))

/** What the audit of a server finds of one business, in test mode: `check: table id`, sorted. */
export async function findingsOf(
  { db }: Pick<Server, 'db'>,
  business: number,
  looking: readonly AuditCheck[] = undigested,
): Promise<string[]> {
  return namesOf(await runAudit(db, looking), business)
}

/** What the audit finds within the transaction of a client, by plans as `runAudit` asks for. */
export async function findingsWithin(client: pg.Client, checks: readonly AuditCheck[]) {
  await client.query('set local enable_nestloop = off; set local enable_mergejoin = off')
  return findingsIn(
    dbThat((query) => client.query(query)),
    checks,
  )
}

/** What the whole audit finds; much faster than `runAudit` from the second time on. */
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
  /** Makes the business that all tests damage: what each did is rolled back. */
  shop(): Promise<Rows>
  damages: readonly Damage<Rows>[]
  /** Each of which must find one of the damages. */
  checks: readonly AuditCheck[]
  /** Those that are run, where others would find the consequences too; all unless given. */
  looking?: readonly AuditCheck[]
}

/** The tests of what an audit checks: nothing is found but what was damaged, and all of that. */
export function testDamages<Rows extends { business: number }>(
  title: string,
  { server, shop, damages, checks, looking }: Damaged<Rows>,
): void {
  describe(title, () => {
    let rows: Rows
    beforeAll(async () => {
      rows = await shop()
    })

    test('finds nothing in a shop as it should be', async () => {
      expect(await findingsOf(server, rows.business, looking ?? allChecks)).toEqual([])
    })

    test('has a damage here for every check', () => {
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
