import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openDatabase } from '../../db/database.ts'
import { authenticator } from './authenticate.ts'
import { newKey } from './format.ts'

const { db, ids, clock, business, as } = await startServer()
const log = pino({ level: 'silent' })
const publicUrl = 'https://pay.example.com'
const rest = { ids, clock, publicUrl, log, nudge: () => {} }
const sent = (key: string, origin?: string) => ({
  key,
  businessId: undefined,
  ip: '127.0.0.1',
  origin,
})
const { testSecret, liveSecret } = business.keys

test('a malformed key is refused without the database, a well-formed one never is', async () => {
  const nowhere = openDatabase({ connection: { host: '127.0.0.1', port: 1 }, connectionsMax: 1 })
  const authenticate = authenticator({ db: nowhere, ...rest })

  for (const key of [
    '',
    'nope',
    'sk_test_',
    `${testSecret.slice(0, -1)}-`,
    business.keys.testPublic,
  ]) {
    await expect(authenticate(sent(key))).rejects.toMatchObject({ kind: 'unauthenticated' })
  }
  await expect(authenticate(sent(testSecret))).rejects.toMatchObject({ kind: 'unavailable' })
  await nowhere.close()
})

test('a hundred simultaneous requests query once, and unknown keys are not cached', async () => {
  let asked = 0
  const maybe: typeof db.maybe = (...query) => {
    asked += 1
    return db.maybe(...query)
  }
  const authenticate = authenticator({ db: { ...db, maybe }, ...rest })
  await Promise.all(Array.from({ length: 100 }, () => authenticate(sent(testSecret))))
  expect(asked).toBe(1)
  const unknown = sent(newKey('secret', false))
  for (let i = 0; i < 2; i++) await expect(authenticate(unknown)).rejects.toThrow()
  expect(asked).toBe(3)
})

test('the caller has the current settings and test clock of its mode', async () => {
  const authenticate = authenticator({ db, ...rest })
  const [test, live] = [await authenticate(sent(testSecret)), await authenticate(sent(liveSecret))]
  expect([test.timeZone, live.timeZone]).toEqual(['Africa/Lagos', 'Africa/Lagos'])
  const settings = '/api/user-service/external/v1/profile/settings'
  await as(testSecret).put(settings, { timeZone: 'Asia/Tokyo' })
  await as(testSecret).post('/api/simulator/clock', { advanceSeconds: 86_400 })

  const [later, liveLater] = [
    await authenticate(sent(testSecret)),
    await authenticate(sent(liveSecret)),
  ]
  expect([later.timeZone, liveLater.timeZone]).toEqual(['Asia/Tokyo', 'Africa/Lagos'])
  expect(later.now.getTime() - liveLater.now.getTime()).toBeGreaterThan(86_000_000)
})

test('only the public URL of the server counts as its origin', async () => {
  const authenticate = authenticator({ db, ...rest })
  const refused = { kind: 'unauthenticated' }

  expect((await authenticate(sent(testSecret, publicUrl))).live).toBe(false)
  await expect(authenticate(sent(testSecret, `${publicUrl}.evil.example`))).rejects.toMatchObject(
    refused,
  )
  await expect(authenticate(sent(testSecret, 'http://pay.example.com'))).rejects.toMatchObject(
    refused,
  )
  await expect(authenticate(sent(testSecret, 'http://localhost'))).rejects.toMatchObject(refused)
  await expect(authenticate(sent(liveSecret, publicUrl))).rejects.toMatchObject(refused)
})
