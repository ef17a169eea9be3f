import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { newSentReference, shown, valueIn } from '../connector/connector.fixture.ts'
import type { VendOrder } from '../connector/http-connector.ts'
import type { Outcome, ProviderRefs } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, sentOf, executed } = await openFlutterwave({ billsShow: 'both' })
const { billers, owner } = double.provider
const { items, lookUpCustomer, vend, lookUpVend } = flutterwave.bills!
owner.topUp(1_000_000_000n)

const AIRTIME = { billerCode: 'BIL099', itemCode: 'AT099' }
const METER = { billerCode: 'BIL113', itemCode: 'UB159' }
const DSTV = { billerCode: 'BIL119', itemCode: 'CB140' }

const billOrder = (amount_minor = 500_000n, item = METER): VendOrder => ({
  reference: newSentReference('UTL'),
  item,
  customerId: '45012345678',
  amount_minor,
  currency: 'NGN',
})
const buy = (order = billOrder(), by = call()) => vend(by, order)
const lookUp = (order: VendOrder, refs: ProviderRefs = {}, by = call()) =>
  lookUpVend(by, sentOf(order, refs))
const refsOf = (outcome: Outcome<unknown>) => (outcome as { refs: ProviderRefs }).refs

describe('the items', () => {
  test('are those of all billers, with prices and fees', async () => {
    const all = valueIn(await items(call()))
    expect(all).toContainEqual({
      ...AIRTIME,
      billerName: 'MTN',
      name: 'MTN',
      category: 'airtime',
      amount_minor: null,
      fee_minor: 0n,
    })
    expect(all).toContainEqual({
      ...DSTV,
      billerName: 'DSTV',
      name: 'DSTV Access',
      category: 'television',
      amount_minor: 200_000n,
      fee_minor: 10_000n,
    })
    const codes = all.map(({ billerCode, itemCode }) => `${billerCode} ${itemCode}`)
    expect(new Set(codes).size).toBe(all.length)
  })

  test.each<[string, Omit<FaultRule, 'on'>, string]>([
    ['GET /top-bill-categories', { kind: 'html' }, 'unknown unreadable'],
    ['GET /bills/*', { kind: 'status', status: 500 }, 'notNow provider_down'],
    ['GET /billers/*', { kind: 'missing_field', field: 'data.item_code' }, 'unknown unreadable'],
  ])('after a fault of %s are not shortened: %j', async (on, rule, expected) => {
    double.fault({ ...rule, on, nth: rule.kind === 'html' ? 1 : 2 })
    expect(shown(await items(call()))).toBe(expected)
  })
})

describe('a customer', () => {
  test('is found', async () => {
    expect(
      valueIn(await lookUpCustomer(call(), { item: METER, customerId: '45012345678' })),
    ).toEqual({ customerName: 'CUSTOMER 5678' })
  })

  test('or the item is refused if there is none', async () => {
    const unknown = { item: METER, customerId: '9999' }
    expect(shown(await lookUpCustomer(call(), unknown))).toBe('refused unknown_customer')
    const item = { billerCode: 'BIL113', itemCode: 'XX' }
    expect(shown(await lookUpCustomer(call(), { item, customerId: '1' }))).toBe(
      'refused unknown_package',
    )
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'missing_field', field: 'data.name' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    double.fault({ ...rule, on: 'GET /bill-items/*' })
    const customer = { item: METER, customerId: '45012345678' }
    expect(shown(await lookUpCustomer(call(), customer))).toBe(expected)
  })
})

describe('a bill', () => {
  test('is pending until a lookup says otherwise, with its token, fee and commission', async () => {
    const order = billOrder()
    const outcome = await buy(order)
    expect(outcome).toEqual({
      kind: 'done',
      value: {
        status: 'Pending',
        message: 'Flutterwave is processing the bill.',
        fee_minor: 10_000n,
      },
      refs: { id: expect.stringMatching(/^CF-FLYAPI-/) },
    })
    expect(valueIn(await lookUp(order))).toMatchObject({ status: 'Pending', fee_minor: null })
    billers.settle(order.reference, 'successful')
    for (const refs of [{}, refsOf(outcome)]) {
      expect(await lookUp(order, refs)).toMatchObject({
        value: {
          status: 'Successful',
          message: 'The bill was paid.',
          fee_minor: 10_000n,
          commission_minor: 2_500n,
          token: { value: expect.stringMatching(/^\d{20}$/), units: '' },
        },
        refs: refsOf(outcome),
      })
    }
    expect(executed(order)).toBe(1)
  })

  test('without a token has none, and can fail', async () => {
    const airtime = billOrder(5_001n, AIRTIME)
    await buy(airtime)
    billers.settle(airtime.reference, 'successful')
    const paid = valueIn(await lookUp(airtime))
    expect(paid).toMatchObject({ status: 'Successful', fee_minor: 0n, commission_minor: 125n })
    expect(paid).not.toHaveProperty('token')
    const failed = billOrder()
    await buy(failed)
    billers.settle(failed.reference, 'failed')
    expect(valueIn(await lookUp(failed))).toMatchObject({
      status: 'Failed',
      message: 'The bill failed at Flutterwave.',
      fee_minor: null,
    })
  })

  test('whose status is not shown is paid if it has a token; otherwise a person is asked', async () => {
    const [meter, airtime] = [billOrder(), billOrder(5_000n, AIRTIME)]
    for (const order of [meter, airtime]) {
      await buy(order)
      billers.settle(order.reference, 'successful')
    }
    double.fault({ on: 'GET /bills/*', kind: 'missing_field', field: 'data.status' })
    expect(valueIn(await lookUp(meter)).status).toBe('Successful')
    expect(await lookUp(airtime)).toEqual({
      kind: 'unknown',
      reason: 'inconclusive',
      message: 'Flutterwave does not say whether the bill was delivered.',
    })
  })

  test("without our reference is ours if it has Flutterwave's, and not otherwise", async () => {
    const order = billOrder()
    const refs = refsOf(await buy(order))
    const other = refsOf(await buy())
    billers.settle(order.reference, 'successful')
    double.fault({ on: 'GET /bills/*', kind: 'missing_field', field: 'data.customer_reference' })
    expect(await lookUp(order, refs)).toMatchObject({ value: { status: 'Successful' }, refs })
    expect(shown(await lookUp(order))).toBe('unknown inconclusive')
    double.fault({ on: 'GET /bills/*', kind: 'not_found_for', times: 1 })
    // Asked by our reference, after Flutterwave's was not found.
    expect(shown(await lookUp(order, other))).toBe('unknown inconclusive')
  })

  test("is looked up by Flutterwave's reference, and by ours if that is not known", async () => {
    const order = billOrder()
    const refs = refsOf(await buy(order))
    owner.set({ findsBillsBy: 'own_reference' })
    expect(shown(await lookUp(order))).toBe('refused unknown_order')
    const { length } = double.calls
    expect(shown(await lookUp(order, refs))).toBe('done')
    expect(double.calls.length).toBe(length + 1)
    expect(shown(await lookUp(billOrder(), refs))).toBe('unknown inconclusive')
    owner.set({ findsBillsBy: 'any_reference' })
    double.fault({ on: 'GET /bills/*', kind: 'not_found_for', times: 1 })
    expect(shown(await lookUp(order, refs))).toBe('done')
    expect(flutterwave.absence.bill).toEqual({ provenAfterMs: null, repeatIsSafe: false })
  })

  test.each<Omit<FaultRule, 'on'>>([
    { kind: 'status', status: 400 },
    { kind: 'status', status: 404 },
    { kind: 'html' },
    { kind: 'missing_field', field: 'data.status' },
  ])("is looked up by our reference if Flutterwave's does not tell: %j", async (rule) => {
    const order = billOrder(5_000n, AIRTIME)
    const refs = refsOf(await buy(order))
    const first = { ...rule, on: 'GET /bills/*', times: 1 }
    double.fault(first)
    expect(shown(await lookUp(order, refs))).toBe('done')
    // If ours is not found, that is no proof.
    double.fault(first)
    double.fault({ on: `GET /bills/${order.reference}`, kind: 'not_found_for' })
    const outcome = await lookUp(order, refs)
    expect(outcome.kind).not.toBe('done')
    expect(shown(outcome)).not.toBe('refused unknown_order')
  })

  test('that Flutterwave does not have is refused', async () => {
    expect(shown(await lookUp(billOrder()))).toBe('refused unknown_order')
    expect(shown(await lookUp(billOrder(), { id: 'CF-FLYAPI-1' }))).toBe('refused unknown_order')
  })

  test('with a word that we do not know ends nothing', async () => {
    const order = billOrder()
    await buy(order)
    double.fault({ on: 'GET /bills/*', kind: 'unknown_status' })
    expect(valueIn(await lookUp(order)).status).toBe('Pending')
  })
})

describe('a bill that Flutterwave refuses', () => {
  test('for its customer, its item or its amount is refused', async () => {
    const customerId = '9999000000'
    expect(shown(await buy({ ...billOrder(), customerId }))).toBe('refused unknown_customer')
    const item = { billerCode: 'BIL113', itemCode: 'XX' }
    expect(shown(await buy(billOrder(500_000n, item)))).toBe('refused unknown_package')
    expect(shown(await buy(billOrder(200_001n, DSTV)))).toBe('refused amount_out_of_range')
    expect(shown(await buy(billOrder(1n)))).toBe('refused amount_out_of_range')
  })

  test('for the balance, the key or the address waits', async () => {
    owner.topUp(-999_000_000n)
    const order = billOrder(40_000_000n)
    expect(shown(await buy(order))).toBe('notNow insufficient_provider_balance')
    owner.topUp(999_000_000n)
    expect(executed(order)).toBe(0)
    const by = call({ key: 'FLWSECK-other-X' })
    expect(shown(await buy(billOrder(), by))).toBe('notNow credentials_refused')
    owner.allowAddress('')
    expect(shown(await buy())).toBe('notNow address_not_allowed')
    owner.allowAddress(null)
  })
})

describe('a bill after a fault', () => {
  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected', 0],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
    [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'status', status: 500 }, 'unknown server_error', 0],
    [{ kind: 'status_after_effect', status: 504 }, 'unknown server_error', 1],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited', 0],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.tx_ref' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'status' }, 'unknown unreadable', 1],
  ])('is what can be known: %j', async (rule, expected, times) => {
    const order = billOrder()
    double.fault({ ...rule, on: 'POST /billers/*', times: 1 })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await buy(order, call({ deadlineMs })))).toBe(expected)
    expect(executed(order)).toBe(times)
    expect(shown(await lookUp(order))).toBe(times === 1 ? 'done' : 'refused unknown_order')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'not_found_for' }, 'refused unknown_order'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.tx_ref' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.customer_reference' }, 'unknown inconclusive'],
  ])('is looked up, as far as it can be: %j', async (rule, expected) => {
    const order = billOrder()
    await buy(order)
    double.fault({ ...rule, on: 'GET /bills/*' })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await lookUp(order, {}, call({ deadlineMs })))).toBe(expected)
  })
})
