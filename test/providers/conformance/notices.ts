import { beforeAll, describe, expect } from 'vitest'
import { valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import type {
  Credentials,
  Notice,
  RawNotice,
} from '../../../src/providers/connector/http-connector.ts'
import { openReceiver } from '../../webhook-receiver.ts'
import { FORGERIES } from '../doubles/notices.ts'
import { type Rig, refsOf } from '../rig.ts'

export function describeNotices(rig: Rig): void {
  const { connector, subject, needs } = rig
  const { verify, read } = connector.notices ?? {}
  const double = rig.double!

  /** The values with which notifications may be signed now, newest first. */
  let accepted: Readonly<Record<string, string>>[] = []
  const credentials: Credentials = {
    current: (name) => accepted[0]![name]!,
    accepted: (name) => accepted.map((values) => values[name]!),
  }
  const headersOf = (headers: object) => headers as RawNotice['headers']
  let seen = 0

  describe('a notification', () => {
    beforeAll(async () => {
      if (!verify) return
      accepted = [subject.credentials()]
      const receiver = await openReceiver()
      double.notices.url = receiver.url
      receiver.answer = (response, { headers, body }) => {
        const notice = { headers: headersOf(headers), body: Buffer.from(body) }
        response.writeHead(verify(notice, credentials) === 'authentic' ? 200 : 401).end()
      }
    })

    /** Returns what the provider has sent since the last time, all of which was accepted. */
    async function noticed(): Promise<Notice[]> {
      await double.notices.settled()
      const sent = double.notices.sent.slice(seen)
      seen = double.notices.sent.length
      expect(sent.flatMap(({ statuses }) => statuses)).toEqual(sent.map(() => 200))
      return sent.flatMap(({ body }) => read!({ headers: {}, body: Buffer.from(body) }))
    }
    const forget = async () => {
      await double.notices.settled()
      seen = double.notices.sent.length
    }

    needs('notices')('of a payment names the charge, and the payment', async () => {
      await forget()
      const { reference, refs } = await rig.paidCharge()
      const [notice, ...others] = await noticed()
      expect(notice).toEqual({
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        type: expect.any(String),
        about: 'charge',
        reference,
        providerId: refs.id,
        accountNumber: null,
      })
      expect(others).toEqual([])
    })

    needs('notices')('of a payout names its reference, for each change', async () => {
      const order = rig.payout()
      await rig.payOut(order)
      await forget()
      for (const [word] of subject.words.journey) {
        await subject.settlePayout(order.reference, word)
        await subject.advance(1_000)
      }
      const all = await noticed()
      const about = {
        about: 'payout',
        reference: order.reference,
        providerId: expect.stringMatching(/^\d+$/),
      }
      expect(all).toMatchObject(subject.words.journey.map(() => about))
      expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThan(0)
    })

    needs('notices')('of a refund names it, or else its charge', async () => {
      const paid = await rig.paidCharge()
      await forget()
      const { id } = refsOf(await rig.refund(rig.refundOf(paid)))
      await subject.settleRefund('', id!, Object.keys(subject.words.refund).at(-1)!)
      const all = await noticed()
      expect(all.length).toBe(2)
      for (const { about, providerId, reference } of all) {
        expect(about).toBe('refund')
        expect(providerId === id || reference === paid.reference).toBe(true)
      }
    })

    needs('notices')('of a dispute names it', async () => {
      const { reference } = await rig.paidCharge()
      await forget()
      const id = subject.openDispute(reference, 1_000n, 3_600_000)
      subject.decideDispute(id, 'won')
      expect(await noticed()).toMatchObject(Array(2).fill({ about: 'dispute', providerId: id }))
    })

    needs('notices')('of something that we do not use is about nothing', () => {
      const body = Buffer.from('{"event":"subscription.create","data":{"id":5,"reference":"x"}}')
      expect(read!({ headers: {}, body })).toMatchObject([
        { type: 'subscription.create', about: 'none', reference: null, providerId: null },
      ])
    })

    needs('notices')(
      'has the same key whenever it is delivered, and another one another key',
      () => {
        const { body } = double.notices.sent.at(-1)!
        const keyOf = (text: string, headers = {}) =>
          read!({ headers, body: Buffer.from(text) })[0]!.key
        expect(keyOf(body, { 'x-other': '1' })).toBe(keyOf(body))
        expect(keyOf(body.replace(/\d(?=\D*$)/, (digit) => `${(+digit + 1) % 10}`))).not.toBe(
          keyOf(body),
        )
      },
    )

    needs('notices')('that cannot be read throws', () => {
      for (const text of [
        '',
        'null',
        '[]',
        '"text"',
        '{}',
        '{"data":{}}',
        '{"event":1',
        '<html>',
      ]) {
        expect(() => read!({ headers: {}, body: Buffer.from(text) })).toThrow('The notification')
      }
    })

    needs('notices')('that is forged is not accepted', async () => {
      await rig.paidCharge()
      await double.notices.settled()
      const isForgery = (kind: string) =>
        double.provider.proves === 'body' || (kind !== 'changed_body' && kind !== 'other_signature')
      for (const kind of FORGERIES.filter(isForgery)) {
        expect([kind, await double.notices.forge(kind)]).toEqual([kind, 401])
      }
    })

    needs('notices')('that nobody signed is not a forgery, and proves nothing', () => {
      const body = Buffer.from('{"event":"x"}')
      expect(verify!({ headers: {}, body }, credentials)).toBe('unsigned')
      const none = { current: () => '', accepted: () => [] }
      const signed = headersOf(double.provider.sign(body.toString()))
      expect(verify!({ headers: signed, body }, none)).toBe('forged')
      expect(verify!({ headers: signed, body }, credentials)).toBe('authentic')
    })

    needs('notices')(
      'that was signed with a secret is accepted as long as that counts',
      async () => {
        const body = '{"event":"x"}'
        const before = headersOf(double.provider.sign(body))
        const former = subject.credentials()
        subject.rotateNoticeSecret()
        const check = (headers: RawNotice['headers']) =>
          verify!({ headers, body: Buffer.from(body) }, credentials)
        accepted = [subject.credentials(), former]
        const after = headersOf(double.provider.sign(body))
        expect([check(before), check(after)]).toEqual(['authentic', 'authentic'])
        accepted = [subject.credentials()]
        expect([check(before), check(after)]).toEqual(['forged', 'authentic'])
      },
    )

    needs('notices')('of a payment can come before the response to its lookup', async () => {
      const order = rig.charge()
      await forget()
      const account = valueIn(await rig.openAccount(order))
      subject.transferTo(account.accountNumber, order.amount_minor)
      expect(await noticed()).toMatchObject([{ about: 'charge', reference: order.reference }])
      expect(valueIn(await rig.lookUpCharge(order)).status).toBe('Successful')
    })
  })
}
