import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { newName, openShop, PATH, SERVICE } from './split-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('create', () => {
  test('201 derives a slug from the name, and returns the record', async () => {
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

  test('201 stores all given fields, including shares', async () => {
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

  test('409 for a slug of any page on the server; one of ten concurrent requests succeeds', async () => {
    const slug = 'wanted-by-many'
    const all = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { post } = await shop()
        return untilDone(() => post(PATH, { name: newName(), slug }))
      }),
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
    ['slug', 'ab'],
    ['slug', 'Upper'],
    ['slug', '-ab'],
    ['slug', 'ab-'],
    ['slug', 'a b'],
    ['slug', 'x'.repeat(65)],
    ['slug', 'checkout'],
    ['splitType', 'half'],
    ['category', 'true'],
    ['status', 1],
    ['status', 'Active'],
    ['currency', 'naira'],
    ['currency', 'XXQ'],
    ['currency', 'USD'],
    ['feeBearer', 'nobody'],
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
    ['two', (subaccount) => [{ subaccount, share: 1, shere: 2 }], ['subaccounts.0.shere']],
    [
      'the same subaccount twice',
      (subaccount) => [
        { subaccount, share: 1 },
        { sub_account_id: subaccount, share: 2 },
      ],
      ['subaccounts.1.sub_account_id'],
    ],
    ['101 %', (subaccount) => [{ subaccount, share: 101 }], ['subaccounts']],
  ])('400 for shares with %s, and nothing is created', async (_, subaccounts, names) => {
    const { post, subaccount, count } = await shop()
    const code = await subaccount()
    const { status, body } = await post(PATH, { name: newName(), subaccounts: subaccounts(code) })
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, names])
    expect(await count()).toBe(0)
  })

  test('404 and 409 for a subaccount that cannot get shares, and nothing is created', async () => {
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

  test('201 repeats its response for the same Idempotency-Key; 422 for another request', async () => {
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
