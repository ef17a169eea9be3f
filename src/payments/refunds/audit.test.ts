import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { openShop } from './refunds.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

/** The ids of rows to damage: refunds of one payment with three parts. */
interface Rows {
  business: number
  payment: number
  /** A Processed refund, a Failed one, and an open one. */
  processed: number
  failed: number
  open: number
  /** The journal of the open refund's hold. */
  hold: number
  /** A payment with a share, but without a refund. */
  other: number
}

/** Creates the business that the tests damage. */
async function refundedShop(): Promise<Rows> {
  const { businessId, shared, refund, simulate } = await openShop(server)
  const [payment, other] = [await shared(1_000, [50, 30]), await shared(500, [10])]
  const refunded = async (amount: number, outcome?: string) => {
    const { id, reference } = (await refund({ transactionId: payment.id, amount })).body.data
    if (outcome) await simulate(reference, outcome)
    return id as number
  }
  const [processed, failed] = [await refunded(100, 'success'), await refunded(70, 'failed')]
  const open = await refunded(50)
  const { id: hold } = await db.one<{ id: number }>`
    select id from ledger_journals where cause_type = 'refund' and cause_id = ${open}`
  const rows = { processed, failed, open, hold }
  return { business: businessId, payment: payment.id, other: other.id, ...rows }
}

const damages: Damage<Rows>[] = [
  [
    'a payment that does not count an open refund',
    ({ payment }) => `update transactions set refunding_minor = refunded_minor
      where id = ${payment}`,
    ({ payment }) => [`refunded-payments: transactions ${payment}`],
  ],
  [
    'a payment that does not count a processed refund',
    ({ payment }) => `update transactions set refunded_minor = 0 where id = ${payment}`,
    ({ payment }) => [`refunded-payments: transactions ${payment}`],
  ],
  [
    'a payment marked as fully refunded',
    ({ payment }) => `update transactions set status = 'Refunded' where id = ${payment}`,
    ({ payment }) => [`refunded-payments: transactions ${payment}`],
  ],
  [
    'a payment marked as not refunded',
    ({ payment }) => `update transactions set status = 'Successful' where id = ${payment}`,
    ({ payment }) => [`refunded-payments: transactions ${payment}`],
  ],
  [
    'a payment marked as partly refunded, without a refund',
    ({ other }) => `update transactions set status = 'PartiallyRefunded' where id = ${other}`,
    ({ other }) => [`refunded-payments: transactions ${other}`],
  ],
  [
    'an open refund marked as Failed',
    ({ open }) => `update refunds set status = 'Failed' where id = ${open};
      update provider_orders set next_at = null, sent_at = created_at where subject_id = ${open}`,
    ({ open, payment }) => [
      `refund-entries: refunds ${open}`,
      `refund-entries: refunds ${open}`,
      `refund-holds: refunds ${open}`,
      `refunded-payments: transactions ${payment}`,
      `refunded-shares: transaction_shares ${payment}`,
      `refunded-shares: transaction_shares ${payment}`,
    ],
  ],
  [
    'a failed refund marked as Processed, with its payment and shares',
    ({ failed, payment }) => `
      with refund as (
        update refunds set status = 'Processed', processed_at = created_at where id = ${failed}
      ), payment as (
        update transactions set refunding_minor = refunding_minor + 7000,
          refunded_minor = refunded_minor + 7000 where id = ${payment}
      )
      update transaction_shares s set refunded_minor = s.refunded_minor + p.amount_minor
      from refund_shares p
      where p.refund_id = ${failed} and s.subaccount_id = p.subaccount_id
        and s.transaction_id = ${payment}`,
    ({ failed }) => [
      `refund-entries: refunds ${failed}`,
      `refund-entries: refunds ${failed}`,
      `refund-holds: refunds ${failed}`,
    ],
  ],
  [
    'a refund with another amount than its hold',
    ({ open, payment }) => `
      with refund as (update refunds set amount_minor = amount_minor + 1 where id = ${open})
      update transactions set refunding_minor = refunding_minor + 1 where id = ${payment}`,
    ({ open }) => [`refund-holds: refunds ${open}`],
  ],
  [
    'a refund marked as one of an overpayment',
    ({ processed }) => `update refunds set excess_minor = 1 where id = ${processed}`,
    ({ processed, payment }) => [
      `refund-holds: refunds ${processed}`,
      `refunded-payments: transactions ${payment}`,
    ],
  ],
  [
    'a Processed refund without its time',
    ({ processed }) => `update refunds set processed_at = null where id = ${processed}`,
    ({ processed }) => [`refund-states: refunds ${processed}`],
  ],
  [
    'a refund that will never be ordered',
    ({ open }) => `update provider_orders set next_at = null where subject_id = ${open}`,
    ({ open }) => [`refund-orders: refunds ${open}`],
  ],
  [
    'a Processed refund without an order',
    ({ processed }) => `update provider_orders set sent_at = null where subject_id = ${processed}`,
    ({ processed }) => [`refund-orders: refunds ${processed}`],
  ],
  [
    'a hold of a refund that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ open, hold }) => [
      `refund-holds: refunds ${open}`,
      `refund-journals: ledger_journals ${hold}`,
    ],
  ],
  [
    'a share that does not count its refunds',
    ({ payment }) => `update transaction_shares set refunded_minor = refunded_minor - 1
      where transaction_id = ${payment}
        and subaccount_id = (select min(subaccount_id) from transaction_shares
          where transaction_id = ${payment})`,
    ({ payment }) => [`refunded-shares: transaction_shares ${payment}`],
  ],
  [
    'a share that counts a refund that does not exist',
    ({ other }) => `update transaction_shares set refunded_minor = 1
      where transaction_id = ${other}`,
    ({ other }) => [`refunded-shares: transaction_shares ${other}`],
  ],
  [
    'the part of one subaccount assigned to another',
    ({ open }) => `update refund_shares set amount_minor = amount_minor
        + case when subaccount_id = (select min(subaccount_id) from refund_shares
          where refund_id = ${open}) then 1 else -1 end
      where refund_id = ${open}`,
    ({ open, payment }) => [
      `refund-entries: refunds ${open}`,
      `refund-entries: refunds ${open}`,
      `refunded-shares: transaction_shares ${payment}`,
      `refunded-shares: transaction_shares ${payment}`,
    ],
  ],
  [
    'a missing last event of a refund',
    ({ processed }) => `delete from events where object_id = ${processed}
      and type = 'refund.processed'`,
    ({ processed }) => [`refund-events: refunds ${processed}`],
  ],
]

testDamages('the audit of refunds', {
  server,
  shop: refundedShop,
  damages,
  checks: allChecks.filter(({ name }) => /^refund/.test(name)),
})
