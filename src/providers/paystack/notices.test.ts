import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newSentReference } from '../connector/connector.fixture.ts'
import type { Credentials, RawNotice } from '../connector/http-connector.ts'
import { paystack } from './connector.ts'
import { openPaystack } from './paystack.fixture.ts'

const { double, call, paidCharge } = await openPaystack()
const { refunds } = double.provider
const { verify, read } = paystack.notices!

const accepted = [double.provider.secretKey()]
const credentials: Credentials = {
  current: () => accepted[0]!,
  accepted: () => accepted,
}

/** What the double has sent since the last time. */
let seen = 0
function noticed() {
  const sent = double.notices.sent.slice(seen)
  seen = double.notices.sent.length
  return sent.flatMap(({ body }) => read({ headers: {}, body: Buffer.from(body) }))
}
const raw = (body: string | Buffer, key?: string, name = 'x-paystack-signature'): RawNotice => ({
  body: Buffer.from(body),
  headers:
    key === undefined ? {} : { [name]: createHmac('sha512', key).update(body).digest('hex') },
})

describe('a notification', () => {
  test('of another amount, which Paystack sends back, is about nothing that we have', async () => {
    const opened = await paystack.collections!.openVirtualAccount!(call(), {
      reference: newSentReference('TXN'),
      amount_minor: 500_000n,
      currency: 'NGN',
      payer: { email: 'ada@example.com', name: null, phone: null },
      description: '',
      accountName: 'A shop',
      expiresAt: new Date(double.now().getTime() + 1_800_000),
    })
    if (opened.kind !== 'done') throw new Error(opened.kind)
    double.provider.payer.transferTo(opened.value.accountNumber, 1_000n)
    expect(noticed()).toMatchObject([
      {
        type: 'bank.transfer.rejected',
        about: 'none',
        reference: null,
        providerId: expect.stringMatching(/^\d{16,}$/),
      },
    ])
  })

  test('of a refund names it, or else its charge', async () => {
    const charge = await paidCharge()
    const reference = newSentReference('RFD')
    const outcome = await paystack.refunds!.refund(call(), {
      reference,
      charge,
      paymentId: null,
      amount_minor: 1_000n,
      currency: 'NGN',
      reason: null,
    })
    const id = outcome.kind === 'done' ? outcome.refs!.id! : ''
    refunds.settle(id, 'needs-attention')
    refunds.settle(id, 'processed')
    expect(noticed()).toMatchObject([
      { type: 'charge.success' },
      { type: 'refund.pending', about: 'refund', reference: charge.reference, providerId: null },
      { type: 'refund.needs-attention', about: 'refund', reference, providerId: id },
      { type: 'refund.processed', about: 'refund', reference: charge.reference },
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

  test('that is missing is not a forged one', () => {
    expect(check(raw(body))).toBe('unsigned')
    expect(check(raw(body, accepted[0], 'verif-hash'))).toBe('unsigned')
    for (const text of ['x', 'zz'.repeat(64), 'ab'.repeat(63), 'ab'.repeat(65)]) {
      expect(check({ ...raw(body), headers: { 'x-paystack-signature': text } })).toBe('forged')
    }
  })
})
