import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { shopOn } from '../money/bills/bills.fixture.ts'
import { openShop as sellerOn } from '../money/settlements/settlements.fixture.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import { openShop as chargerOn, USSD } from '../payments/attempts/ussd.fixture.ts'
import { openShop as refunderOn } from '../payments/refunds/refunds.fixture.ts'
import { sentReferenceOf } from '../providers/connector/references.ts'
import type {
  About,
  Connector,
  NotNowCode,
  Outcome,
  RefusalCode,
} from '../providers/connector/types.ts'
import { connect, routesApply, setRoutes } from '../providers/providers.fixture.ts'

/*
 * Tests which orders move to another connection. Each business has an account with Paystack and,
 * with a lower priority, one with Flutterwave. Both are simulators, except for the responses that a
 * test sets.
 */

const MINUTE = 60_000
const SERVICES = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'UTILITY'] as const

type Name = 'paystack' | 'flutterwave'
type Operation = 'payOut' | 'lookUpPayout' | 'vend' | 'startUssd' | 'lookUpCharge' | 'refund'
type Answers = Partial<Record<`${Name} ${Operation}`, Outcome<never>>>

const answersOf = new Map<number, Answers>()
const calls: { businessId: number; call: string }[] = []

/** The simulator under another name, with the responses that a test has set for its business. */
function bank(simulator: Connector, name: Name, more: Partial<Connector> = {}): Connector {
  const operations = Object.entries(simulator).map(([operation, run]) => {
    if (typeof run !== 'function') return [operation, run]
    const call = async (about: About, ...rest: unknown[]) => {
      const businessId = about.tenant?.businessId
      const key = `${name} ${operation}` as keyof Answers
      if (businessId) calls.push({ businessId, call: key })
      const answer = answersOf.get(businessId)?.[key]
      return answer ?? (run as (...args: unknown[]) => unknown)(about, ...rest)
    }
    return [operation, call]
  })
  return { ...(Object.fromEntries(operations) as unknown as Connector), ...more }
}

const server = await startServer({
  jobs: false,
  connectors: (simulator) => {
    const { cancelPayout: _, ...flutterwave } = bank(simulator, 'flutterwave')
    return {
      simulator,
      paystack: bank(simulator, 'paystack', { startIsRepeatable: false }),
      flutterwave,
    }
  },
})
const { db, clock, runJob } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const refused = (code: RefusalCode): Outcome<never> => ({ kind: 'refused', code, message: code })
const notNow = (code: NotNowCode = 'not_reached'): Outcome<never> => ({
  kind: 'notNow',
  code,
  message: code,
})
const unknown: Outcome<never> = { kind: 'unknown', reason: 'timed_out' }
const notFound = refused('unknown_order')

/** Gives a business its two accounts, and returns what a test needs to know about its orders. */
async function withAccounts<Shop extends { businessId: number }>(shop: Shop) {
  const { businessId } = shop
  const paystack = await connect(server, businessId, { provider: 'paystack' })
  const flutterwave = await connect(server, businessId, { provider: 'flutterwave' })
  await setRoutes(
    server,
    businessId,
    SERVICES.flatMap((service) => [
      { service, connectionId: paystack, priority: 1 },
      { service, connectionId: flutterwave, priority: 2 },
    ]),
  )
  await routesApply()
  const names = new Map([
    [paystack, 'paystack'],
    [flutterwave, 'flutterwave'],
  ])
  const answer = (answers: Answers) => void answersOf.set(businessId, answers)
  const asked = () => calls.filter((one) => one.businessId === businessId).map(({ call }) => call)
  const orders = async (kind: string) => {
    const rows = await db.many<{ connection_id: number; state: string; attention: string | null }>`
      select connection_id, state, attention from provider_orders
      where business_id = ${businessId} and kind = ${kind} order by subject_id, attempt`
    return rows.map(({ connection_id, state }) => `${names.get(connection_id)} ${state}`)
  }
  const differences = () => db.many<Record<string, unknown>>`
    select attempt, field from provider_differences where business_id = ${businessId}`
  const bankActs = async () => {
    clock.advance(1_000)
    await runJob('simulator')
  }
  return { ...shop, answer, asked, orders, differences, bankActs }
}

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

  test('moves after one look-up if the refusal could have come from a proxy', async () => {
    const { answer, send, orders, asked } = await sender()
    answer({ 'paystack payOut': notNow('rate_limited'), 'paystack lookUpPayout': notFound })
    await send()
    await runJob('transfer-orders')
    expect(asked()).toEqual(['paystack payOut'])
    clock.advance(MINUTE)
    await runJob('transfer-orders')
    expect(asked().slice(1)).toEqual(['paystack lookUpPayout', 'flutterwave payOut'])
    expect(await orders('transfer')).toEqual(['paystack Moved', 'flutterwave Pending'])
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

  test('that cannot be withdrawn is only sent again once it has failed', async () => {
    const { businessId, answer, send, decide, transfer, asked, bankActs } = await sender()
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
    const attention = () => db.one<{ attention: string | null }>`
      select attention from provider_orders
      where business_id = ${businessId} and kind = 'transfer' and attempt = 3`
    expect(await attention()).toEqual({ attention: null })
    clock.advance(24 * 60 * MINUTE)
    await runJob('transfer-orders')
    expect(await attention()).toEqual({ attention: 'not_sent' })
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
})
