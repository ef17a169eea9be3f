import { afterAll, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { SPLIT_PAGES } from './attempts.fixture.ts'
import { openShop, USSD } from './ussd.fixture.ts'

const server = await startServer({ jobs: false })

afterAll(async () => expect(await findings(server)).toEqual([]))

const key = { 'idempotency-key': 'charge-1' }

test('200 repeats the response for a key after its page has become inactive', async () => {
  const { post, put, splitPage, count } = await openShop(server)
  const { id: pageId } = await splitPage([20])
  const body = { channel: 'USSD', amount: 1_000, pageId }
  const first = await post(USSD, body, key)
  expect(first.status).toBe(200)
  const updated = await put(`${SPLIT_PAGES}/${pageId}`, { status: false })
  expect([updated.status, updated.text]).toEqual([200, expect.any(String)])

  const again = await post(USSD, body, key)
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await post(USSD, { ...body, amount: 2_000 }, key)
  expect([other.status, other.body.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  expect((await post(USSD, body, { 'idempotency-key': 'charge-2' })).status).toBe(409)
  expect(await count()).toBe(1)
})
