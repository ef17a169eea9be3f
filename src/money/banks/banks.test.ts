import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'
import { BANKS } from '../../providers/banks/banks.ts'

const BASE = '/api/transaction-service/external/v1'
const PLAIN = '/api/transaction-service/v1'

const server = await startServer()
const { get, as, business, db, ids, clock } = server
const live = as(business.keys.liveSecret)

const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)
const account = (query: string) => get(`${BASE}/bank/resolve?${query}`)

describe('GET bank', () => {
  test('200 lists every bank with all fields, in both families', async () => {
    const { status, body } = await get(`${BASE}/bank`)

    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'success', message: 'Banks.' })
    expect(names(body)).toEqual(BANKS.map(({ name }) => name))
    expect(body).not.toHaveProperty('meta')
    expect(body.data.find(({ id }: { id: number }) => id === 58)).toEqual({
      id: 58,
      name: 'Guaranty Trust Bank',
      slug: 'guaranty-trust-bank',
      code: '058',
      nipCode: '000013',
      ussdTemplate: '*737*000*{code}#',
      country: 'NG',
      currency: 'NGN',
      type: 'commercial',
      supportsTransfer: true,
      supportsUssd: true,
      supportsVirtualAccount: true,
      active: true,
    })
    expect((await get(`${PLAIN}/bank/`)).body).toEqual(body)
  })

  test('200 keeps a bank without a licence, which accepts no transfers', async () => {
    const { body } = await get(`${BASE}/bank?search=heritage`)

    expect(body.data).toEqual([
      expect.objectContaining({ code: '030', active: false, supportsTransfer: false }),
    ])
  })

  test.each([
    ['search=gUaRaNtY', ['Guaranty Trust Bank']],
    ['search=%20guaranty%20trust%20', ['Guaranty Trust Bank']],
    ['search=standard-chartered', ['Standard Chartered Bank']],
    ['search=GTB', ['Guaranty Trust Bank']],
    ['search=gtbank', ['Guaranty Trust Bank']],
    ['search=gt%20bank', ['Guaranty Trust Bank']],
    ['search=uba', ['United Bank for Africa']],
    ['search=fcmb', ['FCMB Easy Account', 'First City Monument Bank']],
    ['search=first%20bank', ['First Bank of Nigeria']],
    ['search=firstbank', ['First Bank of Nigeria']],
    ['search=zenith&ussd=true', ['Zenith Bank']],
    ['search=50211', ['Kuda Microfinance Bank']],
    ['search=zenith%20bank&ussd=true&country=NG&currency=NGN', ['Zenith Bank']],
  ])('200 finds by %s', async (query, found) => {
    const { status, body } = await get(`${BASE}/bank?${query}`)

    expect([status, names(body)]).toEqual([200, found])
  })

  test('200 filters banks with and without USSD', async () => {
    const [all, dialled, rest] = await Promise.all(
      ['', '?ussd=1', '?ussd=false'].map((query) => get(`${BASE}/bank${query}`)),
    )
    const templates = dialled!.body.data.map((bank: { ussdTemplate: string }) => bank.ussdTemplate)

    expect(templates.every((template: string) => template.includes('{code}'))).toBe(true)
    expect(rest!.body.data.every((bank: { supportsUssd: boolean }) => !bank.supportsUssd)).toBe(
      true,
    )
    expect(dialled!.body.data.length + rest!.body.data.length).toBe(all!.body.data.length)
  })

  test.each(['true', 'false', '1', '0'])('200 ignores isLive=%s', async (isLive) => {
    const { status, body } = await get(`${BASE}/bank?isLive=${isLive}`)

    expect([status, body.data.length]).toEqual([200, BANKS.length])
  })

  test('200 is paged if a page or a limit is requested', async () => {
    const second = await get(`${BASE}/bank?page=2`)
    expect(names(second.body)).toEqual(BANKS.slice(20, 40).map(({ name }) => name))
    expect(second.body.meta).toEqual({
      total: BANKS.length,
      totalIsExact: true,
      page: 2,
      limit: 20,
      pageCount: Math.ceil(BANKS.length / 20),
      hasNext: true,
      hasPrevious: true,
    })
    const few = await get(`${BASE}/bank?limit=3`)
    expect(names(few.body)).toEqual(BANKS.slice(0, 3).map(({ name }) => name))
    const beyond = await get(`${BASE}/bank?page=1000`)
    expect([beyond.status, beyond.body.data, beyond.body.meta.hasNext]).toEqual([200, [], false])
  })

  test.each(['search=nobank', 'country=GH', 'currency=USD', 'search=kuda&ussd=true'])(
    '404 when no bank matches %s',
    async (query) => {
      const { status, body } = await get(`${BASE}/bank?${query}`)

      expect(status).toBe(404)
      expect(body).toMatchObject({ status: 'error', errors: {}, errorCode: 'bank_not_found' })
    },
  )

  test.each([
    ['country', 'Nigeria'],
    ['currency', 'naira'],
    ['search', ''],
    ['search', 'a'.repeat(101)],
    ['isLive', 'maybe'],
    ['ussd', 'yes'],
    ['page', '0'],
    ['page', '1.5'],
    ['limit', '101'],
    ['limit', 'all'],
  ])('400 names %s for %j', async (field, value) => {
    const { status, body } = await get(`${BASE}/bank?${field}=${value}`)

    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('401 without a key; 403 without the scope; 405 for another method', async () => {
    expect((await get(`${BASE}/bank`, { authorization: '' })).status).toBe(401)
    const tenant = { businessId: business.businessId, live: false }
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { scopes: ['invoices:read'] }, clock.now()),
    )
    const restricted = as(key)
    expect((await restricted.get(`${BASE}/bank`)).status).toBe(403)
    expect((await server.post(`${BASE}/bank`)).status).toBe(405)
  })
})

describe('GET bank-list', () => {
  test.each([BASE, PLAIN])(
    '200 under %s returns the same as bank, and links to it',
    async (base) => {
      const query = '?search=bank&limit=5'
      for (const path of ['bank-list', 'bank-list/']) {
        const { status, body, headers } = await get(`${base}/${path}${query}`)

        expect(status).toBe(200)
        expect(body).toEqual((await get(`${base}/bank${query}`)).body)
        expect(headers.get('deprecation')).toBe('@1793491200')
        expect(headers.get('sunset')).toBe('Sat, 01 Jan 2028 00:00:00 GMT')
        expect(headers.get('link')).toBe(`<${base}/bank>; rel="successor-version"`)
      }
    },
  )

  test('404 and 401 have the headers too, and bank never does', async () => {
    const missing = await get(`${BASE}/bank-list?search=nobank`)
    expect([missing.status, missing.headers.get('deprecation')]).toEqual([404, '@1793491200'])
    const denied = await get(`${BASE}/bank-list`, { authorization: '' })
    expect([denied.status, denied.headers.get('deprecation')]).toEqual([401, '@1793491200'])
    expect((await get(`${BASE}/bank`)).headers.get('deprecation')).toBeNull()
  })

  test('200 for /openapi.json marks only this operation as deprecated', async () => {
    const { status, body } = await get('/openapi.json')
    const marks = ['bank', 'bank-list', 'bank/resolve'].map(
      (path) => body.paths[`${BASE}/${path}`].get.deprecated,
    )

    expect([status, marks]).toEqual([200, [undefined, true, undefined]])
  })
})

describe('GET bank/resolve', () => {
  test('200 returns the account holder, by code and by id', async () => {
    const { status, body } = await account('bankCode=044&accountNumber=0010246780')

    expect(status).toBe(200)
    expect(body.data).toEqual({
      reference: '044-0010246780',
      status: 'Verified',
      accountNumber: '0010246780',
      accountName: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
      bankCode: '044',
      bankName: 'Access Bank',
      bankId: 44,
      nubanValid: true,
      warning: null,
    })
    for (const bankCode of ['44', '000014']) {
      const same = await get(`${PLAIN}/bank/resolve?bankCode=${bankCode}&accountNumber=0010246780`)
      expect(same.body).toEqual(body)
    }
  })

  test('200 warns of a wrong check digit', async () => {
    const { status, body } = await account('bankCode=044&accountNumber=0010246781')

    expect([status, body.data.nubanValid]).toEqual([200, false])
    expect(body.data.warning).toContain('check digit')
  })

  test('200 ignores the check digit if account numbers are phone numbers', async () => {
    const { status, body } = await account('bankCode=999992&accountNumber=8012345678')

    expect(status).toBe(200)
    expect(body.data).toMatchObject({ bankName: 'OPay', nubanValid: null, warning: null })
  })

  test('200 for an account at every bank of the list', async () => {
    const { body } = await get(`${BASE}/bank`)
    for (const { code, name } of body.data) {
      const resolved = await account(`bankCode=${code}&accountNumber=0123456789`)
      expect([resolved.status, resolved.body.data?.bankName]).toEqual([200, name])
    }
  })

  test.each(['999', '0058', '1', '9999999999', 'nobank'])('400 for bank %s', async (bankCode) => {
    const { status, body } = await account(`bankCode=${bankCode}&accountNumber=0123456789`)

    expect([status, body.errorCode, body.errors]).toEqual([
      400,
      'validation_failed',
      { bankCode: ['must be the id or code of a bank in GET bank'] },
    ])
  })

  test('404 for an account that does not exist', async () => {
    const { status, body } = await account('bankCode=058&accountNumber=0000000002')

    expect([status, body.errorCode]).toEqual([404, 'bank_account_not_found'])
  })

  test('503 when the bank does not respond', async () => {
    const { status, body, headers } = await account('bankCode=058&accountNumber=0000000006')

    expect([status, body.errorCode]).toEqual([503, 'account_not_resolved'])
    expect(headers.get('retry-after')).toBe('1')
  })

  test('503 in live mode without a provider, and 400 for an unknown bank', async () => {
    const path = `${BASE}/bank/resolve?accountNumber=0123456789`
    const { status, body } = await live.get(`${path}&bankCode=058`)

    expect([status, body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect((await live.get(`${path}&bankCode=999`)).status).toBe(400)
  })

  test.each([
    ['accountNumber', 'bankCode=058'],
    ['accountNumber', 'bankCode=058&accountNumber=123456789'],
    ['accountNumber', 'bankCode=058&accountNumber=01234567890'],
    ['accountNumber', 'bankCode=058&accountNumber=012345678x'],
    ['bankCode', 'accountNumber=0123456789'],
    ['bankCode', 'accountNumber=0123456789&bankCode='],
    ['bankCode', 'accountNumber=0123456789&bankCode=-58'],
    ['bankCode', 'accountNumber=0123456789&bankCode=058&bankCode=057'],
  ])('400 names %s for %s', async (field, query) => {
    const { status, body } = await account(query)

    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})
