import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { fundingChecks } from './audit.ts'

const server = await startServer({ jobs: false })
const { db } = server

const ACCOUNT = '/api/user-service/external/v1/wallet/funding-account'

/** The ids of rows to damage. */
interface Rows {
  business: number
  payment: number
  account: number
  journal: number
}

async function fundedShop(): Promise<Rows> {
  const { businessId, keys } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const { accountNumber } = (await post(ACCOUNT, {})).body.data
  await post('/api/simulator/deposit', { accountNumber, amount: 5_000 })
  const { id: payment, account } = await db.one<{ id: number; account: number }>`
    select id, funding_account_id as account from funding_payments
    where business_id = ${businessId}`
  const { id: journal } = await db.one<{ id: number }>`
    select id from ledger_journals where business_id = ${businessId} and cause_type = 'funding'`
  return { business: businessId, payment, account, journal }
}

const damages: Damage<Rows>[] = [
  [
    'a payment with another amount than in the wallet',
    ({ payment }) => `update funding_payments set amount_minor = 1 where id = ${payment}`,
    ({ payment }) => [`funding-payments: funding_payments ${payment}`],
  ],
  [
    'a payment from another connection than its account',
    ({ account, business }) => `
      insert into provider_connections (id, provider, business_id, live, environment, status,
        name, base_url, notice_token, created_by, created_at, updated_at)
      select 999999, 'paystack', ${business}, false, 'sandbox', 'Active', 'Other', '', 'other',
        'a test', now(), now();
      update funding_accounts set connection_id = 999999 where id = ${account}`,
    ({ payment }) => [`funding-payments: funding_payments ${payment}`],
  ],
  [
    'money for a payment that does not exist',
    ({ journal }) => `update ledger_journals set cause_id = -cause_id where id = ${journal}`,
    ({ payment, journal }) => [
      `funding-journals: ledger_journals ${journal}`,
      `funding-payments: funding_payments ${payment}`,
    ],
  ],
]

testDamages('the audit of funding', { server, shop: fundedShop, damages, checks: fundingChecks })
