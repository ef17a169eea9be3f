import { describe, expect, test } from 'vitest'
import { events } from '../test/damaged/events.ts'
import { arrivals, invoices, payments } from '../test/damaged/money-in.ts'
import { products } from '../test/damaged/products.ts'
import { openShop, type Rows } from '../test/damaged/shop.ts'
import { splits } from '../test/damaged/splits.ts'
import { transfers } from '../test/damaged/transfers.ts'
import { asOwner, startServer } from '../test/harness.ts'
import { allChecks } from './audit.ts'
import { type AuditCheck, auditChecks, runAudit } from './ledger/audit.ts'

const server = await startServer({ sweepers: false, plantsEvents: true })
const { db, name } = server

/** What the audit finds of one business. */
async function findingsOf(business: number): Promise<string[]> {
  const found = await runAudit(db, allChecks)
  return found
    .filter(({ businessId }) => businessId === business)
    .map(({ check, table, id, live, problem }) => {
      expect([live, problem.length > 10]).toEqual([false, true])
      return `${check}: ${table} ${id}`
    })
    .sort()
}

const damages = [
  ...invoices,
  ...payments,
  ...arrivals,
  ...transfers,
  ...splits,
  ...products,
  ...events,
]

/** Damaged in tests of their own, beside what they check. */
const ELSEWHERE = [
  /^refund/,
  /^settlement-/,
  /^utility/,
  /^share-/,
  /^stock-/,
  /^media-/,
  /^branding-/,
  /^digital-/,
  /^download-/,
  /^discount-/,
  /^published-/,
  /payment.page/,
  /^checkout-/,
  /^order/,
  /^page-counts$/,
  /^simulated_event-/,
  /^webhook/,
  /^partner-/,
  /^audit-log/,
  /^owners$/,
]

describe('the audit of the slices', () => {
  test('finds nothing in a shop as it should be', async () => {
    const { business } = await openShop(server)
    expect(await findingsOf(business)).toEqual([])
  })

  test('every check has its damage here', () => {
    const tried = damages.flatMap(([, , found]) => found({} as Rows))
    const slices = allChecks.filter(
      (check) => !auditChecks.includes(check) && !ELSEWHERE.some((names) => names.test(check.name)),
    )
    const isTried = ({ name }: AuditCheck) => tried.some((one) => one.startsWith(`${name}:`))
    expect(slices.filter((check) => !isTried(check))).toEqual([])
    expect(slices.length).toBeGreaterThan(14)
  })

  test.each(damages)('names %s', async (_title, sql, expected) => {
    const rows = await openShop(server)
    await asOwner(name, (client) => client.query(sql(rows)))
    expect(await findingsOf(rows.business)).toEqual(expected(rows).sort())
  })
})
