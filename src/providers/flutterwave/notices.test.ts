import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { newSentReference } from '../connector/connector.fixture.ts'
import type { Credentials, RawNotice } from '../connector/http-connector.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, paidCharge, chargeOrder, openPage } = await openFlutterwave({
  signs: true,
  retriesNotices: true,
  bills: 'at_once',
})
const { billers, owner, payer, refunds } = double.provider
const { verify, read } = flutterwave.notices!

let accepted = [double.provider.secretHash()]
const credentials: Credentials = {
  current: () => accepted[0]!,
  accepted: () => accepted,
}
const receiver = await openReceiver()
double.notices.url = receiver.url
receiver.answer = (response, { headers, body }) => {
  const notice = { headers: headers as RawNotice['headers'], body: Buffer.from(body) }
  response.writeHead(verify(notice, credentials) === 'authentic' ? 200 : 401).end()
}

/** What the double has sent since the last time. */
let seen = 0
async function noticed() {
  await double.notices.settled()
  const sent = double.notices.sent.slice(seen)
  seen = double.notices.sent.length
  expect(sent.flatMap(({ statuses }) => statuses)).toEqual(sent.map(() => 200))
  return sent.flatMap(({ body }) => read({ headers: {}, body: Buffer.from(body) }))
}

const HASH = 'a-secret-hash-of-mine'
const BODY = Buffer.from('{"event":"charge.completed"}')
const signatureOf = (hash: string, body: Buffer = BODY) =>
  createHmac('sha256', hash).update(body).digest('base64')
const verified = (headers: RawNotice['headers'], hashes = [HASH], body = BODY) =>
  verify({ headers, body }, { current: () => hashes[0]!, accepted: () => hashes })

describe('a notification', () => {
  test('of a payment, or of a try that failed, names the charge', async () => {
    const { reference, refs } = await paidCharge()
    const order = chargeOrder()
    const page = await openPage(order)
    if (page.kind !== 'done') throw new Error(page.kind)
    payer.payHosted(page.value.url, false)
    expect(await noticed()).toEqual([
      {
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        type: 'charge.completed',
        about: 'charge',
        reference,
        providerId: refs.id,
        accountNumber: null,
      },
      expect.objectContaining({ about: 'charge', reference: order.reference }),
    ])
  })

  test('of a refund has its id, and no event', async () => {
    const charge = await paidCharge()
    const outcome = await flutterwave.refunds!.refund(call(), {
      reference: newSentReference('RFD'),
      charge,
      paymentId: null,
      amount_minor: 1_000n,
      currency: 'NGN',
      reason: null,
    })
    const id = outcome.kind === 'done' ? outcome.refs!.id! : ''
    refunds.settle(id, 'completed-mpgs')
    expect(await noticed()).toMatchObject([
      { type: 'charge.completed' },
      { type: 'refund', about: 'refund', reference: null, providerId: id },
      { type: 'refund', about: 'refund', providerId: id },
    ])
  })

  test('of a bill has our reference, and none if it was not bought', async () => {
    const item = { billerCode: 'BIL099', itemCode: 'AT099' }
    const reference = newSentReference('UTL')
    const order = { reference, item, customerId: '08012345678', currency: 'NGN' }
    owner.topUp(10_000_000n)
    const bought = await flutterwave.bills!.vend(call(), { ...order, amount_minor: 5_000n })
    const id = bought.kind === 'done' ? bought.refs!.id! : ''
    owner.topUp(-10_000_000n)
    const poor = { ...order, reference: newSentReference('UTL'), amount_minor: 4_000_000n }
    await flutterwave.bills!.vend(call(), poor)
    owner.topUp(10_000_000n)
    expect(await noticed()).toMatchObject([
      { type: 'singlebillpayment.status', about: 'bill', reference, providerId: id },
      { type: 'singlebillpayment.status', about: 'bill', reference: null, providerId: null },
    ])
    billers.settle(reference, 'failed')
    expect(await noticed()).toMatchObject([{ about: 'bill', reference }])
  })
})

describe('a proof', () => {
  test('is the secret hash, and a signature that fits if there is one', () => {
    expect(verified({ 'verif-hash': HASH })).toBe('authentic')
    const signature = signatureOf(HASH)
    expect(verified({ 'verif-hash': HASH, 'flutterwave-signature': signature })).toBe('authentic')
    for (const wrong of ['', 'x', signatureOf('other'), signature.slice(1), `${signature} `]) {
      expect(verified({ 'verif-hash': HASH, 'flutterwave-signature': wrong })).toBe('forged')
    }
    const changed = Buffer.from('{"event":"charge.completed" }')
    const headers = { 'verif-hash': HASH, 'flutterwave-signature': signature }
    expect(verified(headers, [HASH], changed)).toBe('forged')
  })

  test('without the secret hash proves nothing, even with a signature', () => {
    expect(verified({})).toBe('unsigned')
    expect(verified({ 'verif-hash': '' })).toBe('unsigned')
    expect(verified({ 'flutterwave-signature': signatureOf(HASH) })).toBe('unsigned')
  })

  test.each(['x', HASH.slice(1), `${HASH}x`, HASH.toUpperCase(), ` ${HASH}`])(
    'with the secret hash %s is forged',
    (hash) => expect(verified({ 'verif-hash': hash })).toBe('forged'),
  )

  test('with a hash that was replaced is accepted as long as that is, and only whole', async () => {
    const old = accepted[0]!
    const next = owner.rotateHash()
    accepted = [next, old]
    await paidCharge()
    await noticed()
    const before = { 'verif-hash': old, 'flutterwave-signature': signatureOf(old) }
    expect(verified(before, accepted)).toBe('authentic')
    // The hash and the signature belong together.
    const mixed = { 'verif-hash': next, 'flutterwave-signature': signatureOf(old) }
    expect(verified(mixed, accepted)).toBe('forged')
    expect(verified(before, [next])).toBe('forged')
    accepted = [next]
  })

  test('that is refused is sent again', async () => {
    const [hash] = accepted
    accepted = ['another-hash-0123456789']
    await paidCharge()
    await double.notices.settled()
    const notice = double.notices.sent.at(-1)!
    expect(notice.statuses).toEqual([401])
    accepted = [hash!]
    await double.advance(30 * 60_000)
    expect(notice.statuses).toEqual([401, 200])
  })
})
