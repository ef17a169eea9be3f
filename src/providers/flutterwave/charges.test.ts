import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { newSentReference, shown, valueIn } from '../connector/connector.fixture.ts'
import type { ProviderRefs, SentOrder } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const opened = await openFlutterwave()
const { double, call, chargeOrder, openAccount, openPage, paidCharge, sentOf } = opened
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
      ...{ accountNumber: expect.stringMatching(/^\d{10}$/), accountName: 'A shop' },
      ...{ bankCode: null, bankName: 'WEMA BANK', expiresAt: order.expiresAt },
    })
    expect(await lookUp(order)).toEqual({
      kind: 'done',
      value: {
        ...{ status: 'Pending', payments: [] },
        message: 'No transaction was found for this id',
      },
    })
    payer.transferTo(account.accountNumber, 500_000n)
    const outcome = await lookUp(order)
    const { status, payments } = valueIn(outcome)
    expect(status).toBe('Successful')
    expect(payments).toEqual([
      {
        ...{ providerId: expect.stringMatching(/^\d+$/), disposition: 'kept' },
        ...{ amount_minor: 500_000n, currency: 'NGN', fee_minor: FEE_MINOR },
        receivedAt: double.now(),
        sender: {
          ...{ name: expect.any(String), bankName: 'Access Bank' },
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

  test('keeps every amount, in the order in which they arrived', async () => {
    const order = chargeOrder(250_000n)
    const { accountNumber } = valueIn(await openAccount(order))
    for (const minor of [100_000n, 250_000n, 250_001n]) {
      payer.transferTo(accountNumber, minor)
      await double.advance(1_000)
    }
    const outcome = await lookUp(order)
    const { status, payments } = valueIn(outcome)
    expect(status).toBe('Successful')
    expect(payments.map(({ amount_minor }) => amount_minor)).toEqual([100_000n, 250_000n, 250_001n])
    expect(new Set(payments.map(({ providerId }) => providerId)).size).toBe(3)
    // Whichever of them is looked up.
    for (const { providerId } of payments) {
      const again = valueIn(await lookUp(order, { id: providerId }))
      expect(again.payments.map((one) => one.providerId)).toEqual(
        payments.map((one) => one.providerId),
      )
    }
  })

  test('lists payments over several pages', async () => {
    const order = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(order))
    for (let i = 0; i < 12; i++) payer.transferTo(accountNumber, 500_000n)
    expect(valueIn(await lookUp(order)).payments.length).toBe(12)
  })

  test('counts an amount with its fee as the order, if payers pay the fees', async () => {
    owner.set({ feesPaidBy: 'payer' })
    const order = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(order))
    payer.transferTo(accountNumber, 511_000n)
    owner.set({ feesPaidBy: 'business' })
    const [payment] = valueIn(await lookUp(order)).payments
    // The business gets all of the amount.
    expect(payment!.fee_minor).toBe(0n)
    expect(payment!.amount_minor).toBeGreaterThan(499_000n)
  })

  test.each([1n, 29n, 57n, 123_456_789n, 10_000_000_000_000n])(
    'is opened and paid with exactly %i kobo',
    async (minor) => {
      const order = chargeOrder(minor)
      const { accountNumber } = valueIn(await openAccount(order))
      payer.transferTo(accountNumber, minor)
      expect(valueIn(await lookUp(order)).payments).toMatchObject([{ amount_minor: minor }])
    },
  )
})

describe('a USSD code', () => {
  test('is for one bank, and is dialled or declined', async () => {
    const order = chargeOrder()
    const outcome = await startCode(order)
    const [code] = valueIn(outcome)
    expect(code).toEqual({
      ...{ bankCode: '058', bankName: 'Guaranty Trust Bank' },
      ussdCode: expect.stringMatching(/^\*737\*/),
    })
    const { refs } = outcome as { refs: ProviderRefs }
    expect(valueIn(await lookUp(order, refs)).status).toBe('Pending')
    payer.dial(code!.ussdCode, false)
    expect(valueIn(await lookUp(order, refs))).toMatchObject({ status: 'Failed', payments: [] })
    payer.dial(code!.ussdCode)
    expect(await lookUp(order, refs)).toMatchObject({
      value: { status: 'Successful', payments: [{ amount_minor: 500_000n, sender: null }] },
      refs,
    })
  })

  test('that failed ends nothing if the response to its start was lost', async () => {
    const order = chargeOrder()
    payer.dial(valueIn(await startCode(order))[0]!.ussdCode, false)
    expect(valueIn(await lookUp(order)).status).toBe('Pending')
  })

  test('is refused for a bank without codes, before or by Flutterwave', async () => {
    expect(shown(await startCode(chargeOrder(), null))).toBe('refused unsupported')
    expect(shown(await startCode(chargeOrder(), '00000'))).toBe('refused unsupported')
    expect(shown(await startCode(chargeOrder(), '50211'))).toBe('refused unknown_bank')
  })
})

describe("Flutterwave's page", () => {
  test('is paid by card, and Pending until then', async () => {
    const order = chargeOrder()
    const { url, expiresAt } = valueIn(await openPage(order))
    expect(expiresAt).toBeNull()
    const page = await fetch(url)
    expect(await page.text()).toContain('Pay with card')
    expect(valueIn(await lookUp(order)).status).toBe('Pending')
    expect(payer.payHosted(url)).toContain('https://shop.example/i/token/returned?status=')
    expect(valueIn(await lookUp(order))).toMatchObject({
      ...{ status: 'Successful', payments: [{ amount_minor: 500_000n, fee_minor: FEE_MINOR }] },
    })
  })

  test('can be paid after a card was declined', async () => {
    const order = chargeOrder()
    const { url } = valueIn(await openPage(order))
    payer.payHosted(url, false)
    const declined = await lookUp(order)
    expect(declined).toMatchObject({
      value: { status: 'Pending', message: 'Declined', payments: [] },
    })
    expect('refs' in declined).toBe(false)
    payer.payHosted(url)
    expect(valueIn(await lookUp(order)).payments.length).toBe(1)
  })

  test('that is paid in two tabs has two payments', async () => {
    const order = chargeOrder()
    payer.payHosted(valueIn(await openPage(order)).url, true, 2)
    expect(valueIn(await lookUp(order)).payments.length).toBe(2)
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
    [{ kind: 'status', status: 404 }, 'refused bad_request'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'huge' }, 'unknown unreadable'],
    [{ kind: 'redirect' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'status' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const by = call({ deadlineMs: rule.kind.startsWith('hang') ? 400 : 10_000 })
    double.fault({ ...rule, on: 'POST /charges', times: 1 })
    expect(shown(await openAccount(chargeOrder(), by))).toBe(expected)
    const again = call({ deadlineMs: rule.kind.startsWith('hang') ? 400 : 10_000 })
    double.fault({ ...rule, on: 'POST /payments', times: 1 })
    expect(shown(await openPage(chargeOrder(), again))).toBe(expected)
  })

  test.each(['meta', 'meta.authorization.transfer_account', 'meta.authorization.transfer_bank'])(
    'of an account without %s cannot be read',
    async (field) => {
      double.fault({ on: 'POST /charges', kind: 'missing_field', field })
      expect(shown(await openAccount())).toBe('unknown unreadable')
    },
  )

  test('of an account without a time has none', async () => {
    const field = 'meta.authorization.account_expiration'
    double.fault({ on: 'POST /charges', kind: 'missing_field', field })
    expect(valueIn(await openAccount()).expiresAt).toBeNull()
  })

  test.each(['data', 'data.id', 'data.tx_ref', 'meta.authorization.note'])(
    'of a code without %s cannot be read',
    async (field) => {
      double.fault({ on: 'POST /charges', kind: 'missing_field', field })
      expect(shown(await startCode())).toBe('unknown unreadable')
    },
  )

  test('that did not reach Flutterwave was not sent', async () => {
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await openAccount())).toBe('notNow not_reached')
    expect(shown(await openPage())).toBe('notNow not_reached')
  })

  test('with a wrong key is not sent now', async () => {
    const by = call({ key: 'FLWSECK-other-X' })
    expect(shown(await openAccount(chargeOrder(), by))).toBe('notNow credentials_refused')
    expect(shown(await openPage(chargeOrder(), by))).toBe('notNow credentials_refused')
  })

  test('with an error that we do not know is a bad request', async () => {
    const order = chargeOrder()
    const wrong = { ...order, payer: { ...order.payer, email: 'nobody' } }
    expect(shown(await openAccount(wrong))).toBe('refused bad_request')
  })

  test('repeated with the same reference opens another account', async () => {
    const order = chargeOrder()
    const first = valueIn(await openAccount(order)).accountNumber
    const second = valueIn(await openAccount(order)).accountNumber
    expect(flutterwave.startIsRepeatable).toBe(false)
    payer.transferTo(first, 500_000n)
    payer.transferTo(second, 500_000n)
    expect(valueIn(await lookUp(order)).payments.length).toBe(2)
  })
})

describe('a lookup', () => {
  test('of a charge that Flutterwave does not have is Pending, as nobody has paid', async () => {
    const found = valueIn(await lookUp({ reference: newSentReference('TXN') }))
    expect(found).toMatchObject({ status: 'Pending', payments: [] })
    const byId = valueIn(await lookUp({ reference: newSentReference('TXN') }, { id: '999999' }))
    expect(byId).toMatchObject({ status: 'Pending', payments: [] })
  })

  test("by the id of another charge's transaction does not find it", async () => {
    const { refs } = await paidCharge()
    const order = chargeOrder()
    expect(shown(await lookUp(order, refs))).toBe('unknown inconclusive')
  })

  const FAULTS: [Omit<FaultRule, 'on'>, string][] = [
    [{ kind: 'status', status: 503 }, 'notNow provider_down'],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'status', status: 403 }, 'notNow credentials_refused'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'cut_body' }, 'unknown disconnected'],
    [{ kind: 'missing_field', field: 'status' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.amount' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.currency' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.tx_ref' }, 'unknown unreadable'],
  ]

  test.each(FAULTS)('after a fault is what can be known: %j', async (rule, expected) => {
    const sent = await paidCharge()
    const by = () => call({ deadlineMs: rule.kind === 'hang_before_effect' ? 400 : 10_000 })
    double.fault({ ...rule, on: 'GET /transactions/verify_by_reference' })
    expect(shown(await lookUp(sent, {}, by()))).toBe(expected)
    double.fault({ ...rule, on: 'GET /transactions/*/verify' })
    expect(shown(await lookUp(sent, sent.refs, by()))).toBe(expected)
  })

  test.each(FAULTS)(
    'after a fault of the list is what can be known: %j',
    async (rule, expected) => {
      const sent = await paidCharge()
      const by = call({ deadlineMs: rule.kind === 'hang_before_effect' ? 400 : 10_000 })
      double.fault({ ...rule, on: 'GET /transactions' })
      expect(shown(await lookUp(sent, {}, by))).toBe(expected)
    },
  )

  test('with a word that we do not know ends nothing', async () => {
    const sent = await paidCharge()
    double.fault({ on: 'GET /transactions/*', kind: 'unknown_status' })
    double.fault({ on: 'GET /transactions', kind: 'not_found_for' })
    expect(valueIn(await lookUp(sent))).toMatchObject({ status: 'Pending', payments: [] })
  })

  test('without the settled amount has no fee yet', async () => {
    const sent = await paidCharge()
    double.fault({ on: '*', kind: 'missing_field', field: 'data.amount_settled' })
    expect(valueIn(await lookUp(sent)).payments).toMatchObject([{ fee_minor: null }])
  })

  test('reports the amount and currency that arrived', async () => {
    const sent = await paidCharge()
    double.fault({ on: 'GET /transactions/*', kind: 'other_currency', times: 1 })
    expect(valueIn(await lookUp(sent)).payments).toMatchObject([{ currency: 'USD' }])
  })

  test('is repeated until it succeeds', async () => {
    const sent = await paidCharge()
    double.fault({ on: 'GET /transactions/*', kind: 'reset_after_read', times: 2 })
    expect(valueIn(await lookUp(sent)).status).toBe('Successful')
  })

  test('that began before another payment finds both', async () => {
    const { accountNumber, ...sent } = await paidCharge()
    payer.transferTo(accountNumber, 500_000n)
    expect(valueIn(await lookUp(sent, sent.refs)).payments.length).toBe(2)
  })
})
