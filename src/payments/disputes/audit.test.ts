import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { disputeChecks } from './audit.ts'
import { openDisputedShop } from './disputes.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

/** The ids of rows to damage. */
interface Rows {
  business: number
  payment: number
  /** An open dispute with a response that is being sent, a won one, and a lost one. */
  open: number
  won: number
  lost: number
  response: number
  /** The journal of the open dispute's hold. */
  hold: number
  /** A payment without a dispute. */
  other: number
}

async function disputedShop(): Promise<Rows> {
  const shop = await openDisputedShop(server)
  const payment = await shop.paid(1_000, 1_000)
  const idOf = async (reference: string) => (await shop.read(reference)).id as number
  const won = await shop.dispute(payment)
  await shop.decide(won, 'won')
  const lost = await shop.dispute(payment, { amount: 300 })
  await shop.decide(lost, 'lost')
  const reference = await shop.dispute(payment, { amount: 200 })
  await shop.contest(reference)
  const open = await idOf(reference)
  const { id: hold } = await db.one<{ id: number }>`
    select id from ledger_journals where cause_type = 'dispute' and cause_id = ${open}`
  const { id: response } = await db.one<{ id: number }>`
    select id from dispute_responses where dispute_id = ${open}`
  const ids = { open, won: await idOf(won), lost: await idOf(lost), response, hold }
  const other = (await shop.paid(500)).id
  return { business: shop.businessId, payment: payment.id, ...ids, other }
}

const damages: Damage<Rows>[] = [
  [
    'a payment that does not count an open dispute',
    ({ payment }) => `update transactions set disputed_minor = reversed_minor
      where id = ${payment}`,
    ({ payment }) => [`disputed-payments: transactions ${payment}`],
  ],
  [
    'a payment that does not count a lost dispute',
    ({ payment }) => `update transactions set reversed_minor = 0 where id = ${payment}`,
    ({ payment }) => [`disputed-payments: transactions ${payment}`],
  ],
  [
    'a payment marked as Reversed without a dispute',
    ({ other }) => `update transactions set status = 'Reversed' where id = ${other}`,
    ({ other }) => [`refunded-payments: transactions ${other}`],
  ],
  [
    'a won dispute marked as Lost',
    ({ won }) => `update disputes set status = 'Lost' where id = ${won}`,
    ({ won }) => [`dispute-states: disputes ${won}`],
  ],
  [
    'a lost dispute that took nothing, with its payment',
    ({ lost, payment }) => `
      update disputes set lost_minor = 0, status = 'Won' where id = ${lost};
      update transactions set reversed_minor = 0, disputed_minor = disputed_minor - 30000
      where id = ${payment}`,
    ({ lost }) => [`dispute-holds: disputes ${lost}`],
  ],
  [
    'a dispute with less on hold than in the ledger',
    ({ open }) => `update disputes set held_minor = held_minor - 1 where id = ${open}`,
    ({ open }) => [`dispute-holds: disputes ${open}`],
  ],
  [
    'a dispute whose hold was of an overpayment',
    ({ open }) => `update disputes set held_minor = held_minor - 1, excess_minor = 1
      where id = ${open}`,
    ({ open }) => [`dispute-holds: disputes ${open}`],
  ],
  [
    'a hold of a dispute that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ open, hold }) => [
      `dispute-holds: disputes ${open}`,
      `dispute-journals: ledger_journals ${hold}`,
    ],
  ],
  [
    'a dispute at another connection than its payment',
    ({ open, business }) => `
      insert into provider_connections (id, provider, business_id, live, environment, status,
        name, base_url, notice_token, created_by, created_at, updated_at)
      select 999999, 'paystack', ${business}, false, 'sandbox', 'Active', 'Other', '', 'other',
        'a test', now(), now();
      update disputes set connection_id = 999999 where id = ${open}`,
    ({ open }) => [`dispute-connections: disputes ${open}`],
  ],
  [
    'a response that will never be sent',
    ({ response }) => `update provider_orders set next_at = null where subject_id = ${response}`,
    ({ response }) => [`dispute_response-orders: dispute_responses ${response}`],
  ],
]

testDamages('the audit of disputes', {
  server,
  shop: disputedShop,
  damages,
  checks: disputeChecks,
})
