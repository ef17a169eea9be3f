import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import type { PayoutState } from '../providers/connector/types.ts'
import { moveSimulatedOrder } from '../providers/simulator/orders.ts'
import { openShop, type Script, scripted, toMorning } from './reconciliation.fixture.ts'

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: scripted(simulator, script) }),
})
const { db, runJob, clock } = server
const MONEY = '/api/transaction-service/external/v1'
const HOUR_MS = 3_600_000

beforeAll(() => toMorning(server))
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server, script)

/** A shop with one payment that we do not have. */
async function withMissing(amount_minor = 100_00n) {
  const opened = await shop()
  opened.report('charge', { providerId: 'P1', amount_minor, fee_minor: 1_00n })
  await opened.run()
  const [difference] = await opened.differences()
  return { ...opened, reference: difference.reference as string, difference }
}

describe('a payment that we did not have', () => {
  test('is booked into the wallet, with its fee', async () => {
    const { reference, difference, close, run, balances, at, member } = await withMissing()
    expect(difference.resolutions).toEqual(['booked', 'allocated', 'sent_back', 'not_ours'])
    const { status, body } = await close(reference, 'booked')
    expect([status, body.data.status, body.data.closedBy]).toEqual([
      ...[200, 'Closed', expect.any(String)],
    ])
    expect(body.data).toMatchObject({ resolution: 'booked', reason: 'Checked', resolutions: [] })
    await runJob('recoveries')
    expect(await balances()).toEqual({ [at('provider_clearing')]: 99_00, wallet_available: 99_00 })
    // It stays closed, although the provider reports it again.
    expect(await run()).toMatchObject({ status: 'Closed', differences: 0 })
    expect((await close(reference, 'booked')).body.errorCode).toBe('difference_state')
    const { body: log } = await member.get('/console/audit?action=difference.close')
    expect(log.data).toMatchObject([{ object: reference, detail: 'Closed as booked' }])
  })

  test('is allocated to a payment that a person names', async () => {
    const { reference, close, done, balances, at, orderOf, run } = await withMissing()
    const charge = { channel: 'USSD', amount: 100 }
    const { reference: paid } = await done(`${MONEY}/transaction-with-ussd`, charge)
    const allocate = (transactionReference?: string) =>
      close(reference, 'allocated', transactionReference ? { transactionReference } : {})
    expect((await allocate()).status).toBe(400)
    expect((await allocate('TRX_none')).status).toBe(404)
    expect((await allocate(paid)).status).toBe(200)
    expect(await orderOf(paid)).toMatchObject({ state: 'Successful' })
    const { [at('provider_clearing')]: clearing } = await balances()
    expect(clearing).toBe(99_00)
    expect(await run()).toMatchObject({ status: 'Closed', matched: 1, differences: 0 })
  })

  test('is not allocated to a payment of another amount', async () => {
    const { reference, close, done } = await withMissing(90_00n)
    const charge = { channel: 'USSD', amount: 100 }
    const { reference: paid } = await done(`${MONEY}/transaction-with-ussd`, charge)
    const { body } = await close(reference, 'allocated', { transactionReference: paid })
    expect(body.errorCode).toBe('transaction_state')
  })

  test.each(['sent_back', 'not_ours'])('moves no money if it was %s', async (resolution) => {
    const { reference, close, balances } = await withMissing()
    expect((await close(reference, resolution)).status).toBe(200)
    expect(await balances()).toEqual({})
  })

  test('cannot be accepted', async () => {
    const { reference, close } = await withMissing()
    expect((await close(reference, 'accepted')).status).toBe(400)
    expect((await close('DIF_none', 'booked')).status).toBe(404)
  })

  test('is closed by one of many people at once', async () => {
    const { reference, prove, ask, balances } = await withMissing()
    await prove()
    const body = { resolution: 'booked', reason: 'Checked' }
    const closing = () => ask(`/differences/${reference}/close`, body)
    const replies = await Promise.all(Array.from({ length: 8 }, closing))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balances()).toMatchObject({ wallet_available: 100_00 })
  })

  test('is closed by people with the right, in the right business, after their password', async () => {
    const { reference, businessId, member } = await withMissing()
    const body = { resolution: 'booked', reason: 'Checked' }
    const path = `/console/differences/${reference}/close`
    clock.advance(6 * 60_000)
    expect((await member.post(path, body)).body.errorCode).toBe('reauthentication_needed')
    const viewer = await memberOf(server, 'viewer', businessId)
    expect((await viewer.post(path, body)).status).toBe(403)
    const other = (await server.newBusiness()).businessId
    const stranger = await memberOf(server, 'owner', other)
    expect((await stranger.post(path, body)).status).toBe(404)
  })
})

describe('a payout that the provider does not have', () => {
  test('comes back to the wallet if two people say so', async () => {
    const { send, run, differences, close, balances, at, businessId } = await shop()
    const other = await memberOf(server, 'finance', businessId)
    await send(50)
    await run()
    const [{ reference }] = await differences()
    const first = await close(reference, 'accepted')
    expect(first.body.data).toMatchObject({
      status: 'Open',
      proposed: { resolution: 'accepted', reason: 'Checked' },
    })
    expect((await close(reference, 'accepted')).body.errorCode).toBe('second_person_needed')
    await other.post('/console/reauthenticate', { password: other.password })
    const body = { resolution: 'accepted', reason: 'I agree' }
    const second = await other.post(`/console/differences/${reference}/close`, body)
    expect(second.body.data).toMatchObject({ status: 'Closed', reason: 'I agree' })
    // Only our own fee for the transfer stays.
    const { fees = 0, wallet_available = 0 } = await balances()
    expect(wallet_available).toBe(-fees)
    expect((await balances())[at('provider_clearing')]).toBeUndefined()
    expect(await run()).toMatchObject({ status: 'Closed' })
  })
})

describe('another amount', () => {
  test.each([
    [90_00n, { receivable: 10_00 }],
    [110_00n, {}],
  ])('is accepted: %s', async (amount_minor, owed) => {
    const { pay, reportOrder, run, differences, close, balances, at } = await shop()
    await reportOrder(await pay(100), { amount_minor })
    await run()
    const [{ reference, resolutions }] = await differences()
    expect(resolutions).toEqual(['accepted'])
    expect((await close(reference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({
      [at('provider_clearing')]: Number(amount_minor),
      ...owed,
    })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('of a fee is accepted', async () => {
    const { pay, reportOrder, run, differences, close, balances, at } = await shop()
    const entry = await reportOrder(await pay(100), { fee_minor: 3_00n })
    await run()
    entry.fee_minor = 1_00n
    await run()
    const [{ reference }] = await differences()
    expect((await close(reference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({ [at('provider_fees')]: 1_00 })
  })

  test('that changes after it was accepted keeps the figures with which it was', async () => {
    const { pay, reportOrder, run, differences, close, balances, at } = await shop()
    const entry = await reportOrder(await pay(100), { amount_minor: 90_00n })
    await run()
    const [{ reference }] = await differences()
    expect((await close(reference, 'accepted')).status).toBe(200)
    entry.amount_minor = 95_00n
    await run()
    expect(await differences()).toMatchObject([
      { reference, status: 'Closed', oursMinor: 100_00, theirsMinor: 90_00 },
    ])
    expect(await balances()).toMatchObject({ [at('provider_clearing')]: 90_00 })
  })
})

describe('an order that ends after a difference about it was found', () => {
  /** A transfer that the provider lists as paid, while its lookup says that it is not yet. */
  async function withLate() {
    const opened = await shop()
    const { send, orderOf, reportOrder, run, differences, ask, tenant } = opened
    const reference = await send(50.04, null)
    await runJob('transfer-orders')
    const { id, sent } = await orderOf(reference)
    script.payouts.set(sent, { kind: 'done', value: { status: 'Pending', message: 'Queued' } })
    await reportOrder(reference)
    clock.advance(25 * HOUR_MS)
    await run()
    const [difference] = await differences('status=Open')
    expect(difference).toMatchObject({ field: 'status', oursMinor: 0, theirsMinor: 50_04 })
    const pay = async () => {
      script.payouts.clear()
      await moveSimulatedOrder(db, tenant, sent, 'success')
      expect((await ask(`/unresolved/transfer/${id}/look-up`, {})).status).toBe(200)
    }
    return { ...opened, difference: difference.reference as string, pay }
  }

  test('is not booked twice: first as a difference, then as paid', async () => {
    const { difference, close, pay, balances, run } = await withLate()
    expect((await close(difference, 'accepted')).body.errorCode).toBe('difference_state')
    await pay()
    expect(await balances()).not.toHaveProperty('receivable')
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('is not booked twice: first as paid, then as a difference', async () => {
    const { difference, close, pay, balances, run, read } = await withLate()
    await pay()
    expect((await close(difference, 'accepted')).body.errorCode).toBe('difference_state')
    expect(await balances()).not.toHaveProperty('receivable')
    expect(await run()).toMatchObject({ status: 'Closed' })
    expect(await read(`/differences/${difference}`)).toMatchObject({ resolution: 'arrived_late' })
  })

  test('is not paid back twice: by the bank, and as a difference', async () => {
    const { send, run, ask, differences, close, balances, orderOf } = await shop()
    const reference = await send(50)
    const { id, sent } = await orderOf(reference)
    await run()
    const [{ reference: difference }] = await differences('class=missing_there')
    script.payouts.set(sent, { kind: 'done', value: { status: 'Returned', message: 'Closed' } })
    expect((await ask(`/unresolved/transfer/${id}/look-up`, {})).status).toBe(200)
    const before = await balances()
    expect((await close(difference, 'accepted')).body.errorCode).toBe('difference_state')
    expect(await balances()).toEqual(before)
  })
})

describe('another amount of an order that was then decided as not paid', () => {
  /** A transfer that the provider says it paid with another amount. */
  async function withWrong() {
    const opened = await shop()
    const { businessId, send, orderOf, ask, prove, differences } = opened
    const reference = await send(50.04, null)
    await runJob('transfer-orders')
    const { id, sent } = await orderOf(reference)
    const state = { status: 'Successful', message: 'Paid', amount_minor: 45_00n, currency: 'NGN' }
    script.payouts.set(sent, { kind: 'done', value: state as PayoutState })
    expect((await ask(`/unresolved/transfer/${id}/look-up`, {})).status).toBe(200)
    const [found] = await differences('status=Open')
    expect(found).toMatchObject({ field: 'amount', oursMinor: 50_04, theirsMinor: 45_00 })
    await prove()
    const body = { decision: 'not_paid', reason: 'It said so', statement: 'We never paid it.' }
    expect((await ask(`/unresolved/transfer/${id}/resolve`, body)).status).toBe(200)
    const { provider_id: providerId } = await db.one<{ provider_id: string | null }>`
      select provider_id from provider_orders
      where business_id = ${businessId} and reference = ${reference}`
    const entry = { providerId: providerId ?? 'P1', amount_minor: 45_00n }
    return { ...opened, order: reference, difference: found.reference as string, entry }
  }

  test('is about all that the provider has paid, and can be closed', async () => {
    const { order, difference, entry, close, read, balances, reportOrder, run } = await withWrong()
    expect((await close(difference, 'accepted')).body.errorCode).toBe('difference_state')
    expect(await read(`/differences/${difference}`)).toMatchObject({
      status: 'Open',
      field: 'status',
      oursMinor: 0,
      theirsMinor: 45_00,
    })
    expect((await close(difference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({ receivable: 45_00 })
    await reportOrder(order, entry)
    expect(await run()).toMatchObject({ status: 'Closed', differences: 0 })
  })

  test('closes if the provider’s list has been compared since', async () => {
    const { order, difference, entry, close, read, differences, balances, reportOrder, run } =
      await withWrong()
    await reportOrder(order, entry)
    await run()
    const [other] = await differences('status=Open&kind=payout')
    const named = other.reference === difference ? (await differences('status=Open'))[1] : other
    expect(named).toMatchObject({ field: 'status', oursMinor: 0, theirsMinor: 45_00 })
    expect((await close(difference, 'accepted')).body.errorCode).toBe('difference_state')
    expect(await read(`/differences/${difference}`)).toMatchObject({ resolution: 'arrived_late' })
    expect((await close(named.reference, 'accepted')).status).toBe(200)
    expect(await balances()).toMatchObject({ receivable: 45_00 })
    expect(await run()).toMatchObject({ status: 'Closed', differences: 0 })
  })
})

test('a dispute that was booked by a person is not opened later', async () => {
  const { pay, orderOf, report, run, differences, close, balances, businessId } = await shop()
  const { sent } = await orderOf(await pay(100))
  const providerId = `D-${businessId}`
  const entry = report('dispute', { providerId, amount_minor: 40_00n })
  await run()
  const [{ reference }] = await differences('kind=dispute')
  expect((await close(reference, 'booked')).status).toBe(200)
  const before = await balances()
  expect(before).toMatchObject({ receivable: 40_00 })
  script.disputes = [
    {
      providerId,
      status: 'Lost',
      chargeReference: sent,
      amount_minor: entry.amount_minor,
      currency: 'NGN',
      reason: 'Not delivered',
      dueAt: null,
    },
  ]
  await runJob('dispute-lists')
  expect(await db.many`select id from disputes where business_id = ${businessId}`).toEqual([])
  expect(await balances()).toEqual(before)
})

describe('the balance', () => {
  const holding = (available_minor: bigint) => {
    script.balances = [{ currency: 'NGN', available_minor, pending_minor: 0n }]
  }

  test('is compared with the ledger, and with what is known to differ', async () => {
    const { pay, report, reportOrder, run, differences, read } = await shop()
    await reportOrder(await pay(100))
    report('charge', { providerId: 'P1', amount_minor: 30_00n, fee_minor: 1_00n })
    holding(129_00n)
    const { balances } = await run()
    expect(balances).toMatchObject([
      {
        currency: 'NGN',
        theirsMinor: 129_00,
        ledgerMinor: 100_00,
        explainedMinor: 29_00,
        unexplainedMinor: 0,
      },
    ])
    expect(await differences('kind=balance')).toEqual([])
    const [proof] = await read('/proof-of-funds')
    expect(proof).toMatchObject({ currency: 'NGN', heldMinor: expect.any(Number) })
    expect(proof.connections.at(-1)).toMatchObject({ heldMinor: 129_00, ledgerMinor: 100_00 })
  })

  test('that stays different is a difference, which a person can accept', async () => {
    const { run, differences, close, balances } = await shop()
    holding(500_00n)
    expect(await run()).toMatchObject({ status: 'Open', differences: 0 })
    clock.advance(HOUR_MS)
    holding(400_00n)
    expect(await run()).toMatchObject({ status: 'Open', differences: 1 })
    const [{ reference, theirsMinor, oursMinor }] = await differences('kind=balance')
    expect([theirsMinor, oursMinor]).toEqual([400_00, 0])
    expect((await close(reference, 'accepted')).status).toBe(200)
    expect(await balances()).toEqual({})
    expect(await run()).toMatchObject({ status: 'Closed' })
    holding(450_00n)
    await run()
    clock.advance(HOUR_MS)
    await run()
    const [other] = await differences('kind=balance&status=Open')
    expect(other.theirsMinor - other.oursMinor).toBe(50_00)
    expect((await close(other.reference, 'booked')).status).toBe(200)
    expect(await balances()).toMatchObject({ wallet_available: 50_00 })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('that a payment has explained since is not booked', async () => {
    const { pay, reportOrder, run, differences, close, balances, at } = await shop()
    holding(100_00n)
    await run()
    clock.advance(HOUR_MS)
    await run()
    const [{ reference }] = await differences('kind=balance')
    await reportOrder(await pay(100))
    expect((await close(reference, 'booked')).body.errorCode).toBe('difference_state')
    expect(await balances()).toMatchObject({ [at('provider_clearing')]: 100_00 })
    expect(await run()).toMatchObject({ status: 'Closed' })
  })

  test('of an open payout that was paid with another amount is known', async () => {
    const { pay, send, orderOf, reportOrder, ask, run, differences, balances, at } = await shop()
    await reportOrder(await pay(200))
    const reference = await send(100.04, null)
    await runJob('transfer-orders')
    const { id, sent } = await orderOf(reference)
    const state = { status: 'Successful', message: 'Paid', amount_minor: 90_00n, currency: 'NGN' }
    script.payouts.set(sent, { kind: 'done', value: state as PayoutState })
    expect((await ask(`/unresolved/transfer/${id}/look-up`, {})).status).toBe(200)
    const mismatch = { field: 'amount', oursMinor: 100_04, theirsMinor: 90_00 }
    expect(await differences()).toMatchObject([mismatch])
    await reportOrder(reference, { amount_minor: 90_00n })
    const { [at('provider_clearing')]: ledger = 0 } = await balances()
    holding(BigInt(ledger) - 90_00n)
    for (let i = 0; i < 2; i++) {
      const { balances: compared } = await run()
      expect(compared).toMatchObject([{ explainedMinor: -90_00, unexplainedMinor: 0 }])
      clock.advance(HOUR_MS)
    }
    expect(await differences('kind=balance')).toEqual([])
  })

  test('that agrees again closes its difference', async () => {
    const { run, differences } = await shop()
    holding(-5_00n)
    await run()
    clock.advance(HOUR_MS)
    await run()
    holding(0n)
    expect(await run()).toMatchObject({ status: 'Closed' })
    expect(await differences()).toMatchObject([{ kind: 'balance', resolution: 'arrived_late' }])
  })
})
