import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { newName, openShop, PATH } from './split-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

const of = (subaccount: string) => ({ name: newName(), subaccounts: [{ subaccount, share: 5 }] })

/** As created by an earlier version, which allowed any currency. */
async function inDollars<T extends { id: number }>(page: T): Promise<T> {
  await db.transaction(
    (tx) => tx.run`update split_pages set currency = 'USD' where id = ${page.id}`,
  )
  return page
}

describe('get and update', () => {
  test('200 changes the given fields, and sends one event', async () => {
    const { make, put, seen, eventsOf } = await shop()
    const made = await make({ name: newName() })
    const change = {
      name: 'Another Name',
      status: false,
      category: true,
      splitType: 'fixed',
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

  test('200 changes the slug and frees the old one; 409 for a taken slug', async () => {
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

  test('409 for a new type or currency while it has shares', async () => {
    const { make, put, post, subaccount, seen } = await shop()
    const code = await subaccount()
    const dollars = await inDollars(await make(of(code)))
    const { status, body } = await put(`${PATH}/${dollars.id}`, {
      splitType: 'fixed',
      currency: 'NGN',
    })
    expect([status, body.errorCode, Object.keys(body.errors).sort()]).toEqual([
      409,
      'split_page_shared',
      ['currency', 'splitType'],
    ])
    const made = await make(of(code))
    expect((await put(`${PATH}/${made.id}`, { splitType: 'percentage' })).status).toBe(200)
    expect(await seen(made.id)).toEqual(made)
    await post(`${PATH}/${made.id}/subaccount/remove`, { subaccount: code })
    expect((await put(`${PATH}/${made.id}`, { splitType: 'fixed' })).status).toBe(200)
  })

  test('400 for a currency that no channel accepts; 200 for its current one', async () => {
    const { make, put, seen } = await shop()
    const made = await make({ name: newName() })
    for (const currency of ['USD', 'XXQ']) {
      const { status, body } = await put(`${PATH}/${made.id}`, { currency, name: 'Not this' })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['currency']])
    }
    expect(await seen(made.id)).toEqual(made)
    const { id } = await inDollars(made)
    const kept = await put(`${PATH}/${id}`, { currency: 'usd', name: 'Another Name' })
    expect([kept.status, kept.body.data.currency]).toEqual([200, 'USD'])
    const back = await put(`${PATH}/${id}`, { currency: 'NGN' })
    expect([back.status, back.body.data.currency]).toEqual([200, 'NGN'])
  })

  test('201 or 200, never both, for a new share and a new type at once', async () => {
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

  test('400 for an invalid id; 404 for an unknown one, another business or mode', async () => {
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
