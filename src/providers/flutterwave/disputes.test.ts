import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { openResponder, shown, valueIn } from '../connector/connector.fixture.ts'
import type { DisputeResponse } from '../connector/http-connector.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, paidCharge } = await openFlutterwave()
const { client, respondWith } = await openResponder()
const { disputes } = double.provider
const { lookUpDispute, respond } = flutterwave.disputes!

const DUE_MS = 48 * 3_600_000

async function openDispute(amount_minor = 100_050n) {
  const { reference } = await paidCharge()
  return { reference, id: disputes.open(reference, amount_minor, DUE_MS) }
}
const response = (changes: Partial<DisputeResponse> = {}): DisputeResponse => ({
  accept: false,
  amount_minor: 100_050n,
  message: 'It was delivered',
  customer: null,
  file: null,
  ...changes,
})
const file = {
  name: 'proof of "delivery".pdf',
  contentType: 'application/pdf',
  bytes: Buffer.from([0, 255, 13, 10]),
}

describe('a lookup', () => {
  test("finds a chargeback by its payment, or among the latest ones, and no other payment's", async () => {
    const { refs, reference } = await paidCharge()
    const id = disputes.open(reference, 100_050n, DUE_MS)
    const other = await paidCharge()
    disputes.open(other.reference, 70_000n, DUE_MS)
    for (const paymentId of [refs.id!, other.refs.id!, '1', null]) {
      const { length } = double.calls
      expect(valueIn(await lookUpDispute(call(), id, paymentId))).toMatchObject({
        chargeReference: reference,
        amount_minor: 100_050n,
      })
      const called = double.calls.slice(length).map(({ operation }) => operation)
      const list = 'GET /chargebacks'
      expect(called).toEqual(paymentId === refs.id || !paymentId ? [list] : [list, list])
    }
    expect(shown(await lookUpDispute(call(), '999999', refs.id))).toBe('refused unknown_order')
  })

  test.each<Omit<FaultRule, 'on'>>([
    { kind: 'status', status: 400 },
    { kind: 'status', status: 404 },
    { kind: 'html' },
  ])('reads the latest ones if the list of a payment cannot be read: %j', async (rule) => {
    const { reference, refs } = await paidCharge()
    const id = disputes.open(reference, 100_050n, DUE_MS)
    double.fault({ ...rule, on: 'GET /chargebacks', times: 1 })
    expect(valueIn(await lookUpDispute(call(), id, refs.id))).toMatchObject({
      chargeReference: reference,
    })
  })

  test('reads every page, and says nothing if one of them cannot be read', async () => {
    const { reference, refs } = await paidCharge()
    const id = disputes.open(reference, 1_000n, DUE_MS)
    const page = (page: number, row: object) => ({
      status: 'success',
      data: [{ amount: 10, status: 'initiated', ...row }],
      meta: { page_info: { current_page: page, total_pages: 2 } },
    })
    respondWith(200, page(1, { id: 1 }))
    const anywhere = { ...call(), http: client() }
    // The second page is the first one again, so it cannot be read.
    expect(shown(await lookUpDispute(anywhere, id, refs.id))).toBe('unknown unreadable')
  })
})

describe('a response', () => {
  test('contests with a file, which Flutterwave has as a link', async () => {
    const { id } = await openDispute()
    expect(valueIn(await respond!(call(), id, response({ file })))).toMatchObject({
      status: 'UnderReview',
      reason: 'It was delivered',
    })
    expect(double.calls.slice(-2).map(({ operation }) => operation)).toEqual([
      ...['POST /upload_image', 'PUT /chargebacks/{id}'],
    ])
  })

  test('accepts the whole amount, and never a part', async () => {
    const { id } = await openDispute()
    const part = response({ accept: true, amount_minor: 100_000n })
    expect(shown(await respond!(call(), id, part))).toBe('refused unsupported')
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe('AwaitingResponse')
    expect(valueIn(await respond!(call(), id, response({ accept: true }))).status).toBe('Accepted')
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe('Accepted')
  })

  test.each<[string, Omit<FaultRule, 'on'>, string]>([
    ['POST /upload_image', { kind: 'status', status: 500 }, 'notNow provider_down'],
    ['POST /upload_image', { kind: 'html' }, 'notNow not_reached'],
    ['GET /chargebacks', { kind: 'status', status: 404 }, 'notNow not_reached'],
  ])('whose step %s failed was not sent: %j', async (on, rule, expected) => {
    const { id } = await openDispute()
    double.fault({ ...rule, on })
    expect(shown(await respond!(call(), id, response({ accept: true, file })))).toBe(expected)
    await double.clearFaults()
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe('AwaitingResponse')
  })
})
