import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { sessionsWaiting, startServer } from '../../../test/harness.ts'
import type { DisputeResponse, DisputeState, Outcome } from '../../providers/connector/types.ts'
import { DISPUTES, openDisputedShop } from './disputes.fixture.ts'

/** What the provider received, and what it answers instead of acting. */
const received: DisputeResponse[] = []
const instead: Outcome<DisputeState>[] = []
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: {
      ...simulator,
      async respondToDispute(about, providerId, response) {
        received.push(response)
        return instead.shift() ?? simulator.respondToDispute!(about, providerId, response)
      },
    },
  }),
})
const { clock, db } = server

afterEach(async () => {
  received.length = 0
  expect(instead).toEqual([])
  expect(await findings(server)).toEqual([])
})

const PDF = Buffer.from('%PDF-1.7 proof')
const MINUTE_MS = 60_000

describe('contesting a dispute', () => {
  test('200 sends the response with a file, and the provider reviews it', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    const { status, body } = await shop.upload(reference, PDF, 'proof of delivery.pdf')
    expect([status, body.data.evidence]).toMatchObject([
      200,
      [{ name: 'proof of delivery.pdf', contentType: 'application/pdf', bytes: PDF.length }],
    ])
    const [{ id: evidenceId }] = body.data.evidence
    const answer = await shop.contest(reference, {
      message: 'It was delivered',
      serviceDetails: 'A shirt',
      customerPhone: '08031234567',
      customerName: 'Ada Obi',
      deliveredOn: '2026-11-03',
    })
    expect(answer.body.data).toMatchObject({
      status: 'Open',
      response: {
        action: 'contest',
        status: 'Sending',
        amount: 1_000,
        message: 'It was delivered',
        evidenceId,
        result: null,
        customer: { email: 'ada@example.com', name: 'Ada Obi', deliveredOn: '2026-11-03' },
      },
    })
    expect(received).toEqual([])
    await shop.send()
    expect(received).toMatchObject([
      {
        accept: false,
        amount_minor: 100_000n,
        message: 'It was delivered',
        customer: {
          email: 'ada@example.com',
          name: 'Ada Obi',
          phone: '08031234567',
          serviceDetails: 'A shirt',
          deliveredOn: new Date('2026-11-03'),
        },
        file: { name: 'proof of delivery.pdf', contentType: 'application/pdf', bytes: PDF },
      },
    ])
    const reviewed = await shop.read(reference)
    expect(reviewed).toMatchObject({ status: 'UnderReview', response: { status: 'Sent' } })
    expect(await shop.told()).toEqual(['dispute.opened', 'dispute.updated', 'dispute.updated'])
    await shop.send()
    expect(received).toHaveLength(1)
    expect((await shop.contest(reference)).body.errorCode).toBe('dispute_state')
    await shop.decide(reference, 'won')
    expect(await shop.read(reference)).toMatchObject({ status: 'Won' })
  })

  test('200 after a review is lost', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const reference = await shop.dispute(payment)
    await shop.contest(reference)
    await shop.send()
    await shop.decide(reference, 'lost')
    expect(await shop.read(reference)).toMatchObject({ status: 'Lost', lostAmount: 1_000 })
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Reversed' })
  })

  test('400 names what is missing about the customer', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(100))
    const message = 'It was delivered'
    const missing = await shop.contest(reference, { message, serviceDetails: 'A shirt' })
    expect(Object.keys(missing.body.errors)).toEqual(['customerName', 'customerPhone'])
    const alone = await shop.contest(reference, { message, customerName: 'Ada' })
    expect(alone.body.errors).toMatchObject({ serviceDetails: [expect.any(String)] })
    const file = await shop.contest(reference, { message, evidenceId: 1 })
    expect(file.body.errors).toMatchObject({ evidenceId: [expect.any(String)] })
    expect((await shop.contest(reference, {})).body.errors).toHaveProperty('message')
  })
})

describe('accepting a dispute', () => {
  test('200 gives the payer the whole amount', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = (await shop.wallet()).available
    const reference = await shop.dispute(payment)
    expect((await shop.accept(reference)).body.data).toMatchObject({
      status: 'Open',
      response: { action: 'accept', status: 'Sending', amount: 1_000 },
    })
    await shop.send()
    expect(received).toMatchObject([{ accept: true, amount_minor: 100_000n, file: null }])
    expect(await shop.read(reference)).toMatchObject({
      status: 'Accepted',
      lostAmount: 1_000,
      response: { status: 'Sent' },
    })
    expect(await shop.wallet()).toEqual({ available: before - 1_000, held: 0 })
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Reversed' })
    expect(await shop.told()).toEqual([
      ...['dispute.opened', 'dispute.updated', 'dispute.accepted', 'transaction.reversed'],
      'wallet.debited',
    ])
    expect((await shop.mails()).map(({ news }) => news)).toEqual(['opened'])
  })

  test('200 in part gives the rest of the hold back', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = (await shop.wallet()).available
    const reference = await shop.dispute(payment)
    expect((await shop.accept(reference, { amount: 1_000.01 })).status).toBe(400)
    await shop.accept(reference, { amount: 250 })
    await shop.send()
    expect(await shop.read(reference)).toMatchObject({ status: 'Accepted', lostAmount: 250 })
    expect(await shop.wallet()).toEqual({ available: before - 250, held: 0 })
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Successful',
      disputed_minor: 25_000n,
      reversed_minor: 25_000n,
    })
  })
})

describe('a response whose outcome is unknown', () => {
  test('200 is looked up, and not sent again if it has arrived', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.accept(reference)
    // It arrives, but the answer is lost.
    const { provider_id } = await db.one<{ provider_id: string }>`
      select provider_id from disputes where reference = ${reference}`
    instead.push({ kind: 'unknown', reason: 'timed_out' })
    await shop.send()
    await db.run`
      update simulator_disputes set status = 'Accepted' where provider_id = ${provider_id}`
    expect(await shop.read(reference)).toMatchObject({
      status: 'Open',
      response: { status: 'Sending' },
    })
    clock.advance(MINUTE_MS)
    await shop.send()
    expect(received).toHaveLength(1)
    expect(await shop.read(reference)).toMatchObject({
      status: 'Accepted',
      response: { status: 'Sent' },
    })
  })

  test('200 is sent again only after two lookups did not find it', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.contest(reference)
    instead.push({ kind: 'unknown', reason: 'disconnected' })
    await shop.send()
    clock.advance(10_000)
    await shop.send()
    expect(received).toHaveLength(1)
    expect((await shop.accept(reference)).body.errorCode).toBe('dispute_state')
    for (let i = 0; i < 4; i++) {
      clock.advance(MINUTE_MS)
      await shop.send()
    }
    expect(received).toHaveLength(2)
    expect(await shop.read(reference)).toMatchObject({ status: 'UnderReview' })
  })

  test('200 fails if the dispute was decided without it', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.contest(reference)
    instead.push({ kind: 'unknown', reason: 'timed_out' })
    await shop.send()
    await shop.decide(reference, 'lost')
    clock.advance(MINUTE_MS)
    await shop.send()
    expect(await shop.read(reference)).toMatchObject({
      status: 'Lost',
      response: { status: 'Failed', result: expect.any(String) },
    })
  })
})

describe('a response whose outcome nobody knows', () => {
  async function unresolved() {
    const shop = await openDisputedShop(server)
    const { owner } = shop
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.contest(reference)
    instead.push({ kind: 'unknown', reason: 'timed_out' })
    await shop.send()
    clock.advance(16 * MINUTE_MS)
    const { body } = await owner.get('/console/unresolved?kind=dispute_response')
    const [listed] = body.data
    const decide = async (decision: string, more: object = {}) => {
      await owner.post('/console/reauthenticate', { password: owner.password })
      const said = { decision, reason: 'I asked the provider', ...more }
      return owner.post(`/console/unresolved/dispute_response/${listed.id}/resolve`, said)
    }
    return { ...shop, reference, listed, decide }
  }

  test('200 is listed, and decided as arrived', async () => {
    const { reference, listed, decide, read, send } = await unresolved()
    expect(listed).toMatchObject({
      kind: 'dispute_response',
      decisions: ['paid', 'not_paid', 'send_again'],
      received: { outcome: 'unknown', code: 'timed_out' },
    })
    expect((await decide('paid', { providerId: '1' })).status).toBe(200)
    expect(await read(reference)).toMatchObject({ response: { status: 'Sent', result: null } })
    await send()
    expect(received).toHaveLength(1)
  })

  test('200 is decided as not arrived, so that people can respond again', async () => {
    const { reference, decide, read, contest, send } = await unresolved()
    const statement = 'We have no response.'
    expect((await decide('not_paid', { statement })).status).toBe(200)
    expect(await read(reference)).toMatchObject({ status: 'Open', response: { status: 'Failed' } })
    expect((await contest(reference)).status).toBe(200)
    await send()
    expect(received).toHaveLength(2)
    expect(await read(reference)).toMatchObject({ status: 'UnderReview' })
  })

  test('200 is sent again', async () => {
    const { reference, decide, read, send } = await unresolved()
    const statement = 'We have no response.'
    expect((await decide('send_again', { statement })).status).toBe(200)
    await send()
    expect(received).toHaveLength(2)
    expect(await read(reference)).toMatchObject({ status: 'UnderReview' })
  })
})

describe('a response that the provider refuses', () => {
  test('200 fails, people are told, and they can respond again', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.accept(reference, { amount: 100 })
    const message = 'A dispute can only be accepted as a whole.'
    instead.push({ kind: 'refused', code: 'unsupported', message })
    await shop.send()
    expect(await shop.read(reference)).toMatchObject({
      status: 'Open',
      response: { status: 'Failed', result: message },
    })
    expect((await shop.mails()).map(({ news }) => news)).toEqual(['opened', 'response_failed'])
    await shop.accept(reference)
    await shop.send()
    expect(await shop.read(reference)).toMatchObject({
      status: 'Accepted',
      lostAmount: 1_000,
      response: { status: 'Sent', result: null },
    })
  })

  test('200 for now is sent again later', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.contest(reference)
    instead.push({ kind: 'notNow', code: 'provider_down', message: 'Down' })
    await shop.send()
    clock.advance(2 * MINUTE_MS)
    await shop.send()
    expect(received).toHaveLength(2)
    expect(await shop.read(reference)).toMatchObject({ status: 'UnderReview' })
  })
})

describe('evidence', () => {
  test('200 can be read, and deleted until a response has used it', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(100))
    const path = `${DISPUTES}/${reference}/evidence`
    const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1')
    await shop.upload(reference, PDF)
    const { body } = await shop.upload(reference, png, 'photo.png')
    const [first, second] = body.data.evidence
    const file = await fetch(`${server.url}${path}/${second.id}`, {
      headers: { authorization: `Bearer ${shop.keys.testSecret}` },
    })
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await file.arrayBuffer()).equals(png)).toBe(true)
    const gone = await shop.post(`${path}/${first.id}/delete`, {})
    expect(gone.body.data.evidence.map(({ id }: { id: number }) => id)).toEqual([second.id])
    expect((await shop.post(`${path}/${first.id}/delete`, {})).status).toBe(404)
    const other = await openDisputedShop(server)
    expect((await other.get(`${path}/${second.id}`)).status).toBe(404)

    await shop.contest(reference)
    expect((await shop.post(`${path}/${second.id}/delete`, {})).body.errorCode).toBe(
      'dispute_state',
    )
    instead.push({ kind: 'refused', code: 'declined', message: 'Unreadable file' })
    await shop.send()
    expect((await shop.post(`${path}/${second.id}/delete`, {})).body.errorCode).toBe(
      'evidence_not_found',
    )
    expect(await shop.read(reference)).toMatchObject({ evidence: [{ id: second.id }] })
  })

  test('400 if it is deleted while a response names it', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(100))
    const { body } = await shop.upload(reference, PDF)
    const [{ id: evidenceId }] = body.data.evidence
    const { replies } = await db.transaction(async (tx) => {
      await tx.one`
        select from disputes
        where business_id = ${shop.businessId} and not live and reference = ${reference}
        for no key update`
      const gone = shop.post(`${DISPUTES}/${reference}/evidence/${evidenceId}/delete`, {})
      await expect.poll(() => sessionsWaiting(server.name)).toBe(1)
      const contested = shop.contest(reference, { message: 'It was delivered', evidenceId })
      await expect.poll(() => sessionsWaiting(server.name)).toBe(2)
      return { replies: Promise.all([gone, contested]) }
    })
    const [gone, contested] = await replies
    expect([gone.status, contested.status]).toEqual([200, 400])
    expect(Object.keys(contested.body.errors)).toEqual(['evidenceId'])
  })

  test('400 for other types, empty files and too many; 413 for large ones', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(100))
    const odd = await shop.upload(reference, Buffer.from('<html>'), 'proof.pdf')
    expect(odd.body.errors).toMatchObject({ file: [expect.stringMatching(/PDF, JPEG or PNG/)] })
    expect((await shop.upload(reference, Buffer.from(''))).status).toBe(400)
    const large = Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024)])
    expect((await shop.upload(reference, large)).status).toBe(413)
    for (let i = 0; i < 5; i++) expect((await shop.upload(reference, PDF)).status).toBe(200)
    expect((await shop.upload(reference, PDF)).body.errorCode).toBe('too_many_files')
    await shop.decide(reference, 'won')
    expect((await shop.upload(reference, PDF)).body.errorCode).toBe('dispute_state')
  })
})
