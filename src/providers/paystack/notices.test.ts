import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { FORGERIES } from '../../../test/providers/doubles/notices.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { newSentReference } from '../connector/connector.fixture.ts'
import type { Credentials, RawNotice } from '../connector/http-connector.ts'
import { paystack } from './connector.ts'
import { openPaystack, payoutOrder } from './paystack.fixture.ts'

const { double, call, paidCharge } = await openPaystack()
const { bank, disputes, owner, refunds } = double.provider
const { verify, read } = paystack.notices!

let accepted = [double.provider.secretKey()]
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
const raw = (body: string | Buffer, key?: string, name = 'x-paystack-signature'): RawNotice => ({
  body: Buffer.from(body),
  headers:
    key === undefined ? {} : { [name]: createHmac('sha512', key).update(body).digest('hex') },
})

describe('a notification', () => {
  test('of a payment names the charge, with an id above 2^53', async () => {
    const { reference, refs } = await paidCharge()
    expect(await noticed()).toEqual([
      {
        ...{ key: expect.stringMatching(/^[0-9a-f]{64}$/), type: 'charge.success' },
        ...{ about: 'charge', reference, providerId: refs.id, accountNumber: null },
      },
    ])
    expect(BigInt(refs.id!)).toBeGreaterThan(2n ** 53n)
  })

  test('of another amount names the charge by its id', async () => {
    const opened = await paystack.collections!.openVirtualAccount!(call(), {
      ...{ reference: newSentReference('TXN'), amount_minor: 500_000n, currency: 'NGN' },
      ...{ payer: { email: 'ada@example.com', name: null, phone: null }, description: '' },
      ...{ accountName: 'A shop', expiresAt: new Date(double.now().getTime() + 1_800_000) },
    })
    if (opened.kind !== 'done') throw new Error(opened.kind)
    double.provider.payer.transferTo(opened.value.accountNumber, 1_000n)
    expect(await noticed()).toMatchObject([
      {
        ...{ type: 'bank.transfer.rejected', about: 'charge', reference: null },
        providerId: expect.stringMatching(/^\d{16,}$/),
      },
    ])
  })

  test('of a payout names its reference, for each change', async () => {
    owner.topUp(10_000_000n)
    const order = payoutOrder()
    await paystack.payouts!.payOut(call(), order)
    for (const word of ['success', 'reversed', 'success'] as const) {
      bank.settle(order.reference, word)
      await double.advance(1_000)
    }
    const all = await noticed()
    expect(all).toMatchObject(
      ['transfer.success', 'transfer.reversed', 'transfer.success'].map((type) => ({
        ...{ type, about: 'payout', reference: order.reference },
        providerId: expect.stringMatching(/^\d+$/),
      })),
    )
    expect(new Set(all.map(({ key }) => key)).size).toBe(3)
  })

  test('of a refund names it, or else its charge', async () => {
    const charge = await paidCharge()
    const reference = newSentReference('RFD')
    const outcome = await paystack.refunds!.refund(call(), {
      ...{ reference, charge, paymentId: null, amount_minor: 1_000n, currency: 'NGN' },
      reason: null,
    })
    const id = outcome.kind === 'done' ? outcome.refs!.id! : ''
    refunds.settle(id, 'needs-attention')
    refunds.settle(id, 'processed')
    expect(await noticed()).toMatchObject([
      { type: 'charge.success' },
      { type: 'refund.pending', about: 'refund', reference: charge.reference, providerId: null },
      { type: 'refund.needs-attention', about: 'refund', reference, providerId: id },
      { type: 'refund.processed', about: 'refund', reference: charge.reference },
    ])
  })

  test('of a dispute names it and its charge', async () => {
    const { reference } = await paidCharge()
    const id = disputes.open(reference, 1_000n, 3_600_000)
    disputes.decide(id, 'won')
    expect(await noticed()).toMatchObject([
      { type: 'charge.success' },
      { type: 'charge.dispute.create', about: 'dispute', reference, providerId: id },
      { type: 'charge.dispute.resolve', about: 'dispute', reference, providerId: id },
    ])
  })

  test('of a permanent account names the account, not a reference of Paystack', () => {
    const authorization = { receiver_bank_account_number: '1234567890' }
    const data = { id: 5, reference: '100032', channel: 'dedicated_nuban', authorization }
    const body = JSON.stringify({ event: 'charge.success', data })
    expect(read(raw(body))).toMatchObject([
      { about: 'payment', reference: null, providerId: '5', accountNumber: '1234567890' },
    ])
  })

  test('of something that we do not use is about nothing', () => {
    for (const event of ['subscription.create', 'invoice.update', 'paymentrequest.success']) {
      const body = JSON.stringify({ event, data: { id: 5, reference: 'x' } })
      expect(read(raw(body))).toMatchObject([{ type: event, about: 'none', reference: null }])
    }
  })

  test('that is delivered again has the same key, and another one another key', () => {
    const body = '{"event":"transfer.success","data":{"id":1}}'
    const [first] = read(raw(body))
    expect(read(raw(body))[0]!.key).toBe(first!.key)
    expect(read(raw(body.replace('1', '2')))[0]!.key).not.toBe(first!.key)
  })

  test.each(['', 'null', '[]', '{"data":{}}', '{"event":1.5e3', '\u0000', '<html>'])(
    'that cannot be read throws: %j',
    (body) => {
      expect(() => read(raw(body))).toThrow()
    },
  )
})

describe('a signature', () => {
  const body = '{"event":"transfer.success","data":{"id":1}}'
  const check = (notice: RawNotice) => verify(notice, credentials)

  test('is of the bytes that arrived', () => {
    const key = accepted[0]!
    expect(check(raw(body, key))).toBe('authentic')
    const bytes = Buffer.from([0xff, 0xfe, 0x7b])
    expect(check(raw(bytes, key))).toBe('authentic')
    expect(check({ ...raw(body, key), body: Buffer.from(`${body} `) })).toBe('forged')
    expect(check({ ...raw(body, key), body: Buffer.from(JSON.stringify(body)) })).toBe('forged')
  })

  test.each(FORGERIES)('that is %s is not accepted', async (kind) => {
    await paidCharge()
    await noticed()
    expect(await double.notices.forge(kind)).toBe(401)
  })

  test('that is missing is not a forged one', () => {
    expect(check(raw(body))).toBe('unsigned')
    expect(check(raw(body, accepted[0], 'verif-hash'))).toBe('unsigned')
    for (const text of ['x', 'zz'.repeat(64), 'ab'.repeat(63), 'ab'.repeat(65)]) {
      expect(check({ ...raw(body), headers: { 'x-paystack-signature': text } })).toBe('forged')
    }
  })

  test('of a key that is being replaced is accepted until it no longer is', async () => {
    const old = accepted[0]!
    const current = owner.rotateKey()
    accepted = [current, old]
    expect([old, current].map((key) => check(raw(body, key)))).toEqual(Array(2).fill('authentic'))
    await paidCharge()
    await noticed()
    accepted = [current]
    expect(check(raw(body, old))).toBe('forged')
    expect(check(raw(body, current))).toBe('authentic')
  })

  test('is never accepted without a key', () => {
    const none = { current: () => '', accepted: () => [] }
    expect(verify(raw(body, ''), none)).toBe('forged')
  })
})
