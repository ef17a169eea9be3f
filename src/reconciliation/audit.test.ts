import { beforeAll } from 'vitest'
import { type Damage, testDamages } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import { reconciliationChecks } from './audit.ts'
import { openShop, type Script, scripted, toMorning } from './reconciliation.fixture.ts'

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: scripted(simulator, script) }),
})

beforeAll(() => toMorning(server))

interface Rows {
  business: number
  connection: number
  day: string
  /** Closed with a journal. */
  closed: number
  journal: number
  settlement: number
  settled: number
}

/** A shop with an open difference, a closed one and a settlement. */
async function shop(): Promise<Rows> {
  const { businessId, connectionId, day, report, run, differences, close } = await openShop(
    server,
    script,
  )
  report('charge', { providerId: 'P1' })
  report('charge', { providerId: 'P2', amount_minor: 70_00n })
  report('settlement', { providerId: 'S1', amount_minor: 60_00n })
  await run()
  const [difference] = await differences()
  await close(difference.reference, 'booked')
  const closed = await server.db.one<{ id: number; journal: number }>`
    select id, closed_with_journal as journal from provider_differences
    where business_id = ${businessId} and status = 'Closed'`
  const settlement = await server.db.one<{ id: number; journal: number }>`
    select id, journal_id as journal from provider_settlements where business_id = ${businessId}`
  return {
    business: businessId,
    connection: connectionId,
    day,
    closed: closed.id,
    journal: closed.journal,
    settlement: settlement.id,
    settled: settlement.journal,
  }
}

const damages: readonly Damage<Rows>[] = [
  [
    'a day that was closed too early',
    ({ business }) =>
      `update reconciliation_days set status = 'Closed' where business_id = ${business}`,
    ({ connection, day }) => [`reconciled-days: reconciliation_days ${connection} ${day}`],
  ],
  [
    'a difference that was closed with another journal',
    ({ closed, settled }) =>
      `update provider_differences set closed_with_journal = ${settled} where id = ${closed}`,
    ({ closed }) => [`closed-differences: provider_differences ${closed}`],
  ],
  [
    'a difference that is gone',
    ({ closed }) => `delete from provider_differences where id = ${closed}`,
    ({ journal }) => [`difference-journals: ledger_journals ${journal}`],
  ],
  [
    'a settlement of another amount',
    ({ settlement }) => `update provider_settlements set amount_minor = 1 where id = ${settlement}`,
    ({ settlement }) => [`provider-settlements: provider_settlements ${settlement}`],
  ],
  [
    'a settlement that is gone',
    ({ settlement }) => `delete from provider_settlements where id = ${settlement}`,
    ({ settled }) => [`provider-settlement-journals: ledger_journals ${settled}`],
  ],
]

testDamages('the audit of reconciliation', {
  server,
  shop,
  damages,
  checks: reconciliationChecks,
})
