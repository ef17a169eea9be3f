import { expect } from 'vitest'
import { liveOwner } from '../../src/business/providers/providers.fixture.ts'
import { ENQUIRE, PROCESS } from '../../src/money/bills/bills.fixture.ts'
import type { Service } from '../../src/providers/connector/types.ts'
import { storeCredential } from '../../src/providers/credentials.ts'
import { connect, setRoutes } from '../../src/providers/providers.fixture.ts'
import { dayOf } from '../../src/reconciliation/days.ts'
import type { startServer } from '../harness.ts'
import { openDouble } from './doubles/double.ts'
import { flutterwave as flutterwaveOf } from './doubles/flutterwave/flutterwave.ts'
import { paystack as paystackOf } from './doubles/paystack/paystack.ts'

/* A business in live mode with an account at each provider's double, and what people do with it. */

type Server = Awaited<ReturnType<typeof startServer>>

const API = '/api/transaction-service/external/v1'
const DAY_MS = 24 * 3_600_000

const KINDS = ['charge', 'transfer', 'settlement', 'refund', 'deposit_return', 'bill']

/** Everything that moves money, and ends what nobody pays. */
const JOBS = [...KINDS.map((kind) => `${kind}-orders`), 'transaction-expiry']

export const BILL = { packageSlug: 'ikedc-prepaid', customerId: '45012345678' }

export type Doubles = Awaited<ReturnType<typeof openDoubles>>
export type ProviderName = keyof Doubles

/** Opens a double of each provider, whose time begins now. */
export async function openDoubles(now = new Date(), seed = 1) {
  const paystack = await openDouble((kit) => paystackOf(kit), { now, seed })
  const secretHash = 'a-secret-hash-of-16'
  const flutterwave = await openDouble((kit) => flutterwaveOf(kit, { secretHash }), { now, seed })
  return { paystack, flutterwave }
}

type Services = Readonly<Record<ProviderName, readonly Service[]>>

const SERVICES: Services = {
  paystack: ['USSD', 'PAYOUTS', 'ACCOUNTS'],
  flutterwave: ['USSD', 'PAYOUTS', 'UTILITY'],
}

/** Connects a new business to both. By default, either can take a payment or a transfer. */
export async function openLiveShop(server: Server, doubles: Doubles, services = SERVICES) {
  const { db, clock, keyring, runJob } = server
  const { businessId, keys } = await server.newBusiness()
  const { post } = server.as(keys.liveSecret)
  const names = ['paystack', 'flutterwave'] as const
  const connections: Record<ProviderName, number> = { paystack: 0, flutterwave: 0 }
  for (const provider of names) {
    const double = doubles[provider]
    const settings = { services: services[provider], ussdBanks: ['058'] }
    const { baseUrl } = double
    const connectionId = await connect(server, businessId, {
      provider,
      live: true,
      baseUrl,
      settings,
    })
    connections[provider] = connectionId
    const values = {
      secret_key: double.provider.secretKey(),
      ...('secretHash' in double.provider && { secret_hash: double.provider.secretHash() }),
    }
    const now = clock.now()
    for (const [name, value] of Object.entries(values)) {
      const credential = { connectionId, name, value, now, formerUntil: now }
      await db.transaction((tx) => storeCredential(tx, keyring, credential))
    }
    double.notices.url = `${server.url}/providers/notices/token-${connectionId}`
  }
  await setRoutes(
    server,
    businessId,
    names.flatMap((name) =>
      services[name].map((service) => ({ service, connectionId: connections[name], live: true })),
    ),
  )
  for (const job of ['bank-lists', 'item-lists']) await runJob(job)
  let owner = await liveOwner(server, businessId)
  const both = names.map((name) => doubles[name])

  async function advance(ms: number): Promise<void> {
    clock.advance(ms)
    for (const double of both) await double.advance(ms)
  }
  async function noticed(): Promise<void> {
    for (const double of both) await double.notices.settled()
    await runJob('provider-notices')
  }
  async function run(): Promise<void> {
    await noticed()
    for (const job of JOBS) await runJob(job)
  }

  interface Order {
    kind: string
    subject_id: number
    sent_reference: string
    connection_id: number
    state: string | null
    attention: string | null
    is_open: boolean
  }
  const orders = () => db.many<Order>`
    select kind, subject_id, sent_reference, connection_id, state, attention,
      ended_at is null as is_open
    from provider_orders where business_id = ${businessId} and live
    order by subject_id, attempt`
  const nameOf = (connectionId: number) => names.find((name) => connections[name] === connectionId)!
  const doubleOf = ({ connection_id }: Pick<Order, 'connection_id'>) =>
    doubles[nameOf(connection_id)]

  /** A payer asks for a code, and dials it, unless the code was never shown. */
  async function pay(amount: number, dials = true, pageId?: number): Promise<void> {
    const asked = { channel: 'USSD', amount, bankCode: '058', ...(pageId && { pageId }) }
    const { status, body } = await post(`${API}/transaction-with-ussd`, asked)
    const code = status === 200 ? (body.data.ussdCode as string | undefined) : undefined
    if (!code || !dials) return
    const started = (await orders()).filter(({ kind }) => kind === 'charge').at(-1)!
    doubleOf(started).provider.payer.dial(code)
  }
  async function transfer(count: number, amount = 1_000): Promise<void> {
    for (let i = 0; i < count; i++) {
      const account = { bankCode: '057', accountNumber: '0123456789' }
      await post(`${API}/transfers`, { ...account, amount })
    }
  }
  /** Refunds a part of the newest payment of which something is left. */
  async function refund(amount: number): Promise<void> {
    const [paid] = await db.many<{ id: number }>`
      select id from transactions
      where business_id = ${businessId} and live and status = 'Successful'
      order by id desc limit 1`
    if (paid) await post(`${API}/refunds`, { transactionId: paid.id, amount })
  }
  async function bill(amount: number): Promise<void> {
    const enquiry = await post(ENQUIRE, BILL)
    if (enquiry.status === 200) await post(PROCESS, { ...BILL, amount })
  }

  /** Ends, at the providers, each order that they have executed and not ended. */
  const settled = new Set<string>()
  async function settle(succeeds: (nth: number) => boolean = () => true): Promise<void> {
    doubles.flutterwave.provider.owner.settleToWallet()
    for (const [i, order] of (await orders()).entries()) {
      const { kind, sent_reference: reference } = order
      const { books } = doubleOf(order)
      const isKnown = kind !== 'charge' && books.executed.has(reference)
      if (!isKnown || settled.has(reference)) continue
      settled.add(reference)
      settleOne(doubleOf(order), kind, reference, succeeds(i))
    }
  }

  /** Reconciles every day since a time. Returns the days on which something is not explained. */
  async function reconcile(since: Date): Promise<object[]> {
    const now = clock.now()
    const days = new Set<string>()
    for (let at = since.getTime(); at < now.getTime() + DAY_MS; at += DAY_MS) {
      days.add(dayOf(new Date(Math.min(at, now.getTime()))))
    }
    for (const day of days) {
      for (const id of Object.values(connections)) {
        await db.run`
          insert into reconciliation_days (business_id, live, connection_id, day, status, next_at)
          values (${businessId}, true, ${id}, ${day}, 'Open', ${now})
          on conflict (business_id, live, connection_id, day) do update set next_at = ${now}`
      }
    }
    await runJob('reconciliation')
    return db.many`
      select day, connection_id, problem, differences, unexplained_minor
      from reconciliation_days
      left join reconciliation_balances using (business_id, live, connection_id, day)
      where business_id = ${businessId}
        and (problem is not null or differences > 0 or coalesce(unexplained_minor, 0) <> 0)`
  }

  /** What the ledger says that a provider holds. */
  async function heldAt(name: ProviderName): Promise<bigint> {
    const [found] = await db.many<{ held_minor: bigint }>`
      select debits_minor - credits_minor as held_minor from ledger_accounts
      where business_id = ${businessId} and live and kind = 'provider_clearing'
        and subject_id = ${connections[name]}`
    return found?.held_minor ?? 0n
  }

  /** A person tests the connections, which are then no longer suspended. */
  async function test(): Promise<void> {
    // Sessions end when days pass.
    if ((await owner.get('/console/me')).status === 401) owner = await liveOwner(server, businessId)
    for (const id of Object.values(connections)) {
      expect((await owner.post(`/console/providers/${id}/test`)).status).toBe(200)
    }
  }

  return {
    businessId,
    secret: keys.liveSecret,
    connections,
    post,
    advance,
    noticed,
    run,
    orders,
    doubleOf,
    nameOf,
    pay,
    transfer,
    refund,
    bill,
    settle,
    reconcile,
    heldAt,
    test,
  }
}

function settleOne(
  double: Doubles[ProviderName],
  kind: string,
  reference: string,
  succeeds: boolean,
): void {
  const { provider, books } = double
  const entry = books.entries.find((one) => one.reference === reference)
  const isPaystack = provider.description === 'paystack'
  if (kind === 'bill' && 'billers' in provider) {
    provider.billers.settle(reference, succeeds ? 'successful' : 'failed')
  } else if (kind === 'refund') {
    const word = isPaystack ? 'processed' : 'completed-bank-transfer'
    provider.refunds.settle(entry!.providerId, (succeeds ? word : 'failed') as never)
  } else {
    const [paid, failed] = isPaystack ? ['success', 'failed'] : ['SUCCESSFUL', 'FAILED']
    provider.bank.settle(reference, (succeeds ? paid : failed) as never)
  }
}

/** What a provider has taken from its balance for an order, without fees, or given back. */
export const netOf = ({ books }: Doubles[ProviderName], reference: string): bigint =>
  books.entries
    .filter((entry) => entry.reference === reference)
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
