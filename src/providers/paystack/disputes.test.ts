import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { DisputeResponse } from '../connector/http-connector.ts'
import type { HttpClient, HttpRequest } from '../connector/transport.ts'
import { paystack } from './connector.ts'
import { openPaystack } from './paystack.fixture.ts'

const { double, call, paidCharge } = await openPaystack()
const { disputes } = double.provider
const { lookUpDispute, respond } = paystack.disputes!
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function openDispute(amount_minor = 400_000n) {
  const { reference } = await paidCharge()
  return { reference, id: disputes.open(reference, amount_minor, DAY_MS) }
}
const response = (changes: Partial<DisputeResponse> = {}): DisputeResponse => ({
  accept: false,
  amount_minor: 400_000n,
  message: 'Delivered on Monday',
  customer: {
    email: 'ada@example.com',
    name: 'Ada Obi',
    phone: '08031234567',
    serviceDetails: 'A book',
    deliveryAddress: '1 Allen Avenue',
    deliveredOn: new Date(0),
  },
  file: { name: 'proof.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') },
  ...changes,
})
const statusOf = async (id: string) => valueIn(await lookUpDispute(call(), id)).status
const balance = () => double.books.balance_minor('NGN')

describe('a dispute', () => {
  test('can be contested without a file and without the customer', async () => {
    const { id } = await openDispute()
    const outcome = await respond!(call(), id, response({ file: null, customer: null }))
    expect(valueIn(outcome).status).toBe('UnderReview')
  })

  test.each([
    [
      { name: 'proof of "delivery".pdf', contentType: 'application/pdf' },
      'proof_of__delivery_.pdf',
    ],
    [null, 'response.txt'],
  ])('is contested with the file %j, whose name Paystack is told', async (file, expected) => {
    const { id } = await openDispute()
    const bytes = Buffer.from('%PDF')
    const by = call()
    const sent: HttpRequest[] = []
    const http: HttpClient = {
      send(request) {
        sent.push(request)
        return by.http.send(request)
      },
    }
    await respond!({ ...by, http }, id, response({ file: file && { ...file, bytes } }))
    expect(sent[0]!.query).toEqual({ upload_filename: expected })
  })

  test('can be accepted, in part too, and takes the money then', async () => {
    const { id, reference } = await openDispute()
    const before = balance()
    const accepted = response({ accept: true, amount_minor: 150_000n })
    expect(valueIn(await respond!(call(), id, accepted))).toMatchObject({
      status: 'Accepted',
      amount_minor: 150_000n,
      chargeReference: reference,
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
})

describe('a response', () => {
  const [url, evidence] = ['GET */upload_url', 'POST */evidence']
  test.each<[string, Omit<FaultRule, 'on'>, string]>([
    [url, { kind: 'html' }, 'notNow not_reached'],
    [url, { kind: 'status', status: 500 }, 'notNow provider_down'],
    [evidence, { kind: 'reset_after_effect' }, 'notNow not_reached'],
  ])('whose step %s failed was not sent: %j', async (on, rule, expected) => {
    const { id } = await openDispute()
    double.fault({ ...rule, on })
    expect(shown(await respond!(call(), id, response()))).toBe(expected)
    await double.clearFaults()
    expect(await statusOf(id)).toBe('AwaitingResponse')
  })
})
