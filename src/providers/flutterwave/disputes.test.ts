import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { DisputeResponse } from '../connector/http-connector.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, paidCharge } = await openFlutterwave()
const { disputes } = double.provider
const { list, lookUpDispute, respond } = flutterwave.disputes!

const DUE_MS = 48 * 3_600_000

async function openDispute(amount_minor = 100_050n) {
  const { reference } = await paidCharge()
  return { reference, id: disputes.open(reference, amount_minor, DUE_MS) }
}
const response = (changes: Partial<DisputeResponse> = {}): DisputeResponse => ({
  ...{ accept: false, amount_minor: 100_050n, message: 'It was delivered', customer: null },
  ...{ file: null, ...changes },
})
const file = {
  name: 'proof of "delivery".pdf',
  contentType: 'application/pdf',
  bytes: Buffer.from([0, 255, 13, 10]),
}

describe('a dispute', () => {
  test('has its charge, its amount and when a response is due', async () => {
    const { id, reference } = await openDispute()
    const state = valueIn(await lookUpDispute(call(), id))
    expect(state).toEqual({
      ...{ status: 'AwaitingResponse', amount_minor: 100_050n, currency: 'NGN' },
      ...{ chargeReference: reference, reason: 'Product/service not received' },
      dueAt: new Date(double.now().getTime() + DUE_MS),
    })
    const range = { from: double.now(), until: new Date(double.now().getTime() + 1) }
    const { disputes: all, next } = valueIn(await list(call(), range, null))
    expect(all).toContainEqual({ ...state, providerId: id })
    expect(next).toBeNull()
  })

  test('is won or lost, whether it was contested or not', async () => {
    for (const outcome of ['won', 'lost'] as const) {
      const { id } = await openDispute()
      if (outcome === 'won') {
        expect(valueIn(await respond!(call(), id, response())).status).toBe('UnderReview')
      }
      disputes.decide(id, outcome)
      const status = outcome === 'won' ? 'Won' : 'Lost'
      expect(valueIn(await lookUpDispute(call(), id)).status).toBe(status)
    }
  })

  test('without a response is lost when it is due', async () => {
    const { id } = await openDispute()
    await double.advance(DUE_MS)
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe('Lost')
  })

  test('that Flutterwave does not have is refused', async () => {
    expect(shown(await lookUpDispute(call(), '999999'))).toBe('refused unknown_order')
  })

  test('with a word that we do not know is UnderReview', async () => {
    const { id } = await openDispute()
    const range = { from: double.now(), until: new Date(double.now().getTime() + 1) }
    double.fault({ on: 'PUT /chargebacks/*', kind: 'unknown_status' })
    expect(valueIn(await respond!(call(), id, response())).status).toBe('UnderReview')
    expect(valueIn(await list(call(), range, null)).disputes.at(0)).toMatchObject({
      ...{ providerId: id, status: 'UnderReview' },
    })
  })
})

describe('a response', () => {
  test('contests with a file, which Flutterwave has as a link', async () => {
    const { id } = await openDispute()
    expect(valueIn(await respond!(call(), id, response({ file })))).toMatchObject({
      ...{ status: 'UnderReview', reason: 'It was delivered' },
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

  test('after another one has to be looked up', async () => {
    const { id } = await openDispute()
    await respond!(call(), id, response())
    expect(shown(await respond!(call(), id, response()))).toBe('unknown inconclusive')
  })

  test('to a dispute that Flutterwave does not have is refused', async () => {
    expect(shown(await respond!(call(), '999999', response()))).toBe('refused unknown_order')
    const accepting = response({ accept: true })
    expect(shown(await respond!(call(), '999999', accepting))).toBe('refused bad_request')
  })

  test.each<[Omit<FaultRule, 'on'>, string, string]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected', 'AwaitingResponse'],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 'UnderReview'],
    [{ kind: 'status', status: 500 }, 'unknown server_error', 'AwaitingResponse'],
    [{ kind: 'html' }, 'unknown unreadable', 'UnderReview'],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 'UnderReview'],
  ])('after a fault is what can be known: %j', async (rule, expected, status) => {
    const { id } = await openDispute()
    double.fault({ ...rule, on: 'PUT /chargebacks/*', times: 1 })
    expect(shown(await respond!(call(), id, response()))).toBe(expected)
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe(status)
  })

  test.each<[string, Omit<FaultRule, 'on'>, string]>([
    ['POST /upload_image', { kind: 'status', status: 500 }, 'notNow provider_down'],
    ['POST /upload_image', { kind: 'html' }, 'notNow not_reached'],
    ['GET /chargebacks/*', { kind: 'status', status: 404 }, 'notNow not_reached'],
  ])('whose step %s failed was not sent: %j', async (on, rule, expected) => {
    const { id } = await openDispute()
    double.fault({ ...rule, on })
    expect(shown(await respond!(call(), id, response({ accept: true, file })))).toBe(expected)
    await double.clearFaults()
    expect(valueIn(await lookUpDispute(call(), id)).status).toBe('AwaitingResponse')
  })
})
