import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { createKey } from '../keys/service.ts'

const PATH = '/api/transaction-service/external/v1/subaccounts'

const server = await startServer({ sweepers: false })
const { db, ids, clock } = server

const fields = { business_name: 'Ngozi Cakes', account_number: '0123456789', percentage_charge: 5 }
const withBank = { ...fields, bank: 58 }

/** A business of its own for each test. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (body: object = fields) => {
    const made = await caller.post(PATH, body)
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const eventsOf = (id: number) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${id} order by sequence`
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from subaccounts where business_id = ${businessId}`
    ).n
  return { ...caller, live: server.as(keys.liveSecret), keys, businessId, make, eventsOf, count }
}

describe('create', () => {
  test('200 shows the fields at the top and the record under data', async () => {
    const { post, businessId } = await shop()
    const { status, body } = await post(`${PATH}/`, { ...withBank, percentage_charge: 12.25 })
    expect(status).toBe(200)
    const shown = {
      id: expect.any(Number),
      business_name: 'Ngozi Cakes',
      account_number: '0123456789',
      percentage_charge: 12.25,
      currency: 'NGN',
      bank: 58,
      account_name: 'NGOZI OKAFOR',
      subaccount_code: expect.stringMatching(/^ACCT_[0-9A-Za-z]{20}$/),
    }
    expect(body).toEqual({
      status: 'success',
      message: 'Subaccount created.',
      ...shown,
      data: {
        ...shown,
        reference: body.subaccount_code,
        status: 'Active',
        bankCode: '058',
        bankName: 'Guaranty Trust Bank',
        verified: true,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: body.data.createdAt,
      },
    })
    expect(
      await db.one`
        select reference, charge_basis_points, bank_code, verified, event_sequence
        from subaccounts where business_id = ${businessId}`,
    ).toEqual({
      reference: body.subaccount_code,
      charge_basis_points: 1225,
      bank_code: '058',
      verified: true,
      event_sequence: 2,
    })
  })

  test('200 tells of it, and of the account whose name resolved', async () => {
    const { make, eventsOf } = await shop()
    const made = await make(withBank)
    const [created, verified, ...others] = await eventsOf(made.id)
    expect(others).toEqual([])
    expect(created).toMatchObject({ type: 'subaccount.created', sequence: 1 })
    expect(JSON.parse(created!.data)).toEqual(made)
    expect(verified).toMatchObject({ type: 'account.verified', sequence: 2 })
    expect(JSON.parse(verified!.data)).toEqual({
      reference: made.reference,
      status: 'Verified',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '6789',
      accountName: 'NGOZI OKAFOR',
    })
  })

  test('200 without a bank asks nobody', async () => {
    const { make, eventsOf } = await shop()
    const made = await make({ ...fields, account_name: 'Ngozi' })
    expect(made).toMatchObject({ bank: null, bankCode: null, bankName: null, verified: false })
    expect(made.account_name).toBe('Ngozi')
    expect((await eventsOf(made.id)).map(({ type }) => type)).toEqual(['subaccount.created'])
    // Nothing says that two such are one.
    expect((await make()).account_name).toBe(null)
  })

  test.each([
    ['the same, in any case', '0123456789', ' ngozi  OKAFOR ', ' ngozi  OKAFOR ', true],
    ['another', '0123456789', 'Somebody Else', 'Somebody Else', false],
    ['none, of an account that does not exist', '0000000002', undefined, null, false],
    ['one, of an account that does not exist', '0000000002', 'Ngozi', 'Ngozi', false],
    ['none, and no answer of the bank', '0000000006', undefined, null, false],
    ['none, and a bank that is not certain', '0000000005', undefined, 'ADA OBI', false],
  ])('200 with a name given that is %s', async (_, account_number, given, kept, verified) => {
    const { make, eventsOf } = await shop()
    const made = await make({ ...withBank, account_number, account_name: given })
    expect(made).toMatchObject({ account_name: kept, verified, bank: 58 })
    const types = (await eventsOf(made.id)).map(({ type }) => type)
    expect(types.includes('account.verified')).toBe(verified)
  })

  test.each([58, '58', '058', '000013'])('200 takes the bank %j', async (bank) => {
    const { make } = await shop()
    expect(await make({ ...fields, bank })).toMatchObject({ bank: 58, bankCode: '058' })
  })

  test.each([
    [0, 0],
    [100, 100],
    [0.01, 0.01],
    [33.3, 33.3],
    [0.29, 0.29],
    [99.99, 99.99],
  ])('200 keeps %j percent as it is', async (percentage_charge, shown) => {
    const { make } = await shop()
    expect((await make({ ...fields, percentage_charge })).percentage_charge).toBe(shown)
  })

  const bad: [string, unknown][] = [
    ['business_name', undefined],
    ['business_name', null],
    ['business_name', 5],
    ['business_name', ''],
    ['business_name', '   '],
    ['business_name', 'two\nlines'],
    ['business_name', 'x'.repeat(201)],
    ['account_number', undefined],
    ['account_number', null],
    ['account_number', 1234567890],
    ['account_number', '123456789'],
    ['account_number', '12345678901'],
    ['account_number', '12345 6789'],
    ['percentage_charge', undefined],
    ['percentage_charge', null],
    ['percentage_charge', '5'],
    ['percentage_charge', -0.01],
    ['percentage_charge', 100.01],
    ['percentage_charge', 5.125],
    ['percentage_charge', 1e-7],
    ['percentage_charge', 1e300],
    ['currency', null],
    ['currency', 566],
    ['currency', 'naira'],
    ['currency', 'XXQ'],
    ['bank', null],
    ['bank', true],
    ['bank', 58.5],
    ['bank', -58],
    ['bank', 999_999_999],
    ['bank', 'no such'],
    ['bank', ''],
    ['bank', '9'.repeat(30)],
    ['account_name', null],
    ['account_name', 7],
    ['account_name', ' '],
    ['account_name', 'x'.repeat(201)],
  ]
  test.each(bad)('400 names %s: %j', async (field, value) => {
    const { post, count } = await shop()
    const { status, body } = await post(PATH, { ...withBank, [field]: value })
    expect([status, body.status, Object.keys(body.errors)]).toEqual([400, 'error', [field]])
    expect(await count()).toBe(0)
  })

  test('400 names everything that is missing at once', async () => {
    const { post } = await shop()
    const { body } = await post(PATH, {})
    expect(Object.keys(body.errors).sort()).toEqual([
      'account_number',
      'business_name',
      'percentage_charge',
    ])
  })

  test('400 for the same bank and account again, also of an Inactive one', async () => {
    const { make, post, count } = await shop()
    const { reference } = await make(withBank)
    const again = { ...withBank, business_name: 'Other', bank: '058' }
    for (const step of ['active', 'inactive']) {
      const { status, body } = await post(PATH, again)
      expect([step, status, body.errorCode]).toEqual([step, 400, 'subaccount_exists'])
      expect(Object.keys(body.errors)).toEqual(['account_number'])
      await post(`${PATH}/${reference}/deactivate`)
    }
    expect(await count()).toBe(1)
    // At another bank, or of another business, it is another account.
    await make({ ...withBank, bank: 44 })
    await (await shop()).make(withBank)
  })

  test('200 once, of twenty at once with the same account', async () => {
    const { post, count, businessId } = await shop()
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => post(PATH, { ...withBank, business_name: `No ${i}` })),
    )
    const statuses = made.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(400)])
    expect(await count()).toBe(1)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from events
      where business_id = ${businessId} and object_type = 'subaccount'`
    expect(n).toBe(2)
  })

  test('200 repeats its answer for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const key = { 'idempotency-key': 'one' }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => post(PATH, withBank, key)),
    )
    expect(new Set(others.map(({ text }) => text))).toEqual(new Set([first!.text]))
    const repeat = await post(`${PATH}/`, withBank, key)
    expect([repeat.text, repeat.headers.get('idempotent-replayed')]).toEqual([first!.text, 'true'])
    const other = await post(PATH, { ...withBank, percentage_charge: 6 }, key)
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['Idempotency-Key']])
    expect(await count()).toBe(1)
  })

  test('503 in live mode with a bank, as nobody can be asked; 200 without', async () => {
    const { live, count } = await shop()
    const refused = await live.post(PATH, withBank)
    expect([refused.status, refused.body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(await count()).toBe(0)
    expect((await live.post(PATH, fields)).status).toBe(200)
  })

  test('401 without a key and 403 without the scope', async () => {
    const { post, keys: _, businessId } = await shop()
    const unknown = await post(PATH, withBank, { authorization: '' })
    expect([unknown.status, unknown.body.status]).toEqual([401, 'error'])
    const tenant = { businessId, live: false }
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { scopes: ['subaccounts:read'] }, clock.now()),
    )
    const reader = server.as(key)
    expect((await reader.post(PATH, fields)).status).toBe(403)
    expect((await reader.get(`${PATH}/all?page=1&limit=5&sort=asc&sortKey=id`)).status).toBe(200)
  })
})

describe('get', () => {
  test('200 by code and by id, in both families', async () => {
    const { make, get } = await shop()
    const made = await make(withBank)
    for (const path of [PATH, PATH.replace('external/', '')]) {
      for (const name of [made.subaccount_code, made.id]) {
        const { status, body } = await get(`${path}/${name}`)
        expect([status, body.data]).toEqual([200, made])
        expect(Object.keys(body)).toEqual(['status', 'message', 'data'])
      }
    }
  })

  test('404 for another business, the other mode and nothing at all', async () => {
    const { make, live } = await shop()
    const other = await shop()
    const { reference, id } = await make(withBank)
    const answers = [
      await other.get(`${PATH}/${reference}`),
      await other.get(`${PATH}/${id}`),
      await live.get(`${PATH}/${reference}`),
      await live.get(`${PATH}/${id}`),
      await other.get(`${PATH}/ACCT_nothing`),
      await other.get(`${PATH}/999999999999999999999`),
      await other.put(`${PATH}/${reference}`, { business_name: 'Mine' }),
      await other.post(`${PATH}/${reference}/deactivate`),
      await live.post(`${PATH}/${reference}/deactivate`),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errorCode, body.errors]).toEqual([404, 'subaccount_not_found', {}])
    }
    expect(
      await db.one<{ status: string }>`select status from subaccounts where id = ${id}`,
    ).toEqual({ status: 'Active' })
  })
})

describe('update', () => {
  test('200 changes what is given, and tells of it once', async () => {
    const { make, put, eventsOf } = await shop()
    const made = await make(withBank)
    const change = { business_name: 'Ngozi & Co', percentage_charge: 7.5 }
    const { status, body } = await put(`${PATH}/${made.reference}`, change)
    expect([status, body.data]).toEqual([
      200,
      { ...made, ...change, updatedAt: expect.stringMatching(/Z$/) },
    ])
    const again = await put(`${PATH}/${made.id}`, { ...change, currency: 'NGN', bank: '058' })
    expect([again.status, again.body.data]).toEqual([200, body.data])
    const events = await eventsOf(made.id)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['subaccount.created', 1],
      ['account.verified', 2],
      ['subaccount.updated', 3],
    ])
    expect(JSON.parse(events[2]!.data)).toEqual(body.data)
  })

  test('200 asks whose another account is', async () => {
    const { make, put, eventsOf } = await shop()
    const made = await make(withBank)
    const change = async (body: object) => (await put(`${PATH}/${made.reference}`, body)).body.data
    expect(await change({ account_number: '0123456781' })).toMatchObject({
      account_name: 'CHINEDU EZE',
      verified: true,
    })
    expect(await change({ bank: 44, account_name: 'Mine' })).toMatchObject({
      bankCode: '044',
      account_name: 'Mine',
      verified: false,
    })
    // The holder's name, given by hand.
    expect(await change({ account_name: 'Chinedu Eze' })).toMatchObject({ verified: true })
    expect(await change({ account_number: '0000000002' })).toMatchObject({
      account_name: null,
      verified: false,
    })
    expect(await change({ bank: null, account_name: 'By hand' })).toMatchObject({
      bank: null,
      bankName: null,
      account_name: 'By hand',
      verified: false,
    })
    const types = (await eventsOf(made.id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'account.verified')).toHaveLength(3)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 asks again of an account that nobody answered for, when it is named', async () => {
    const { make, put, businessId } = await shop()
    const made = await make(withBank)
    await asOwner(server.name, (client) =>
      client.query('update subaccounts set verified = false where business_id = $1', [businessId]),
    )
    const { body } = await put(`${PATH}/${made.reference}`, { business_name: 'Other' })
    expect(body.data.verified).toBe(false)
    const asked = await put(`${PATH}/${made.reference}`, { account_number: made.account_number })
    expect(asked.body.data.verified).toBe(true)
  })

  test('400 for the account of another one, also when both change at once', async () => {
    const { make, put, businessId } = await shop()
    const first = await make(withBank)
    const others = []
    for (let i = 0; i < 6; i++) {
      others.push(await make({ ...withBank, account_number: `222222222${i}` }))
    }
    const taken = await put(`${PATH}/${others[0].reference}`, {
      account_number: first.account_number,
    })
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([400, ['account_number']])
    const all = await Promise.all(
      others.map(({ reference }) => put(`${PATH}/${reference}`, { account_number: '3333333333' })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from subaccounts
      where business_id = ${businessId} and account_number = '3333333333'`
    expect(n).toBe(1)
  })

  test('200 for many changes at once, each counted', async () => {
    const { make, put, eventsOf } = await shop()
    const { reference, id } = await make()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        put(`${PATH}/${reference}`, { percentage_charge: i + 6 }),
      ),
    )
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const sequences = (await eventsOf(id)).map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
  })

  test('409 for another currency', async () => {
    const { make, put } = await shop()
    const { reference } = await make()
    const { status, body } = await put(`${PATH}/${reference}`, { currency: 'USD' })
    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      409,
      'currency_fixed',
      ['currency'],
    ])
  })

  test.each([
    ['business_name', null],
    ['business_name', ''],
    ['account_number', null],
    ['account_number', '12'],
    ['percentage_charge', null],
    ['percentage_charge', 5.555],
    ['bank', 'no such'],
    ['account_name', 'a\tb'],
    ['active', 'true'],
    ['active', null],
    ['currency', 5],
    ['currency', ''],
    ['currency', 'naira'],
    ['currency', 'ngn'],
  ])('400 names %s: %j', async (field, value) => {
    const { make, put, get } = await shop()
    const made = await make(withBank)
    const { status, body } = await put(`${PATH}/${made.reference}`, { [field]: value })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect((await get(`${PATH}/${made.reference}`)).body.data).toEqual(made)
  })
})

describe('deactivate', () => {
  test('200 once and again, with one event; an update activates it again', async () => {
    const { make, post, put, eventsOf } = await shop()
    const { reference, id } = await make()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => post(`${PATH}/${reference}/deactivate`)),
    )
    for (const { status, body } of all)
      expect([status, body.data.status]).toEqual([200, 'Inactive'])
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'subaccount.created',
      'subaccount.updated',
    ])
    const { body } = await put(`${PATH}/${reference}`, { active: true })
    expect(body.data.status).toBe('Active')
    expect(await eventsOf(id)).toHaveLength(3)
  })
})

describe('list', () => {
  async function filled() {
    const own = await shop()
    const names = ['Bola', 'ada', 'Çelik', 'Ada', 'Zed 50%_']
    const made: { id: number; reference: string; account_number: string }[] = []
    for (const [i, business_name] of names.entries()) {
      const account_number = `012345678${i}`
      made.push(await own.make({ business_name, account_number, percentage_charge: 10 - i }))
    }
    const listed = async (query: Record<string, string> = {}) => {
      const all = { page: '1', limit: '10', sort: 'ASC', sortKey: 'createdAt', ...query }
      const { status, body } = await own.get(`${PATH}/all?${new URLSearchParams(all)}`)
      expect([status, body.errors]).toEqual([200, undefined])
      return {
        body,
        found: body.data.map(({ id }: { id: number }) => made.findIndex((m) => m.id === id)),
      }
    }
    return { ...own, made, listed }
  }

  test('200 sorts by each key, both ways', async () => {
    const { listed, made } = await filled()
    for (const sortKey of ['createdAt', 'id']) {
      expect((await listed({ sortKey })).found).toEqual([0, 1, 2, 3, 4])
      expect((await listed({ sortKey, sort: 'desc' })).found).toEqual([4, 3, 2, 1, 0])
    }
    const sortKey = 'percentage_charge'
    expect((await listed({ sortKey })).found).toEqual([4, 3, 2, 1, 0])
    const byName = (await listed({ sortKey: 'business_name' })).found
    expect(byName.filter((i: number) => i !== 2)).toEqual([1, 3, 0, 4])
    const back = (await listed({ sortKey: 'business_name', sort: 'DESC' })).found
    expect(back).toEqual([...byName].reverse())
    const { body } = await listed()
    expect(body.data[0]).toMatchObject({ ...made[0], status: 'Active' })
  })

  test('200 pages, and is empty beyond the end', async () => {
    const { listed } = await filled()
    const first = await listed({ limit: '2' })
    expect(first.found).toEqual([0, 1])
    expect(first.body.meta).toEqual({
      total: 5,
      totalIsExact: true,
      page: 1,
      limit: 2,
      pageCount: 3,
      hasNext: true,
      hasPrevious: false,
    })
    const last = await listed({ limit: '2', page: '3' })
    expect([last.found, last.body.meta.hasNext]).toEqual([[4], false])
    const beyond = await listed({ limit: '2', page: '9' })
    expect([beyond.found, beyond.body.meta.total]).toEqual([[], 5])
  })

  test('200 finds parts of name, number and code, in any case', async () => {
    const { listed, made, put } = await filled()
    const code = made[2]!.reference
    const cases: [string, number[]][] = [
      ['ada', [1, 3]],
      ['A', [0, 1, 2, 3, 4]],
      ['çel', [2]],
      ['ÇELIK', [2]],
      ['50%', [4]],
      ['0%_', [4]],
      ['%%', []],
      ['0123456783', [3]],
      ['12345678', [0, 1, 2, 3, 4]],
      ['6784', [4]],
      [code, [2]],
      [code.toLowerCase(), [2]],
      [code.slice(2, 16), [2]],
      [code.slice(0, 15), [2]],
      ['acct_', [0, 1, 2, 3, 4]],
      ['  bola  ', [0]],
      ['   ', [0, 1, 2, 3, 4]],
      ['bola\n012', []],
      ['nobody', []],
    ]
    for (const [searchString, expected] of cases) {
      const { found, body } = await listed({ searchString })
      expect([searchString, found]).toEqual([searchString, expected])
      expect(body.meta.total).toBe(expected.length)
    }
    await put(`${PATH}/${code}`, { business_name: 'Renamed', account_number: '9999999999' })
    expect((await listed({ searchString: 'çel' })).found).toEqual([])
    expect((await listed({ searchString: 'renam' })).found).toEqual([2])
    expect((await listed({ searchString: '999999' })).found).toEqual([2])
  })

  test('200 shows nothing of another business, nor of the other mode', async () => {
    const { live } = await filled()
    const other = await shop()
    for (const caller of [live, other]) {
      for (const search of ['', '&searchString=ada', '&searchString=a']) {
        const { body } = await caller.get(
          `${PATH}/all?page=1&limit=10&sort=ASC&sortKey=id${search}`,
        )
        expect([body.data, body.meta.total]).toEqual([[], 0])
      }
    }
  })

  test.each([
    ['page', ''],
    ['page', 'page=0'],
    ['page', 'page=1.5'],
    ['page', 'page=one'],
    ['page', 'page=1&page=2'],
    ['limit', ''],
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['sort', ''],
    ['sort', 'sort=up'],
    ['sortKey', ''],
    ['sortKey', 'sortKey=bank'],
    ['searchString', `searchString=${'x'.repeat(101)}`],
  ])('400 names %s: %s', async (name, given) => {
    const right: Record<string, string> = { page: '1', limit: '10', sort: 'ASC', sortKey: 'id' }
    delete right[name]
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/all?${new URLSearchParams(right)}&${given}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [name]])
  })

  test('200 counts up to 10,000, finds the common and the rare among them', async () => {
    const { get, make, businessId } = await shop()
    const needle = await make({ ...fields, business_name: 'Needle', percentage_charge: 50 })
    await db.run`
      insert into subaccounts (business_id, live, id, reference, status, business_name,
        account_number, charge_basis_points, currency, created_at, updated_at)
      select ${businessId}, false, 1000000000 + n, 'ACCT_fill' || n, 'Active',
        case when n % 5000 = 0 then 'Rare ' else 'Straw ' end || n,
        lpad(n::text, 10, '0'), n % 10000, 'NGN', ${clock.now()}, ${clock.now()}
      from generate_series(1, 10100) n`
    await db.run`
      insert into search_texts (business_id, live, id, kind, text, pieces)
      select ${businessId}, false, 1000000000 + n, 'subaccount', case when n % 5000 = 0 then 'rare ' else 'straw ' end || n, '{}'
      from generate_series(1, 10100) n`
    const listed = async (search: string, more = '') => {
      const query = `page=1&limit=3&sort=DESC&sortKey=id&searchString=${search}${more}`
      const { body } = await get(`${PATH}/all?${query}`)
      return body
    }
    for (let i = 0; i < 2; i++) {
      const { meta, data } = await listed('')
      expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
      expect(data[0].id).toBe(1_000_010_100)
    }
    const common = await listed('straw')
    expect(common.meta).toMatchObject({ total: 10_000, totalIsExact: false })
    expect(common.data[0].business_name).toBe('Straw 10100')
    const rare = await listed('needle')
    expect([rare.meta.total, rare.data[0].reference]).toEqual([1, needle.reference])
  })
})
