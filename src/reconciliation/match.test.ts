import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { addDays, hourOfDay } from '../lib/dates.ts'
import { moveSimulatedOrder } from '../providers/simulator/orders.ts'
import { ZONE } from './days.ts'
import { openShop, type Script, scripted, toMorning } from './reconciliation.fixture.ts'

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: scripted(simulator, script) }),
})
const { db, clock, runJob } = server

beforeAll(() => toMorning(server))
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server, script)

describe('a day', () => {
  test('is closed if the provider has what we have', async () => {
    const { pay, send, reportOrder, run, differences, read, connectionId, day, member } =
      await shop()
    for (let i = 0; i < 4; i++) await reportOrder(await pay(100))
    await reportOrder(await send(50))
    expect(await run()).toMatchObject({ status: 'Closed', matched: 5, waiting: 0, differences: 0 })
    // Pages of three.
    expect(script.asked.slice(0, 3)).toEqual(['charge', 'charge 3', 'payout'])
    expect(await differences()).toEqual([])
    const entries = await read(`/reconciliation/${connectionId}/${day}/entries?kind=payout`)
    expect(entries).toMatchObject([{ class: 'matched', order: { kind: 'transfer' } }])
    const file = await member.get(`/console/reconciliation/${connectionId}/${day}/export`)
    expect(file.text.trim().split('\r\n')).toHaveLength(6)
    expect(file.text).toContain(',payout,matched,Successful,')
    const [listed] = await read('/reconciliation')
    expect(listed).toMatchObject({ connectionId, day, provider: 'paystack', status: 'Closed' })
  })

  test('stays open while the provider does not respond, and is read again', async () => {
    const { run } = await shop()
    script.failure = { kind: 'notNow', code: 'provider_down', message: 'Down' }
    const first = await run()
    expect(first).toMatchObject({
      status: 'Open',
      problem: expect.stringContaining('provider_down'),
    })
    script.failure = undefined
    clock.advance(31 * 60_000)
    await runJob('reconciliation')
    expect(await run()).toMatchObject({ status: 'Closed', problem: null })
  })

  test.each([
    ['entries', 'The list of the kind charge does not end.'],
    ['settled', 'The list of the payments of a settlement does not end.'],
  ] as const)('stays open if every page is the first one: of %s', async (endless, problem) => {
    const { report, run } = await shop()
    report('charge', { providerId: 'S1 1', status: 'Pending' })
    report('settlement', { providerId: 'S1', amount_minor: 60_00n })
    script.endless = endless
    expect(await run()).toMatchObject({ status: 'Open', problem })
  })

  test('before is read every morning, and missed days too', async () => {
    const { read, day } = await shop()
    clock.advance(2 * 86_400_000)
    await runJob('reconciliation')
    const days = (await read('/reconciliation')) as { day: string; status: string }[]
    expect(days.map((one) => one.day)).toEqual([addDays(day, 1), day])
    expect(days.every(({ status }) => status === 'Closed')).toBe(true)
    const asked = script.asked.length
    await runJob('reconciliation')
    expect(script.asked).toHaveLength(asked)
  })

  test('that is read before it has ended is read again when it has', async () => {
    const { report, run, differences, read, connectionId, day } = await shop()
    expect(await run()).toMatchObject({ status: 'Closed', nextRunAt: expect.any(String) })
    clock.advance(3 * 3_600_000)
    report('charge', { providerId: 'P1' })
    toMorning(server)
    await runJob('reconciliation')
    expect(await differences()).toMatchObject([{ class: 'missing_here', providerId: 'P1', day }])
    const found = { status: 'Open', differences: 1 }
    expect(await read(`/reconciliation/${connectionId}/${day}`)).toMatchObject(found)
  })

  test('is open again if a later day finds a difference in it', async () => {
    const { pay, reportOrder, differences, read, connectionId, day } = await shop()
    clock.advance(hourOfDay(day, 23, ZONE).getTime() - clock.now().getTime())
    const entry = await reportOrder(await pay(100))
    const nextMorning = async () => {
      toMorning(server)
      await runJob('reconciliation')
      return read(`/reconciliation/${connectionId}/${day}`)
    }
    expect(await nextMorning()).toMatchObject({ status: 'Closed', matched: 1, nextRunAt: null })
    entry.status = 'Failed'
    const open = { status: 'Open', differences: 1, nextRunAt: expect.any(String) }
    expect(await nextMorning()).toMatchObject(open)
    expect(await differences()).toMatchObject([{ class: 'different', field: 'status', day }])
    expect(await runAudit(db, allChecks)).toEqual([])
    entry.status = 'Successful'
    expect(await nextMorning()).toMatchObject({ status: 'Closed', nextRunAt: null })
  })

  test('is read by one of several processes', async () => {
    const { ask, connectionId, day } = await shop()
    await ask('/reconciliation/run', { connectionId, from: day })
    await Promise.all(Array.from({ length: 4 }, () => runJob('reconciliation')))
    expect(script.asked.filter((one) => one === 'charge')).toHaveLength(1)
  })

  test('is read once more if someone asks for it while it is read', async () => {
    const { ask, connectionId, day, read, run } = await shop()
    script.meanwhile = () => ask('/reconciliation/run', { connectionId, from: day })
    expect(await run()).toMatchObject({ status: 'Open', nextRunAt: expect.any(String) })
    for (let i = 0; i < 2; i++) {
      await runJob('reconciliation')
      expect(script.asked.filter((one) => one === 'charge')).toHaveLength(2)
      const closed = { status: 'Closed', problem: null }
      expect(await read(`/reconciliation/${connectionId}/${day}`)).toMatchObject(closed)
    }
  })

  test.each([
    [{ from: '2026-02-30' }, 400],
    [{ from: '2199-01-01' }, 400],
    [{ from: '2026-01-01', until: '2026-03-01' }, 400],
    [{ from: '2026-01-02', until: '2026-01-01' }, 400],
    [{ connectionId: 999_999 }, 404],
  ])('is refused: %j', async (change, status) => {
    const { ask, connectionId, day } = await shop()
    const body = { connectionId, from: day, ...change }
    expect((await ask('/reconciliation/run', body)).status).toBe(status)
  })
})

describe('an entry', () => {
  test('that we do not have is missing here', async () => {
    const { report, run, differences, day } = await shop()
    report('charge', { providerId: 'P1', reference: 'theirs', fee_minor: 1_00n })
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    for (let i = 0; i < 2; i++) await run()
    expect(await differences('status=Open')).toMatchObject([
      {
        kind: 'charge',
        class: 'missing_here',
        source: 'reconciliation',
        providerId: 'P1',
        day,
        oursMinor: 0,
        theirsMinor: 100_00,
        order: null,
        evidence: { entry: { reference: 'theirs', feeMinor: 1_00 } },
      },
    ])
  })

  test('into the account that funds the wallet is there once', async () => {
    const { done, report, run, balances, at } = await shop()
    await done('/api/user-service/external/v1/wallet/funding-account', {})
    const amount_minor = 100_00n
    script.funding.push({
      providerId: 'F1',
      amount_minor,
      currency: 'NGN',
      fee_minor: null,
      sender: null,
      receivedAt: clock.now(),
      disposition: 'kept',
    })
    clock.advance(11 * 60_000)
    await runJob('funding')
    report('charge', { providerId: 'F1', amount_minor, fee_minor: 2_00n })
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ status: 'Closed', matched: 1 })
    expect(await balances()).toMatchObject({
      [at('provider_clearing')]: 98_00,
      [at('provider_fees')]: 2_00,
      wallet_available: 100_00,
    })
  })

  test('that is late is found as soon as the provider has it', async () => {
    const { send, reportOrder, run, differences } = await shop()
    const reference = await send(50)
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    expect(await differences('class=missing_there')).toMatchObject([
      { kind: 'payout', oursMinor: 50_00, theirsMinor: 0, order: { kind: 'transfer', reference } },
    ])
    await reportOrder(reference)
    expect(await run()).toMatchObject({ status: 'Closed', matched: 1, differences: 0 })
    expect(await differences()).toMatchObject([
      { status: 'Closed', resolution: 'arrived_late', closedBy: null },
    ])
  })

  test('with another amount is different, until the provider corrects it', async () => {
    const { pay, reportOrder, run, differences } = await shop()
    const entry = await reportOrder(await pay(100), { amount_minor: 90_00n })
    await run()
    expect(await differences()).toMatchObject([
      {
        class: 'different',
        field: 'amount',
        oursMinor: 100_00,
        theirsMinor: 90_00,
        status: 'Open',
      },
    ])
    entry.amount_minor = 100_00n
    expect(await run()).toMatchObject({ status: 'Closed', matched: 1 })
    expect(await differences()).toMatchObject([{ resolution: 'arrived_late' }])
  })

  test('about a dispute is compared with what the dispute took', async () => {
    const { pay, done, report, reportOrder, run, differences, businessId } = await shop()
    const reference = await pay(100)
    await reportOrder(reference)
    const dispute = await done('/api/simulator/dispute', { reference, amount: 60 })
    const { provider_id: providerId } = await db.one<{ provider_id: string }>`
      select provider_id from disputes where business_id = ${businessId}`
    const entry = report('dispute', { providerId, amount_minor: 60_00n })
    expect(await run()).toMatchObject({ status: 'Open', waiting: 1, differences: 0 })
    const decision = { reference: dispute.reference, outcome: 'lost' }
    await done('/api/simulator/dispute-outcome', decision)
    expect(await run()).toMatchObject({ status: 'Closed', matched: 2, differences: 0 })
    entry.status = 'Failed'
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    expect(await differences()).toMatchObject([
      {
        kind: 'dispute',
        class: 'different',
        field: 'status',
        oursMinor: 60_00,
        evidence: { dispute: { reference: dispute.reference, status: 'Lost' } },
      },
    ])
    entry.status = 'Successful'
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('in another currency is different', async () => {
    const { pay, reportOrder, run, differences } = await shop()
    await reportOrder(await pay(100), { currency: 'USD' })
    await run()
    expect(await differences()).toMatchObject([{ class: 'different', field: 'currency' }])
  })

  test('of an order that we have not finished has the order looked up', async () => {
    const { send, orderOf, reportOrder, run, differences, tenant } = await shop()
    const reference = await send(50.04, null)
    await runJob('transfer-orders')
    await moveSimulatedOrder(db, tenant, (await orderOf(reference)).sent, 'success')
    await reportOrder(reference)
    expect(await run()).toMatchObject({ status: 'Closed', matched: 1 })
    expect(await orderOf(reference)).toMatchObject({ state: 'Successful' })
    expect(await differences()).toEqual([])
  })

  test('that contradicts our record, as a lookup does not, is different', async () => {
    const { send, reportOrder, run, differences } = await shop()
    await reportOrder(await send(50, 'failed'))
    await reportOrder(await send(60), { status: 'Failed' })
    await run()
    const found = (await differences()) as { oursMinor: number; theirsMinor: number }[]
    expect(found).toMatchObject([{ field: 'status' }, { field: 'status' }])
    const figures = found.map(({ oursMinor, theirsMinor }) => [oursMinor, theirsMinor])
    expect(figures.toSorted()).toEqual([
      [0, 50_00],
      [60_00, 0],
    ])
  })

  test('that contradicts what was paid stays different until a person accepts it', async () => {
    const { send, orderOf, reportOrder, run, ask, differences, close, balances, at } = await shop()
    const reference = await send(60)
    const { id, sent } = await orderOf(reference)
    const before = await balances()
    const failed = { status: 'Failed', message: 'The bank has failed it' } as const
    script.payouts.set(sent, { kind: 'done', value: failed })
    expect((await ask(`/unresolved/transfer/${id}/look-up`, {})).status).toBe(200)
    const entry = await reportOrder(reference, { status: 'Failed' })
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ status: 'Open' })
    const open = await differences('status=Open')
    expect(open).toMatchObject([{ field: 'status', oursMinor: 60_00, theirsMinor: 0 }])
    script.payouts.clear()
    entry.status = 'Successful'
    expect(await run()).toMatchObject({ status: 'Closed' })
    expect(await differences()).toMatchObject([{ resolution: 'arrived_late' }])
    entry.status = 'Failed'
    script.payouts.set(sent, { kind: 'done', value: failed })
    expect(await run()).toMatchObject({ status: 'Open' })
    expect((await close(open[0].reference, 'accepted')).status).toBe(200)
    const { [at('provider_clearing')]: clearing = 0, wallet_available } = await balances()
    expect(clearing).toBe(before[at('provider_clearing')]! + 60_00)
    expect(wallet_available).toBe(before.wallet_available! + 60_00)
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('of an order that was replaced, and paid as well, is different', async () => {
    const { businessId, send, report, run, differences, close, balances } = await shop()
    const reference = await send(50.04, null)
    const orders = () => db.many<{ sent: string; attempt: number; state: string | null }>`
      select sent_reference as sent, attempt, state from provider_orders
      where business_id = ${businessId} and reference = ${reference} order by attempt`
    const [first] = await orders()
    const short = { status: 'Failed', message: 'Balance too low' } as const
    const notNow = 'insufficient_provider_balance' as const
    script.payouts.set(first!.sent, { kind: 'done', value: { ...short, notNow } })
    await runJob('transfer-orders')
    clock.advance(2 * 60_000)
    await runJob('transfer-orders')
    clock.advance(2 * 60_000)
    await runJob('transfer-orders')
    const [, second] = await orders()
    expect(second).toMatchObject({ attempt: 2 })
    await moveSimulatedOrder(db, { businessId, live: false }, second!.sent, 'success')
    clock.advance(5 * 60_000)
    await runJob('transfer-orders')
    expect(await orders()).toMatchObject([{ state: 'Failed' }, { state: 'Successful' }])
    // The provider has executed the first one after all.
    script.payouts.set(first!.sent, { kind: 'done', value: { status: 'Successful', message: '' } })
    for (const { sent } of [first!, second!]) {
      report('payout', { providerId: sent, reference: sent, amount_minor: 50_04n })
    }
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ status: 'Open' })
    const open = await differences('status=Open')
    expect(open).toMatchObject([{ field: 'status', oursMinor: 0, theirsMinor: 50_04 }])
    expect((await close(open[0].reference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({ receivable: 50_04 })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('waits while neither side has finished it', async () => {
    const { send, reportOrder, run, differences } = await shop()
    const reference = await send(50.04, null)
    await runJob('transfer-orders')
    await reportOrder(reference, { status: 'Pending' })
    expect(await run()).toMatchObject({ status: 'Open', waiting: 1, differences: 0 })
    expect(await differences()).toEqual([])
  })

  test('of a payment that nobody made is nothing', async () => {
    const { report, run } = await shop()
    report('charge', { status: 'Pending' })
    report('charge', { status: 'Failed' })
    report('charge', { status: 'Reversed' })
    expect(await run()).toMatchObject({ status: 'Closed', differences: 0, matched: 2 })
  })
})

describe('a fee', () => {
  test('is booked when it is first reported, and once', async () => {
    const { pay, send, reportOrder, run, balances, at } = await shop()
    await reportOrder(await pay(100), { fee_minor: 2_00n })
    await reportOrder(await send(50), { fee_minor: 1_00n })
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ status: 'Closed' })
    expect(await balances()).toMatchObject({ [at('provider_fees')]: 3_00 })
    await runJob('recoveries')
    expect(Object.keys(await balances())).not.toContain(at('provider_fees'))
  })

  test('that the provider changes is a difference; one kobo is rounding', async () => {
    const { pay, reportOrder, run, differences, balances, at } = await shop()
    const entry = await reportOrder(await pay(100), { fee_minor: 2_00n })
    await run()
    entry.fee_minor = 2_01n
    for (let i = 0; i < 2; i++) await run()
    expect(await differences()).toMatchObject([
      { field: 'fee', status: 'Closed', resolution: 'rounding', oursMinor: 2_00 },
    ])
    expect(await balances()).toMatchObject({ [at('provider_fees')]: 2_01 })
    const other = await reportOrder(await pay(200), { fee_minor: 3_00n })
    await run()
    other.fee_minor = 4_50n
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    expect(await differences('status=Open')).toMatchObject([
      { field: 'fee', oursMinor: 3_00, theirsMinor: 4_50 },
    ])
  })
})

describe('a settlement', () => {
  test('to the bank is booked once, with its payments', async () => {
    const { pay, report, reportOrder, run, balances, at, read, connectionId, day } = await shop()
    await reportOrder(await pay(100), { providerId: 'S1 1' })
    const settlement = { providerId: 'S1', amount_minor: 60_00n, reference: null }
    report('settlement', settlement)
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ status: 'Closed' })
    expect(await balances()).toMatchObject({
      [at('bank')]: 60_00,
      [at('provider_clearing')]: 40_00,
    })
    const [charge] = await read(`/reconciliation/${connectionId}/${day}/entries?kind=charge`)
    expect(charge).toMatchObject({ settlementId: 'S1' })
    expect((await read('/proof-of-funds'))[0]).toMatchObject({ bankMinor: 60_00 })
  })

  test('that is not final when its day is read is booked on a later morning', async () => {
    const { report, balances, at, read, connectionId, day } = await shop()
    const amount_minor = 60_00n
    const settlement = report('settlement', { providerId: 'S1', status: 'Pending', amount_minor })
    const nextMorning = async () => {
      toMorning(server)
      await runJob('reconciliation')
      return read(`/reconciliation/${connectionId}/${day}`)
    }
    expect(await nextMorning()).toMatchObject({ status: 'Open', waiting: 1, differences: 0 })
    expect(await balances()).toEqual({})
    settlement.status = 'Successful'
    expect(await nextMorning()).toMatchObject({ status: 'Closed', waiting: 0, matched: 1 })
    expect(await balances()).toMatchObject({ [at('bank')]: 60_00 })
  })

  test('that the bank returns is back at the provider, and not in the wallet', async () => {
    const { pay, report, reportOrder, run, differences, close, balances, at } = await shop()
    await reportOrder(await pay(100))
    const before = await balances()
    const settlement = report('settlement', { providerId: 'S1', amount_minor: 60_00n })
    await run()
    settlement.status = 'Failed'
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    const [{ reference }] = await differences('status=Open')
    expect((await close(reference, 'accepted')).status).toBe(200)
    expect(await balances()).toEqual(before)
    expect(await balances()).toMatchObject({ [at('provider_clearing')]: 100_00 })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('that the bank returns only for a moment agrees again', async () => {
    const { report, run, differences } = await shop()
    const settlement = report('settlement', { providerId: 'S1', amount_minor: 60_00n })
    await run()
    settlement.status = 'Failed'
    await run()
    settlement.status = 'Successful'
    expect(await run()).toMatchObject({ status: 'Closed', differences: 0 })
    expect(await differences()).toMatchObject([{ resolution: 'arrived_late' }])
  })

  test('that the provider reports with another amount later is a difference', async () => {
    const { report, run, differences, close, balances, at } = await shop()
    const settlement = report('settlement', { providerId: 'S1', amount_minor: 60_00n })
    await run()
    settlement.amount_minor = 50_00n
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    const [{ reference, ...difference }] = await differences('status=Open')
    expect(difference).toMatchObject({ field: 'amount', oursMinor: 60_00, theirsMinor: 50_00 })
    expect((await close(reference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({ [at('bank')]: 50_00 })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })
})

test('an entry of a kind that nobody knows is a difference', async () => {
  const { report, run, differences } = await shop()
  report('other')
  await run()
  expect(await differences()).toMatchObject([{ kind: 'other', class: 'missing_here' }])
})
