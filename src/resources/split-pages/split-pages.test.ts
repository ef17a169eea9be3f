import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const SERVICE = '/api/transaction-service/external/v1'
const PATH = `${SERVICE}/split-page`

const server = await startServer({ sweepers: false })
const { db, clock } = server

/** A business of its own for each test. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const subaccount = async (more: object = {}) => {
    const fields = { business_name: 'Ngozi', account_number: '0123456789', percentage_charge: 5 }
    const { body } = await caller.post(`${SERVICE}/subaccounts`, { ...fields, ...more })
    return body.subaccount_code as string
  }
  const make = async (body: object = { name: 'Choir Dues' }) => {
    const made = await caller.post(PATH, body)
    expect([made.status, made.text]).toEqual([201, made.text])
    return made.body.data
  }
  const seen = async (id: number) => (await caller.get(`${PATH}/${id}`)).body.data
  const eventsOf = (id: number) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${id} order by sequence`
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from split_pages where business_id = ${businessId}`
    ).n
  const live = server.as(keys.liveSecret)
  return { ...caller, live, businessId, subaccount, make, seen, eventsOf, count }
}

let names = 0
/** Links are those of the whole server, and so of all tests. */
const newName = () => `Page Number ${++names}`

describe('create', () => {
  test('201 makes a slug of the name, and shows the record', async () => {
    const { post, seen, eventsOf } = await shop()
    const { status, body } = await post(PATH, { name: "Ọjà's  Café & Co" })
    expect(status).toBe(201)
    expect(body).toEqual({
      status: 'success',
      message: 'Split page created.',
      data: {
        reference: expect.stringMatching(/^SPL_[0-9A-Za-z]{20}$/),
        status: true,
        id: expect.any(Number),
        name: "Ọjà's  Café & Co",
        slug: 'oja-s-cafe-co',
        url: 'http://127.0.0.1/pay/oja-s-cafe-co',
        splitType: 'percentage',
        category: false,
        currency: 'NGN',
        feeBearer: null,
        subaccounts: [],
        totalShare: 0,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: body.data.createdAt,
      },
    })
    expect(await seen(body.data.id)).toEqual(body.data)
    const [event, ...others] = await eventsOf(body.data.id)
    expect(others).toEqual([])
    expect(event).toMatchObject({ type: 'split_page.created', sequence: 1 })
    expect(JSON.parse(event!.data)).toEqual(body.data)
  })

  test('201 takes everything that is given, shares included', async () => {
    const { make, subaccount, seen } = await shop()
    const [one, two] = [await subaccount(), await subaccount({ business_name: 'Tunde' })]
    const given = {
      name: newName(),
      slug: 'all-that-is-given',
      splitType: 'fixed',
      category: true,
      status: false,
      currency: 'NGN',
      feeBearer: 'subaccounts',
    }
    const made = await make({
      ...given,
      subaccounts: [
        { sub_account_id: two, shere: 5_000 },
        { subaccount: one, share: 700, shere: 700 },
      ],
    })
    expect(made).toMatchObject({ ...given, totalShare: 5_700 })
    expect(made.subaccounts).toEqual([
      { subaccount: one, share: 700, business_name: 'Ngozi' },
      { subaccount: two, share: 5_000, business_name: 'Tunde' },
    ])
    expect(await seen(made.id)).toEqual(made)
  })

  test('201 with a suffix when the slug of the name is taken, reserved or empty', async () => {
    const { make } = await shop()
    const name = newName()
    const first = await make({ name })
    const all = await Promise.all(
      Array.from({ length: 12 }, async () => (await shop()).make({ name })),
    )
    const slugs = all.map(({ slug }) => slug as string)
    expect(new Set([first.slug, ...slugs]).size).toBe(13)
    for (const slug of slugs) expect(slug).toMatch(new RegExp(`^${first.slug}-[0-9a-z]{7}$`))
    expect((await make({ name: 'Admin' })).slug).toMatch(/^admin-[0-9a-z]{7}$/)
    expect((await make({ name: '支付' })).slug).toMatch(/^page-[0-9a-z]{7}$/)
    expect((await make({ name: 'A' })).slug).toMatch(/^a-[0-9a-z]{7}$/)
    expect((await make({ name: 'x'.repeat(200) })).slug).toBe('x'.repeat(50))
  })

  test('409 for a slug that any page of the server has: of ten at once, one', async () => {
    const slug = 'wanted-by-many'
    const all = await Promise.all(
      Array.from({ length: 10 }, async () => (await shop()).post(PATH, { name: newName(), slug })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    const refused = all.find(({ status }) => status === 409)!
    expect([refused.body.errorCode, refused.body.errors]).toEqual([
      'link_taken',
      { slug: ['is taken'] },
    ])
    expect(await db.many`select link from page_links where link = ${slug}`).toHaveLength(1)
  })

  const bad: [string, unknown][] = [
    ['name', undefined],
    ['name', null],
    ['name', 5],
    ['name', ''],
    ['name', '  '],
    ['name', 'two\nlines'],
    ['name', 'x'.repeat(201)],
    ['slug', null],
    ['slug', 'ab'],
    ['slug', 'Upper'],
    ['slug', '-ab'],
    ['slug', 'ab-'],
    ['slug', 'a b'],
    ['slug', 'x'.repeat(65)],
    ['slug', 'checkout'],
    ['splitType', 'half'],
    ['splitType', null],
    ['category', 'true'],
    ['category', null],
    ['status', 1],
    ['status', 'Active'],
    ['currency', 'ngn'],
    ['currency', 'XXQ'],
    ['currency', null],
    ['feeBearer', 'nobody'],
    ['feeBearer', null],
    ['subaccounts', null],
    ['subaccounts', {}],
    ['subaccounts', Array(101).fill({ subaccount: 'ACCT_x', share: 1 })],
  ]
  test.each(bad)('400 names %s: %j', async (field, value) => {
    const { post, count } = await shop()
    const { status, body } = await post(PATH, { name: newName(), [field]: value })
    expect([status, body.status, Object.keys(body.errors)]).toEqual([400, 'error', [field]])
    expect(await count()).toBe(0)
  })

  test.each<[string, (code: string) => object[], string[]]>([
    ['no share', (subaccount) => [{ subaccount }], ['subaccounts.0.share']],
    ['no subaccount', () => [{ share: 1 }], ['subaccounts.0.subaccount']],
    ['nothing', () => [{}], ['subaccounts.0.share', 'subaccounts.0.subaccount']],
    ['share 0', (subaccount) => [{ subaccount, share: 0 }], ['subaccounts.0.share']],
    ['half a share', (subaccount) => [{ subaccount, share: 1.5 }], ['subaccounts.0.share']],
    ['a share as text', (subaccount) => [{ subaccount, shere: '5' }], ['subaccounts.0.shere']],
    ['two', (subaccount) => [{ subaccount, share: 1, shere: 2 }], ['subaccounts.0.share']],
    [
      'the same one twice',
      (subaccount) => [
        { subaccount, share: 1 },
        { sub_account_id: subaccount, share: 2 },
      ],
      ['subaccounts.1.subaccount'],
    ],
    ['101 %', (subaccount) => [{ subaccount, share: 101 }], ['subaccounts']],
  ])('400 for shares with %s, and nothing is there', async (_, subaccounts, names) => {
    const { post, subaccount, count } = await shop()
    const code = await subaccount()
    const { status, body } = await post(PATH, { name: newName(), subaccounts: subaccounts(code) })
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, names])
    expect(await count()).toBe(0)
  })

  test('404 and 409 for a subaccount that cannot be shared with, and nothing is there', async () => {
    const { post, live, subaccount, count } = await shop()
    const other = await (await shop()).subaccount()
    const good = await subaccount()
    const usd = await subaccount({ currency: 'USD' })
    const gone = await subaccount()
    await post(`${SERVICE}/subaccounts/${gone}/deactivate`)
    const refusal = async (code: string, caller = post) => {
      const name = newName()
      const shares = [good, code].map((subaccount) => ({ subaccount, share: 5 }))
      const { status, body } = await caller(PATH, { name, subaccounts: shares.slice(1) })
      expect(
        await db.many`select from page_links where link = ${name.replaceAll(' ', '-').toLowerCase()}`,
      ).toEqual([])
      return [status, body.errorCode]
    }
    expect(await refusal('ACCT_nothing')).toEqual([404, 'subaccount_not_found'])
    expect(await refusal(other)).toEqual([404, 'subaccount_not_found'])
    expect(await refusal(good, live.post)).toEqual([404, 'subaccount_not_found'])
    expect(await refusal(gone)).toEqual([409, 'subaccount_inactive'])
    expect(await refusal(usd)).toEqual([409, 'currency_mismatch'])
    expect(await count()).toBe(0)
  })

  test('201 repeats its answer for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const name = newName()
    const key = { 'idempotency-key': 'one' }
    const all = await Promise.all(Array.from({ length: 5 }, () => post(PATH, { name }, key)))
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await post(PATH, { name, category: false }, key)).text).toBe(all[0]!.text)
    expect((await post(PATH, { name, category: true }, key)).status).toBe(422)
    expect(await count()).toBe(1)
  })
})

describe('get and update', () => {
  test('200 changes what is given, and tells of it once', async () => {
    const { make, put, seen, eventsOf } = await shop()
    const made = await make({ name: newName() })
    const change = {
      name: 'Another Name',
      status: false,
      category: true,
      splitType: 'fixed',
      currency: 'USD',
      feeBearer: 'customer',
    }
    const { status, body } = await put(`${PATH}/${made.id}`, change)
    expect([status, body.data]).toEqual([
      200,
      { ...made, ...change, updatedAt: expect.stringMatching(/Z$/) },
    ])
    expect(await seen(made.id)).toEqual(body.data)
    expect((await put(`${PATH}/${made.id}`, change)).body.data).toEqual(body.data)
    const events = await eventsOf(made.id)
    expect(events.map(({ type }) => type)).toEqual(['split_page.created', 'split_page.updated'])
    expect(JSON.parse(events[1]!.data)).toEqual(body.data)
    expect((await put(`${PATH}/${made.id}`, { feeBearer: null })).body.data.feeBearer).toBe(null)
  })

  test('200 takes another slug and frees the old one; 409 for one that is taken', async () => {
    const { make, put, seen } = await shop()
    const [one, two] = [await make({ name: newName() }), await make({ name: newName() })]
    const taken = await put(`${PATH}/${one.id}`, { slug: two.slug, name: 'Not this' })
    expect([taken.status, taken.body.errorCode]).toEqual([409, 'link_taken'])
    expect(await seen(one.id)).toEqual(one)
    const moved = await put(`${PATH}/${one.id}`, { slug: 'moved-here' })
    expect(moved.body.data).toMatchObject({
      slug: 'moved-here',
      url: 'http://127.0.0.1/pay/moved-here',
    })
    expect((await put(`${PATH}/${two.id}`, { slug: one.slug })).status).toBe(200)
    const links = await db.many<{ link: string }>`
      select link from page_links where page_id in (${one.id}, ${two.id}) order by page_id`
    expect(links.map(({ link }) => link)).toEqual(['moved-here', one.slug])
  })

  test('409 for another type or currency while it has shares', async () => {
    const { make, put, post, subaccount, seen } = await shop()
    const code = await subaccount()
    const made = await make({ name: newName(), subaccounts: [{ subaccount: code, share: 5 }] })
    const { status, body } = await put(`${PATH}/${made.id}`, {
      splitType: 'fixed',
      currency: 'USD',
    })
    expect([status, body.errorCode, Object.keys(body.errors).sort()]).toEqual([
      409,
      'split_page_shared',
      ['currency', 'splitType'],
    ])
    expect((await put(`${PATH}/${made.id}`, { splitType: 'percentage' })).status).toBe(200)
    expect(await seen(made.id)).toEqual(made)
    await post(`${PATH}/${made.id}/subaccount/remove`, { subaccount: code })
    expect((await put(`${PATH}/${made.id}`, { splitType: 'fixed' })).status).toBe(200)
  })

  test('201 or 200, never both, of a share and another type at once', async () => {
    const { make, put, post, subaccount, seen } = await shop()
    const code = await subaccount()
    for (let i = 0; i < 10; i++) {
      const { id } = await make({ name: newName(), splitType: 'fixed' })
      const [added, changed] = await Promise.all([
        post(`${PATH}/${id}/subaccount/add`, { share: 5_000, subaccount: code }),
        put(`${PATH}/${id}`, { splitType: 'percentage' }),
      ])
      const outcome = [added.status, changed.status]
      expect([
        [201, 409],
        [400, 200],
      ]).toContainEqual(outcome)
      const { splitType, totalShare } = await seen(id)
      expect([splitType, totalShare]).toEqual(
        added.status === 201 ? ['fixed', 5_000] : ['percentage', 0],
      )
    }
  })

  test.each([
    ['name', null],
    ['name', ' '],
    ['slug', 'No'],
    ['slug', 'admin'],
    ['splitType', 'half'],
    ['category', 0],
    ['status', 'false'],
    ['currency', 'XXQ'],
    ['feeBearer', 'nobody'],
  ])('400 names %s: %j', async (field, value) => {
    const { make, put, seen } = await shop()
    const made = await make({ name: newName() })
    const { status, body } = await put(`${PATH}/${made.id}`, { [field]: value })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(await seen(made.id)).toEqual(made)
  })

  test('400 for an id that is none; 404 for one of nobody, another business or mode', async () => {
    const { make, get, put, live } = await shop()
    const other = await shop()
    const { id } = await make({ name: newName() })
    for (const none of ['x', '1.5', '0x10', '%20', '1-', 'x'.repeat(400)]) {
      for (const { status, body } of [await get(`${PATH}/${none}`), await put(`${PATH}/${none}`)]) {
        expect([none, status, Object.keys(body.errors)]).toEqual([none, 400, ['id']])
      }
    }
    const answers = [
      await get(`${PATH}/1`),
      await get(`${PATH}/-1`),
      await get(`${PATH}/9007199254740991`),
      await get(`${PATH}/9007199254740993`),
      await get(`${PATH}/${'9'.repeat(400)}`),
      await other.get(`${PATH}/${id}`),
      await live.get(`${PATH}/${id}`),
      await other.put(`${PATH}/${id}`, { name: 'Mine' }),
      await live.put(`${PATH}/${id}`, { name: 'Mine' }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errorCode]).toEqual([404, 'split_page_not_found'])
    }
    expect((await get(`${PATH.replace('external/', '')}/${id}/`)).status).toBe(200)
    expect((await get(`${PATH}/00${id}`)).body.data.id).toBe(id)
  })
})

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

  test('200 with nothing in it', async () => {
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

  test('200 shows nothing of another business, nor of the other mode', async () => {
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

  test('200 counts up to 10,000, with a filter too, finds the common and the rare', async () => {
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
