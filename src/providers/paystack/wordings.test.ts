import { describe, expect, test } from 'vitest'
import { newSentReference, openResponder, shown, valueIn } from '../connector/connector.fixture.ts'
import type { EntryKind } from '../connector/http-connector.ts'
import type { HttpClient, HttpRequest } from '../connector/transport.ts'
import { paystack } from './connector.ts'
import { openPaystack, payoutOrder } from './paystack.fixture.ts'

/** Responses that are documented or reported, and that the double does not give. */
const { call, chargeOrder, sentOf } = await openPaystack()
const { client, respondWith } = await openResponder()
const anywhere = () => ({ ...call(), http: client() })
const refused = (message: string, code?: string) => ({ status: false, message, code })
const order = payoutOrder(5_000n, { recipient: 'RCP_x' })
const charge = chargeOrder()

const lookUpCharge = () => paystack.collections!.lookUpCharge(anywhere(), sentOf(charge))
const RANGE = { from: new Date('2026-11-01'), until: new Date('2026-11-30') }
const entriesOf = async (kind: EntryKind) =>
  valueIn(await paystack.reports!.entries(anywhere(), kind, RANGE, null)).entries
const lookUpPayout = () => paystack.payouts!.lookUpPayout(anywhere(), sentOf(order))

describe('a lookup finds nothing', () => {
  test.each([400, 404])('if Paystack says so with %i', async (status) => {
    for (const text of ['Transaction reference not found', 'Transaction not found.']) {
      respondWith(status, refused(text))
      expect(shown(await lookUpCharge())).toBe('refused unknown_order')
    }
    respondWith(status, refused('No such thing', 'transaction_not_found'))
    expect(shown(await lookUpCharge())).toBe('refused unknown_order')
    respondWith(status, refused('Transfer not found'))
    expect(shown(await lookUpPayout())).toBe('refused unknown_order')
    respondWith(status, refused('Entity not found'))
    expect(shown(await lookUpPayout())).toBe('refused unknown_order')
    expect(shown(await lookUpCharge())).toBe('refused unknown_order')
  })

  test.each<[number, unknown, string]>([
    [404, { message: 'no Route matched with those values' }, 'unknown inconclusive'],
    [404, { status: true, message: 'Transfer not found' }, 'unknown inconclusive'],
    [404, refused('Integration not found'), 'unknown inconclusive'],
    [404, '<html>Transfer not found</html>', 'unknown inconclusive'],
    [404, '', 'unknown inconclusive'],
    [400, refused('Merchant not found'), 'refused bad_request'],
    [401, refused('Transfer not found'), 'notNow credentials_refused'],
    [429, refused('Transfer not found'), 'notNow rate_limited'],
    [500, refused('Transfer not found'), 'notNow provider_down'],
    [200, refused('Transfer not found'), 'unknown unreadable'],
    [200, { status: true, data: null }, 'unknown unreadable'],
    [200, { status: true, data: [] }, 'unknown unreadable'],
    [200, 'null', 'unknown unreadable'],
    [200, '{"status":true,"data":{"status":"success"', 'unknown unreadable'],
  ])('only if it is Paystack that says so: %i %j', async (status, body, expected) => {
    respondWith(status, body)
    expect(shown(await lookUpPayout())).toBe(expected)
  })
})

const NO_MONEY = 'notNow insufficient_provider_balance'

describe('a payout', () => {
  test.each<[number, unknown, string]>([
    [400, refused('Your balance is not enough to fulfil this request'), NO_MONEY],
    [400, refused('x', 'insufficient_balance'), NO_MONEY],
    [400, refused('Insufficient funds'), NO_MONEY],
    [400, refused('You have exceeded your daily transfer limit'), 'notNow limit_reached'],
    [400, refused('The maximum transfer amount for a day was reached'), 'refused bad_request'],
    [400, refused('Recipient is invalid at this time'), 'refused bad_request'],
    [400, refused('x', 'transfer_unavailable'), 'notNow feature_off'],
    [400, refused('x', 'duplicate_transfer_reference'), 'unknown duplicate'],
    [404, refused('Duplicate reference(s) found: trf-x'), 'unknown duplicate'],
    [409, refused('Conflict'), 'unknown duplicate'],
    [400, refused('Balance too low, and the reference already exists'), 'unknown duplicate'],
    [402, refused('Your balance is not enough to fulfil this request'), 'refused bad_request'],
    [400, { message: 'Your balance is not enough' }, 'refused bad_request'],
    [400, refused('Something new'), 'refused bad_request'],
    [404, refused('Transfer not found'), 'refused bad_request'],
    [502, '<html>', 'unknown server_error'],
  ])('that is refused with %i %j', async (status, body, expected) => {
    respondWith(status, body)
    expect(shown(await paystack.payouts!.payOut(anywhere(), order))).toBe(expected)
    const batch = await paystack.payouts!.payOutMany!(anywhere(), [order])
    expect(shown(batch)).toBe(expected)
  })

  test("never ends because of another order's response", async () => {
    const { reference } = payoutOrder()
    respondWith(200, { status: true, data: { status: 'failed', reference, id: 1 } })
    expect(shown(await paystack.payouts!.payOut(anywhere(), order))).toBe('unknown unreadable')
    expect(shown(await lookUpPayout())).toBe('unknown unreadable')
  })

  test('keeps an id above 2^53, as a number or as text', async () => {
    const { reference } = order
    for (const id of ['18446744073709551615', '"18446744073709551615"']) {
      const data = `{"status":"pending","reference":"${reference}","id":${id}}`
      respondWith(200, `{"status":true,"data":${data}}`)
      expect(await lookUpPayout()).toMatchObject({ refs: { id: '18446744073709551615' } })
    }
  })
})

describe('a charge', () => {
  const start = () =>
    paystack.collections!.openVirtualAccount!(anywhere(), { ...charge, accountName: 'A shop' })

  test.each<[number, unknown, string]>([
    [400, refused('Duplicate Transaction Reference', 'duplicate_reference'), 'unknown duplicate'],
    [400, refused('No active channel'), 'notNow feature_off'],
    [403, refused('Currency not supported by merchant'), 'notNow feature_off'],
    [400, refused('Merchant may be inactive'), 'notNow feature_off'],
    [400, refused('Invalid Amount Sent'), 'refused amount_out_of_range'],
    [400, refused('Something new'), 'refused bad_request'],
  ])('that is refused with %i %j', async (status, body, expected) => {
    respondWith(status, body)
    expect(shown(await start())).toBe(expected)
  })

  test('that fails at once, with 200, is declined', async () => {
    const { reference } = charge
    respondWith(200, { status: true, data: { reference, status: 'failed' } })
    expect(shown(await start())).toBe('refused declined')
  })

  test('is paid with exact amounts, however they are written', async () => {
    const { reference } = charge
    const paid = '"status":"success","currency":"NGN","paid_at":"2026-11-02T09:00:00.000Z"'
    for (const amount of ['500000', '"500000"', '5e5', '500000.0']) {
      const data = `{"id":1,"reference":"${reference}","amount":${amount},"fees":null,${paid}}`
      respondWith(200, `{"status":true,"data":${data}}`)
      expect(await lookUpCharge()).toMatchObject({
        value: { payments: [{ amount_minor: 500_000n, fee_minor: null }] },
      })
    }
    for (const amount of ['500000.5', '-', 'null']) {
      const data = `{"id":1,"reference":"${reference}","amount":"${amount}",${paid}}`
      respondWith(200, `{"status":true,"data":${data}}`)
      expect(shown(await lookUpCharge())).toBe('unknown unreadable')
    }
  })

  test('that is paid with the fee on top has the amount that was asked for', async () => {
    const { reference } = charge
    const page = { status: true, meta: {}, data: [] as object[] }
    for (const [amount, fees, requested_amount, amount_minor, fee_minor] of [
      [40_333, 10_283, 30_050, 30_050n, 0n],
      [30_050, 451, 30_050, 30_050n, 451n],
      [30_050, 0, 30_050, 30_050n, 0n],
      // Only a part was paid, or more than the fee was added.
      [20_000, 300, 30_050, 20_000n, 300n],
      [40_334, 10_283, 30_050, 40_334n, 10_283n],
    ] as const) {
      const data = {
        id: 1,
        reference,
        status: 'success',
        currency: 'NGN',
        amount,
        fees,
        requested_amount,
        paid_at: '2026-11-02T09:00:00.000Z',
        created_at: '2026-11-02T09:00:00.000Z',
      }
      respondWith(200, { status: true, data })
      expect(await lookUpCharge()).toMatchObject({
        value: { payments: [{ amount_minor, fee_minor }] },
      })
      respondWith(200, { ...page, data: [data] })
      expect(await entriesOf('charge')).toMatchObject([{ amount_minor, fee_minor }])
    }
  })

  test.each(['ongoing', 'processing', 'queued', 'abandoned', 'send_otp', 'pay_offline', 'new'])(
    'that is %s at Paystack is Pending',
    async (status) => {
      const { reference } = charge
      respondWith(200, { status: true, data: { id: 1, reference, status } })
      expect(await lookUpCharge()).toMatchObject({ value: { status: 'Pending', payments: [] } })
    },
  )

  test('that failed on the page can still be paid there, but not elsewhere', async () => {
    const { reference } = charge
    for (const [channel, status] of [
      ['card', 'Pending'],
      ['bank', 'Pending'],
      ['ussd', 'Failed'],
      ['bank_transfer', 'Failed'],
    ]) {
      respondWith(200, { status: true, data: { id: 1, reference, status: 'failed', channel } })
      expect(await lookUpCharge()).toMatchObject({ value: { status, payments: [] } })
    }
  })
})

describe('a refund', () => {
  test.each<[string, string]>([
    // The lookup after it gets the same response, so this very refund may have been made before.
    ['Transaction has been fully reversed', 'unknown inconclusive'],
    ['Refund amount cannot be more than transaction amount', 'unknown inconclusive'],
    ['Refund amount cannot be more than your balance', 'refused bad_request'],
    ['Transaction cannot be refunded yet', 'refused bad_request'],
  ])('that is refused with %j', async (message, expected) => {
    respondWith(400, refused(message))
    const outcome = await paystack.refunds!.refund(anywhere(), {
      reference: newSentReference('RFD'),
      charge: sentOf(charge, { id: '1' }),
      paymentId: null,
      amount_minor: 100n,
      currency: 'NGN',
      reason: null,
    })
    expect(shown(outcome)).toBe(expected)
  })
})

describe('the entries', () => {
  const list = (...data: object[]) => respondWith(200, { status: true, data, meta: {} })
  const row = { amount: 1_000, currency: 'NGN', createdAt: '2026-11-02T09:00:00.000Z' }

  test('of refunds leave out those that a dispute has caused, which is an entry itself', async () => {
    const processed = { ...row, status: 'processed' }
    const note = newSentReference('RFD')
    list(
      { ...processed, id: 1, dispute: null },
      { ...processed, id: 2, dispute: 2_867 },
      { ...processed, id: 3, dispute: { id: 2_867 } },
      { ...processed, id: 4 },
      { ...processed, id: 5, dispute: 2_867, merchant_note: note },
    )
    expect(await entriesOf('refund')).toMatchObject([
      ...[{ providerId: '1' }, { providerId: '4' }, { providerId: '5', reference: note }],
    ])
    list({ ...processed, id: 2, dispute: 2_867, amount: 'x' }, { ...processed, amount: 'x' })
    const unreadable = await paystack.reports!.entries(anywhere(), 'refund', RANGE, null)
    expect(shown(unreadable)).toBe('unknown unreadable')
  })

  test("of settlements are the account's own, of about the days that were asked for", async () => {
    const settled = { status: 'success', effective_amount: 500, currency: 'NGN' }
    list(
      { ...settled, id: 1, settlement_date: '2020-01-01T00:00:00.000Z' },
      { ...settled, id: 2, settlement_date: '2026-10-31T00:00:00.000Z' },
      { ...settled, id: 3, settlement_date: '2026-11-02T00:00:00.000Z' },
      { ...settled, id: 4, settlement_date: '2027-01-01T00:00:00.000Z' },
    )
    const found = await entriesOf('settlement')
    expect(found.map(({ providerId }) => providerId)).toEqual(['2', '3'])
    const queries: HttpRequest['query'][] = []
    const http: HttpClient = {
      send(request) {
        queries.push(request.query)
        return client().send(request)
      },
    }
    for (const kind of ['settlement', 'charge'] as const) {
      await paystack.reports!.entries({ ...call(), http }, kind, RANGE, null)
    }
    expect(queries.map((query) => query!.subaccount)).toEqual(['none', undefined])
  })

  test('go on after a short page, unless Paystack says how many pages there are', async () => {
    const data = [{ ...row, id: 1, status: 'failed', reference: charge.reference }]
    const next = async (meta: object, some = data) => {
      respondWith(200, { status: true, data: some, meta })
      return valueIn(await paystack.reports!.entries(anywhere(), 'payout', RANGE, null)).next
    }
    expect(await next({})).toBe('2')
    expect(await next({ pageCount: 2 })).toBe('2')
    expect(await next({ pageCount: 1 })).toBeNull()
    expect(await next({}, [])).toBeNull()
  })
})

describe('a dispute', () => {
  // As in Paystack's documentation of its list.
  const archived = {
    id: 2_867,
    refund_amount: null,
    currency: null,
    status: 'archived',
    resolution: null,
    transaction_reference: null,
    category: null,
    dueAt: null,
    transaction: {
      id: 5,

      reference: charge.reference,
      amount: 39_100,
      currency: 'NGN',
    },
    attachments: '[]',
    messages: [],
    createdAt: '2026-11-02T09:00:00.000Z',
  }
  const state = { amount_minor: 39_100n, currency: 'NGN', chargeReference: charge.reference }

  test('that names no amount is about the whole payment, and hides no other', async () => {
    const open = {
      ...archived,
      id: 2_868,
      refund_amount: 100,
      status: 'awaiting-merchant-feedback',
    }
    respondWith(200, { status: true, data: [archived, open] })
    const list = await paystack.disputes!.list(anywhere(), RANGE, null)
    expect(valueIn(list).disputes).toMatchObject([
      { ...state, providerId: '2867', status: 'UnderReview' },
      { ...state, providerId: '2868', status: 'AwaitingResponse', amount_minor: 100n },
    ])
    expect(await entriesOf('dispute')).toMatchObject([
      { providerId: '2867', status: 'Pending', amount_minor: 39_100n, currency: 'NGN' },
      { providerId: '2868', status: 'Pending', amount_minor: 100n, currency: 'NGN' },
    ])
    respondWith(200, { status: true, data: archived })
    expect(valueIn(await paystack.disputes!.lookUpDispute(anywhere(), '2867'))).toMatchObject(state)
  })
})
