import { expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { commandsOn } from '../cli/cli.fixture.ts'
import {
  openShop,
  type Script,
  scripted,
  toMorning,
} from '../reconciliation/reconciliation.fixture.ts'

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: scripted(simulator, script) }),
})
const { db, clock, get } = server
const { json } = commandsOn(server.name)
const receiver = await openReceiver()
const WEBHOOKS = '/api/user-service/v1/webhooks'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const HOUR_MS = 3_600_000

/** Returns the values of a metric by their labels. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const { text } = await get('/metrics', { authorization: '' })
  const lines = text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...lines].map(([, labels, value]) => [labels, Number(value)]))
}
const labels = (kind: string, outcome: string, channel = '') =>
  `kind="${kind}",outcome="${outcome}",channel="${channel}",mode="test",currency="NGN"`

/** Returns how much the counters have grown during some work. */
async function grown(work: () => Promise<unknown>) {
  const read = () =>
    Promise.all(
      ['tradepost_money_outcomes_total', 'tradepost_money_amount_minor_total'].map(valuesOf),
    )
  const before = await read()
  await work()
  const after = await read()
  return (of: string) => after.map((now, i) => (now[of] ?? 0) - (before[i]![of] ?? 0))
}

test('200 counts outcomes, and adds up their amounts in minor units', async () => {
  const { pay, send, done, businessId } = await openShop(server, script)
  const by = await grown(async () => {
    await pay(500)
    await pay(700)
    const { reference } = await done(USSD, { channel: 'USSD', amount: 900 })
    await done('/api/simulator/ussd', { reference, outcome: 'failed' })
    await send(50)
    await send(60, 'failed')
  })
  expect(by(labels('payment', 'successful', 'USSD'))).toEqual([2, 1_200_00])
  expect(by(labels('payment', 'failed', 'USSD'))).toEqual([1, 900_00])
  expect(by(labels('transfer', 'successful'))).toEqual([1, 50_00])
  expect(by(labels('transfer', 'failed'))).toEqual([1, 60_00])
  const names = Object.keys(await valuesOf('tradepost_money_outcomes_total')).join()
  expect(names).not.toContain(String(businessId))
  expect(await findings(server)).toEqual([])
})

test('200 counts no sample events, whatever they say', async () => {
  const { post } = server.as((await server.newBusiness()).keys.testSecret)
  const { reference } = (await post(WEBHOOKS, { url: receiver.url })).body.data
  const names = ['tradepost_money_outcomes_total', 'tradepost_money_amount_minor_total']
  const before = await Promise.all(names.map(valuesOf))
  for (const data of [
    { amountMinor: 500_000_00 },
    { amountMinor: -1e15 },
    { amountMinor: 1, currency: 'XYZ', channel: 'None' },
    { amountMinor: 1, currency: { toString: 1, valueOf: 1 } },
  ]) {
    for (const path of [`${WEBHOOKS}/${reference}/test`, '/api/simulator/events']) {
      expect((await post(path, { type: 'transaction.successful', data })).status).toBe(200)
    }
  }
  expect(await Promise.all(names.map(valuesOf))).toEqual(before)
})

test('200 shows what the ledger and providers hold, and open differences', async () => {
  toMorning(server)
  const { pay, reportOrder, report, run } = await openShop(server, script)
  await reportOrder(await pay(1_000))
  report('charge', { amount_minor: 77_00n })
  script.balances = [{ currency: 'NGN', available_minor: 1_500_00n, pending_minor: 200_00n }]
  await run()
  clock.advance(2 * HOUR_MS)

  const of = 'provider="paystack",mode="test",currency="NGN"'
  // The job asks for the accounts of the other tests too.
  const { accounts } = await db.one<{ accounts: number }>`
    select count(distinct connection_id)::int as accounts from provider_balances`
  const theirs = (await valuesOf('tradepost_provider_balance_minor'))[of]
  expect([theirs, accounts > 0]).toEqual([accounts * 1_700_00, true])
  const { ours } = await db.one<{ ours: number }>`
    select sum(debits_minor - credits_minor)::float8 as ours from ledger_accounts
    where kind = 'provider_clearing' and subject_id <> 1`
  expect(ours).toBeGreaterThanOrEqual(1_000_00)
  expect((await valuesOf('tradepost_provider_ledger_minor'))[of]).toBe(ours)
  const { fees } = await db.one<{ fees: number }>`
    select sum(credits_minor - debits_minor)::float8 as fees from ledger_accounts
    where kind = 'fees' and not live and currency = 'NGN'`
  const ledger = await valuesOf('tradepost_ledger_balance_minor')
  expect(ledger['account="fees",mode="test",currency="NGN"']).toBe(fees)

  const charges = 'kind="charge",provider="paystack",mode="test"'
  const { count } = await db.one<{ count: number }>`
    select count(*)::int as count from provider_differences
    where kind = 'charge' and status = 'Open'`
  expect(count).toBeGreaterThan(0)
  expect((await valuesOf('tradepost_differences_open'))[charges]).toBe(count)
  const seconds = (await valuesOf('tradepost_differences_open_seconds'))[charges]
  expect(seconds).toBeGreaterThanOrEqual(2 * 3600)
  const calls = await valuesOf('tradepost_provider_connection_calls_total')
  expect(Object.keys(calls).join()).toMatch(/provider="paystack",connection="\d+",outcome="done"/)
})

test('200 shows the last balances if they cannot be read, and reads them again in a minute', async () => {
  const { pay } = await openShop(server, script)
  const atProviders = 'account="provider_clearing",mode="test",currency="NGN"'
  const shown = async () => (await valuesOf('tradepost_ledger_balance_minor'))[atProviders]
  await pay(500)
  clock.advance(61_000)
  const before = await shown()
  expect(before).toBeGreaterThan(0)
  await pay(700)
  clock.advance(61_000)
  await db.transaction(async (tx) => {
    await tx.run`lock table ledger_accounts in access exclusive mode`
    expect(await shown()).toBe(before)
  })
  expect(await shown()).toBe(before)
  clock.advance(61_000)
  const after = await shown()
  expect(after).toBeGreaterThan(before!)

  await db.transaction(async (tx) => {
    clock.advance(11 * 60_000)
    await tx.run`lock table ledger_accounts in access exclusive mode`
    await expect.poll(shown, { timeout: 8_000 }).toBeUndefined()
  })
})

test('200 counts what is paused', async () => {
  const { businessId } = await openShop(server, script)
  const paused = () => valuesOf('tradepost_paused')
  const none = { payouts: 0, connection: 0, business: 0, channel: 0, writes: 0 }
  const named = (counts: object) =>
    Object.fromEntries(Object.entries(counts).map(([what, count]) => [`what="${what}"`, count]))
  expect(await paused()).toEqual(named(none))
  const whose = ['--business', String(businessId)]
  await json('payouts', 'stop', ...whose, '--mode', 'test')
  await json('pause', 'ussd', ...whose)
  await db.run`
    update provider_connections set status = 'Paused' where business_id = ${businessId}`
  expect(await paused()).toEqual(named({ ...none, payouts: 1, channel: 1, connection: 1 }))
  await json('payouts', 'resume', ...whose)
  await json('resume', 'ussd', ...whose)
})
