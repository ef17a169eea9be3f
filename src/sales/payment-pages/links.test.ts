import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { CREATE, DELETE, DETAILS, newTitle, openPages, PAGES } from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })
const shop = () => openPages(server)

const TRANSACTIONS = '/api/transaction-service/external/v1/payment-pages'

describe('links', () => {
  test('200 gives a hundred simultaneous pages with one title a hundred links', async () => {
    const { post } = await shop()
    const title = newTitle()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => post(CREATE, { title, amount: 5 })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const links = answers.map(({ body }) => body.data.customLink as string)
    expect(new Set(links).size).toBe(100)
    const base = title.toLowerCase().replaceAll(' ', '-')
    expect(links.filter((link) => link === base)).toHaveLength(1)
    for (const link of links) expect(link).toMatch(new RegExp(`^${base}(-[0-9a-z]{7})?$`))
  })

  test('200 adds a suffix if the link from the title is reserved or empty', async () => {
    const { make } = await shop()
    expect((await make({ title: 'Checkout' })).customLink).toMatch(/^checkout-[0-9a-z]{7}$/)
    expect((await make({ title: '商店' })).customLink).toMatch(/^page-[0-9a-z]{7}$/)
  })

  test('409 for all but one that request a link at once, also across businesses', async () => {
    const [one, two] = [await shop(), await shop()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one : two).post(CREATE, { title: newTitle(), customLink: 'wanted-by-all' }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(409)])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.errorCode).toBe('link_taken')
    expect((await one.count()) + (await two.count())).toBe(1)
  })

  test('409 for the link of a split page', async () => {
    const { post, splitPage } = await shop()
    await splitPage({ slug: 'choir-of-all' })
    const taken = await post(CREATE, { title: newTitle(), customLink: 'choir-of-all' })
    expect([taken.status, taken.body.errorCode]).toEqual([409, 'link_taken'])
  })

  test('200 says whether a link is available and suggests others', async () => {
    const { post, make } = await shop()
    const path = `${PAGES}/custom-link-check-exist`
    const check = async (customLink: string) => {
      const { status, body } = await post(path, { customLink })
      expect([status, body.status]).toEqual([200, 'success'])
      return body.data
    }
    const free = { exists: false, available: true, suggestions: [] }
    expect(await check('nobody-has-this')).toEqual(free)
    const { id } = await make({ customLink: 'somebody-has-this' })
    await make({ customLink: 'somebody-has-this-3' })
    const taken = {
      exists: true,
      available: false,
      suggestions: [2, 4, 5].map((end) => `somebody-has-this-${end}`),
    }
    expect(await check('somebody-has-this')).toEqual(taken)
    await post(DELETE, { pageId: id })
    expect(await check('somebody-has-this')).toEqual(taken)
    expect(await check('admin')).toEqual({
      exists: false,
      available: false,
      suggestions: ['admin-2', 'admin-3', 'admin-4'],
    })
    const long = 'x'.repeat(64)
    await make({ customLink: long })
    const { suggestions } = await check(long)
    expect(suggestions[0]).toBe(`${'x'.repeat(62)}-2`)
    for (const customLink of suggestions) await make({ customLink })
    const other = await shop()
    expect((await other.post(path, { customLink: long })).body.data.exists).toBe(true)
  })

  test.each([
    ['ab', 'page-ab'],
    ['Café Ada', 'cafe-ada'],
    ['a b c', 'a-b-c'],
  ])('200 suggests alternatives to %j, which cannot be a link', async (customLink, like) => {
    const { post } = await shop()
    const { status, body } = await post(`${PAGES}/custom-link-check-exist`, { customLink })
    expect([status, body.data]).toEqual([
      200,
      { exists: false, available: false, suggestions: [like, `${like}-2`, `${like}-3`] },
    ])
  })

  test.each([undefined, '', 7])('400 for the link %j', async (link) => {
    const { post } = await shop()
    const wrong = await post(`${PAGES}/custom-link-check-exist`, { customLink: link })
    expect([wrong.status, wrong.body.error.split(' ')[0]]).toEqual([400, 'customLink'])
  })
})

describe('URLs', () => {
  test('200 under both families and services, also with a trailing slash', async () => {
    const { post, get, count } = await shop()
    for (const path of [CREATE, TRANSACTIONS]) {
      for (const one of [path, path.replace('external/', ''), `${path}/`]) {
        expect((await post(one, { title: newTitle() })).status).toBe(200)
      }
    }
    expect(await count()).toBe(6)
    for (const path of [`${PAGES}/get-pages`, TRANSACTIONS]) {
      for (const one of [path, path.replace('external/', ''), `${path}/`]) {
        const { status, body } = await get(`${one}?limit=2`)
        expect([status, body.data.length, body.meta.total]).toEqual([200, 2, 6])
      }
    }
  })

  test('200 repeats its response for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const title = newTitle()
    const key = { 'idempotency-key': 'one' }
    const all = await Promise.all(Array.from({ length: 5 }, () => post(CREATE, { title }, key)))
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await post(CREATE, { title, status: 'Published' }, key)).text).toBe(all[0]!.text)
    // The other URL of the same operation.
    expect((await post(TRANSACTIONS, { title }, key)).text).toBe(all[0]!.text)
    const other = await post(CREATE, { title, color: '#000000' }, key)
    expect([other.status, Object.keys(other.body)[0]]).toEqual([422, 'error'])
    expect(await count()).toBe(1)
  })

  test('401 without a key, in the envelope of pages', async () => {
    for (const answer of [await server.as('').post(CREATE, {}), await server.as('').get(DETAILS)]) {
      expect([answer.status, typeof answer.body.error]).toEqual([401, 'string'])
    }
  })
})
