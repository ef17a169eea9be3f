import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../../test/harness.ts'

const PATH = '/api/payment-service/external/v1/products'

const server = await startServer({ jobs: false })
const { db } = server

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (body: object = {}) =>
    (await caller.post(`${PATH}/create-product`, { name: 'Shirt', price: 1, ...body })).body.data
  const list = (query = '') => caller.get(`${PATH}/get-products${query}`)
  const namesOf = async (query: string) => {
    const { status, body } = await list(query)
    expect([query, status]).toEqual([query, 200])
    return body.data.map(({ name }: { name: string }) => name)
  }
  return { ...caller, businessId, make, list, namesOf, live: server.as(keys.liveSecret) }
}

describe('list', () => {
  test('200 newest first, in pages, whole records', async () => {
    const { make, list, live } = await shop()
    const made: { productId: string }[] = []
    for (const name of ['One', 'Two', 'Three']) made.push(await make({ name, quantity: 2 }))
    const { status, body } = await list('/?page=1&limit=2')
    expect(status).toBe(200)
    expect(body.data).toEqual([made[2], made[1]])
    expect(body.meta).toEqual({
      total: 3,
      totalIsExact: true,
      page: 1,
      limit: 2,
      pageCount: 2,
      hasNext: true,
      hasPrevious: false,
    })
    expect((await list('?page=2&limit=2')).body.data).toEqual([made[0]])
    expect((await list('?sort=asc')).body.data).toEqual(made)
    expect((await list('?page=9')).body).toMatchObject({ data: [], meta: { total: 3 } })
    expect((await live.get(`${PATH}/get-products`)).body.data).toEqual([])
  })

  test('200 filters by status, by type and by both, ignoring case', async () => {
    const { make, namesOf, list } = await shop()
    await make({ name: 'a', status: 'Draft' })
    await make({ name: 'b', type: 'digital' })
    await make({ name: 'c', status: 'Draft', type: 'digital' })
    await make({ name: 'd', type: 'service', status: 'Archived' })
    expect(await namesOf('?status=draft')).toEqual(['c', 'a'])
    expect(await namesOf('?type=DIGITAL&sort=ASC')).toEqual(['b', 'c'])
    expect(await namesOf('?status=Draft&type=digital')).toEqual(['c'])
    expect(await namesOf('?status=Active&type=service')).toEqual([])
    expect((await list('?status=Draft&limit=1')).body.meta).toMatchObject({
      total: 2,
      hasNext: true,
    })
  })

  test('200 searches parts of name and SKU, also with a filter, and whole references', async () => {
    const { make, namesOf } = await shop()
    const { reference } = await make({ name: '100% Àdìrẹ_cotton', sku: 'ADR-100' })
    await make({ name: 'ÀDÌRẸ silk', sku: 'SLK-7', status: 'Draft' })
    await make({ name: 'Plain', sku: 'PLN' })
    expect(await namesOf(`?search=${encodeURIComponent('àdìrẹ')}`)).toEqual([
      'ÀDÌRẸ silk',
      '100% Àdìrẹ_cotton',
    ])
    expect(await namesOf(`?search=${encodeURIComponent(' 0% À ')}`)).toEqual(['100% Àdìrẹ_cotton'])
    expect(await namesOf('?search=_')).toEqual(['100% Àdìrẹ_cotton'])
    expect(await namesOf('?search=slk-7&status=Draft')).toEqual(['ÀDÌRẸ silk'])
    expect(await namesOf('?search=slk-7&status=Active')).toEqual([])
    expect(await namesOf('?search=adr-100')).toEqual(['100% Àdìrẹ_cotton'])
    expect(await namesOf(`?search=${reference}`)).toEqual(['100% Àdìrẹ_cotton'])
    expect(await namesOf(`?search=${reference}&status=Draft`)).toEqual([])
    expect(await namesOf('?search=%20')).toHaveLength(3)
    expect(await namesOf('?search=xylophone')).toEqual([])
  })

  test.each([
    ['Ωμέγα ΣΟΦΟΣ', ['σοφος', 'σοφοσ', 'ΣΟΦΟΣ']],
    ['Diyarbakır İpek', ['ipek', 'İPEK', 'diyarbakır i']],
    ['École'.normalize('NFD'), ['école', 'ÉCOLE'.normalize('NFD')]],
    ['ÀDÌRẸ STRASSE ẞ', ['strasse ß', 'àdìrẹ']],
  ])('200 finds %s by its own name, however it is written', async (name, others) => {
    const { make, list } = await shop()
    await make({ name })
    await make({ name, options: [{ name: 'Size', values: ['S'] }] })
    await make({ name: 'Other' })
    const found = async (text: string) =>
      (await list(`?search=${encodeURIComponent(text)}&sort=asc`)).body.data.length
    // First as one of few, then as one of many, which are found in another way.
    for (const text of [name, ...others]) expect([text, await found(text)]).toEqual([text, 2])
    const more = Array.from({ length: 120 }, (_, i) => make({ name: `${name} ${i}` }))
    await Promise.all(more)
    for (const text of [name, ...others]) expect([text, await found(text)]).toEqual([text, 20])
  })

  test('200 searches among products that have the status and type now', async () => {
    const { make, namesOf, put, post } = await shop()
    const { productId } = await make({ name: 'Qipao', type: 'digital' })
    await make({ name: 'Qi', status: 'Draft' })
    const found = async () => [
      await namesOf('?search=qi&status=Active'),
      await namesOf('?search=qi&status=Archived'),
      await namesOf('?search=qi&type=digital'),
      await namesOf('?search=qi&type=physical&status=Draft'),
    ]
    expect(await found()).toEqual([['Qipao'], [], ['Qipao'], ['Qi']])
    await post(`${PATH}/archive-product`, { productId })
    expect(await found()).toEqual([[], ['Qipao'], ['Qipao'], ['Qi']])
    await put(`${PATH}/update-product-details`, { productId, type: 'physical', status: 'Draft' })
    expect(await found()).toEqual([[], [], [], ['Qi', 'Qipao']])
  })

  test('200 finds none of another business', async () => {
    const { make } = await shop()
    const { reference } = await make({ name: 'Secret', sku: 'SECRET-1' })
    const { namesOf } = await shop()
    for (const search of ['secret', 'SECRET-1', reference]) {
      expect(await namesOf(`?search=${search}`)).toEqual([])
    }
  })

  test('200 counts up to 10,000, and fewer after deletions', async () => {
    const { list, post, businessId } = await shop()
    await db.run`
      insert into products (business_id, live, id, reference, slug, name, price_minor, currency,
        type, status, created_at, updated_at)
      select ${businessId}, false, 5000000 + n, 'PRD_' || n, 'slug-' || n, 'Product ' || n, 100,
        'NGN', 'physical', 'Active', ${new Date()}, ${new Date()}
      from generate_series(1, 10002) n`
    // A connection that searched while there were few products would read them all for each search.
    await asOwner(server.name, (client) =>
      client.query(`
        insert into stock_items (business_id, live, id, product_id, tracked, on_hand)
        select business_id, live, id, id, false, 0 from products
        where business_id = ${businessId}`),
    )
    const total = async (query: string) => {
      const { meta } = (await list(query)).body
      return [meta.total, meta.totalIsExact]
    }
    for (const query of ['', '?status=Active', '?status=Active&type=physical']) {
      expect(await total(query)).toEqual([10_000, false])
    }
    for (const productId of [5000001, 5000002]) {
      expect((await post(`${PATH}/delete-product`, { productId })).status).toBe(200)
    }
    // The cached total of so short a list expires within a millisecond.
    for (const query of ['', '?status=Active', '?status=Active&type=physical']) {
      expect(await total(query)).toEqual([10_000, true])
    }
  })

  test.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['sort=up', 'sort'],
    ['status=Gone', 'status'],
    ['type=virtual', 'type'],
    ['search=a&search=b', 'search'],
    [`search=${'x'.repeat(101)}`, 'search'],
  ])('400 for %s names it', async (query, field) => {
    const { list } = await shop()
    const { status, body } = await list(`?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})
