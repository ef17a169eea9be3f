import { describe, expect, test } from 'vitest'
import { newSentReference, openResponder, shown } from '../connector/connector.fixture.ts'
import { readJson } from '../connector/json.ts'
import type { Outcome } from '../connector/types.ts'
import { feeOf } from './charges.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave, payoutOrder } from './flutterwave.fixture.ts'
import { refundStatus } from './refunds.ts'

/** Responses that are documented, reported or possible, and that the double does not give. */
const { call, chargeOrder, sentOf } = await openFlutterwave()
const { client, respondWith } = await openResponder()
const anywhere = () => ({ ...call(), http: client() })
const refused = (message: string) => ({ status: 'error', message, data: null })
const success = (data: unknown, more: object = {}) => ({
  status: 'success',
  message: 'x',
  data,
  ...more,
})

const order = payoutOrder(5_000n)
const charge = chargeOrder()
const payOut = () => flutterwave.payouts!.payOut(anywhere(), order)
const lookUpCharge = (refs = {}) =>
  flutterwave.collections!.lookUpCharge(anywhere(), sentOf(charge, refs))
const lookUpPayout = (refs = {}) =>
  flutterwave.payouts!.lookUpPayout(anywhere(), sentOf(order, refs))

const NO_MONEY = 'notNow insufficient_provider_balance'

describe('a payout', () => {
  test.each<[number, unknown, string]>([
    [400, refused('Insufficient balance'), NO_MONEY],
    [400, refused('Insufficient wallet balance. Kindly fund your account'), NO_MONEY],
    [
      400,
      refused('Please enable IP Whitelisting to access this service'),
      'notNow address_not_allowed',
    ],
    [403, refused('IP not allowed'), 'notNow address_not_allowed'],
    [400, refused('Compliance approval required to use this feature'), 'notNow feature_off'],
    [400, refused('Transfers have been disabled for your account'), 'notNow feature_off'],
    [400, refused('Merchant is not enabled for payouts'), 'notNow feature_off'],
    [400, refused('You have exceeded your daily limit'), 'notNow limit_reached'],
    [400, refused('Amount should be between 100 and 5000000'), 'refused amount_out_of_range'],
    // About the balance or a limit, and not about the order.
    [400, refused('Amount should not be more than the available balance'), 'refused bad_request'],
    [400, refused('The maximum amount for a day was reached'), 'refused bad_request'],
    // About the form of the request, which is ours.
    [400, refused('"amount" must be a number'), 'refused bad_request'],
    [400, refused('amount is required and cannot be empty'), 'refused bad_request'],
    [400, refused('Amount must be at least 100'), 'refused amount_out_of_range'],
    [400, refused('Invalid account type for this merchant'), 'refused bad_request'],
    [400, refused('Invalid account'), 'refused unknown_account'],
    [400, refused('Invalid account number.'), 'refused unknown_account'],
    [400, refused('Invalid bank transfer request'), 'refused bad_request'],
    [400, refused('The bank code is currently not supported'), 'refused bad_request'],
    [400, refused('Account resolve failed'), 'refused unknown_account'],
    [400, refused('Account resolve failed, please retry later'), 'refused bad_request'],
    [400, refused('Invalid bank code'), 'refused unknown_bank'],
    [400, refused('Duplicate reference'), 'unknown duplicate'],
    [400, refused('Transfer with reference trf-x has been used'), 'unknown duplicate'],
    [409, refused('Conflict'), 'unknown duplicate'],
    [400, refused('Insufficient balance, and the reference already exists'), 'unknown duplicate'],
    [402, refused('Insufficient balance'), 'refused bad_request'],
    [400, { message: 'Insufficient balance' }, 'refused bad_request'],
    [400, refused('This request cannot be processed'), 'refused bad_request'],
    [400, refused('account_bank is required'), 'refused bad_request'],
    [400, '<html>Insufficient balance</html>', 'refused bad_request'],
    [401, refused('Invalid authorization key'), 'notNow credentials_refused'],
    [408, refused('x'), 'unknown timed_out'],
    [429, refused('x'), 'notNow rate_limited'],
    [502, '<html>', 'unknown server_error'],
    [200, refused('Insufficient balance'), 'unknown unreadable'],
    [200, success([]), 'unknown unreadable'],
    [200, 'null', 'unknown unreadable'],
    [200, '{"status":"success","data":{"id":1', 'unknown unreadable'],
  ])('that is refused with %i %j', async (status, body, expected) => {
    respondWith(status, body)
    expect(shown(await payOut())).toBe(expected)
    // A refusal of a batch is of one that is not known, so it ends none.
    const batch = shown(await flutterwave.payouts!.payOutMany!(anywhere(), [order]))
    expect(batch).toBe(expected.startsWith('refused') ? 'refused bad_request' : expected)
  })

  const transfer = (changes: object = {}) => ({
    id: 1,
    reference: order.reference,
    status: 'NEW',
    amount: 50,
    currency: 'NGN',
    fee: 10.75,
    complete_message: '',
    ...changes,
  })

  test("never ends because of another order's response", async () => {
    const other = transfer({ reference: payoutOrder().reference, status: 'FAILED' })
    respondWith(200, success(other))
    expect(shown(await payOut())).toBe('unknown unreadable')
    expect(shown(await lookUpPayout({ id: '1' }))).toBe('unknown inconclusive')
    respondWith(200, success([other]))
    expect(shown(await lookUpPayout())).toBe('unknown inconclusive')
    respondWith(200, success([transfer(), transfer({ id: 2, status: 'FAILED' })]))
    expect(shown(await lookUpPayout())).toBe('unknown inconclusive')
    respondWith(200, success([]))
    expect(shown(await lookUpPayout())).toBe('refused unknown_order')
    respondWith(200, success([], { meta: { page_info: { current_page: 2 } } }))
    expect(shown(await lookUpPayout())).toBe('unknown unreadable')
  })

  test('keeps an id above 2^53, as a number or as text', async () => {
    for (const id of ['18446744073709551615', '"18446744073709551615"']) {
      const text = JSON.stringify(success(transfer())).replace('"id":1', `"id":${id}`)
      respondWith(200, text)
      expect(await payOut()).toMatchObject({ refs: { id: '18446744073709551615' } })
    }
  })

  test.each(['new', 'PROCESSING', 'REVERSED', 'success', 'Failed'])(
    'that is %s at Flutterwave ends nothing',
    async (status) => {
      respondWith(200, success(transfer({ status })))
      expect(await lookUpPayout({ id: '1' })).toMatchObject({ value: { status: 'Pending' } })
    },
  )

  test.each([
    ['26.875', 2_688n],
    ['10.75', 1_075n],
    ['0.005', 1n],
    ['"53.75"', 5_375n],
    ['0', 0n],
  ])('has a fee of %s', async (fee, fee_minor) => {
    const text = JSON.stringify(success(transfer({ status: 'SUCCESSFUL' })))
    respondWith(200, text.replace('"fee":10.75', `"fee":${fee}`))
    expect(await lookUpPayout({ id: '1' })).toMatchObject({ value: { fee_minor } })
  })

  test.each(['ZZZ', '', null, 5])('in the currency %j cannot be read', async (currency) => {
    respondWith(200, success(transfer({ currency })))
    expect(shown(await payOut())).toBe('unknown unreadable')
  })
})

describe('a charge', () => {
  const { reference } = charge
  const transaction = (changes: object = {}) => ({
    id: 1,
    tx_ref: reference,
    status: 'successful',
    amount: 5_000,
    currency: 'NGN',
    amount_settled: 4_892.5,
    created_at: '2026-11-02T09:00:00.000Z',
    ...changes,
  })
  /** The same response to the lookup and to the list. */
  const shownBy = async (data: unknown): Promise<Outcome<unknown>> => {
    respondWith(200, success(data))
    return lookUpCharge()
  }

  test.each<[number, unknown, string]>([
    [400, refused('No transaction was found for this id'), 'done'],
    [404, refused('No transaction was found for this id'), 'done'],
    [404, refused('Transaction not found'), 'done'],
    [404, { message: 'no Route matched with those values' }, 'unknown inconclusive'],
    [404, '<html>No transaction was found</html>', 'unknown inconclusive'],
    [400, refused('tx_ref is required'), 'refused bad_request'],
    [401, refused('No transaction was found for this id'), 'notNow credentials_refused'],
    [500, refused('No transaction was found for this id'), 'notNow provider_down'],
    [200, refused('No transaction was found for this id'), 'unknown unreadable'],
  ])('is unpaid only if Flutterwave says so: %i %j', async (status, body, expected) => {
    respondWith(status, body)
    for (const refs of [{}, { id: '5' }]) {
      const outcome = await lookUpCharge(refs)
      expect(shown(outcome)).toBe(expected)
      if (expected === 'done') {
        expect(outcome).toMatchObject({ value: { status: 'Pending', payments: [] } })
      }
    }
  })

  test.each<[unknown, bigint | null]>([
    [4_892.5, 10_750n],
    [null, null],
    [5_001, null],
    // Not known yet: no fee is the whole payment.
    [0, null],
    ['0.00', null],
  ])('of which %j is settled has a fee of %s', (amount_settled, fee_minor) => {
    const shown = readJson(JSON.stringify(transaction({ amount_settled })))
    expect(feeOf(shown, 500_000n, 'NGN')).toBe(fee_minor)
  })

  test("never counts another charge's transaction", async () => {
    const other = transaction({ tx_ref: newSentReference('TXN') })
    expect(shown(await shownBy(other))).toBe('unknown inconclusive')
  })

  test.each<[number, unknown, string]>([
    [400, refused('Charges are not enabled for this account'), 'notNow feature_off'],
    [400, refused('Amount cannot be less than 100'), 'refused amount_out_of_range'],
    [400, refused('Duplicate tx_ref'), 'unknown duplicate'],
    [400, refused('tx_ref must be unique'), 'unknown duplicate'],
    [400, refused('Something new'), 'refused bad_request'],
  ])('that is refused with %i %j', async (status, body, expected) => {
    respondWith(status, body)
    const { openVirtualAccount, openHostedPage } = flutterwave.collections!
    const account = await openVirtualAccount!(anywhere(), { ...charge, accountName: 'A shop' })
    expect(shown(account)).toBe(expected)
    const page = await openHostedPage!(anywhere(), { ...charge, returnUrl: 'https://x.example' })
    expect(shown(page)).toBe(expected)
  })

  test.each(['javascript:alert(1)', 'not a link', '', '/v3/hosted/pay/1'])(
    'does not send payers to %j',
    async (link) => {
      respondWith(200, success({ link }))
      const { openHostedPage } = flutterwave.collections!
      const page = await openHostedPage!(anywhere(), { ...charge, returnUrl: 'https://x.example' })
      expect(shown(page)).toBe('unknown unreadable')
    },
  )

  test('takes the end of an account as milliseconds or as a date', async () => {
    const at = '2026-11-02T09:30:00.000Z'
    for (const account_expiration of [Date.parse(at), `${Date.parse(at)}`, at]) {
      const authorization = { transfer_account: '1', transfer_bank: 'x', account_expiration }
      respondWith(200, { status: 'success', meta: { authorization } })
      const { openVirtualAccount } = flutterwave.collections!
      expect(
        await openVirtualAccount!(anywhere(), { ...charge, accountName: 'A shop' }),
      ).toMatchObject({ value: { expiresAt: new Date(at) } })
    }
  })

  test.each<[string, string]>([
    ['USSD is not available for this bank', 'refused unknown_bank'],
    ['Invalid bank', 'refused unknown_bank'],
    ['Bank is temporarily unavailable', 'refused bad_request'],
    ['Bank transfers are disabled for this account', 'notNow feature_off'],
    ['Amount cannot be less than 100 at this bank', 'refused amount_out_of_range'],
  ])('by USSD that is refused with %j', async (message, expected) => {
    respondWith(400, refused(message))
    const order = { ...charge, bankCode: '058' }
    expect(shown(await flutterwave.collections!.startUssd!(anywhere(), order))).toBe(expected)
  })

  test.each(['*737#', '*737*000*1234#'])('shows the code %s', async (note) => {
    respondWith(200, success({ id: 1, tx_ref: reference }, { meta: { authorization: { note } } }))
    const start = await flutterwave.collections!.startUssd!(anywhere(), {
      ...charge,
      bankCode: '058',
    })
    expect(shown(start)).toBe('done')
  })
})

describe('a refund', () => {
  const refund = () =>
    flutterwave.refunds!.refund(anywhere(), {
      reference: newSentReference('RFD'),
      charge: sentOf(charge, { id: '1' }),
      paymentId: null,
      amount_minor: 100n,
      currency: 'NGN',
      reason: null,
    })

  test.each<[number, unknown, string]>([
    [400, refused('Insufficient funds in your balance'), NO_MONEY],
    // The lookup after it gets the same response, so this very refund may have been made before.
    [400, refused('Transaction cannot be refunded'), 'unknown inconclusive'],
    [400, refused('Transaction has already been refunded'), 'unknown inconclusive'],
    [400, refused('Transaction cannot be refunded at the moment'), 'refused bad_request'],
    [400, refused('Refund amount exceeds the available balance'), 'refused bad_request'],
    [400, refused('Something new'), 'refused bad_request'],
    [500, refused('Transaction cannot be refunded'), 'unknown server_error'],
    [409, refused('x'), 'unknown duplicate'],
  ])('that is refused with %i %j', async (status, body, expected) => {
    respondWith(status, body)
    expect(shown(await refund())).toBe(expected)
  })

  test.each(['completed', 'completed-reversed', 'completed-', 'Completed-mpgs', 'FAILED', 'new'])(
    'that is %s at Flutterwave has not ended',
    (word) => {
      expect(refundStatus(word)).toBe('Pending')
    },
  )

  test.each(['successful', 'completed-mpgs'])('that is %s at Flutterwave was paid', (word) => {
    expect(refundStatus(word)).toBe('Successful')
  })
})

test('what is in a currency without an ISO 4217 code hides nothing', async () => {
  const balance = { available_balance: 5, ledger_balance: 1.5 }
  const [sll, ngn] = ['SLL', 'NGN'].map((currency) => ({ ...balance, currency }))
  respondWith(200, success([sll, ngn]))
  expect(await flutterwave.balances!.balances(anywhere())).toMatchObject({
    value: [{ currency: 'NGN', available_minor: 500n, pending_minor: 150n }],
  })
  const row = { amount: 5, net_amount: 5, created_at: '2026-11-02T09:00:00.000Z' }
  const [other, ours] = ['SLL', 'NGN'].map((currency, id) => ({
    ...row,
    currency,
    id,
    status: 'x',
  }))
  respondWith(200, success([other, ours]))
  const range = { from: new Date('2026-11-01'), until: new Date('2026-11-30') }
  for (const kind of ['charge', 'payout', 'settlement'] as const) {
    expect(await flutterwave.reports!.entries(anywhere(), kind, range, null)).toMatchObject({
      value: { entries: [{ providerId: '1', currency: 'NGN', amount_minor: 500n }] },
    })
  }
})
