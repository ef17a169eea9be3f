import { afterAll, describe, expect, test } from 'vitest'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { PROCESS, shopOn, TOP_UP } from '../money/bills/bills.fixture.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import { openShop as chargerOn, USSD } from '../payments/attempts/ussd.fixture.ts'
import type { Outcome } from '../providers/connector/types.ts'
import { pause, resumePayouts, stopPayouts } from '../providers/pauses.ts'
import { routesApply } from '../providers/providers.fixture.ts'
import { MINUTE, notFound, notNow, openTwoBanks, unknown } from './two-banks.fixture.ts'

/* Tests which orders wait: for a connection that is paused, fails or hangs, and for people. */

const { server, withAccounts } = await openTwoBanks()
const { db, clock, runJob } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const DAY = 24 * 60 * MINUTE
const sender = async () => withAccounts(await senderOn(server))

describe('an order at a paused connection', () => {
  test.each(['Paused', 'Removed'])('moves if it was never sent: %s', async (status) => {
    const { send, setStatus, orders, asked, transfer } = await sender()
    const references = [await send(), await send()]
    await setStatus(status)
    await Promise.all([runJob('transfer-orders'), runJob('transfer-orders')])
    expect(asked()).toEqual(['flutterwave payOut', 'flutterwave payOut'])
    expect(await orders('transfer')).toEqual(
      references.flatMap(() => ['paystack Moved', 'flutterwave Pending']),
    )
    expect(await transfer(references[0]!)).toMatchObject({ attempt: 2 })
  })

  test('waits if no other connection takes it, and needs a person after a day', async () => {
    const { send, setStatus, orders, asked, attention } = await withAccounts(
      await senderOn(server),
      ['paystack'],
    )
    await send()
    await setStatus('Paused')
    await runJob('transfer-orders')
    expect(await attention()).toBeNull()
    clock.advance(DAY)
    await runJob('transfer-orders')
    expect([asked(), await attention()]).toEqual([[], 'not_sent'])
    await setStatus('Active')
    clock.advance(MINUTE)
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut'])
    expect(await orders('transfer')).toEqual(['paystack Pending'])
    expect(await attention()).toBeNull()
  })

  test('stays if it may have been sent, is looked up, and needs a person', async () => {
    const { send, setStatus, orders, asked, attention, answer } = await sender()
    answer({ 'paystack payOut': unknown, 'paystack lookUpPayout': notFound })
    await send()
    await runJob('transfer-orders')
    await setStatus('Paused')
    for (const passed of [MINUTE, 10 * MINUTE, 10 * MINUTE, DAY, 10 * MINUTE]) {
      clock.advance(passed)
      await runJob('transfer-orders')
    }
    expect(asked().filter((call) => call.endsWith('payOut'))).toEqual(['paystack payOut'])
    expect(await orders('transfer')).toEqual(['paystack null'])
    expect(await attention()).toBe('not_sent')
  })

  test('is a payment that was not started: it moves, and the payer gets codes', async () => {
    const { post, setStatus, orders, answer } = await withAccounts(await chargerOn(server))
    answer({ 'paystack startUssd': notNow(), 'flutterwave startUssd': notNow() })
    const key = { 'idempotency-key': 'a-payment' }
    await post(USSD, { channel: 'USSD', amount: 500 }, key)
    expect(await orders('charge')).toEqual(['paystack Moved', 'flutterwave null'])
    await setStatus('Paused')
    answer({})
    clock.advance(MINUTE)
    await runJob('charge-orders')
    const { body } = await post(USSD, { channel: 'USSD', amount: 500 }, key)
    expect(body.data.ussdCode).toMatch(/^\*/)
  })

  test('is a payment whose channel is paused, too: it waits, and delays no other', async () => {
    const { businessId, post, setStatus, orders, answer, asked } = await withAccounts(
      await chargerOn(server),
      ['paystack'],
    )
    const charge = { channel: 'USSD', amount: 500 }
    await post(USSD, charge)
    answer({ 'paystack startUssd': notNow() })
    await post(USSD, charge)
    await db.transaction((tx) =>
      pause(
        tx,
        server.ids,
        { what: 'USSD', businessId, live: false },
        { by: 'Ada', reason: 'An outage', now: clock.now() },
      ),
    )
    await setStatus('Paused')
    clock.advance(MINUTE)
    await runJob('charge-orders')
    expect(asked()).toEqual(['paystack startUssd', 'paystack startUssd', 'paystack lookUpCharge'])
    // If the connection then cannot take it, either, it is still unsent.
    await setStatus('Active')
    clock.advance(MINUTE)
    await runJob('charge-orders')
    expect(asked().filter((call) => call === 'paystack startUssd')).toHaveLength(3)
    expect(await orders('charge')).toEqual(['paystack Pending', 'paystack null'])
    const [, waiting] = await db.many<{ sent_at: Date | null }>`
      select sent_at from provider_orders where business_id = ${businessId} order by subject_id`
    expect(waiting).toEqual({ sent_at: null })
  })
})

describe('while payouts are stopped', () => {
  const change = (businessId: number, stopped: boolean, byOperator = false) =>
    db.transaction(async (tx) => {
      const tenant = { businessId, live: false }
      const now = clock.now()
      const stop = { by: 'Ada', byOperator, takesOver: byOperator, reason: 'A stolen key', now }
      if (stopped) await stopPayouts(tx, tenant, stop)
      else await resumePayouts(tx, tenant, 'all', now)
    })

  test('transfers are accepted and wait, lookups continue, and nothing moves', async () => {
    const { businessId, post, send, orders, asked, answer, attention, transfer } = await sender()
    const sent = await send()
    await runJob('transfer-orders')
    await change(businessId, true)
    answer({ 'paystack payOut': notNow() })
    const waiting = await send()
    await routesApply()
    const said = await post('/api/transaction-service/external/v1/transfers', {
      amount: 5,
      bankCode: '058',
      accountNumber: '0123456785',
      transferReference: 'a-third',
    })
    expect([said.status, said.body.message]).toEqual([
      201,
      expect.stringContaining('once payouts are resumed'),
    ])
    clock.advance(DAY)
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut', 'paystack lookUpPayout'])
    expect(await orders('transfer')).toEqual(['paystack Pending', 'paystack null', 'paystack null'])
    expect(await attention()).toBeNull()
    await change(businessId, false)
    await runJob('transfer-orders')
    expect(asked().slice(2).sort()).toEqual([
      ...['flutterwave payOut', 'flutterwave payOut'],
      ...['paystack payOut', 'paystack payOut'],
    ])
    for (const reference of [sent, waiting]) {
      expect((await transfer(reference)).status).toBe('Pending')
    }
  })

  test('an order that is being refused does not move to another connection', async () => {
    const { businessId, send, orders, asked, answer } = await sender()
    answer({
      async 'paystack payOut'() {
        await change(businessId, true)
        return notNow()
      },
    })
    await send()
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut'])
    expect(await orders('transfer')).toEqual(['paystack null'])
  })

  test('an order that has never arrived is not sent again', async () => {
    const { businessId, send, asked, answer } = await sender()
    answer({ 'paystack payOut': unknown, 'paystack lookUpPayout': notFound })
    await send()
    await runJob('transfer-orders')
    await change(businessId, true)
    for (const passed of [MINUTE, 10 * MINUTE, 10 * MINUTE]) {
      clock.advance(passed)
      await runJob('transfer-orders')
    }
    expect(asked().filter((call) => call.endsWith('payOut'))).toEqual(['paystack payOut'])
  })

  test('503 a bill is refused, and one that was paid before gets its response', async () => {
    const { businessId, post, enquire, wallet } = await withAccounts(await shopOn(server))
    await enquire()
    const bill = { ...TOP_UP, paymentReference: 'bill-0001' }
    const first = await post(PROCESS, bill)
    await change(businessId, true)
    const before = await wallet()
    const refused = () => post(PROCESS, { ...bill, paymentReference: 'bill-0002' })
    const { status, body } = await refused()
    expect([status, body.errorCode]).toEqual([503, 'payouts_stopped'])
    expect(body.message).toMatch('An owner of the business has to resume them.')
    await change(businessId, true, true)
    expect((await refused()).body.message).toMatch('The operator has to resume them.')
    expect((await post(PROCESS, bill)).text).toBe(first.text)
    expect(await wallet()).toEqual(before)
  })
})

describe('a connection that fails', () => {
  test('for one order does not stop the orders after it', async () => {
    const { send, answer, asked, orders } = await withAccounts(await senderOn(server), ['paystack'])
    let calls = 0
    const pending = { kind: 'done', value: { status: 'Pending', message: '' } }
    answer({
      async 'paystack payOut'() {
        calls++
        if (calls === 2) throw new Error('The line is down')
        return calls === 1 ? notNow() : (pending as unknown as Outcome<never>)
      },
    })
    for (const _ of Array.from({ length: 10 })) await send()
    await runJob('transfer-orders')
    expect(asked()).toHaveLength(10)
    const sent = (await orders('transfer')).filter((one) => one === 'paystack Pending')
    expect(sent).toHaveLength(8)
  })

  test('five times gets no new orders for a while, and they go elsewhere', async () => {
    const { send, answer, asked } = await sender()
    answer({ 'paystack payOut': notNow() })
    for (const _ of Array.from({ length: 6 })) {
      await send()
      await runJob('transfer-orders')
    }
    const count = (call: string) => asked().filter((one) => one === call).length
    expect([count('paystack payOut'), count('flutterwave payOut')]).toEqual([5, 6])
  })

  test('and hangs does not delay another', async () => {
    const [slow, other] = [await sender(), await sender()]
    const gate = Promise.withResolvers<Outcome<never>>()
    const called = Promise.withResolvers<void>()
    slow.answer({
      'paystack payOut'() {
        called.resolve()
        return gate.promise
      },
    })
    const { send } = slow
    for (const _ of Array.from({ length: 20 })) await send()
    const first = await other.send()
    const job = server.app.jobs.find(({ name }) => name === 'transfer-orders')!
    const running = job.run(db, clock.now())
    await called.promise
    await running
    expect(await other.transfer(first)).toMatchObject({ status: 'Pending' })
    // On a slow machine, all connections can take longer than a run waits.
    await expect.poll(other.asked).toEqual(['paystack payOut'])
    // The slow connection is still busy, and orders through others go on.
    await other.send()
    const askedAgain = async () => {
      await job.run(db, clock.now())
      return other.asked()
    }
    await expect.poll(askedAgain).toEqual(['paystack payOut', 'paystack payOut'])
    await expect.poll(slow.asked).toHaveLength(8)
    gate.resolve(notNow())
    await runJob('transfer-orders')
    expect(slow.asked().filter((call) => call === 'flutterwave payOut')).toHaveLength(20)
  })
})
