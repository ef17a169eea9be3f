import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'

const REQUESTS = '/api/user-service/external/v1/requests'

const server = await startServer({ jobs: false })
const { get, as, db, clock } = server

interface Line {
  requestId: string
  status: number
}

/** A business with this many requests, the oldest first; every tenth one failed. */
async function withCalls(count: number) {
  const { businessId, keys } = await server.newBusiness()
  const now = clock.now()
  await db.run`
    insert into request_log (business_id, live, at, id, key_id, request_id, method, operation, url,
      duration_ms, status, replayed, truncated, bodies_dropped, ip, error_code)
    select ${businessId}, false, ${now}::timestamptz - make_interval(secs => (${count} - n) / 10),
      n, 1, 'req_made' || lpad(n::text, 8, '0'), case when n % 2 = 0 then 'GET' else 'POST' end,
      case when n % 100 = 0 then 'void_invoice' else 'list_invoices' end,
      '/api/payment-service/v1/invoices/INV_' || n, 5, case when n % 10 = 0 then 404 else 200 end,
      false, false, false, '127.0.0.1', case when n % 10 = 0 then 'invoice_not_found' end
    from generate_series(1, ${count}::int) as n`
  await asOwner(server.name, (client) => client.query('analyze request_log'))
  const call = as(keys.testSecret)
  const list = async (query = '') => {
    const { status, body } = await call.get(`${REQUESTS}?${query}`)
    expect([status, body.message]).toEqual([200, 'Requests retrieved.'])
    const lines: Line[] = body.data
    return { ...body.meta, lines, ids: lines.map(({ requestId }) => Number(requestId.slice(8))) }
  }
  return { list, businessId, now }
}

describe('the list', async () => {
  const COUNT = 25_000
  const { list, businessId, now } = await withCalls(COUNT)

  test('200 newest first, by cursor in both directions, while requests arrive', async () => {
    const first = await list('limit=3')
    expect(first.ids).toEqual([COUNT, COUNT - 1, COUNT - 2])
    expect(first).toMatchObject({ previous: null, hasMore: true })
    const second = await list(`limit=3&cursor=${first.next}`)
    expect(second.ids).toEqual([COUNT - 3, COUNT - 4, COUNT - 5])
    const back = await list(`limit=3&cursor=${second.previous}`)
    expect(back.ids).toEqual(first.ids)
  })

  test.each([
    ['status=404', (id: number) => id % 10 === 0],
    ['status=4xx', (id: number) => id % 10 === 0],
    ['status=2XX', (id: number) => id % 10 !== 0],
    ['status=200', (id: number) => id % 10 !== 0],
    ['method=post', (id: number) => id % 2 === 1],
    ['operation=void_invoice', (id: number) => id % 100 === 0],
    ['search=INVOICE_not', (id: number) => id % 10 === 0],
    ['search=INV_24995', (id: number) => id === 24_995],
    ['requestId=req_made00000007', (id: number) => id === 7],
    ['search=req_made00000007', (id: number) => id === 7],
    ['status=5xx', () => false],
    ['keyReference=KEY_none', () => false],
    ['idempotencyKey=none', () => false],
  ])('200 for %s lists exactly those', async (query, isMeant) => {
    const expected = Array.from({ length: COUNT }, (_, i) => COUNT - i).filter(isMeant)
    const found: number[] = []
    let page = await list(`limit=100&${query}`)
    let pages = 1
    for (;;) {
      found.push(...page.ids)
      if (!page.hasMore || found.length > 300) break
      pages++
      page = await list(`limit=100&${query}&cursor=${page.next}`)
    }
    expect(found.slice(0, 300)).toEqual(expected.slice(0, 300))
    // Three pages cover 10,000 lines; filters with enough matches need no empty pages.
    expect(pages).toBeLessThanOrEqual(5)
  })

  test('200 of a page at its scan limit continues from there, and back again', async () => {
    const first = await list('search=INV_300')
    expect(first.lines).toEqual([])
    expect(first).toMatchObject({ hasMore: true, previous: null })
    const second = await list(`search=INV_300&cursor=${first.next}`)
    expect(second.hasMore).toBe(true)
    const third = await list(`search=INV_300&cursor=${second.next}`)
    expect(third.ids).toContain(300)
    expect(third.hasMore).toBe(false)
    const back = await list(`search=INV_300&cursor=${third.previous}`)
    expect([back.ids, back.hasMore]).toEqual([[], true])
    expect((await list(`search=INV_300&cursor=${back.next}`)).ids).toEqual(third.ids)
  })

  test('200 between two moments', async () => {
    const at = (ago: number) => new Date(now.getTime() - ago * 1000).toISOString()
    const { ids } = await list(`startDate=${at(900)}&endDate=${at(600)}&limit=100&status=404`)
    expect(ids.length).toBe(100)
    for (const id of ids) {
      // Ten requests per second arrived.
      const ago = Math.floor((COUNT - id) / 10)
      expect(ago).toBeGreaterThanOrEqual(600)
      expect(ago).toBeLessThanOrEqual(900)
    }
  })

  test('200 uses an index for every filter', async () => {
    const plan = async (where: string) =>
      (
        await db.transaction(async (tx) => {
          const { rows } = await tx.query({
            text: `explain select * from request_log where business_id = ${businessId}
              and live = false ${where} order by at desc, id desc limit 10000`,
            values: [],
          })
          return rows.map((row) => Object.values(row)[0]).join('\n')
        })
      ).toString()
    expect(await plan('')).toContain('request_log_pkey')
    expect(await plan('and status >= 400')).toContain('request_log_failures')
    expect(await plan(`and request_id = 'x'`)).toContain('request_log_request')
    for (const where of ['', 'and status >= 400']) expect(await plan(where)).not.toContain('Seq')
  })
})

describe('invalid queries', () => {
  test.each([
    ['status=abc', 'status'],
    ['status=4x', 'status'],
    ['status=600', 'status'],
    ['method=DELETE', 'method'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=made-up', 'cursor'],
    ['startDate=yesterday', 'startDate'],
    ['startDate=2026-02-01&endDate=2026-01-01', 'startDate'],
    [`search=${'x'.repeat(201)}`, 'search'],
  ])('400 for %s names the field', async (query, field) => {
    const { status, body } = await get(`${REQUESTS}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('400 for the cursor of another list', async () => {
    const { list } = await withCalls(30)
    const { next } = await list('limit=5')
    const reply = await get(`${REQUESTS}?limit=5&cursor=${next}`)
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, ['cursor']])
  })
})
