import { expect, test, vi } from 'vitest'
import { asOwner, startServer } from '../../test/harness.ts'
import { newKey } from '../business/keys/format.ts'
import { browserAt, memberOf } from '../business/people/people.fixture.ts'

const PATH = '/api/user-service/external/v1/profile'
/** More attempts than a network is allowed. */
const TRIES = 150

const server = await startServer({ rateLimit: 5_000 })
const { get, as, clock, newBusiness, url } = server

test('429 for too many unknown keys, while known keys keep working', async () => {
  expect((await get(PATH)).status).toBe(200)
  const { keys } = await newBusiness('Bola Stores')
  // Stands still, so that the limit does not allow another guess meanwhile.
  const stopped = vi.spyOn(clock, 'now').mockReturnValue(clock.now())
  const asked = Array.from({ length: TRIES }, () => as(newKey('secret', false)).get(PATH))
  const replies = await Promise.all(asked)
  const refused = await as(keys.testSecret).get(PATH)
  stopped.mockRestore()
  const statuses = replies.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(statuses.filter((one) => one === 401).length).toBeGreaterThanOrEqual(100)
  expect((await get(PATH)).status).toBe(200)

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  clock.advance(200_000)
  expect((await as(keys.testSecret).get(PATH)).status).toBe(200)
})

test('429 for too many unknown sessions, while signed-in people keep working', async () => {
  clock.advance(200_000)
  const person = await memberOf(server, 'viewer')
  expect((await person.get('/console/me')).status).toBe(200)
  const stranger = browserAt(url)
  const replies = await Promise.all(
    Array.from({ length: TRIES }, (_, i) =>
      stranger.get('/console/me', { cookie: `tradepost=${`${i}`.padStart(43, 'x')}` }),
    ),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]))
  expect((await person.get('/console/me')).status).toBe(200)
})

test('200 for many simultaneous requests with a key not seen before', async () => {
  clock.advance(200_000)
  const { keys } = await newBusiness('Chi Stores')
  let arrived = 0
  server.app.server.server.on('request', () => arrived++)
  const replies = await asOwner(server.name, async (client) => {
    // No key is known yet when the last request arrives.
    await client.query('begin; lock table api_keys in access exclusive mode')
    const asked = Array.from({ length: TRIES }, () => as(keys.testSecret).get(PATH))
    await expect.poll(() => arrived).toBe(TRIES)
    await client.query('rollback')
    return Promise.all(asked)
  })
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
})
