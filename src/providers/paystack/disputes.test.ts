import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { DisputeResponse } from '../connector/http-connector.ts'
import { paystack } from './connector.ts'
import { openPaystack } from './paystack.fixture.ts'

const { double, call, paidCharge } = await openPaystack()
const { disputes } = double.provider
const { list, lookUpDispute, respond } = paystack.disputes!
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function openDispute(amount_minor = 400_000n) {
  const { reference } = await paidCharge()
  return { reference, id: disputes.open(reference, amount_minor, DAY_MS) }
}
const response = (changes: Partial<DisputeResponse> = {}): DisputeResponse => ({
  ...{ accept: false, amount_minor: 400_000n, message: 'Delivered on Monday' },
  customer: {
    ...{ email: 'ada@example.com', name: 'Ada Obi', phone: '08031234567' },
    ...{ serviceDetails: 'A book', deliveryAddress: '1 Allen Avenue', deliveredOn: new Date(0) },
  },
  file: { name: 'proof.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') },
  ...changes,
})
const statusOf = async (id: string) => valueIn(await lookUpDispute(call(), id)).status
const balance = () => double.books.balance_minor('NGN')

describe('a dispute', () => {
  test('is found, with when the response is due', async () => {
    const { id, reference } = await openDispute()
    const expected = {
      ...{ status: 'AwaitingResponse', amount_minor: 400_000n, currency: 'NGN' },
      ...{ chargeReference: reference, reason: 'I did not get what I paid for' },
      dueAt: new Date(double.now().getTime() + DAY_MS),
    }
    expect(valueIn(await lookUpDispute(call(), id))).toEqual(expected)
    const range = { from: new Date('2026-01-01'), until: new Date('2027-01-01') }
    const page = valueIn(await list(call(), range, null))
    expect(page.disputes[0]).toEqual({ ...expected, providerId: id })
    expect(page.next).toBeNull()
  })

  test('is lost without a response', async () => {
    const { id } = await openDispute()
    await double.advance(2 * DAY_MS)
    expect(await statusOf(id)).toBe('Lost')
  })

  test.each([
    ['won', 'Won'],
    ['lost', 'Lost'],
  ] as const)('that is contested with evidence is %s', async (outcome, status) => {
    const { id } = await openDispute()
    expect(valueIn(await respond!(call(), id, response())).status).toBe('UnderReview')
    expect(await statusOf(id)).toBe('UnderReview')
    disputes.decide(id, outcome)
    expect(await statusOf(id)).toBe(status)
  })

  test('can be contested without a file and without the customer', async () => {
    const { id } = await openDispute()
    const outcome = await respond!(call(), id, response({ file: null, customer: null }))
    expect(valueIn(outcome).status).toBe('UnderReview')
  })

  test('can be accepted, in part too, and takes the money then', async () => {
    const { id, reference } = await openDispute()
    const before = balance()
    const accepted = response({ accept: true, amount_minor: 150_000n })
    expect(valueIn(await respond!(call(), id, accepted))).toMatchObject({
      ...{ status: 'Accepted', amount_minor: 150_000n, chargeReference: reference },
    })
    expect(before - balance()).toBe(150_000n)
    // A second response says nothing about the first, which has to be looked up.
    expect(shown(await respond!(call(), id, accepted))).toBe('unknown inconclusive')
    expect(before - balance()).toBe(150_000n)
  })

  test('for less than the response accepts refuses it', async () => {
    const { id } = await openDispute()
    const accepted = response({ accept: true, amount_minor: 400_001n })
    expect(shown(await respond!(call(), id, accepted))).toBe('refused amount_out_of_range')
  })

  test('that Paystack does not have is not known', async () => {
    expect(shown(await lookUpDispute(call(), '404404'))).toBe('refused unknown_order')
    expect(shown(await respond!(call(), '404404', response()))).toBe('refused bad_request')
  })

  test('with a word that we do not know is still open', async () => {
    const { id } = await openDispute()
    double.fault({ on: 'GET /dispute/*', kind: 'unknown_status' })
    expect(await statusOf(id)).toBe('UnderReview')
  })
})

describe('a response to a dispute after a fault', () => {
  const [resolve, url, evidence] = ['PUT */resolve', 'GET */upload_url', 'POST */evidence']
  test.each<[string, Omit<FaultRule, 'on'>, string, string]>([
    [resolve, { kind: 'reset_after_effect' }, 'unknown disconnected', 'UnderReview'],
    [resolve, { kind: 'html' }, 'unknown unreadable', 'UnderReview'],
    [resolve, { kind: 'status', status: 500 }, 'unknown server_error', 'AwaitingResponse'],
    [resolve, { kind: 'status', status: 404 }, 'refused bad_request', 'AwaitingResponse'],
    [url, { kind: 'html' }, 'notNow not_reached', 'AwaitingResponse'],
    [url, { kind: 'status', status: 500 }, 'notNow provider_down', 'AwaitingResponse'],
    [evidence, { kind: 'reset_after_effect' }, 'notNow not_reached', 'AwaitingResponse'],
  ])('is what can be known: %s %j', async (on, rule, expected, status) => {
    const { id } = await openDispute()
    double.fault({ ...rule, on })
    expect(shown(await respond!(call(), id, response()))).toBe(expected)
    await double.clearFaults()
    expect(await statusOf(id)).toBe(status)
  })
})
