import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { LIST, openPages } from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => openPages(server)

const DAY_MS = 86_400_000

async function filled() {
  const own = await shop()
  const given = [
    { title: 'Alpha', description: 'Shirts and shoes' },
    { title: 'beta', status: 'Unpublished' },
    { title: 'Gamma 100%_', description: 'About ALPHABETS\nand shoes' },
    { title: 'Épsilon', status: 'Unpublished', description: 'Shoes' },
  ]
  const made: { id: number; createdAt: string }[] = []
  for (const one of given) {
    made.push(await own.make(one))
    clock.advance(DAY_MS)
  }
  const listed = async (query: Record<string, string> = {}) => {
    const asked = `${LIST}?${new URLSearchParams({ sort: 'ASC', ...query })}`
    const { status, body } = await own.get(asked)
    expect([status, body.error]).toEqual([200, undefined])
    const found = body.data.map(({ id }: { id: number }) => made.findIndex((m) => m.id === id))
    return { body, found }
  }
  return { ...own, made, listed }
}

describe('list', () => {
  test('200 for an empty list', async () => {
    const { get } = await shop()
    const { status, body } = await get(LIST)
    expect([status, body.status, body.data, body.meta.total]).toEqual([200, 'success', [], 0])
  })

  test('200 sorts, pages, searches and filters', async () => {
    const { listed, made, put, get } = await filled()
    const whole = await listed()
    expect(whole.found).toEqual([0, 1, 2, 3])
    expect(whole.body.data).toEqual(made)
    expect((await get(LIST)).body.data.map(({ id }: { id: number }) => id)).toEqual(
      made.map(({ id }) => id).reverse(),
    )
    const dayOf = (i: number) => made[i]!.createdAt.slice(0, 10)
    const cases: [Record<string, string>, number[]][] = [
      [{ sort: 'desc' }, [3, 2, 1, 0]],
      [{ status: 'Published' }, [0, 2]],
      [{ status: 'Unpublished', sort: 'DESC' }, [3, 1]],
      [{ searchPageText: 'ALPHA' }, [0, 2]],
      [{ searchPageText: ' shoes ' }, [0, 2, 3]],
      [{ searchPageText: 'shoes', status: 'Unpublished' }, [3]],
      [{ searchPageText: 'épsil' }, [3]],
      [{ searchPageText: 'a' }, [0, 1, 2]],
      [{ searchPageText: '0%_' }, [2]],
      [{ searchPageText: 'a%a' }, []],
      [{ searchPageText: 'nobody' }, []],
      [{ searchPageText: ' ' }, [0, 1, 2, 3]],
      [{ startDate: made[1]!.createdAt }, [1, 2, 3]],
      [{ endDate: made[1]!.createdAt }, [0, 1]],
      [{ startDate: made[1]!.createdAt, endDate: made[2]!.createdAt }, [1, 2]],
      [{ startDate: made[1]!.createdAt, status: 'Published' }, [2]],
      [{ endDate: made[2]!.createdAt, searchPageText: 'alpha' }, [0, 2]],
      [{ startDate: made[1]!.createdAt, searchPageText: 'shoes' }, [2, 3]],
    ]
    for (const [query, expected] of cases) {
      const { found, body } = await listed(query)
      expect([query, found, body.meta.total]).toEqual([query, expected, expected.length])
    }
    expect((await listed({ startDate: '2020-01-01', endDate: dayOf(3) })).found).toContain(2)
    const second = await listed({ status: 'Published', limit: '1', page: '2' })
    expect([second.found, second.body.meta]).toMatchObject([
      [2],
      { total: 2, page: 2, limit: 1, pageCount: 2, hasNext: false, hasPrevious: true },
    ])
    await put('/api/payment-service/v1/payment-pages/update-page-details', {
      pageId: made[0]!.id,
      title: 'Omega',
      description: null,
    })
    expect((await listed({ searchPageText: 'shirts' })).found).toEqual([])
    expect((await listed({ searchPageText: 'omega' })).found).toEqual([0])
  })

  test('200 shows nothing of another business or of the other mode', async () => {
    const { live } = await filled()
    for (const caller of [live, await shop()]) {
      for (const query of ['', '?status=Published', '?searchPageText=alpha']) {
        const { body } = await caller.get(LIST + query)
        expect([body.data, body.meta.total]).toEqual([[], 0])
      }
    }
  })

  test.each([
    ['page', 'page=0'],
    ['page', 'page=one'],
    ['limit', 'limit=101'],
    ['sort', 'sort=sideways'],
    ['status', 'status=hidden'],
    ['status', 'status=Published&status=Unpublished'],
    ['startDate', 'startDate=yesterday'],
    ['startDate', 'startDate=2026-02-02&endDate=2026-02-01'],
    ['endDate', 'endDate=2026-02-30'],
    ['searchPageText', `searchPageText=${'x'.repeat(101)}`],
  ])('400 names %s: %s', async (field, query) => {
    const { get } = await shop()
    const { status, body } = await get(`${LIST}?${query}`)
    expect([status, Object.keys(body)]).toEqual([400, ['error', 'errorCode', 'requestId']])
    expect(body.error.split(' ')[0]).toBe(field)
  })

  test('200 counts up to 10,000, also with a filter, and finds common and rare terms', async () => {
    const { get, make, businessId } = await shop()
    const needle = await make({ title: 'Needle' })
    await db.run`
      insert into payment_pages (business_id, live, id, reference, title, status, custom_link,
        amount_type, currency, created_at, updated_at)
      select ${businessId}, false, 1000000000 + n, 'PAG_fill' || n, 'Straw ' || n,
        case when n % 3 > 0 then 'Published' else 'Unpublished' end, 'straw-' || n, 'variable',
        'NGN', ${clock.now()}::timestamptz - n * interval '1 s', ${clock.now()}
      from generate_series(1, 16000) n`
    // As the job \`plans\` does when a table has grown.
    db.replan()
    await db.run`
      insert into payment_page_counts (business_id, live, page_id)
      select ${businessId}, false, 1000000000 + n from generate_series(1, 16000) n`
    await db.run`
      insert into search_texts (business_id, live, id, kind, text, pieces)
      select ${businessId}, false, 1000000000 + n, 'payment_page', 'straw ' || n, '{}'
      from generate_series(1, 16000) n`
    const listed = async (more: string) => (await get(`${LIST}?limit=3&sort=ASC${more}`)).body
    for (const more of [
      '',
      '',
      '&status=Published',
      '&searchPageText=straw',
      '&startDate=2020-01-01',
    ]) {
      const { meta, data } = await listed(more)
      expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
      expect(data[0].customLink).toMatch(/^straw-1(6000|5999)$/)
    }
    const { meta } = await listed('&status=Unpublished')
    expect(meta).toMatchObject({ total: 5_333, totalIsExact: true })
    const rare = await listed('&searchPageText=needle')
    expect([rare.meta.total, rare.data[0].reference]).toEqual([1, needle.reference])
  })
})
