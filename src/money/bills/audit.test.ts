import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { utilityChecks } from './audit.ts'
import { METER, shopOn } from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

/** The ids of rows to damage. */
interface Rows {
  business: number
  bought: number
  waiting: number
  failed: number
  /** The journal of the pending payment's hold. */
  hold: number
}

/** Creates the business that the tests damage. */
async function shop(): Promise<Rows> {
  const { businessId: business, buy } = await shopOn(server)
  const references = { bought: 'bought', waiting: 'waiting', failed: 'failed' }
  await buy({ ...METER, customerId: '45012345678', paymentReference: references.bought })
  await buy({ amount: 500.04, paymentReference: references.waiting })
  await buy({ amount: 500.01, paymentReference: references.failed })
  const rows = await db.many<{ payment_reference: string; id: number; hold: number }>`
    select p.payment_reference, p.id, j.id as hold from utility_payments p
    join ledger_journals j on j.cause_id = p.id and j.verb = 'hold'
    where p.business_id = ${business}`
  const of = (wanted: string) => rows.find(({ payment_reference: own }) => own === wanted)!
  return {
    business,
    bought: of('bought').id,
    waiting: of('waiting').id,
    failed: of('failed').id,
    hold: of('waiting').hold,
  }
}

const damages: Damage<Rows>[] = [
  [
    'a failed payment marked as Successful',
    ({ failed }) => `update utility_payments set status = 'Successful' where id = ${failed}`,
    ({ failed }) => [`utility-holds: utility_payments ${failed}`],
  ],
  [
    'a successful payment marked as Failed',
    ({ bought }) => `update utility_payments set status = 'Failed', token_value = null,
      token_units = null where id = ${bought}`,
    ({ bought }) => [`utility-holds: utility_payments ${bought}`],
  ],
  [
    'a pending payment marked as Failed',
    ({ waiting }) => `update utility_payments set status = 'Failed', completed_at = created_at
      where id = ${waiting};
      update provider_orders set next_at = null where subject_id = ${waiting}`,
    ({ waiting }) => [`utility-holds: utility_payments ${waiting}`],
  ],
  [
    'a payment with another amount, and a fee that makes up the difference',
    ({ bought }) => `update utility_payments set amount_minor = amount_minor - 1, fee_minor = 1
      where id = ${bought}`,
    ({ bought }) => [`utility-holds: utility_payments ${bought}`],
  ],
  [
    'a payment with too little on hold',
    ({ waiting }) => `update utility_payments set fee_minor = 1 where id = ${waiting}`,
    ({ waiting }) => [`utility-holds: utility_payments ${waiting}`],
  ],
  [
    'a payment that will never be looked up',
    ({ waiting }) => `update provider_orders set next_at = null where subject_id = ${waiting}`,
    ({ waiting }) => [`bill-orders: utility_payments ${waiting}`],
  ],
  [
    'an ended payment without its time',
    ({ bought }) => `update utility_payments set completed_at = null where id = ${bought}`,
    ({ bought }) => [`utility-states: utility_payments ${bought}`],
  ],
  [
    'a token of a pending payment',
    ({ waiting }) => `update utility_payments set token_value = '1' where id = ${waiting}`,
    ({ waiting }) => [`utility-vouchers: utility_payments ${waiting}`],
  ],
  [
    'a PIN of a failed payment',
    ({ failed }) => `update utility_payments set pins = '{1234}' where id = ${failed}`,
    ({ failed }) => [`utility-vouchers: utility_payments ${failed}`],
  ],
  [
    'a hold of a payment that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ hold, waiting }) => [
      `utility-holds: utility_payments ${waiting}`,
      `utility-journals: ledger_journals ${hold}`,
    ],
  ],
  [
    'a missing last event of a payment',
    ({ bought }) => `delete from events where object_id = ${bought} and sequence = 2`,
    ({ bought }) => [`utility_payment-events: utility_payments ${bought}`],
  ],
]

testDamages('the audit of utility payments', { server, shop, damages, checks: utilityChecks })
