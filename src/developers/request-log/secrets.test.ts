import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const USERS = '/api/user-service/external/v1'
const INVOICES = '/api/payment-service/external/v1/invoices'
const CARD = '4111 1111 1111 1111'
const PIN = 'canary-pin'

const server = await startServer()
const { get, post, put, db, business } = server

/** Everything stored of all requests, as one text. */
async function everything(): Promise<string> {
  await server.app.requestLog.flush()
  const rows = await db.many<{ line: string }>`select r::text as line from request_log r`
  return rows.map(({ line }) => line).join('\n')
}

test('200 and 201 with secrets shown once leave none of them in the log', async () => {
  const made = await post(`${USERS}/webhooks`, { url: 'http://127.0.0.1:5000/hook' })
  const turned = await post(`${USERS}/webhooks/${made.body.data.reference}/rotate-secret`)
  const settings = await get(`${USERS}/profile/settings`)
  const saved = await put(`${USERS}/profile/settings`, { timeZone: 'Africa/Lagos' })
  expect([made.status, turned.status, settings.status, saved.status]).toEqual([201, 200, 200, 200])
  const secrets = [
    made.body.data.secret,
    turned.body.data.secret,
    settings.body.data.redirectSecret,
    saved.body.data.redirectSecret,
  ]
  for (const secret of secrets) expect(secret).toMatch(/^\S{20,}$/)

  const log = await everything()
  expect(log).toContain('rotate_webhook_secret')
  for (const secret of secrets) {
    expect(log).not.toContain(secret)
    expect(log).not.toContain(secret.slice(6))
  }
})

test('400 and 201 store no key, card or PIN, wherever the client sends it', async () => {
  const { testSecret, testPublic, liveSecret } = business.keys
  const invoice = { customerEmail: 'ada@example.com', amount: 5 }
  const replies = [
    await post(INVOICES, { ...invoice, note: `paid with ${CARD}, key ${liveSecret}` }),
    await post(INVOICES, { ...invoice, metadata: { pin: PIN, [testPublic]: { card: CARD } } }),
    await post(INVOICES, { ...invoice, amount: testSecret }, { 'user-agent': testSecret }),
    await post(INVOICES, invoice, { 'idempotency-key': `k-${testPublic}` }),
    await get(`${INVOICES}?search=${encodeURIComponent(CARD)}&pin=${PIN}&token=${PIN}`),
    await get(`${INVOICES}/${encodeURIComponent(`Bearer ${PIN}-${PIN}`)}`),
    await get(`${INVOICES}?search=%73k_test_${testSecret.slice(8)}`),
  ]
  for (const { status } of replies) expect([200, 201, 400, 401, 404]).toContain(status)

  const log = await everything()
  expect(log).toContain('[redacted]')
  for (const key of [testSecret, testPublic, liveSecret]) expect(log).not.toContain(key.slice(8))
  for (const never of [CARD, CARD.replaceAll(' ', ''), encodeURIComponent(CARD), PIN]) {
    expect(log).not.toContain(never)
  }
  const id = replies[3]!.headers.get('x-request-id')
  const { body } = await get(`${USERS}/requests?idempotencyKey=${encodeURIComponent('k-pk')}`)
  expect(body.data).toEqual([])
  const shown = (await get(`${USERS}/requests/${id}`)).body.data
  expect(shown.idempotencyKey).toBe('k-pk_test_[redacted]')
})
