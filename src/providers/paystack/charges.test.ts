import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { paystack } from './connector.ts'
import { openPaystack } from './paystack.fixture.ts'

const { double, call, chargeOrder, paidCharge, sentOf } = await openPaystack({
  ussdTypes: ['737'],
})
const { payer, owner } = double.provider
const { openVirtualAccount, startUssd, openHostedPage, lookUpCharge } = paystack.collections!

const openAccount = (order = chargeOrder(), by = call()) =>
  openVirtualAccount!(by, { ...order, accountName: 'A shop' })
const openPage = (order = chargeOrder(), by = call()) =>
  openHostedPage!(by, { ...order, returnUrl: 'https://shop.example/i/token/returned' })
const startCode = (order = chargeOrder(), bankCode: string | null = '058') =>
  startUssd!(call(), { ...order, bankCode })
const lookUp = async (reference: string, by = call()) =>
  lookUpCharge(by, sentOf({ ...chargeOrder(), reference }))

describe('an account for one payment', () => {
  test('is paid once, with the fee and an id above 2^53', async () => {
    const order = chargeOrder()
    const account = valueIn(await openAccount(order))
    expect(account).toEqual({
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'PAYSTACK CHECKOUT',
      bankCode: null,
      bankName: 'Paystack-Titan',
      expiresAt: order.expiresAt,
    })
    expect(valueIn(await lookUp(order.reference))).toMatchObject({
      status: 'Pending',
      payments: [],
    })
    payer.transferTo(account.accountNumber, 500_000n)
    const outcome = await lookUp(order.reference)
    const { status, payments } = valueIn(outcome)
    expect(status).toBe('Successful')
    expect(payments).toEqual([
      {
        ...{ providerId: expect.stringMatching(/^\d{16,}$/), disposition: 'kept' },
        ...{ amount_minor: 500_000n, currency: 'NGN', fee_minor: 18_813n },
        receivedAt: double.now(),
        sender: { name: 'ADA OBI', bankName: null, accountLast4: null },
      },
    ])
    const { providerId } = payments[0]!
    expect(BigInt(providerId)).toBeGreaterThan(2n ** 53n)
    expect(outcome).toMatchObject({ refs: { id: providerId } })
  })

  test("has the time that Paystack sets, not the order's", async () => {
    const order = { ...chargeOrder(), expiresAt: new Date(double.now().getTime() + 60_000) }
    const { expiresAt } = valueIn(await openAccount(order))
    expect(expiresAt).toEqual(new Date(double.now().getTime() + 15 * 60_000))
  })

  test('that nobody has paid fails when its time is over', async () => {
    const order = chargeOrder()
    await openAccount(order)
    await double.advance(31 * 60_000)
    expect(valueIn(await lookUp(order.reference))).toMatchObject({
      ...{ status: 'Failed', payments: [], message: 'Transfer not received' },
    })
  })

  test('has no payments after another amount, which Paystack returns', async () => {
    const order = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(order))
    expect(payer.transferTo(accountNumber, 499_999n)).toBe('returned')
    expect(valueIn(await lookUp(order.reference))).toMatchObject({
      ...{ status: 'Pending', payments: [] },
    })
  })

  test('is reversed, with its payment, when all of it is refunded', async () => {
    const sent = await paidCharge()
    const { reference } = sent
    const [amount_minor, currency] = [500_000n, 'NGN']
    const refund = await paystack.refunds!.refund(call(), {
      ...{ reference: 'rfd-all', charge: sent, paymentId: null, amount_minor, currency },
      reason: null,
    })
    double.provider.refunds.settle(refund.kind === 'done' ? refund.refs!.id! : '', 'processed')
    expect(valueIn(await lookUp(reference))).toMatchObject({
      ...{ status: 'Reversed', payments: [{ amount_minor }] },
    })
  })
})

describe('a USSD code', () => {
  test('is for one bank, and is dialled or declined', async () => {
    const order = chargeOrder()
    const [code] = valueIn(await startCode(order))
    expect(code).toEqual({
      ...{ bankCode: '058', bankName: 'Guaranty Trust Bank' },
      ussdCode: expect.stringMatching(/^\*737\*/),
    })
    payer.dial(code!.ussdCode, false)
    expect(valueIn(await lookUp(order.reference)).status).toBe('Failed')
    payer.dial(code!.ussdCode)
    expect(valueIn(await lookUp(order.reference))).toMatchObject({
      ...{ status: 'Successful', payments: [{ amount_minor: 500_000n, sender: null }] },
    })
  })

  test('is refused for a bank without codes, before or by Paystack', async () => {
    expect(shown(await startCode(chargeOrder(), null))).toBe('refused unsupported')
    expect(shown(await startCode(chargeOrder(), '044'))).toBe('refused unsupported')
    // Its account does not have this one.
    expect(shown(await startCode(chargeOrder(), '057'))).toBe('refused unsupported')
  })
})

describe("Paystack's page", () => {
  test('is paid, and Pending until then', async () => {
    const order = chargeOrder()
    const { url, expiresAt } = valueIn(await openPage(order))
    expect(new URL(url).pathname).toMatch(/^\/checkout\//)
    expect(expiresAt).toBeNull()
    expect(valueIn(await lookUp(order.reference)).status).toBe('Pending')
    expect(payer.payHosted(url)).toContain('https://shop.example/i/token/returned')
    const { status, payments } = valueIn(await lookUp(order.reference))
    expect([status, payments.length]).toEqual(['Successful', 1])
  })

  test('is paid once, even if a payer pays in two tabs', async () => {
    const order = chargeOrder()
    const { url } = valueIn(await openPage(order))
    payer.payHosted(url, true, 2)
    expect(valueIn(await lookUp(order.reference)).payments.length).toBe(1)
  })
})

describe('a start', () => {
  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'hang_after_effect' }, 'unknown timed_out'],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected'],
    [{ kind: 'cut_body' }, 'unknown disconnected'],
    [{ kind: 'status', status: 500 }, 'unknown server_error'],
    [{ kind: 'status_after_effect', status: 502 }, 'unknown server_error'],
    [{ kind: 'status', status: 429, retryAfter: 7 }, 'notNow rate_limited'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'huge' }, 'unknown unreadable'],
    [{ kind: 'redirect' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    double.fault({ ...rule, on: 'POST /charge', times: 1 })
    expect(shown(await openAccount(chargeOrder(), call({ deadlineMs })))).toBe(expected)
    double.fault({ ...rule, on: 'POST /transaction/initialize', times: 1 })
    expect(shown(await openPage(chargeOrder(), call({ deadlineMs })))).toBe(expected)
  })

  test('that did not reach Paystack was not sent', async () => {
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await openAccount())).toBe('notNow not_reached')
  })

  test('with a used reference may be there', async () => {
    const order = chargeOrder()
    await openAccount(order)
    expect(shown(await openAccount(order))).toBe('unknown duplicate')
    expect(shown(await openPage(order))).toBe('unknown duplicate')
    expect(shown(await startCode(order))).toBe('unknown duplicate')
  })

  test('with a wrong key, from a wrong address or in another currency is not sent now', async () => {
    expect(shown(await openAccount(chargeOrder(), call({ key: 'sk_live_other' })))).toBe(
      'notNow credentials_refused',
    )
    expect(shown(await openPage({ ...chargeOrder(), currency: 'GHS' }))).toBe('notNow feature_off')
    owner.allowAddress('10.0.0.1')
    expect(shown(await openAccount())).toBe('notNow address_not_allowed')
    owner.allowAddress(null)
  })

  test('with an amount that Paystack refuses is refused', async () => {
    expect(shown(await openAccount(chargeOrder(0n)))).toBe('refused amount_out_of_range')
  })

  test('with an error that we do not know is a bad request', async () => {
    const order = chargeOrder()
    const payer = { ...order.payer, email: 'nobody' }
    expect(shown(await openAccount({ ...order, payer }))).toBe('refused bad_request')
  })
})

describe('a lookup', () => {
  test('of a charge that Paystack does not have is refused', async () => {
    expect(shown(await lookUp('txn-nobody-has-sent-this'))).toBe('refused unknown_order')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'unknown_status' }, 'done'],
    [{ kind: 'status', status: 503 }, 'notNow provider_down'],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'status', status: 403 }, 'notNow credentials_refused'],
    [{ kind: 'not_found_for' }, 'refused unknown_order'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'cut_body' }, 'unknown disconnected'],
    [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.amount' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.currency' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const { reference } = await paidCharge()
    double.fault({ ...rule, on: 'GET /transaction/verify/*' })
    const deadlineMs = rule.kind === 'hang_before_effect' ? 400 : 10_000
    expect(shown(await lookUp(reference, call({ deadlineMs })))).toBe(expected)
  })

  test('with a word that we do not know ends nothing', async () => {
    const { reference } = await paidCharge()
    double.fault({ on: 'GET /transaction/verify/*', kind: 'unknown_status' })
    expect(valueIn(await lookUp(reference))).toMatchObject({ status: 'Pending', payments: [] })
  })

  test('without the fee has none yet', async () => {
    const { reference } = await paidCharge()
    double.fault({ on: '*', kind: 'missing_field', field: 'data.fees' })
    const { payments } = valueIn(await lookUp(reference))
    expect(payments).toMatchObject([{ fee_minor: null }])
  })

  test('reports the amount and currency that arrived', async () => {
    const { reference } = await paidCharge()
    double.fault({ on: '*', kind: 'wrong_amount', times: 1 })
    expect(valueIn(await lookUp(reference)).payments).toMatchObject([{ amount_minor: 500_001n }])
    double.fault({ on: '*', kind: 'other_currency', times: 1 })
    expect(valueIn(await lookUp(reference)).payments).toMatchObject([{ currency: 'USD' }])
  })

  test('never takes a payment of live mode for one of test mode', async () => {
    const { reference } = await paidCharge()
    expect(shown(await lookUp(reference, call({ live: false })))).toBe('unknown unreadable')
  })

  test('is repeated until it succeeds', async () => {
    const { reference } = await paidCharge()
    double.fault({ on: 'GET /transaction/verify/*', kind: 'reset_after_read', times: 2 })
    expect(valueIn(await lookUp(reference)).status).toBe('Successful')
  })
})
