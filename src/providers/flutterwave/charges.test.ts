import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { ProviderRefs, SentOrder } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const opened = await openFlutterwave()
const { double, call, chargeOrder, openAccount, paidCharge, sentOf } = opened
const { payer, owner } = double.provider
const { startUssd, lookUpCharge } = flutterwave.collections!

const startCode = (order = chargeOrder(), bankCode: string | null = '058') =>
  startUssd!(call(), { ...order, bankCode })
const lookUp = (
  { reference }: Pick<SentOrder, 'reference'>,
  refs: ProviderRefs = {},
  by = call(),
) => lookUpCharge(by, sentOf({ ...chargeOrder(), reference }, refs))

/** 2 %, and VAT of 7.5 % on it. */
const FEE_MINOR = 10_750n

describe('an account for one payment', () => {
  test('is paid, with the fee and its VAT', async () => {
    const order = chargeOrder()
    const account = valueIn(await openAccount(order))
    expect(account).toEqual({
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'A shop',
      bankCode: null,
      bankName: 'WEMA BANK',
      expiresAt: order.expiresAt,
    })
    expect(await lookUp(order)).toEqual({
      kind: 'done',
      value: {
        status: 'Pending',
        payments: [],
        message: 'No transaction was found for this id',
      },
    })
    payer.transferTo(account.accountNumber, 500_000n)
    const outcome = await lookUp(order)
    const { status, payments } = valueIn(outcome)
    expect(status).toBe('Successful')
    expect(payments).toEqual([
      {
        providerId: expect.stringMatching(/^\d+$/),
        disposition: 'kept',
        amount_minor: 500_000n,
        currency: 'NGN',
        fee_minor: FEE_MINOR,
        receivedAt: double.now(),
        sender: {
          name: expect.any(String),
          bankName: 'Access Bank',
          accountLast4: expect.stringMatching(/^\d{4}$/),
        },
      },
    ])
    expect(outcome).toMatchObject({ refs: { id: payments[0]!.providerId } })
  })

  test('lasts at least a minute', async () => {
    const order = { ...chargeOrder(), expiresAt: double.now() }
    const { expiresAt } = valueIn(await openAccount(order))
    expect(expiresAt).toEqual(new Date(double.now().getTime() + 60_000))
  })

  test('lists payments over several pages', async () => {
    const order = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(order))
    for (let i = 0; i < 12; i++) payer.transferTo(accountNumber, 500_000n)
    expect(valueIn(await lookUp(order)).payments.length).toBe(12)
  })

  test('is not shown if its payer would have to send more than the amount', async () => {
    owner.set({ feesPaidBy: 'payer' })
    expect(await openAccount()).toMatchObject({
      kind: 'notNow',
      code: 'feature_off',
      message: expect.stringContaining("that you pay Flutterwave's fees"),
    })
    owner.set({ feesPaidBy: 'business' })
    expect(shown(await openAccount(chargeOrder(500_029n)))).toBe('done')
  })

  test('counts an amount with its fee as the order, if payers pay the fees', async () => {
    const order = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(order))
    owner.set({ feesPaidBy: 'payer' })
    payer.transferTo(accountNumber, 511_000n)
    owner.set({ feesPaidBy: 'business' })
    const [payment] = valueIn(await lookUp(order)).payments
    // The business gets all of the amount.
    expect(payment!.fee_minor).toBe(0n)
    expect(payment!.amount_minor).toBeGreaterThan(499_000n)
  })
})

describe('a USSD code', () => {
  test('that failed ends nothing if the response to its start was lost', async () => {
    const order = chargeOrder()
    payer.dial(valueIn(await startCode(order))[0]!.ussdCode, false)
    expect(valueIn(await lookUp(order)).status).toBe('Pending')
  })
})

describe('a start', () => {
  test('of an account without a time has none', async () => {
    const field = 'meta.authorization.account_expiration'
    double.fault({ on: 'POST /charges', kind: 'missing_field', field })
    expect(valueIn(await openAccount()).expiresAt).toBeNull()
  })
})

describe('a lookup', () => {
  test('whose second request, of the list, had a fault is what can be known', async () => {
    for (const [rule, expected] of [
      [{ kind: 'status', status: 503 }, 'notNow provider_down'],
      [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
      [{ kind: 'html' }, 'unknown unreadable'],
      [{ kind: 'missing_field', field: 'data.tx_ref' }, 'unknown unreadable'],
    ] as const) {
      const sent = await paidCharge()
      const lift = double.fault({ ...rule, on: 'GET /transactions' })
      expect(shown(await lookUp(sent))).toBe(expected)
      expect(shown(await lookUp(sent, sent.refs))).toBe(expected)
      await lift()
    }
  })
})
