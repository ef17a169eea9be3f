import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { connect, reporting, setRoutes } from '../../providers/providers.fixture.ts'
import { walletChecks } from './audit.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const said = { lookUpCharge: { fee_minor: 5_00n }, lookUpPayout: { fee_minor: 10_00n } }
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: reporting(simulator, said) }),
})
const { db } = server

/** The checks of the causes have their own tests of tampering (test/corruption/tampering.ts). */
const ELSEWHERE = ['known-causes', 'opening-money', 'simulated-money']
const checks = walletChecks.filter(({ name }) => !ELSEWHERE.includes(name))

interface Rows {
  business: number
  other: number
  connection: number
  /** The accounts of the connection, and the simulator's. */
  clearing: number
  fees: number
  simulated: number
  /** The operator's fees. */
  operator: number
  /** A payment and a transfer with their journals and, of the payment, the provider's fee. */
  payment: number
  settled: number
  providerFee: number
  transfer: number
  paidOut: number
  /** The entry of the wallet's recovery. */
  recovered: number
}

/** A payment of which the provider kept a fee, and a transfer whose fee the wallet paid later. */
async function openShop(): Promise<Rows> {
  const { businessId: business, keys } = await server.newBusiness()
  const { businessId: other } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const connectionId = await connect(server, business)
  const services = ['USSD', 'PAYOUTS'] as const
  await setRoutes(
    server,
    business,
    services.map((service) => ({ service, connectionId })),
  )
  const payment = (await post(USSD, { channel: 'USSD', amount: 1_000 })).body.data
  await post('/api/simulator/ussd', { reference: payment.reference, outcome: 'success' })
  const to = { bankCode: '058', accountNumber: '0123456785' }
  const transfer = (await post(TRANSFERS, { amount: 100, ...to })).body.data
  await post('/api/simulator/transfer', { reference: transfer.reference, outcome: 'success' })
  await server.runJob('recoveries')
  const found = await db.one<Omit<Rows, 'business' | 'other' | 'connection'>>`
    with accounts as (
      select id, kind, subject_id from ledger_accounts where business_id = ${business}
    ), entries as (
      select t.id, t.kind, t.debit_account_id, j.id as journal, j.cause_type, j.cause_id, j.verb
      from ledger_transfers t join ledger_journals j
        on j.business_id = t.business_id and j.id = t.journal_id
      where t.business_id = ${business}
    )
    select
      (select id from accounts where kind = 'provider_clearing' and subject_id = ${connectionId})
        as clearing,
      (select id from accounts where kind = 'provider_clearing' and subject_id = 1) as simulated,
      (select id from accounts where kind = 'provider_fees') as fees,
      (select id from accounts where kind = 'fees') as operator,
      ${payment.transactionId}::bigint as payment, ${transfer.id}::bigint as transfer,
      (select max(journal) from entries where cause_type = 'transaction') as settled,
      (select max(journal) from entries where cause_type = 'transfer' and verb = 'post')
        as "paidOut",
      (select min(id) from entries where cause_type = 'transaction' and kind = 'provider_fee')
        as "providerFee",
      (select id from entries where cause_type = 'recovery') as recovered`
  return { ...found, business, other, connection: connectionId }
}

const bothAccounts = ({ clearing, fees }: Rows) => [
  `connection-accounts: ledger_accounts ${clearing}`,
  `connection-accounts: ledger_accounts ${fees}`,
]

const damages: Damage<Rows>[] = [
  [
    'the accounts of a connection that does not exist',
    ({ connection }) => `alter table provider_orders drop constraint provider_orders_connection;
      delete from provider_routes where connection_id = ${connection};
      delete from provider_connections where id = ${connection}`,
    bothAccounts,
  ],
  [
    'the accounts of another business’s connection',
    ({ connection, other }) =>
      `update provider_connections set business_id = ${other} where id = ${connection}`,
    bothAccounts,
  ],
  [
    'the accounts of a connection for the other mode',
    ({ connection }) => `update provider_connections set live = true, environment = 'production'
      where id = ${connection}`,
    bothAccounts,
  ],
  [
    'a payment that another connection received',
    ({ payment }) => `update provider_orders set connection_id = 1 where subject_id = ${payment}`,
    ({ settled }) => [`connections-used: ledger_journals ${settled}`],
  ],
  [
    'a transfer that is booked with another connection',
    ({ paidOut, simulated, clearing }) =>
      `update ledger_transfers set credit_account_id = ${simulated}
      where journal_id = ${paidOut} and credit_account_id = ${clearing} and kind = 'payout'`,
    ({ paidOut }) => [`connections-used: ledger_journals ${paidOut}`],
  ],
  [
    'a provider’s fee that the operator’s fees pay',
    ({ providerFee, operator }) =>
      `update ledger_transfers set debit_account_id = ${operator} where id = ${providerFee}`,
    ({ providerFee }) => [`provider-fees: ledger_transfers ${providerFee}`],
  ],
  [
    'a provider’s fee from what another provider holds',
    ({ providerFee, simulated }) =>
      `update ledger_transfers set credit_account_id = ${simulated} where id = ${providerFee}`,
    ({ providerFee, settled }) => [
      `connections-used: ledger_journals ${settled}`,
      `provider-fees: ledger_transfers ${providerFee}`,
    ],
  ],
  [
    'a recovery of something that nobody owes',
    ({ recovered, operator }) => `update ledger_transfers
      set credit_account_id = ${operator}, kind = 'recovery' where id = ${recovered}`,
    ({ recovered }) => [`recoveries: ledger_transfers ${recovered}`],
  ],
]

testDamages('the audit of money at providers', {
  server,
  shop: openShop,
  damages,
  checks,
  looking: checks,
})
