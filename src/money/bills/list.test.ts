import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { shopOn, UTILITY } from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const LIST = `${UTILITY}/transactions`
const HEAD =
  'reference,paymentReference,status,category,billerName,packageName,customerId,customerName,' +
  'currency,amount,fee,total,channel,phoneNumber,email,token,pins,failureReason,createdAt,' +
  'completedAt'

interface Listed {
  reference: string
  paymentReference: string
  status: string
  category: string
}

async function shop() {
  const made = await shopOn(server)
  const { get, buy, businessId } = made
  /** One after the other, each at a different time. */
  const bought = async (more: object = {}) => {
    clock.advance(1_000)
    const { status, body } = await buy(more)
    expect(status).toBe(200)
    return body.responseData as Listed & { customerName: string; createdAt: string }
  }
  const list = async (query = '') => {
    const { status, body } = await get(`${LIST}?${query}`)
    expect([status, body.message]).toEqual([200, 'Utility payments.'])
    return body as { data: Listed[]; meta: { total: number; hasNext: boolean } }
  }
  const found = async (query: string) =>
    (await list(query)).data.map(({ paymentReference }) => paymentReference)
  const lines = async (query = '') => {
    const { status, text } = await get(`${LIST}/export?${query}`)
    expect(status).toBe(200)
    const [head, ...rest] = text.trimEnd().split('\r\n')
    expect(head).toBe(HEAD)
    return rest
  }
  /** Inserts rows directly, because this many would take too long over HTTP. */
  const fill = (count: number) => db.run`
    insert into utility_payments
      (business_id, live, id, reference, payment_reference, fingerprint, status, amount_minor,
       fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
       biller_name, category, provider, created_at, updated_at)
    select ${businessId}, false, 3000000000 + n, 'UTL_' || n, 'mine-' || n,
      sha256('x'), 'Failed', 10000, 0, 'NGN', '080' || n, 'BOLA ADE', 'p', 'P', 'b', 'B',
      (array['airtime', 'data'])[1 + n % 2], 'test',
      ${clock.now()}::timestamptz + n / 10 * interval '1 millisecond', ${clock.now()}
    from generate_series(1, ${count}::integer) n`
  return { ...made, bought, list, found, lines, fill }
}

describe('GET utility/transactions', () => {
  test('200 lists payments newest first, with the same records as the single read', async () => {
    const { bought, list, payment, found } = await shop()
    await bought({ paymentReference: 'first' })
    const second = await bought({ paymentReference: 'second', amount: 700 })
    const { data, meta } = await list()
    expect(data.map(({ paymentReference }) => paymentReference)).toEqual(['second', 'first'])
    expect(data[0]).toEqual((await payment('second')).responseData)
    expect(data[0]!.reference).toBe(second.reference)
    expect(meta).toMatchObject({ total: 2, hasNext: false })
    expect(await found('limit=1')).toEqual(['second'])
    expect(await found('limit=1&page=2')).toEqual(['first'])
  })

  test('200 filters by state, category and days, and searches', async () => {
    const { bought, found, post } = await shop()
    const meter = { customerId: '04123456789', packageSlug: 'ikedc-prepaid', amount: 1_000 }
    const top = await bought({ paymentReference: 'top-up' })
    const light = await bought({ paymentReference: 'light', ...meter })
    expect((await post(`${UTILITY}/transactions/process-payment`, meter)).status).toBe(200)
    const [other] = await found('limit=1')
    const all = [other, 'light', 'top-up']
    expect(await found('status=successful')).toEqual(all)
    expect(await found('status=Failed')).toEqual([])
    expect(await found('category=electricity')).toEqual([other, 'light'])
    expect(await found('category=AIRTIME&status=Successful')).toEqual(['top-up'])
    expect(await found('startDate=2020-01-01')).toEqual(all)
    expect(await found('endDate=2020-01-01')).toEqual([])
    expect(await found('category=airtime&endDate=2020-01-01')).toEqual([])
    expect(await found('search=light')).toEqual(['light'])
    expect(await found(`search=${light.reference}`)).toEqual(['light'])
    expect(await found('search=0412')).toEqual([other, 'light'])
    expect(await found('search=0412&category=airtime')).toEqual([])
    const begins = top.customerName.slice(0, 5).toLowerCase()
    expect(await found(`search=${encodeURIComponent(begins)}`)).toContain('top-up')
    expect(await found('search=%25')).toEqual([])
    expect(await found('search=ligh')).toEqual([])
  })

  test('200 counts and pages through many, each exactly once', async () => {
    const { fill, list, found, lines } = await shop()
    await fill(2_500)
    expect((await list('limit=100')).meta).toMatchObject({ total: 2_500, hasNext: true })
    const pages = await Promise.all([1, 2, 3].map((page) => found(`limit=100&page=${page}`)))
    expect(pages.flat()).toEqual(Array.from({ length: 300 }, (_, i) => `mine-${2_500 - i}`))
    expect((await list('category=data')).meta.total).toBe(1_250)
    expect((await list('search=bola')).meta.total).toBe(2_500)
    expect((await list('search=08025')).meta.total).toBe(12)
    const all = await lines()
    expect(new Set(all.map((line) => line.split(',')[0])).size).toBe(2_500)
    expect(await lines('category=airtime&status=Failed')).toHaveLength(1_250)
  })

  test('200 exports what is listed, safe for spreadsheets', async () => {
    const { bought, lines, get } = await shop()
    const made = await bought({ paymentReference: 'one', customerName: '=1+1', channel: 'web' })
    const [line] = await lines('search=one')
    expect(line).toContain(`${made.reference},one,Successful,airtime,MTN Airtime,`)
    expect(line).toContain(",'=1+1,NGN,500.00,0.00,500.00,web,")
    const { headers } = await get(`${LIST}/export`)
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="utility-payments-\d{4}-\d\d-\d\d\.csv"$/,
    )
  })

  test('200 without payments of another business or the other mode; 401 without a key', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.bought()
    expect(await other.found('')).toEqual([])
    expect(await other.lines()).toEqual([])
    expect((await server.as(one.keys.liveSecret).get(LIST)).body.data).toEqual([])
    expect((await server.get(LIST, { authorization: '' })).status).toBe(401)
    expect((await server.get(`${LIST}/export`, { authorization: '' })).status).toBe(401)
  })

  test.each([
    ['status=Paid', 'status'],
    ['category=water', 'category'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['search=', 'search'],
    [`search=${'x'.repeat(101)}`, 'search'],
    ['limit=0', 'limit'],
    ['page=x', 'page'],
  ])('400 for %s', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${LIST}?${query}`)
    expect([status, body.error]).toEqual([400, true])
    expect(body.message).toContain(field)
  })
})
