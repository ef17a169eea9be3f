import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { fields, openShop, PATH, withBank } from './subaccounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => openShop(server)

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

  test('404 for another business, the other mode and an unknown code', async () => {
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

  test('200 pages, with an empty page beyond the end', async () => {
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

  test('200 finds parts of the name and code, and the account number or its end', async () => {
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
      ['12345678', []],
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
    expect((await listed({ searchString: '9999' })).found).toEqual([2])
  })

  test('200 without subaccounts of another business or the other mode', async () => {
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

  test('200 counts up to 10,000, and finds common and rare texts', async () => {
    const { get, make, businessId } = await shop()
    const needle = await make({ ...fields, business_name: 'Needle', percentage_charge: 50 })
    await db.run`
      insert into subaccounts (business_id, live, id, reference, status, business_name,
        account_number_plain, charge_basis_points, currency, created_at, updated_at)
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
