import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { newName, openShop, PATH } from './split-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => openShop(server)

describe('list', () => {
  async function filled() {
    const own = await shop()
    const code = await own.subaccount()
    const given = [
      { name: `Alpha ${newName()}` },
      { name: `beta ${newName()}`, status: false },
      {
        name: `Gamma ${newName()}`,
        splitType: 'fixed',
        subaccounts: [{ subaccount: code, share: 9 }],
      },
      { name: `Delta ${newName()}`, category: true },
      { name: `Épsilon ${newName()}`, category: true, splitType: 'fixed', status: false },
    ]
    const made: { id: number; reference: string }[] = []
    for (const one of given) made.push(await own.make(one))
    const listed = async (query: Record<string, string> = {}) => {
      const all = { page: '1', limit: '10', sort: 'ASC', ...query }
      const { status, body } = await own.get(`${PATH}/all?${new URLSearchParams(all)}`)
      expect([status, body.errors]).toEqual([200, undefined])
      const found = body.data.map(({ id }: { id: number }) => made.findIndex((m) => m.id === id))
      return { body, found }
    }
    return { ...own, made, listed }
  }

  test('200 with an empty list', async () => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/all?page=1&limit=20&sort=ASC`)
    expect([status, body.status, body.data, body.meta.total]).toEqual([200, 'success', [], 0])
  })

  test('200 sorts, pages and filters', async () => {
    const { listed, made } = await filled()
    const whole = await listed()
    expect(whole.found).toEqual([0, 1, 2, 3, 4])
    expect(whole.body.data).toEqual(made)
    const cases: [Record<string, string>, number[]][] = [
      [{ sort: 'desc' }, [4, 3, 2, 1, 0]],
      [{ status: 'true' }, [0, 2, 3]],
      [{ status: 'false', sort: 'DESC' }, [4, 1]],
      [{ splitType: 'percentage' }, [0, 1, 3]],
      [{ splitType: 'fixed' }, [2, 4]],
      [{ category: 'true' }, [3, 4]],
      [{ category: 'false', status: 'true' }, [0, 2]],
      [{ category: 'true', status: 'false', splitType: 'fixed' }, [4]],
      [{ category: 'true', status: 'false', splitType: 'percentage' }, []],
      [{ searchString: 'ALPHA' }, [0]],
      [{ searchString: 'épsil' }, [4]],
      [{ searchString: 'a' }, [0, 1, 2, 3, 4]],
      [{ searchString: 'a', category: 'true' }, [3, 4]],
      [{ searchString: 'delta', status: 'true' }, [3]],
      [{ searchString: 'delta', status: 'false' }, []],
      [{ searchString: made[2]!.reference }, [2]],
      [{ searchString: made[2]!.reference.slice(0, 9) }, [2]],
      [{ searchString: 'epsilon-page' }, [4]],
      [{ searchString: 'nobody' }, []],
    ]
    for (const [query, expected] of cases) {
      const { found, body } = await listed(query)
      expect([query, found, body.meta.total]).toEqual([query, expected, expected.length])
    }
    const second = await listed({ status: 'true', limit: '2', page: '2' })
    expect([second.found, second.body.meta.hasNext, second.body.meta.total]).toEqual([
      [3],
      false,
      3,
    ])
  })

  test('200 without pages of another business or the other mode', async () => {
    const { live } = await filled()
    for (const caller of [live, await shop()]) {
      for (const more of ['', '&status=true', '&searchString=alpha', '&searchString=a']) {
        const { body } = await caller.get(`${PATH}/all?page=1&limit=10&sort=ASC${more}`)
        expect([body.data, body.meta.total]).toEqual([[], 0])
      }
    }
  })

  test.each([
    ['page', ''],
    ['page', 'page=0'],
    ['limit', ''],
    ['limit', 'limit=101'],
    ['sort', ''],
    ['sort', 'sort=sideways'],
    ['status', 'status=Active'],
    ['status', 'status=true&status=false'],
    ['splitType', 'splitType=half'],
    ['category', 'category=books'],
    ['searchString', `searchString=${'x'.repeat(101)}`],
  ])('400 names %s: %s', async (name, given) => {
    const right: Record<string, string> = { page: '1', limit: '10', sort: 'ASC' }
    delete right[name]
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/all?${new URLSearchParams(right)}&${given}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [name]])
  })

  test('200 counts up to 10,000, even with a filter, and finds common and rare texts', async () => {
    const { get, make, businessId } = await shop()
    const needle = await make({ name: `Needle ${newName()}` })
    await db.run`
      insert into split_pages (business_id, live, id, reference, name, slug, active, split_type,
        category, currency, created_at, updated_at)
      select ${businessId}, false, 1000000000 + n, 'SPL_fill' || n, 'Straw ' || n, 'straw-' || n,
        n % 3 > 0, 'percentage', n % 2 = 0, 'NGN', ${clock.now()}::timestamptz - n * interval '1 s',
        ${clock.now()}
      from generate_series(1, 16000) n`
    await db.run`
      insert into search_texts (business_id, live, id, kind, text, pieces)
      select ${businessId}, false, 1000000000 + n, 'split_page', 'straw ' || n, '{}'
      from generate_series(1, 16000) n`
    const listed = async (more: string) =>
      (await get(`${PATH}/all?page=1&limit=3&sort=ASC${more}`)).body
    for (const more of [
      '',
      '',
      '&status=true',
      '&searchString=straw',
      '&searchString=s&status=true',
    ]) {
      const { meta, data } = await listed(more)
      expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
      expect(data[0].slug).toBe('straw-16000')
    }
    expect((await listed('&status=false')).meta).toMatchObject({ total: 5_333, totalIsExact: true })
    const rare = await listed('&searchString=needle')
    expect([rare.meta.total, rare.data[0].reference]).toEqual([1, needle.reference])
    expect((await listed('&searchString=needle&category=true')).meta.total).toBe(0)
  })
})
