import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const PATH = '/api/payment-service/external/v1/invoices'

const server = await startServer({ jobs: false })
const START = server.clock.now()
const { db } = server

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const make = async (customerName: string | undefined, customerEmail = 'ada@example.com') => {
    const fields = { customerEmail, amount: 100, ...(customerName && { customerName }) }
    return (await post(PATH, fields)).body.data.reference as string
  }
  const found = async (search: string, more: Record<string, string> = {}) => {
    const { status, body } = await get(`${PATH}?${new URLSearchParams({ search, ...more })}`)
    expect(status).toBe(200)
    const rows = body.data.map(({ reference }: { reference: string }) => reference) as string[]
    return { rows, total: body.meta.total as number, meta: body.meta }
  }
  /**
   * Inserts rows directly, because this many would take long over HTTP. Their ids are far apart.
   */
  const fill = (count: number, status: string, name: string, from = 0) => db.run`
    with new as (
      insert into invoices
        (business_id, live, id, reference, token, status, customer_email, customer_name,
         amount_minor, paid_minor, currency, allow_partial_payment, event_sequence, paid_at,
         created_at, updated_at)
      select ${businessId}, false, 1000000000 + n * 1000, 'INV_' || n, 'x', ${status},
        'c' || n || '@fill.example', ${name}, 100, 0, 'NGN', false, 1,
        case when ${status} = 'Paid' then now() end, ${START}::timestamptz - n * interval '1 second', now()
      from generate_series(${from + 1}::integer, ${from + count}::integer) n
      returning business_id, live, id
    )
    insert into invoice_texts_due select * from new`
  return { get, post, make, found, fill, businessId }
}

const indexed = () => server.runJob('search-texts')

describe('search', () => {
  test.each(['before it is in the index', 'afterwards'])('200 finds it %s', async (when) => {
    const { make, found } = await shop()
    const ngozi = await make('Ngọzi Ẹniọlá', 'n.eniola+shop@Mail.example')
    const bare = await make(undefined, 'zz9@other.example')
    const odd = await make('50% off_\\ "quoted" 🎉 ÅÄÖ')
    if (when === 'afterwards') await indexed()

    const cases: [string, string[]][] = [
      ['ngọzi', [ngozi]],
      ['NGỌZI ẸNIỌLÁ', [ngozi]],
      ['ẹniọ', [ngozi]],
      ['ni', [ngozi]],
      ['ọ', [ngozi]],
      ['+shop@mail', [ngozi]],
      ['n.eniola+shop@mail.example', [ngozi]],
      ['zz9', [bare]],
      ['z9@', [bare]],
      ['other.ex', [bare]],
      ['50%', [odd]],
      ['0% off_\\', [odd]],
      ['%_', []],
      ['"quoted"', [odd]],
      ['🎉', [odd]],
      ['åäö', [odd]],
      ['ngozi', []],
      ['qqq', []],
      // A match does not run from the end of the name into the email address.
      ['lá\nn.en', []],
      ['example', [odd, bare, ngozi]],
      ['  zz9  ', [bare]],
    ]
    for (const [search, expected] of cases) {
      expect([search, (await found(search)).rows]).toEqual([search, expected])
    }
  })

  test('200 finds nothing of another business or of the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    const mine = await one.make('Uniquely Named')
    expect((await other.found('uniquely')).rows).toEqual([])
    await indexed()
    expect((await other.found('uniquely')).rows).toEqual([])
    expect((await one.found('uniquely')).rows).toEqual([mine])
  })

  test('200 pages, sorts and counts the matches', async () => {
    const { make, found } = await shop()
    const made: string[] = []
    for (let i = 0; i < 7; i++) {
      made.push(await make(i % 2 ? 'Odd One' : 'Even One'))
      if (i === 3) await indexed()
    }
    const page = await found('odd', { limit: '2', sort: 'asc' })
    expect(page.rows).toEqual([made[1], made[3]])
    expect(page.meta).toMatchObject({ total: 3, pageCount: 2, hasNext: true })
    const last = await found('odd', { limit: '2', sort: 'asc', page: '2' })
    expect(last.rows).toEqual([made[5]])
    const beyond = await found('odd', { limit: '2', page: '3' })
    expect([beyond.rows, beyond.total]).toEqual([[], 3])
  })

  test('200 filters the matches', async () => {
    const { make, post, found } = await shop()
    const [kept, voided] = [await make('Same Name'), await make('Same Name')]
    await indexed()
    await post(`${PATH}/${voided}/void`)
    expect((await found('same', { status: 'Void' })).rows).toEqual([voided])
    expect((await found('same', { status: 'Sent' })).rows).toEqual([kept])
    expect((await found('same', { status: 'Overdue' })).rows).toEqual([])
    expect((await found('same', { endDate: '2020-01-01' })).rows).toEqual([])
    expect(await found('same', { startDate: '2020-01-01' })).toMatchObject({ total: 2 })
  })

  test('200 filters a term that very many rows match', async () => {
    const { fill, found } = await shop()
    await fill(500, 'Paid', 'Rare')
    await fill(6_000, 'Paid', 'Crowd', 500)
    await fill(50, 'Draft', 'Crowd', 6_500)
    await indexed()
    expect(await found('crowd', { status: 'Paid', limit: '1' })).toMatchObject({
      total: 6_000,
      rows: ['INV_501'],
    })
    expect(await found('crowd', { status: 'Draft', limit: '1', sort: 'ASC' })).toMatchObject({
      total: 50,
      rows: ['INV_6550'],
    })
    expect((await found('crowd', { status: 'Void' })).total).toBe(0)
    expect((await found('crowd', { status: 'Overdue' })).total).toBe(0)
  })

  test('200 is in the index once, even when two servers fill it at once', async () => {
    const { fill, found, businessId } = await shop()
    await fill(3_000, 'Draft', 'Crowd')
    await Promise.all([indexed(), indexed(), indexed()])
    expect(
      await db.one`select (select count(*) from invoice_texts_due) as due,
        (select count(*) from invoice_texts where business_id = ${businessId}) as texts`,
    ).toEqual({ due: 0, texts: 3_000 })
    expect(await found('crowd')).toMatchObject({ total: 3_000 })
  })
})

describe('totals', () => {
  test('200 are exact up to 10,000 and say when they are not', async () => {
    const { get, fill, found, make } = await shop()
    const listed = async (query = '') => (await get(`${PATH}?limit=1&${query}`)).body
    await fill(9_999, 'Paid', 'Many Things')
    expect((await listed()).meta).toMatchObject({ total: 9_999, totalIsExact: true })
    await make('One More')
    expect((await listed()).meta).toMatchObject({ total: 10_000, totalIsExact: true })
    const last = await make('Yet Another')
    for (let i = 0; i < 3; i++) {
      const { meta, data } = await listed()
      expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, pageCount: 10_000 })
      expect(data[0].reference).toBe(last)
    }
    // The known total of all invoices is not used for a filtered list.
    expect((await listed('status=Paid')).meta).toMatchObject({ total: 9_999, totalIsExact: true })
    expect((await listed('status=Sent')).meta).toMatchObject({ total: 2, totalIsExact: true })
    await indexed()
    expect((await found('thing')).meta).toMatchObject({ total: 9_999, totalIsExact: true })
    await fill(2, 'Paid', 'Many Things', 9_999)
    for (const search of ['thing', 'g', 'ny thi']) {
      const { meta, rows } = await found(search, { limit: '3', sort: 'ASC' })
      expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
      expect(rows).toEqual(['INV_10001', 'INV_10000', 'INV_9999'])
    }
    expect((await found('thing', { status: 'Paid' })).meta).toMatchObject({ totalIsExact: false })
    expect((await found('thing', { status: 'Draft' })).meta).toMatchObject({ total: 0 })
  })
})
