import { expect } from 'vitest'
import type { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { addDays, hourOfDay } from '../lib/dates.ts'
import { balancesIn } from '../money/wallet/wallet.fixture.ts'
import type { DisputePage } from '../providers/connector/disputes.ts'
import type {
  Balance,
  ChargeState,
  Connector,
  EntryKind,
  IncomingPayment,
  Outcome,
  PayoutState,
  ProviderEntry,
} from '../providers/connector/types.ts'
import { connect, setRoutes } from '../providers/providers.fixture.ts'
import { dayOf, ZONE } from './days.ts'

type Server = Awaited<ReturnType<typeof startServer>>

const MONEY = '/api/transaction-service/external/v1'

/** What a provider reports, as a test sets it. */
export interface Script {
  entries: ProviderEntry[]
  balances: Balance[]
  /** Instead of a page. */
  failure: Outcome<never> | undefined
  /** Of which list every page is the first one, and says that there is another. */
  endless: 'entries' | 'settled' | undefined
  /** What a lookup of a payout says instead, by the reference that was sent. */
  payouts: Map<string, Outcome<PayoutState>>
  /** What a lookup of a charge says instead. */
  charges: Map<string, Outcome<ChargeState>>
  /** The payments into the account that funds the wallet. */
  funding: IncomingPayment[]
  /** The disputes that it lists. */
  disputes: DisputePage['disputes']
  /** What was asked for, in order. */
  asked: string[]
  /** What people do while a page is read, once. */
  meanwhile: (() => Promise<unknown>) | undefined
}

const PAGE_MAX = 3

/** A list that does not end, except that a test that waits for its end fails. */
const pageAfter = (cursor: string | null): string | null =>
  Number(cursor ?? 0) < 50 ? String(Number(cursor ?? 0) + 1) : null

/** The simulator, with records that a test writes. */
export function scripted(simulator: Connector, script: Script): Connector {
  return {
    ...simulator,
    lookUpPayout: async (about, sent) =>
      script.payouts.get(sent.reference) ?? simulator.lookUpPayout(about, sent),
    lookUpCharge: async (about, sent) =>
      script.charges.get(sent.reference) ?? simulator.lookUpCharge(about, sent),
    listDisputes: async () => ({
      kind: 'done',
      value: { disputes: script.disputes, next: null },
    }),
    listFundingPayments: async () => ({ kind: 'done', value: script.funding }),
    reports: {
      kinds: ['charge', 'payout', 'refund', 'dispute', 'settlement', 'other'],
      async entries(_, kind, { from, until }, cursor) {
        script.asked.push(`${kind} ${cursor ?? ''}`.trim())
        const { meanwhile } = script
        script.meanwhile = undefined
        await meanwhile?.()
        if (script.failure) return script.failure
        const all = script.entries.filter(
          (one) => one.kind === kind && one.at >= from && one.at < until,
        )
        const isEndless = script.endless === 'entries'
        const start = isEndless ? 0 : Number(cursor ?? 0)
        const end = start + PAGE_MAX
        const next = isEndless ? pageAfter(cursor) : end < all.length ? String(end) : null
        return { kind: 'done', value: { entries: all.slice(start, end), next } }
      },
      async settled(_, id, cursor) {
        const providerIds = script.entries.flatMap((one) =>
          one.kind === 'charge' && one.providerId.startsWith(`${id} `) ? [one.providerId] : [],
        )
        const next = script.endless === 'settled' ? pageAfter(cursor) : null
        return { kind: 'done', value: { providerIds, next } }
      },
    },
    balances: { balances: async () => ({ kind: 'done', value: script.balances }) },
  }
}

/** Moves the server's time to a morning, so that a test's day does not end while it runs. */
export function toMorning({ clock }: Server): void {
  const now = clock.now()
  const morning = hourOfDay(addDays(dayOf(now), 1), 9, ZONE)
  clock.advance(morning.getTime() - now.getTime())
}

/** A business with an account at a provider that reports what the test wants. */
export async function openShop(server: Server, script: Script) {
  const { db, clock, runJob } = server
  const nothing: Script = {
    entries: [],
    balances: [],
    failure: undefined,
    endless: undefined,
    payouts: new Map(),
    charges: new Map(),
    funding: [],
    disputes: [],
    asked: [],
    meanwhile: undefined,
  }
  Object.assign(script, nothing)
  const { businessId, keys } = await server.newBusiness()
  const tenant = { businessId, live: false }
  const { post } = server.as(keys.testSecret)
  const connectionId = await connect(server, businessId)
  const services = ['USSD', 'PAYOUTS', 'BANK_TRANSFER', 'FUNDING'] as const
  await setRoutes(
    server,
    businessId,
    services.map((service) => ({ service, connectionId })),
  )
  const day = dayOf(clock.now())
  const member = await memberOf(server, 'owner', businessId)

  const done = async (path: string, body: object) => {
    const response = await post(path, body)
    expect([response.status, response.body.errors]).toEqual([expect.any(Number), undefined])
    expect(response.status).toBeLessThan(300)
    return response.body.data
  }
  async function pay(amount: number) {
    const { reference } = await done(`${MONEY}/transaction-with-ussd`, { channel: 'USSD', amount })
    await done('/api/simulator/ussd', { reference, outcome: 'success' })
    return reference as string
  }
  async function send(amount: number, outcome: string | null = 'success') {
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { reference } = await done(`${MONEY}/transfers`, { amount, ...account })
    if (outcome) await done('/api/simulator/transfer', { reference, outcome })
    return reference as string
  }
  const orderOf = (reference: string) =>
    db.one<{ id: number; kind: string; sent: string; amount_minor: bigint; state: string | null }>`
      select subject_id as id, kind, sent_reference as sent, amount_minor, state
      from provider_orders where business_id = ${businessId} and reference = ${reference}`

  /** Adds an entry to what the provider reports. */
  function report(kind: EntryKind, changes: Partial<ProviderEntry> = {}): ProviderEntry {
    const entry: ProviderEntry = {
      kind,
      providerId: `${script.entries.length + 1}`,
      reference: null,
      status: 'Successful',
      amount_minor: 100_00n,
      fee_minor: null,
      currency: 'NGN',
      at: clock.now(),
      settlementId: null,
      ...changes,
    }
    script.entries.push(entry)
    return entry
  }
  async function reportOrder(reference: string, changes: Partial<ProviderEntry> = {}) {
    const { kind, sent, amount_minor } = await orderOf(reference)
    const name = kind === 'transfer' ? 'payout' : (kind as EntryKind)
    return report(name, { reference: sent, amount_minor, ...changes })
  }
  /** Sessions end after half an hour without a request. */
  const signIn = () =>
    member.post('/console/sign-in', { email: member.email, password: member.password })
  const ask = async (path: string, body: object) => {
    const reply = await member.post(`/console${path}`, body)
    if (reply.status !== 401) return reply
    await signIn()
    return member.post(`/console${path}`, body)
  }
  const read = async (path: string) => {
    if ((await member.get('/console/me')).status === 401) await signIn()
    const { status, body } = await member.get(`/console${path}`)
    expect(status).toBe(200)
    return body.data
  }
  /** Asks for a day, and lets the job read it. Returns the day. */
  async function run(wanted = day) {
    const body = { connectionId, from: wanted }
    expect((await ask('/reconciliation/run', body)).status).toBe(200)
    await runJob('reconciliation')
    return read(`/reconciliation/${connectionId}/${wanted}`)
  }
  const differences = (query = '') => read(`/differences?${query}`)
  const prove = async () => {
    await signIn()
    await member.post('/console/reauthenticate', { password: member.password })
  }
  const close = async (reference: string, resolution: string, more: object = {}) => {
    await prove()
    const body = { resolution, reason: 'Checked', ...more }
    return ask(`/differences/${reference}/close`, body)
  }
  const balances = () => balancesIn(db, tenant)
  const at = (kind: string) => `${kind} ${connectionId}`
  return {
    key: keys.testSecret,
    businessId,
    tenant,
    connectionId,
    day,
    member,
    done,
    pay,
    send,
    orderOf,
    report,
    reportOrder,
    ask,
    read,
    run,
    differences,
    close,
    prove,
    balances,
    at,
  }
}
