import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { paystack } from './connector.ts'
import { openPaystack } from './paystack.fixture.ts'

const { double, call, chargeOrder, paidCharge, sentOf } = await openPaystack()
const { owner } = double.provider
const { openVirtualAccount, openHostedPage, lookUpCharge } = paystack.collections!

const openAccount = (order = chargeOrder(), by = call()) =>
  openVirtualAccount!(by, { ...order, accountName: 'A shop' })
const openPage = (order = chargeOrder(), by = call()) =>
  openHostedPage!(by, { ...order, returnUrl: 'https://shop.example/i/token/returned' })
const lookUp = async (reference: string, by = call()) =>
  lookUpCharge(by, sentOf({ ...chargeOrder(), reference }))

describe('an account for one payment', () => {
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
      status: 'Failed',
      payments: [],
      message: 'Transfer not received',
    })
  })

  test('is reversed, with its payment, when all of it is refunded', async () => {
    const sent = await paidCharge()
    const { reference } = sent
    const [amount_minor, currency] = [500_000n, 'NGN']
    const refund = await paystack.refunds!.refund(call(), {
      reference: 'rfd-all',
      charge: sent,
      paymentId: null,
      amount_minor,
      currency,
      reason: null,
    })
    double.provider.refunds.settle(refund.kind === 'done' ? refund.refs!.id! : '', 'processed')
    expect(valueIn(await lookUp(reference))).toMatchObject({
      status: 'Reversed',
      payments: [{ amount_minor }],
    })
  })
})

describe('a start', () => {
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
})

describe('a lookup', () => {
  test('never takes a payment of live mode for one of test mode', async () => {
    const { reference } = await paidCharge()
    expect(shown(await lookUp(reference, call({ live: false })))).toBe('unknown unreadable')
  })
})
