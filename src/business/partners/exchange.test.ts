import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { hashOf } from '../keys/format.ts'
import { INVOICE, INVOICES, PROFILE, partnersOf, TOKEN } from './partners.fixture.ts'
import { newClientId, newClientSecret, newToken } from './scopes.ts'
import { revokePartner, rotatePartner } from './service.ts'

const HOUR_MS = 3_600_000

const server = await startServer({ jobs: false })
const { db, ids, clock, business, as, url, runJob, logLines } = server
const { newPartner, exchange, tokenOf, grant, acting, form } = partnersOf(server)
const { businessId, keys } = business

const rotate = (clientId: string, graceHours: number) =>
  db.transaction((tx) => rotatePartner(tx, ids, clientId, graceHours, clock.now()))
const countTokens = async () =>
  (await db.one<{ tokens: number }>`select count(*) as tokens from partner_tokens`).tokens

describe('POST token', () => {
  test('200 creates a token for an hour, and stores only its hash', async () => {
    const { clientId, clientSecret } = await newPartner()
    const { status, body, headers } = await exchange({ clientId, clientSecret })

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      message: 'Token created.',
      data: {
        accessToken: expect.stringMatching(/^pt_test_[0-9A-Za-z]{38}$/),
        tokenType: 'Bearer',
        expiresIn: 3600,
        scope: expect.stringMatching(/\binvoices:write\b/),
      },
    })
    expect(body.data.scope).not.toMatch(/keys|requests/)
    expect(headers.get('cache-control')).toBe('no-store')
    const row = await db.one<{ row: string; expires_at: Date; created_at: Date }>`
      select partner_tokens::text as row, expires_at, created_at from partner_tokens
      where hash = ${hashOf(body.data.accessToken)}`
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(HOUR_MS)
    const kept = await db.many<{ row: string }>`
      select partners::text as row from partners
      union all select partner_secrets::text from partner_secrets`
    const text = [row.row, ...kept.map((one) => one.row)].join()
    expect(text).not.toContain(clientSecret)
    expect(text).not.toContain(body.data.accessToken)
  })

  test('200 in the other family, with only the requested scopes', async () => {
    const partner = await newPartner({ scopes: ['invoices:write', 'wallet:read'] })
    const { clientId, clientSecret } = partner
    const plain = await as('').post('/api/auth-service/v1/token', { clientId, clientSecret })
    expect([plain.status, plain.body.data.scope]).toEqual([200, 'invoices:write wallet:read'])

    const less = await exchange({ clientId, clientSecret, scope: ' invoices:read  invoices:read ' })
    expect([less.status, less.body.data.scope]).toEqual([200, 'invoices:read'])
  })

  test.each([
    ['wallet:write', 'the scope wallet:write'],
    ['transfers:read', 'the scope transfers:read'],
    ['keys:read', 'the scope keys:read'],
    ['nonsense', 'one of these scopes'],
    ['invoices:write:more', 'one of these scopes'],
    ['invoices:read keys:write', 'the scope keys:write'],
    ['   ', 'leave it out'],
  ])('400 for the scope %j, and no token', async (scope, says) => {
    const { clientId, clientSecret } = await newPartner({
      scopes: ['invoices:write', 'wallet:read'],
    })
    const before = await countTokens()
    const { status, body } = await exchange({ clientId, clientSecret, scope })
    expect([status, body.errorCode]).toEqual([400, 'invalid_scope'])
    expect(body.errors.scope[0]).toContain(says)
    expect(await countTokens()).toBe(before)
  })

  test('400 naming fields that are missing, of the wrong type or too long', async () => {
    const { status, body } = await exchange({ clientSecret: 5, scope: '' })
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      400,
      ['clientId', 'clientSecret', 'scope'],
    ])
    const long = await exchange({ clientId: 'x'.repeat(201), clientSecret: 'x' })
    expect([long.status, Object.keys(long.body.errors)]).toEqual([400, ['clientId']])
    expect((await as('').post(TOKEN, '{"clientId":')).body.errorCode).toBe('invalid_json')
    const { status: type } = await as('').post(TOKEN, 'a=b', { 'content-type': 'text/plain' })
    expect(type).toBe(415)
  })

  test('401, the same for every fault in the credentials', async () => {
    const [one, other] = [await newPartner(), await newPartner()]
    const gone = await newPartner()
    await db.transaction((tx) => revokePartner(tx, gone.clientId, clock.now()))
    const { clientId, clientSecret } = one
    for (const credentials of [
      { clientId, clientSecret: newClientSecret(false) },
      { clientId, clientSecret: `${clientSecret.slice(0, -1)}-` },
      { clientId, clientSecret: other.clientSecret },
      { clientId: newClientId(false), clientSecret },
      { clientId: clientSecret, clientSecret: clientId },
      { clientId, clientSecret: keys.testSecret },
      { clientId, clientSecret: await tokenOf(one) },
      gone,
    ]) {
      const { status, body, headers } = await exchange(credentials)
      const { requestId: _, ...rest } = body
      expect([status, rest]).toEqual([
        401,
        {
          status: 'error',
          message: 'The client credentials are not valid.',
          errors: {},
          errorCode: 'invalid_client',
        },
      ])
      expect(headers.get('www-authenticate')).toBe('Basic realm="tradepost"')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('401 with the secret in the URL or from a browser, which is logged without it', async () => {
    const { clientId, clientSecret } = await newPartner()
    const inUrl = await as('').post(`${TOKEN}?clientSecret=${clientSecret}`, {
      clientId,
      clientSecret,
    })
    expect([inUrl.status, inUrl.body.errorCode]).toEqual([401, 'invalid_client'])
    const origin = 'https://partner-page.example.com'
    const fromPage = await exchange({ clientId, clientSecret }, { origin })
    expect([fromPage.status, fromPage.body.errorCode]).toEqual([401, 'invalid_client'])
    const warnings = logLines.filter((line) => line.includes(origin))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(clientId)
    expect(logLines.join()).not.toContain(clientSecret)
  })

  test('200 with a new token each time, whatever the Idempotency-Key', async () => {
    const { clientId, clientSecret } = await newPartner()
    const asked = { clientId, clientSecret }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => exchange(asked, { 'idempotency-key': 'again' })),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body }) => body.data.accessToken)).size).toBe(20)
    const { kept } = await db.one<{ kept: number }>`
      select count(*) as kept from idempotency_keys where key = 'again'`
    expect(kept).toBe(0)
  })

  test('405 for another method, with Allow', async () => {
    const { status, headers } = await as('').get(TOKEN)
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('POST /oauth/token', () => {
  const grant_type = 'client_credentials'
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })

  test('200 in the form of RFC 6749, with credentials in the body or by HTTP Basic', async () => {
    const { clientId: client_id, clientSecret: client_secret } = await newPartner()
    await grant(keys.testSecret, client_id)
    for (const [fields, headers] of [
      [{ grant_type, client_id, client_secret, scope: '' }, {}],
      [{ grant_type, scope: 'invoices:read' }, basic(client_id, client_secret)],
      [{ grant_type, client_id }, basic(client_id.replace('_', '%5F'), client_secret)],
    ] as const) {
      const { status, body, headers: sent } = await form(fields as Record<string, string>, headers)
      expect([status, body]).toEqual([
        200,
        {
          access_token: expect.stringMatching(/^pt_test_/),
          token_type: 'Bearer',
          expires_in: 3600,
          scope: expect.stringMatching(/\binvoices:(read|write)\b/),
        },
      ])
      expect([sent.get('cache-control'), sent.get('pragma')]).toEqual(['no-store', 'no-cache'])
      const acted = await acting(body.access_token, businessId).get(INVOICES)
      expect(acted.status).toBe(200)
    }
  })

  test.each([
    [400, 'invalid_request', {}],
    [400, 'unsupported_grant_type', { grant_type: 'password' }],
    [401, 'invalid_client', { grant_type }],
    [401, 'invalid_client', { grant_type, client_id: 'x', client_secret: 'y' }],
    [401, 'invalid_client', { grant_type, client_id: newClientId(true), client_secret: 'y:"é' }],
    [400, 'invalid_request', 'grant_type=client_credentials&grant_type=client_credentials'],
    [400, 'invalid_request', 'grant_type=client_credentials&client_id=%00'],
  ])('%i %s in its error body for %j', async (status, error, fields) => {
    const reply = await form(fields as Record<string, string>)
    expect([reply.status, reply.body]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/) },
    ])
    expect(reply.headers.has('www-authenticate')).toBe(status === 401)
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  test('400 and 401 for credentials that are repeated, incomplete or in another scheme', async () => {
    const { clientId: client_id, clientSecret: client_secret } = await newPartner()
    const errorOf = async (fields: object, headers: object) => {
      const { status, body } = await form({ grant_type, ...fields }, headers)
      return [status, body.error]
    }
    const good = basic(client_id, client_secret)
    expect(await errorOf({ client_secret }, good)).toEqual([400, 'invalid_request'])
    expect(await errorOf({ scope: 'keys:write' }, good)).toEqual([400, 'invalid_scope'])
    const bad = [401, 'invalid_client']
    expect(await errorOf({ client_id: newClientId(false) }, good)).toEqual(bad)
    expect(await errorOf({ client_id }, {})).toEqual(bad)
    expect(await errorOf({}, { authorization: `Bearer ${client_secret}` })).toEqual(bad)
    expect(await errorOf({}, { authorization: 'Basic ?' })).toEqual(bad)
    expect(await errorOf({}, basic('%zz', client_secret))).toEqual(bad)
    expect(await errorOf({}, basic('%00', client_secret))).toEqual(bad)
    expect(await errorOf({}, basic('a\0', client_secret))).toEqual(bad)
    expect(await errorOf({}, basic(client_id, 'a\0'))).toEqual(bad)
  })

  test('415 for JSON, and 405 for GET, in its error body', async () => {
    const { status, body } = await as('').post('/oauth/token', { grant_type })
    expect([status, body.error]).toEqual([415, 'invalid_request'])
    const get = await as('').get('/oauth/token')
    expect([get.status, get.headers.get('allow'), get.body.error]).toEqual([
      405,
      'POST',
      'invalid_request',
    ])
    const none = await fetch(`${url}/oauth/token`, { method: 'POST' })
    expect(none.status).toBe(400)
  })
})

describe('the lifetime of a token', () => {
  test('401 after an hour of the server’s clock, not the test clock; it is then deleted', async () => {
    const partner = await newPartner()
    await grant(keys.testSecret, partner.clientId)
    const token = await tokenOf(partner)
    const { post } = as(keys.testSecret)
    await post('/api/simulator/clock', { advanceSeconds: 2 * 3_600 })
    const { get } = acting(token, businessId)
    expect(await runJob('partner-tokens')).toBe(0)
    expect((await get(PROFILE)).status).toBe(200)

    clock.advance(HOUR_MS - 30_000)
    expect((await get(PROFILE)).status).toBe(200)
    clock.advance(30_000)
    expect((await get(PROFILE)).status).toBe(401)

    const later = await tokenOf(partner)
    expect(await runJob('partner-tokens')).toBeGreaterThan(0)
    const left = await db.many`select 1 from partner_tokens where hash = ${hashOf(token)}`
    expect(left).toEqual([])
    expect((await acting(later, businessId).get(PROFILE)).status).toBe(200)
  })

  test('200 with both secrets and all tokens during the overlap, then 401 for the old one', async () => {
    const old = await newPartner()
    await grant(keys.testSecret, old.clientId)
    const before = await tokenOf(old)
    const { clientSecret } = await rotate(old.clientId, 2)
    const both = [await exchange(old), await exchange({ ...old, clientSecret })]
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await acting(before, businessId).get(PROFILE)).status).toBe(200)

    clock.advance(2 * HOUR_MS)
    const then = [await exchange(old), await exchange({ ...old, clientSecret })]
    expect(then.map(({ status }) => status)).toEqual([401, 200])
  })

  test('401 at once for a leaked secret and its tokens; the new secret works', async () => {
    const old = await newPartner()
    await grant(keys.testSecret, old.clientId)
    const before = await tokenOf(old)
    const { clientSecret } = await rotate(old.clientId, 0)
    expect((await exchange(old)).status).toBe(401)
    expect((await acting(before, businessId).get(PROFILE)).status).toBe(401)
    const next = await tokenOf({ ...old, clientSecret })
    expect((await acting(next, businessId).post(INVOICES, INVOICE)).status).toBe(201)
  })

  test('ten simultaneous rotations leave one current secret', async () => {
    const { clientId, id } = await newPartner()
    await Promise.all(Array.from({ length: 10 }, () => rotate(clientId, 1)))
    const rows = await db.many<{ current: boolean }>`
      select ends_at is null as current from partner_secrets where partner_id = ${id}`
    expect([rows.length, rows.filter(({ current }) => current).length]).toEqual([11, 1])
  })

  test('401 for a token that was never issued', async () => {
    const { status } = await acting(newToken(false), businessId).get(PROFILE)
    expect(status).toBe(401)
  })
})
