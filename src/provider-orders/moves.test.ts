import { afterAll, describe, expect, test } from 'vitest'
import { allChecks } from '../audit.ts'
import { lettersTo, memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { shopOn } from '../money/bills/bills.fixture.ts'
import { openShop as sellerOn } from '../money/settlements/settlements.fixture.ts'
import { transferOrders } from '../money/transfers/provider-order.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import { openShop as chargerOn, USSD } from '../payments/attempts/ussd.fixture.ts'
import { openShop as refunderOn } from '../payments/refunds/refunds.fixture.ts'
import { sentReferenceOf } from '../providers/connector/references.ts'
import type { NotNowCode, Outcome, Providers } from '../providers/connector/types.ts'
import { findOrder, lookUpOrder, type OrderKind } from './orders.ts'
import { MINUTE, notFound, notNow, openTwoBanks, refused, unknown } from './two-banks.fixture.ts'

/* Tests which orders move to another connection. */

const { server, withAccounts } = await openTwoBanks()
const { db, clock, runJob } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

describe('a transfer', () => {
  const sender = async () => withAccounts(await senderOn(server))

  test('moves at once if the first connection cannot take it, with a new reference', async () => {
    const { answer, send, transfer, orders, asked } = await sender()
    answer({ 'paystack payOut': notNow() })
    const reference = await send()
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut', 'flutterwave payOut'])
    expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave Pending'])
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    const sent = await db.many`select reference from simulator_orders
      where reference in (${sentReferenceOf(reference, 1)}, ${sentReferenceOf(reference, 2)})`
    expect(sent).toEqual([{ reference: sentReferenceOf(reference, 2) }])
    clock.advance(MINUTE)
    await runJob('simulator')
    await runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
  })

  test('moves if the first connection does not have the bank', async () => {
    const { answer, send, orders } = await sender()
    answer({ 'paystack payOut': refused('unsupported') })
    await send()
    await runJob('transfer-orders')
    expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave Pending'])
  })

  test.each(['rate_limited', 'credentials_refused', 'provider_down'] as const)(
    'moves after the proof of a timeout if a proxy could have refused it: %s',
    async (code) => {
      const { answer, send, orders, asked } = await sender()
      answer({ 'paystack payOut': notNow(code), 'paystack lookUpPayout': notFound })
      await send()
      await runJob('transfer-orders')
      clock.advance(MINUTE)
      await runJob('transfer-orders')
      expect(asked()).toEqual(['paystack payOut', 'paystack lookUpPayout'])
      expect(await orders('transfer')).toEqual(['paystack null'])
      clock.advance(9 * MINUTE)
      await runJob('transfer-orders')
      expect(asked().slice(2)).toEqual(['paystack lookUpPayout', 'flutterwave payOut'])
      expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave Pending'])
    },
  )

  const failed = (code: NotNowCode) =>
    ({
      kind: 'done',
      value: { status: 'Failed', message: 'Insufficient funds', notNow: code },
    }) as unknown as Outcome<never>

  test('is ordered again elsewhere if it failed for want of money at the connection', async () => {
    const { answer, send, transfer, orders, asked, wallet } = await sender()
    answer({ 'paystack payOut': failed('insufficient_provider_balance') })
    const reference = await send()
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut', 'flutterwave payOut'])
    expect(await orders('transfer')).toEqual(['paystack Failed', 'flutterwave Pending'])
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    expect((await wallet()).held).toBe(1_010)
  })

  test('is ordered again later, under another reference, if there is no other', async () => {
    const { answer, send, transfer, orders, asked } = await withAccounts(await senderOn(server), [
      'paystack',
    ])
    // It is only known after a while.
    answer({ 'paystack lookUpPayout': failed('insufficient_provider_balance') })
    const reference = await send()
    await runJob('transfer-orders')
    clock.advance(MINUTE)
    await Promise.all([runJob('transfer-orders'), runJob('transfer-orders')])
    expect(await orders('transfer')).toEqual(['paystack Failed', 'paystack null'])
    answer({})
    clock.advance(MINUTE)
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut', 'paystack lookUpPayout', 'paystack payOut'])
    const sent = await db.many`select reference from simulator_orders
      where reference like ${`${sentReferenceOf(reference, 1)}%`} order by reference`
    expect(sent).toEqual([1, 2].map((n) => ({ reference: sentReferenceOf(reference, n) })))
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
  })

  test('that fails for that again and again needs a person after a day, once', async () => {
    const { answer, send, attention, businessId } = await withAccounts(await senderOn(server), [
      'paystack',
    ])
    const needed = () => db.many<{ attempt: number; attention_at: Date }>`
      select attempt, attention_at from provider_orders
      where business_id = ${businessId} and attention is not null`
    const fail = async () => {
      for (const passed of [61 * MINUTE, 10 * MINUTE]) {
        await runJob('transfer-orders')
        clock.advance(passed)
      }
      await runJob('transfer-orders')
    }
    // Each order is accepted, and has failed when it is looked up.
    answer({ 'paystack lookUpPayout': failed('insufficient_provider_balance') })
    await send()
    for (let hour = 0; hour < 19; hour++) await fail()
    expect(await needed()).toEqual([])
    for (let hour = 0; hour < 4; hour++) await fail()
    const [order] = await needed()
    expect(await needed()).toHaveLength(1)
    await fail()
    expect(await needed()).toEqual([{ ...order, attempt: order!.attempt + 1 }])
    answer({})
    clock.advance(61 * MINUTE)
    await runJob('transfer-orders')
    expect(await attention()).toBeNull()
    expect(await needed()).toEqual([])
  })

  test('that moves between connections that do not take it asks people as one order', async () => {
    const { answer, send, orders, attention, businessId } = await sender()
    const { email } = await memberOf(server, 'owner', businessId)
    const pass = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        await runJob('transfer-orders')
        await runJob('unresolved-mails')
        clock.advance(60 * MINUTE)
      }
      const letters = await lettersTo(server, email)
      return letters.filter((text) => text.includes('decision')).length
    }
    const full = notNow('limit_reached')
    answer({ 'paystack payOut': full, 'flutterwave payOut': full })
    await send()
    expect([await pass(24), await attention()]).toEqual([0, null])
    const moves = (await orders('transfer')).length
    expect([await pass(3), await attention()]).toEqual([2, 'not_sent'])
    expect(await pass(21)).toBe(2)
    expect(await pass(24)).toBe(3)
    expect((await orders('transfer')).length).toBeGreaterThan(moves + 24)
    const waiting = await db.many`
      select attempt from provider_orders
      where business_id = ${businessId} and attention is not null`
    expect(waiting).toHaveLength(1)
    answer({})
    expect([await pass(1), await attention()]).toEqual([3, null])
  })

  test.each([
    ['an unknown outcome', unknown],
    ['a refusal', refused('declined')],
    ['a refusal that is not understood', refused('bad_request')],
  ])('never moves after %s', async (_, first) => {
    const { answer, send, orders, asked } = await sender()
    answer({ 'paystack payOut': first, 'paystack lookUpPayout': unknown })
    await send()
    for (let again = 0; again < 4; again++) {
      await runJob('transfer-orders')
      clock.advance(20 * MINUTE)
    }
    expect(asked().filter((call) => call.startsWith('flutterwave'))).toEqual([])
    expect(await orders('transfer')).toHaveLength(1)
  })

  test('waits if no connection can take it, and can return to the first', async () => {
    const { answer, send, orders, asked, transfer } = await sender()
    answer({ 'paystack payOut': notNow(), 'flutterwave payOut': notNow() })
    const reference = await send()
    await runJob('transfer-orders')
    expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave null'])
    clock.advance(5 * MINUTE)
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut', 'flutterwave payOut', 'flutterwave payOut'])
    clock.advance(16 * MINUTE)
    answer({ 'flutterwave payOut': notNow() })
    await runJob('transfer-orders')
    expect(asked().slice(3)).toEqual(['flutterwave payOut', 'paystack payOut'])
    expect(await transfer(reference)).toMatchObject({ attempt: 3 })
  })

  test('moves only once, however many processes send it', async () => {
    const { answer, send, orders } = await sender()
    answer({ 'paystack payOut': notNow() })
    await send()
    await Promise.all(Array.from({ length: 10 }, () => runJob('transfer-orders')))
    expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave Pending'])
  })

  test('that the first connection paid after all is paid once if the second has not got it', async () => {
    const { businessId, answer, send, transfer, orders, differences, wallet } = await sender()
    answer({ 'paystack payOut': notNow(), 'flutterwave payOut': notNow() })
    const reference = await send()
    await runJob('transfer-orders')
    await arrives(businessId, sentReferenceOf(reference, 1))
    await runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await orders('transfer')).toEqual(['paystack Successful', 'flutterwave Moved'])
    expect(await differences()).toEqual([])
    clock.advance(60 * MINUTE)
    await runJob('transfer-orders')
    expect(await wallet()).toMatchObject({ held: 0 })
  })

  test('that both connections have is looked at by a person', async () => {
    const { businessId, answer, send, transfer, differences, asked } = await sender()
    answer({ 'paystack payOut': notNow(), 'flutterwave payOut': unknown })
    const reference = await send()
    await runJob('transfer-orders')
    await arrives(businessId, sentReferenceOf(reference, 1))
    await runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    expect(await differences()).toEqual([{ attempt: 1, field: 'status' }])
    // The second connection says that it never got it, but nothing is sent any more.
    clock.advance(MINUTE)
    await runJob('transfer-orders')
    expect(asked().filter((call) => call.endsWith('payOut'))).toHaveLength(2)
    expect(
      await db.many`select attempt from provider_orders
        where business_id = ${businessId} and attention = 'contradiction'`,
    ).toEqual([{ attempt: 2 }])
  })

  test('that is blocked is withdrawn before a retry moves to another connection', async () => {
    const { answer, send, decide, transfer, orders, asked, bankActs } = await sender()
    const reference = await send({ accountNumber: '0000000003' })
    await runJob('transfer-orders')
    await bankActs()
    expect(await transfer(reference)).toMatchObject({ status: 'Blocked' })
    await decide(reference, 'retry')
    answer({ 'paystack payOut': notNow() })
    const before = asked().length
    await runJob('transfer-orders')
    expect(asked().slice(before)).toEqual([
      'paystack cancelPayout',
      'paystack payOut',
      'flutterwave payOut',
    ])
    expect(await orders('transfer')).toEqual([
      'paystack Rejected',
      'paystack Moved',
      'flutterwave Pending',
    ])
  })

  test('that is retried is not ended by a slow process that read the former order before', async () => {
    const { businessId, send, decide, transfer, bankActs, wallet } = await sender()
    const reference = await send({ accountNumber: '0000000003' })
    await runJob('transfer-orders')
    await bankActs()
    const { id } = await db.one<{ id: number }>`
      select id from transfers where business_id = ${businessId} and reference = ${reference}`
    const tenant = { businessId, live: false }
    const former = await findOrder(db, tenant, { kind: 'transfer', subject_id: id, attempt: 1 })
    await decide(reference, 'retry')
    await runJob('transfer-orders')
    const before = await wallet()
    const withdrawn = { kind: 'done', value: { status: 'Rejected', message: 'Withdrawn' } }
    const provider = { lookUpPayout: async () => withdrawn, connection: { id: 1, settings: {} } }
    const providers = { holder: async () => provider } as unknown as Providers
    const deps = { db, ids: server.ids, providers }
    await lookUpOrder(deps, transferOrders(server) as OrderKind, former!, clock.now())
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    expect(await wallet()).toEqual(before)
  })

  test('that cannot be withdrawn is only sent again once it has failed', async () => {
    const { businessId, answer, send, decide, transfer, asked, bankActs, attention } =
      await sender()
    answer({ 'paystack payOut': notNow() })
    const reference = await send({ accountNumber: '0000000006' })
    await runJob('transfer-orders')
    const former = sentReferenceOf(reference, 2)
    const becomes = (status: string) => db.run`update simulator_orders set status = ${status},
      notify = true where business_id = ${businessId} and reference = ${former}`
    await becomes('Blocked')
    await bankActs()
    await decide(reference, 'retry')
    answer({})
    const before = asked().length
    await runJob('transfer-orders')
    expect(asked().slice(before)).toEqual(['flutterwave lookUpPayout'])
    expect(await attention()).toBeNull()
    clock.advance(24 * 60 * MINUTE)
    await runJob('transfer-orders')
    expect(await attention()).toBe('not_sent')
    await becomes('Failed')
    clock.advance(MINUTE)
    await runJob('transfer-orders')
    expect(asked().slice(before + 2)).toEqual(['flutterwave lookUpPayout', 'flutterwave payOut'])
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 3 })
  })
})

/** Makes an order appear as paid at the simulator, which then sends a notification. */
const arrives = (businessId: number, reference: string) => db.run`
  insert into simulator_orders (business_id, live, reference, kind, amount_minor, currency, status,
    message, notify, created_at)
  values (${businessId}, false, ${reference}, 'PAYOUT', 100000, 'NGN', 'Successful', 'Paid', true,
    ${clock.now()})`

test('a settlement moves like a transfer', async () => {
  const { answer, stall, pay, settle, orders, one } = await withAccounts(await sellerOn(server))
  answer({ 'paystack payOut': notNow() })
  const { page } = await stall()
  await pay(1_000, page)
  const [made] = await settle()
  await runJob('settlement-orders')
  expect(await orders('settlement')).toEqual(['paystack Moved', 'flutterwave Pending'])
  clock.advance(MINUTE)
  await runJob('simulator')
  await runJob('settlement-orders')
  expect(await one(made.reference)).toMatchObject({ status: 'Paid' })
})

test('a refund never moves, because the money is where the payment is', async () => {
  const { answer, post, refund, orders } = await withAccounts(await refunderOn(server))
  const { body } = await post(USSD, { channel: 'USSD', amount: 500 })
  const { reference, transactionId } = body.data
  await post('/api/simulator/ussd', { reference, outcome: 'success' })
  answer({ 'paystack refund': notNow() })
  expect((await refund({ transactionId, amount: 200 })).status).toBe(201)
  await runJob('refund-orders')
  expect(await orders('refund')).toEqual(['paystack null'])
  answer({})
  clock.advance(MINUTE)
  await runJob('refund-orders')
  expect(await orders('refund')).toEqual(['paystack Pending'])
})

test('a refund that a proxy could have refused is sent again after the proof of a timeout', async () => {
  const { answer, post, refund, asked } = await withAccounts(await refunderOn(server))
  const { body } = await post(USSD, { channel: 'USSD', amount: 500 })
  const { reference, transactionId } = body.data
  await post('/api/simulator/ussd', { reference, outcome: 'success' })
  answer({ 'paystack refund': notNow('rate_limited'), 'paystack lookUpRefund': notFound })
  expect((await refund({ transactionId, amount: 200 })).status).toBe(201)
  const before = asked().length
  await runJob('refund-orders')
  clock.advance(MINUTE)
  await runJob('refund-orders')
  expect(asked().slice(before)).toEqual(['paystack refund', 'paystack lookUpRefund'])
  answer({ 'paystack lookUpRefund': notFound })
  clock.advance(9 * MINUTE)
  await runJob('refund-orders')
  expect(asked().slice(before + 2)).toEqual(['paystack lookUpRefund', 'paystack refund'])
})

test('a refund that is reported failed just after it has succeeded is looked at by a person', async () => {
  const { answer, post, refund, one, orders, attention, differences, bankActs } =
    await withAccounts(await refunderOn(server))
  const { body } = await post(USSD, { channel: 'USSD', amount: 500 })
  const { reference, transactionId } = body.data
  await post('/api/simulator/ussd', { reference, outcome: 'success' })
  const made = await refund({ transactionId, amount: 200 })
  await runJob('refund-orders')
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: answered, resolve: give } = Promise.withResolvers<Outcome<never>>()
  answer({
    'paystack lookUpRefund': () => {
      ask()
      return answered
    },
  })
  clock.advance(60 * MINUTE)
  const looking = runJob('refund-orders')
  await asked
  // The provider's notification arrives while it is being asked.
  answer({})
  await bankActs()
  expect(await one(made.body.data.reference)).toMatchObject({ status: 'Processed' })
  const failed = { status: 'Failed', message: 'Declined' } as never
  give({ kind: 'done', value: failed })
  await looking
  expect(await one(made.body.data.reference)).toMatchObject({ status: 'Processed' })
  expect(await orders('refund')).toEqual(['paystack Successful'])
  expect(await attention('refund')).toBe('contradiction')
  expect(await differences()).toEqual([{ attempt: 1, field: 'status' }])
})

describe('a bill', () => {
  const buyer = async () => withAccounts(await shopOn(server))

  test.each([
    ['notNow', notNow()],
    ['unsupported', refused('unsupported')],
    ['unknown_package', refused('unknown_package')],
  ])('moves within the request: %s', async (_, first) => {
    const { answer, buy, orders } = await buyer()
    answer({ 'paystack vend': first })
    const { status, body } = await buy({ amount: 500 })
    expect([status, body.responseCode]).toEqual([200, '00'])
    expect(await orders('bill')).toEqual(['paystack Moved', 'flutterwave Successful'])
  })

  test('fails if no connection serves it', async () => {
    const { answer, buy, orders, wallet } = await buyer()
    answer({
      'paystack vend': refused('unsupported'),
      'flutterwave vend': refused('unknown_package'),
    })
    expect((await buy({ amount: 500 })).status).toBe(500)
    expect(await orders('bill')).toEqual(['paystack Moved', 'flutterwave Failed'])
    expect(await wallet()).toMatchObject({ held: 0 })
  })

  test.each([
    ['an unknown outcome', unknown],
    ['a refusal that is not understood', refused('bad_request')],
  ])('never moves after %s', async (_, first) => {
    const { answer, buy, orders } = await buyer()
    answer({ 'paystack vend': first })
    expect((await buy({ amount: 500 })).body.responseCode).toBe('09')
    expect(await orders('bill')).toEqual(['paystack null'])
  })
})

describe('a charge', () => {
  const charger = async () => withAccounts(await chargerOn(server))
  const charge = { channel: 'USSD', amount: 500.04 }
  const repeated = { 'idempotency-key': 'again' }

  test.each([
    ['notNow', notNow()],
    ['a limit', notNow('rate_limited')],
    ['unsupported', refused('unsupported')],
    ['amount_out_of_range', refused('amount_out_of_range')],
    ['bad_request', refused('bad_request')],
  ])('moves within the request: %s', async (_, first) => {
    const { answer, post, orders } = await charger()
    answer({ 'paystack startUssd': first })
    const { status, body } = await post(USSD, charge)
    expect([status, body.data.status]).toEqual([200, 'Pending'])
    expect(body.data.ussdCode).toMatch(/^\*/)
    expect(await orders('charge')).toEqual(['paystack Moved', 'flutterwave Pending'])
    const { reference } = body.data
    await post('/api/simulator/ussd', { reference, outcome: 'success' })
    expect(await orders('charge')).toEqual(['paystack Moved', 'flutterwave Successful'])
  })

  test('fails if every connection refuses it', async () => {
    const { answer, post, orders } = await charger()
    answer({
      'paystack startUssd': refused('bad_request'),
      'flutterwave startUssd': refused('declined'),
    })
    expect((await post(USSD, charge)).status).toBe(409)
    expect(await orders('charge')).toEqual(['paystack Moved', 'flutterwave Failed'])
  })

  test('is started later if no connection can take it now', async () => {
    const { answer, post, orders, row } = await charger()
    answer({ 'paystack startUssd': notNow(), 'flutterwave startUssd': notNow() })
    const { body } = await post(USSD, charge, repeated)
    expect(body.data).toMatchObject({ status: 'Pending', ussdCode: null })
    answer({})
    expect((await post(USSD, charge, repeated)).body.data.ussdCode).toMatch(/^\*/)
    expect(await orders('charge')).toEqual(['paystack Moved', 'flutterwave Pending'])
    expect((await row(body.data.transactionId)).status).toBe('Pending')
  })

  test('whose start was lost gets another order, once the first cannot be in progress', async () => {
    const { answer, post, orders, asked } = await charger()
    answer({ 'paystack startUssd': unknown })
    await post(USSD, charge, repeated)
    await post(USSD, charge, repeated)
    expect(asked()).toEqual(['paystack startUssd'])
    clock.advance(MINUTE)
    answer({})
    const { body } = await post(USSD, charge, repeated)
    expect(body.data.ussdCode).toMatch(/^\*/)
    expect(await orders('charge')).toEqual(['paystack null', 'paystack Pending'])
  })

  test('with two orders can be paid by either, and fails only after both', async () => {
    const { businessId, answer, post, row } = await charger()
    const restarted = async (key: string) => {
      answer({ 'paystack startUssd': unknown })
      await post(USSD, charge, { 'idempotency-key': key })
      clock.advance(MINUTE)
      answer({})
      const { body } = await post(USSD, charge, { 'idempotency-key': key })
      return body.data as { reference: string; transactionId: number }
    }
    const [paid, failed] = [await restarted('paid'), await restarted('failed')]
    const status = async ({ transactionId }: { transactionId: number }) =>
      (await row(transactionId)).status
    const first = sentReferenceOf(paid.reference, 1)
    await db.run`
      insert into simulator_orders (business_id, live, reference, kind, amount_minor, currency,
        status, message, created_at)
      values (${businessId}, false, ${first}, 'USSD', 50004, 'NGN', 'Successful', 'Approved',
        ${clock.now()})`
    await db.run`update simulator_orders set status = 'Failed'
      where reference = ${sentReferenceOf(failed.reference, 2)}`
    clock.advance(MINUTE)
    await runJob('charge-orders')
    expect([await status(paid), await status(failed)]).toEqual(['Successful', 'Pending'])
    answer({
      'paystack lookUpCharge': {
        kind: 'done',
        value: { status: 'Failed', message: 'Declined', amount_minor: 50_004n, currency: 'NGN' },
      } as unknown as Outcome<never>,
    })
    clock.advance(MINUTE)
    await runJob('charge-orders')
    expect(await status(failed)).toBe('Failed')
  })

  test('fails once if both of its orders fail at the same time', async () => {
    const { answer, post, orders, row, events } = await charger()
    answer({ 'paystack startUssd': unknown })
    await post(USSD, charge, repeated)
    clock.advance(MINUTE)
    answer({})
    const { body } = await post(USSD, charge, repeated)
    const both = Promise.withResolvers<Outcome<never>>()
    let asking = 0
    answer({
      'paystack lookUpCharge'() {
        asking++
        const value = { status: 'Failed', message: 'Declined' } as never
        if (asking === 2) both.resolve({ kind: 'done', value })
        return both.promise
      },
    })
    clock.advance(MINUTE)
    await runJob('charge-orders')
    expect(await orders('charge')).toEqual(['paystack Failed', 'paystack Failed'])
    expect((await row(body.data.transactionId)).status).toBe('Failed')
    const failed = (await events()).filter(({ type }) => type === 'transaction.failed')
    expect(failed).toHaveLength(1)
  })
})
