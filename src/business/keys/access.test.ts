import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addMs } from '../../lib/clock.ts'
import { hashOf, newKey } from './format.ts'
import { HOUR_MS, openKeys, PATH } from './keys.fixture.ts'
import { listKeys } from './service.ts'

const SETTINGS = '/api/user-service/external/v1/profile/settings'

const server = await startServer()
const { db, clock, as, url, business } = server
const { tenant, make, revoke, statusOf } = openKeys(server)

/** A request with exactly these header lines, which `fetch` would join or refuse. */
function raw(path: string, headers: [string, string][]): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request(url + path, { setHost: false }, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.on('error', reject)
  for (const name of new Set(headers.map(([name]) => name))) {
    const values = headers.filter(([other]) => other === name).map(([, value]) => value)
    sent.setHeader(name, values)
  }
  sent.setHeader('Host', 'localhost')
  sent.end()
  return promise
}

const NO_KEY = 'The secret key is missing or invalid.'
const PUBLIC_KEY = 'This is a public key. Send the secret key, which starts with sk_.'

describe('401, the same for every reason except a public key', () => {
  const changed = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  const refused = async (
    key: string,
    headers?: Record<string, string>,
    path = PATH,
    message = NO_KEY,
  ) => {
    const reply = await as(key).get(path, headers)
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    const { requestId, ...body } = reply.body
    expect(requestId).toBe(reply.headers.get('x-request-id'))
    expect(body).toEqual({
      status: 'error',
      message,
      errors: {},
      errorCode: 'invalid_key',
    })
  }
  const { testSecret, testPublic, livePublic } = business.keys

  test('401 without the header', async () => {
    const { status } = await fetch(url + PATH)
    expect(status).toBe(401)
  })
  test('401 for another scheme', () => refused('', { authorization: `Basic ${testSecret}` }))
  test('401 for a key without the scheme', () => refused('', { authorization: testSecret }))
  test('401 for text that is not a key', () => refused('nope'))
  test('401 for a wrong checksum', () => refused(changed(testSecret)))
  test('401 for one character too many', () => refused(`${testSecret}0`))
  test('401 for an unknown key', () => refused(newKey('secret', false)))
  test('401 for a public key', () => refused(testPublic, {}, PATH, PUBLIC_KEY))
  test('401 for a live public key', () => refused(livePublic, {}, PATH, PUBLIC_KEY))
  test('401 for a key in the URL beside a valid one', () =>
    refused(testSecret, {}, `${PATH}?key=${testSecret}`))

  test('401 for a revoked key', async () => {
    const { key, record } = await make()
    expect(await statusOf(key)).toBe(200)
    await revoke(record.id)
    await refused(key)
  })

  test('401 for an expired key', async () => {
    const { key } = await make({ expiresAt: addMs(clock.now(), HOUR_MS) })
    expect(await statusOf(key)).toBe(200)
    clock.advance(HOUR_MS)
    await refused(key)
  })

  test('401 from an address outside the allow-list', async () => {
    const { key } = await make({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] })
    await refused(key)
  })

  test('401 for the key of a suspended business', async () => {
    const other = await server.newBusiness('Closed Ventures')
    await db.run`update businesses set status = 'Suspended' where id = ${other.businessId}`
    await refused(other.keys.testSecret)
  })

  test('401 for two Authorization headers, whichever is valid', async () => {
    const good = `Bearer ${testSecret}`
    const one: [string, string] = ['Authorization', good]
    expect(await raw(PATH, [one])).toBe(200)
    expect(await raw(PATH, [one, one])).toBe(401)
    expect(await raw(PATH, [['Authorization', 'Bearer nope'], one])).toBe(401)
    expect(await raw(PATH, [one, ['Authorization', 'Bearer nope']])).toBe(401)
  })
})

describe('a request from a browser', () => {
  const fromShop = { origin: 'https://shop.example.com' }
  const seenAt = (key: string) =>
    db.one<{ browser_seen_at: Date | null }>`
      select browser_seen_at from api_keys where hash = ${hashOf(key)}`

  test('401 for a secret key, with a mail to its owner', async () => {
    const { key, record } = await make()
    const { status, body } = await as(key).get(PATH, fromShop)

    expect([status, body.message]).toEqual([401, expect.stringContaining('Origin header')])
    await expect.poll(async () => (await seenAt(key)).browser_seen_at).toBeInstanceOf(Date)
    const [listed] = (await listKeys(db, tenant, clock.now())).filter(({ id }) => id === record.id)
    expect(listed?.browserSeenAt).toBeInstanceOf(Date)
    const warnings = server.logLines.filter((line) => line.includes(fromShop.origin))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`"keyId":${record.id}`)
    expect(warnings[0]).not.toContain(key)
  })

  test('401 warns once an hour, however often it happens', async () => {
    const { key, record } = await make()
    for (let i = 0; i < 5; i++) await as(key).get(PATH, fromShop)
    clock.advance(HOUR_MS)
    await as(key).get(PATH, fromShop)

    const warnings = server.logLines.filter(
      (line) => line.includes(fromShop.origin) && line.includes(`"keyId":${record.id},`),
    )
    expect(warnings).toHaveLength(2)
  })

  test('401 for an opaque origin', async () => {
    expect(await statusOf(business.keys.testSecret, { origin: 'null' })).toBe(401)
  })

  test('200 for a test key from the pages of the server itself', async () => {
    expect(await statusOf(business.keys.testSecret, { origin: 'http://127.0.0.1' })).toBe(200)
    expect(await statusOf(business.keys.testSecret, { origin: 'http://localhost' })).toBe(200)
    expect(await statusOf(business.keys.testSecret, { origin: 'http://127.0.0.1:81' })).toBe(401)
  })

  test('401 for a live key from the pages of the server itself', async () => {
    expect(await statusOf(business.keys.liveSecret, { origin: 'http://127.0.0.1' })).toBe(401)
    expect(await statusOf(business.keys.liveSecret)).toBe(200)
  })

  test('401 without a header that would let a browser read the response', async () => {
    const { headers } = await as(business.keys.testSecret).get(PATH, fromShop)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('the permissions of a key', () => {
  test('403 for a key without the scope, naming it', async () => {
    const { key } = await make({ scopes: ['invoices:read'] })
    const { status, body } = await as(key).get(PATH)

    expect(status).toBe(403)
    expect(body).toMatchObject({
      errorCode: 'insufficient_scope',
      message: 'This key lacks the scope profile:read.',
    })
  })

  test('403 for a change with a read-only key', async () => {
    const { key } = await make({ scopes: ['profile:read'] })
    expect(await statusOf(key)).toBe(200)
    expect((await as(key).put(SETTINGS, {})).status).toBe(403)
  })

  test('200 for reading with a write key', async () => {
    const { key } = await make({ scopes: ['profile:write'] })
    const { status, body } = await as(key).get(PATH)

    expect(status).toBe(200)
    expect(body.data.key).toEqual({ type: 'secret', scopes: ['profile:write'], expiresAt: null })
  })

  test('200 from an address of the allow-list', async () => {
    for (const allowedIps of [['127.0.0.0/8'], ['::ffff:127.0.0.1'], ['10.0.0.1', '127.0.0.1']]) {
      const { key } = await make({ allowedIps })
      expect(await statusOf(key)).toBe(200)
    }
  })

  test.each([
    [{ scopes: ['invoices:all'] }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ allowedIps: ['10.0.0.0/33'] }, 'allowedIps'],
    [{ allowedIps: ['example.com'] }, 'allowedIps'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(101) }, 'label'],
    [{ label: 'two\nlines' }, 'label'],
    [{ expiresAt: new Date(0) }, 'expiresAt'],
  ])('400 for a new key with %o', async (request, field) => {
    await expect(make(request)).rejects.toMatchObject({
      kind: 'invalid',
      fields: { [field]: [expect.any(String)] },
    })
  })
})

test('the log contains no key', async () => {
  for (const key of Object.values(business.keys)) {
    expect(server.logLines.filter((line) => line.includes(key.slice(8)))).toEqual([])
  }
})
