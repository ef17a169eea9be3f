import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { makeSplitPage } from './attempts.fixture.ts'
import { chargeOrderCheck, shareChecks } from './audit.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'

const server = await startServer({ jobs: false })

interface Rows {
  business: number
  /** Shared by one subaccount with 60 % and one with 40 %, which pay its fee. */
  paid: number
  pending: number
  one: number
}

async function shop(): Promise<Rows> {
  const { keys, businessId } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const page = await makeSplitPage(post, [60, 40])
  const begin = async (amount: number) =>
    (await post(USSD, { channel: 'USSD', amount, pageId: page.id })).body.data
  const [paid, pending] = [await begin(1_000), await begin(2_000)]
  await post('/api/simulator/ussd', { reference: paid.reference, outcome: 'success' })
  return {
    business: businessId,
    paid: paid.transactionId,
    pending: pending.transactionId,
    one: page.subaccounts[0]!,
  }
}

const damages: Damage<Rows>[] = [
  [
    'a share of a pending payment, above the whole amount',
    ({ pending, one }) => `update transaction_shares set amount_minor = amount_minor + 1
      where transaction_id = ${pending} and subaccount_id = ${one}`,
    ({ pending }) => [`share-sums: transactions ${pending}`],
  ],
  [
    'a paid share, lowered',
    ({ paid, one }) => `update transaction_shares set amount_minor = amount_minor - 1
      where transaction_id = ${paid} and subaccount_id = ${one}`,
    ({ paid }) => [`share-entries: transactions ${paid}`, `share-journals: transactions ${paid}`],
  ],
  [
    'a part of the fee that was not taken',
    ({ paid, one }) => `update transaction_shares set fee_minor = fee_minor + 1,
        amount_minor = amount_minor + 1
      where transaction_id = ${paid} and subaccount_id = ${one}`,
    ({ paid }) => [`share-journals: transactions ${paid}`, `share-sums: transactions ${paid}`],
  ],
  [
    'a missing share',
    ({ paid, one }) => `delete from transaction_shares
      where transaction_id = ${paid} and subaccount_id = ${one}`,
    ({ paid }) => [`share-entries: transactions ${paid}`, `share-journals: transactions ${paid}`],
  ],
  [
    'a missing entry of a share',
    ({ paid, one }) => `delete from subaccount_entries
      where transaction_id = ${paid} and subaccount_id = ${one}`,
    ({ paid, one }) => [
      `settlement-balances: subaccounts ${one}`,
      `share-entries: transactions ${paid}`,
    ],
  ],
  [
    'an entry split into two halves',
    ({ paid, one }) => `with halved as (
        update subaccount_entries set amount_minor = amount_minor / 2
        where transaction_id = ${paid} and subaccount_id = ${one} returning *)
      insert into subaccount_entries (business_id, live, id, subaccount_id, kind, transaction_id,
        amount_minor, currency, created_at)
      select business_id, live, -id, subaccount_id, kind, transaction_id, amount_minor, currency,
        created_at from halved`,
    ({ paid }) => [`share-entries: transactions ${paid}`],
  ],
  [
    'a payment that will never be looked up',
    ({ pending }) => `update provider_orders set next_at = null where subject_id = ${pending}`,
    ({ pending }) => [`charge-orders: transactions ${pending}`],
  ],
  [
    'a payment without an order',
    ({ pending }) => `delete from provider_orders where subject_id = ${pending}`,
    ({ pending }) => [`charge-orders: transactions ${pending}`],
  ],
  [
    'an ended payment that is still looked up',
    ({ paid }) => `update provider_orders set ended_at = null, next_at = created_at
      where subject_id = ${paid}`,
    ({ paid }) => [`charge-orders: transactions ${paid}`],
  ],
]

const checks = [...shareChecks, chargeOrderCheck]
testDamages('the audit of shares and orders', { server, shop, damages, checks })
