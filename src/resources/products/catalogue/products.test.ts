import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'

const PATH = '/api/payment-service/external/v1/products'
const PLAIN = '/api/payment-service/v1/products'

const server = await startServer({ sweepers: false })
const { db } = server

const shirt = { name: 'Ankara shirt', price: 1500.5 }

/** A business of its own for each test. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (body: object = {}) => {
    const made = await caller.post(`${PATH}/create-product`, { ...shirt, ...body })
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const update = (body: object) => caller.put(`${PATH}/update-product-details`, body)
  const details = (query: string) => caller.get(`${PATH}/get-product-details?${query}`)
  const eventsOf = (productId: string) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${Number(productId)} order by sequence`
  const typesOf = async (productId: string) => (await eventsOf(productId)).map(({ type }) => type)
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from products where business_id = ${businessId}`
    ).n
  const reserve = (itemId: string | number, quantity: number) => db.run`
    update stock_items set reserved = ${quantity} where id = ${Number(itemId)}`
  const live = server.as(keys.liveSecret)
  return {
    ...caller,
    live,
    businessId,
    make,
    update,
    details,
    eventsOf,
    typesOf,
    count,
    reserve,
  }
}

describe('create', () => {
  test('200 keeps names composed, so that what looks the same is the same', async () => {
    const { make, post, put, update } = await shop()
    const [ecole, elan, ete] = ['École', 'Élan', 'Été'].map((text) => text.normalize('NFC')) as [
      string,
      string,
      string,
    ]
    const apart = (text: string) => text.normalize('NFD')
    const options = [{ name: apart(ecole), values: [apart(elan)] }]
    const { productId, ...made } = await make({ name: apart(ecole), sku: apart(ete), options })
    expect([made.name, made.sku, made.options[0]]).toMatchObject([
      ...[ecole, ete, { name: ecole, values: [{ value: elan }] }],
    ])
    const { optionId, values } = made.options[0]
    const { optionVariantId } = values[0]
    expect((await update({ productId, name: apart(ete) })).body.data.name).toBe(ete)
    await put(`${PLAIN}/update-product-option-details`, { productId, optionId, name: apart(ete) })
    const value = { productId, optionId, optionVariantId, value: apart(ecole) }
    await put(`${PLAIN}/update-product-option-variant`, value)
    const fee = { productId, location: apart(elan), fees: '1' }
    for (const path of ['add', 'update', 'delete']) {
      const send = path === 'update' ? put : post
      const sent = path === 'delete' ? { productId, location: fee.location } : fee
      const { status, body } = await send(`${PATH}/${path}-delivery-fees`, sent)
      expect([path, status, body.data?.location]).toEqual([
        ...[path, 200, path === 'add' ? undefined : elan],
      ])
    }
    const more = { productId, optionId, value: apart(ete) }
    const { body } = await post(`${PLAIN}/add-product-option-variant`, more)
    expect(body.data.options[0]).toMatchObject({
      name: ete,
      values: [{ value: ecole }, { value: ete }],
    })
  })

  test('200 answers the whole record and stores it with its stock, event and text', async () => {
    const { post, businessId, eventsOf } = await shop()
    const { status, body } = await post(`${PATH}/create-product/`, {
      ...shirt,
      description: 'Two lines\nof text',
      sku: 'ANK-1',
      quantity: 12,
      lowStockThreshold: 3,
      metadata: { colour: 'blue' },
      unknown: true,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      message: 'Product created.',
      data: {
        productId: expect.stringMatching(/^\d+$/),
        reference: expect.stringMatching(/^PRD_[0-9A-Za-z]{20}$/),
        name: 'Ankara shirt',
        slug: 'ankara-shirt',
        description: 'Two lines\nof text',
        price: 1500.5,
        priceMinor: 150050,
        currency: 'NGN',
        type: 'physical',
        sku: 'ANK-1',
        status: 'Active',
        tracked: true,
        quantity: 12,
        reserved: 0,
        available: 12,
        sold: 0,
        lowStockThreshold: 3,
        media: [],
        options: [],
        variants: [],
        deliveryFees: [],
        digitalFiles: [],
        url: null,
        metadata: { colour: 'blue' },
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: body.data.createdAt,
      },
    })
    const { productId } = body.data
    expect(
      await db.one`
      select p.price_minor, p.event_sequence, s.tracked, s.on_hand, s.low_stock_threshold, t.text
      from products p join stock_items s using (business_id, live, id)
        join search_texts t using (business_id, live, id)
      where p.business_id = ${businessId}`,
    ).toEqual({
      price_minor: 150050n,
      event_sequence: 1,
      tracked: true,
      on_hand: 12,
      low_stock_threshold: 3,
      text: 'ankara shirt\nank-1',
    })
    const [event, ...others] = await eventsOf(productId)
    expect([event?.type, event?.sequence, others]).toEqual(['product.created', 1, []])
    expect(JSON.parse(event!.data)).toEqual(body.data)
  })

  test('200 takes a price of 0 as text, a type, a status and stock that is not counted', async () => {
    const { make } = await shop()
    const extra = { price: '0.00', type: 'digital', status: 'Draft', slug: 'free-e-book' }
    expect(await make(extra)).toMatchObject({
      ...{ price: 0, priceMinor: 0, type: 'digital', status: 'Draft', slug: 'free-e-book' },
      ...{ tracked: false, quantity: 0, available: 0 },
    })
    expect(await make({ quantity: 4, tracked: false })).toMatchObject({ tracked: false })
    expect(await make({ quantity: 0 })).toMatchObject({ tracked: true, quantity: 0 })
  })

  test('200 makes a slug of any name, and another one when it is taken', async () => {
    const { make } = await shop()
    const names = ['Àdìrẹ  & Ọjà!', 'X', 'متجر', `${'long '.repeat(30)}end`]
    const slugs: string[] = []
    for (const name of names) slugs.push((await make({ name })).slug)
    const long = `${'long-'.repeat(13)}`.slice(0, 64)
    expect(slugs).toEqual(['adire-oja', 'product-x', 'product', long])
    expect((await make({ name: 'ADIRE OJA' })).slug).toMatch(/^adire-oja-[0-9a-z]{6}$/)
    expect((await make({ name: names[3] })).slug).toMatch(/^[a-z-]{57}-[0-9a-z]{6}$/)
  })

  test('200 in both families; 404 for nothing of it in the other mode or business', async () => {
    const { make, live, get, post } = await shop()
    const { productId, slug } = await make()
    const plain = await post(`${PLAIN}/create-product`, { ...shirt, slug: 'plain-shirt' })
    expect(plain.status).toBe(200)
    const other = await shop()
    for (const family of [PATH, PLAIN]) {
      expect((await get(`${family}/get-product-details/?productId=${productId}`)).status).toBe(200)
      expect((await live.get(`${family}/get-product-details?slug=${slug}`)).status).toBe(404)
      const theirs = await other.get(`${family}/get-product-details?productId=${productId}`)
      const nobodys = await other.get(`${family}/get-product-details?productId=99999999`)
      expect([theirs.status, theirs.body.errorCode]).toEqual([404, 'product_not_found'])
      expect(nobodys.body.message).toBe(theirs.body.message)
    }
  })

  test('200 repeats its answer for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const headers = { 'idempotency-key': 'one-shirt' }
    const first = await post(`${PATH}/create-product`, shirt, headers)
    const again = await post(`${PLAIN}/create-product/`, shirt, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await post(`${PATH}/create-product`, { ...shirt, price: 1 }, headers)
    expect([other.status, await count()]).toEqual([422, 1])
  })

  test('200 repeats a change whose price is spelt otherwise', async () => {
    const { make, put } = await shop()
    const { productId, variants } = await make({ options: [{ name: 'Size', values: ['M'] }] })
    const { variantId } = variants[0]
    for (const [name, named] of [
      ['update-product-details', { productId }],
      ['update-product-variant-details', { productId, variantId }],
    ] as const) {
      const headers = { 'idempotency-key': name }
      const path = `${name.includes('variant') ? PLAIN : PATH}/${name}`
      const first = await put(path, { ...named, price: 12.5 }, headers)
      const again = await put(path, { ...named, price: '12.50' }, headers)
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
      expect((await put(path, { ...named, price: 12.51 }, headers)).status).toBe(422)
    }
  })

  test('400 says of a price below nothing that it must not be', async () => {
    const { post } = await shop()
    const { status, body } = await post(`${PATH}/create-product`, { ...shirt, price: -1 })
    expect([status, body.errors]).toEqual([400, { price: ['must not be negative'] }])
  })

  test('409 for a slug that is taken; nothing is stored', async () => {
    const { make, post, count, live } = await shop()
    await make({ slug: 'shirt' })
    const taken = await post(`${PATH}/create-product`, { ...shirt, slug: 'shirt' })
    expect([taken.status, taken.body.errorCode]).toEqual([409, 'slug_taken'])
    expect(taken.body.errors).toHaveProperty('slug')
    expect(await count()).toBe(1)
    expect((await live.post(`${PATH}/create-product`, { ...shirt, slug: 'shirt' })).status).toBe(
      200,
    )
  })

  test.each([
    [{ name: undefined }, 'name'],
    [{ price: undefined }, 'price'],
    [{ name: '' }, 'name'],
    [{ name: ' \u00a0 ' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'NUL \u0000' }, 'name'],
    [{ name: 'gpj.\u202etrihs' }, 'name'],
    [{ name: '\u200b' }, 'name'],
    [{ name: ' \u3164 ' }, 'name'],
    [{ name: '\u200d\u2800' }, 'name'],
    [{ sku: '\u00ad' }, 'sku'],
    [{ options: [{ name: '\u115f', values: ['x'] }] }, 'options.0.name'],
    [{ options: [{ name: 'Size', values: ['\u200b\u200c'] }] }, 'options.0.values.0'],
    [{ name: 'mark \u200f' }, 'name'],
    [{ name: 'isolate \u2067' }, 'name'],
    [{ name: 'half \ud800' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ price: -1 }, 'price'],
    [{ price: 1.005 }, 'price'],
    [{ price: '1,000' }, 'price'],
    [{ price: 1e21 }, 'price'],
    [{ price: 100_000_000_000.01 }, 'price'],
    [{ price: null }, 'price'],
    [{ currency: 'XXQ' }, 'currency'],
    [{ type: 'Physical' }, 'type'],
    [{ status: 'Deleted' }, 'status'],
    [{ quantity: -1 }, 'quantity'],
    [{ quantity: 1.5 }, 'quantity'],
    [{ quantity: '5' }, 'quantity'],
    [{ quantity: 1_000_000_001 }, 'quantity'],
    [{ lowStockThreshold: -1 }, 'lowStockThreshold'],
    [{ tracked: 'true' }, 'tracked'],
    [{ sku: 'a/b\tc' }, 'sku'],
    [{ sku: 'x'.repeat(65) }, 'sku'],
    [{ description: 'x'.repeat(5001) }, 'description'],
    [{ slug: 'a/b' }, 'slug'],
    [{ slug: 'Shirt' }, 'slug'],
    [{ slug: '-ab' }, 'slug'],
    [{ slug: 'ab' }, 'slug'],
    [{ slug: 'x'.repeat(65) }, 'slug'],
    [{ metadata: [] }, 'metadata'],
    [{ options: [] }, 'options'],
  ])('400 for %j names the field; nothing is stored', async (wrong, field) => {
    const { post, count } = await shop()
    const refused = await post(`${PATH}/create-product`, { ...shirt, ...wrong })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toEqual([field])
    expect(await count()).toBe(0)
  })

  test('200 names with slashes, quotes and emoji are kept as they are', async () => {
    const { make, details } = await shop()
    const name = `../../a "b" 'c' \\ {d,e} 👩‍🍳 é ﷽`
    const { productId } = await make({ name, sku: '../{"x"}' })
    const { data } = (await details(`productId=${productId}`)).body
    expect([data.name, data.sku]).toEqual([name, '../{"x"}'])
  })

  test('200 for 200 of one name at once, each with a slug of its own', async () => {
    const { make, businessId } = await shop()
    const made = await Promise.all(Array.from({ length: 200 }, () => make()))
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(200)
    const { n } = await db.one<{ n: number }>`
      select count(distinct slug) as n from products where business_id = ${businessId}`
    expect(n).toBe(200)
  })

  test('409 for all but one of 20 at once that want one slug', async () => {
    const { post, count } = await shop()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        post(
          `${PATH}/create-product`,
          { ...shirt, slug: 'only-one' },
          i % 2 ? { 'idempotency-key': `${i}` } : {},
        ),
      ),
    )
    const statuses = all.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    expect(await count()).toBe(1)
  })
})

describe('details', () => {
  test('200 by id as digits, or by slug', async () => {
    const { make, details } = await shop()
    const made = await make()
    const byId = await details(`productId=${made.productId}`)
    expect(byId.body).toEqual({ status: 'success', message: 'Product.', data: made })
    expect((await details(`slug=${made.slug}`)).body).toEqual(byId.body)
  })

  test('400 for both, neither, twice, or what is no id', async () => {
    const { make, details } = await shop()
    const { productId, slug } = await make()
    const queries = ['', `productId=${productId}&slug=${slug}`, 'productId=x', 'productId=1e3']
    for (const query of [...queries, 'productId=', 'productId=1&productId=2', 'productId=-1']) {
      const refused = await details(query)
      expect([query, refused.status, Object.keys(refused.body.errors)]).toEqual([
        query,
        400,
        ['productId'],
      ])
    }
  })
})

describe('update', () => {
  test('200 changes what is given, finds it by its new name, and tells of it once', async () => {
    const { make, update, get, typesOf, details } = await shop()
    const made = await make({ description: 'Old', sku: 'OLD', metadata: { a: 1 }, quantity: 5 })
    const change = { name: 'Straße', price: '12.50', type: 'service', slug: 'strasse' }
    const cleared = { description: null, sku: null, metadata: null }
    const changed = await update({ productId: Number(made.productId), ...change, ...cleared })
    expect(changed.status).toBe(200)
    expect(changed.body.data).toEqual({
      ...made,
      ...change,
      ...cleared,
      price: 12.5,
      priceMinor: 1250,
      updatedAt: expect.not.stringMatching(made.updatedAt),
    })
    expect((await details('slug=strasse')).body.data).toEqual(changed.body.data)
    const found = async (search: string) =>
      (await get(`${PATH}/get-products?search=${encodeURIComponent(search)}`)).body.meta.total
    expect([await found('STRASSE'), await found('Straß'), await found('ankara')]).toEqual([0, 1, 0])
    expect(await found('old')).toBe(0)
    expect(await typesOf(made.productId)).toEqual(['product.created', 'product.updated'])
  })

  test('200 for what it has already changes and tells nothing', async () => {
    const { make, update, typesOf } = await shop()
    const made = await make({ metadata: { a: 1, b: 2 }, quantity: 5 })
    const { productId, name, price, slug, quantity } = made
    const same = { productId, name, price, slug, quantity, metadata: { b: 2, a: 1 } }
    expect((await update(same)).body.data).toEqual(made)
    expect((await update({ productId })).body.data).toEqual(made)
    expect(await typesOf(productId)).toEqual(['product.created'])
  })

  test('200 a quantity has it counted from then on; tracked:false ends that', async () => {
    const { make, update } = await shop()
    const { productId } = await make()
    const stock = async (body: object) => {
      const { tracked, quantity, lowStockThreshold } = (await update({ productId, ...body })).body
        .data
      return [tracked, quantity, lowStockThreshold]
    }
    expect(await stock({ quantity: 7 })).toEqual([true, 7, null])
    expect(await stock({ tracked: false })).toEqual([false, 7, null])
    expect(await stock({ lowStockThreshold: 2 })).toEqual([false, 7, 2])
    expect(await stock({ tracked: true, lowStockThreshold: null })).toEqual([true, 7, null])
  })

  test('200 tells of little and of none once each, and again after it was more', async () => {
    const { make, update, eventsOf } = await shop()
    const { productId, reference, slug } = await make({
      quantity: 5,
      lowStockThreshold: 2,
      sku: 'A',
    })
    for (const quantity of [3, 2, 1, 0, 9, 0]) {
      expect((await update({ productId, quantity })).status).toBe(200)
    }
    const events = await eventsOf(productId)
    expect(events.map(({ type }) => type.replace('product.', ''))).toEqual([
      ...['created', 'updated', 'updated', 'low_stock', 'updated', 'updated', 'out_of_stock'],
      ...['updated', 'updated', 'out_of_stock'],
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    expect(JSON.parse(events[3]!.data)).toEqual({
      productId,
      variantId: null,
      reference,
      status: 'Active',
      name: shirt.name,
      sku: 'A',
      quantity: 2,
      reserved: 0,
      available: 2,
      lowStockThreshold: 2,
    })
    expect(slug).toBe('ankara-shirt')
  })

  test('409 for a quantity below what buyers have put aside, and for ending to count', async () => {
    const { make, update, reserve, details } = await shop()
    const { productId } = await make({ quantity: 5 })
    await reserve(productId, 3)
    const refused = await update({ productId, quantity: 2, name: 'Not this' })
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'stock_reserved'])
    expect(Object.keys(refused.body.errors)).toEqual(['quantity'])
    const ended = await update({ productId, tracked: false })
    expect([ended.status, Object.keys(ended.body.errors)]).toEqual([409, ['tracked']])
    const { data } = (await details(`productId=${productId}`)).body
    expect([data.name, data.quantity, data.available]).toEqual([shirt.name, 5, 2])
    expect((await update({ productId, quantity: 3 })).body.data.available).toBe(0)
  })

  test('409 for a slug of another product, for another currency', async () => {
    const { make, update } = await shop()
    await make({ slug: 'taken' })
    const { productId } = await make()
    const slug = await update({ productId, slug: 'taken' })
    expect([slug.status, slug.body.errorCode]).toEqual([409, 'slug_taken'])
    const currency = await update({ productId, currency: 'USD' })
    expect([currency.status, currency.body.errorCode]).toEqual([409, 'currency_fixed'])
    expect((await update({ productId, currency: 'NGN' })).status).toBe(200)
  })

  test('200 leaves the last of twenty changes at once, each told of', async () => {
    const { make, update, eventsOf, businessId } = await shop()
    const { productId } = await make({ quantity: 1 })
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        update({ productId, quantity: i + 2, ...(i % 2 && { price: i }) }),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    const events = await eventsOf(productId)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    expect(events).toHaveLength(21)
    const found = await runAudit(db, allChecks)
    expect(found.filter((one) => one.businessId === businessId)).toEqual([])
  })

  test.each([
    [{ price: '1e3' }, 'price'],
    [{ price: true }, 'price'],
    [{ price: -0.01 }, 'price'],
    [{ price: 1.001 }, 'price'],
    [{ name: null }, 'name'],
    [{ name: '\u2066x' }, 'name'],
    [{ status: 'Gone' }, 'status'],
    [{ slug: 'a_b' }, 'slug'],
    [{ quantity: 0.5 }, 'quantity'],
    [{ quantity: -3 }, 'quantity'],
    [{ quantity: null }, 'quantity'],
    [{ productId: 'abc' }, 'productId'],
    [{ productId: 1.5 }, 'productId'],
    [{ productId: null }, 'productId'],
    [{ productId: undefined }, 'productId'],
  ])('400 for %j names the field; nothing changes', async (wrong, field) => {
    const { make, update, details } = await shop()
    const made = await make({ quantity: 5 })
    const refused = await update({ productId: made.productId, ...wrong })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]])
    expect((await details(`productId=${made.productId}`)).body.data).toEqual(made)
  })
})

describe('archive and delete', () => {
  test('200 archives once, and makes it Active again', async () => {
    const { make, post, update, typesOf } = await shop()
    const { productId } = await make()
    const archive = async (body: object) =>
      (await post(`${PATH}/archive-product`, { productId, ...body })).body.data.status
    expect([await archive({}), await archive({ archived: true })]).toEqual(['Archived', 'Archived'])
    expect([await archive({ archived: false }), await archive({ archived: false })]).toEqual([
      'Active',
      'Active',
    ])
    expect((await update({ productId, status: 'Archived' })).body.data.status).toBe('Archived')
    expect(await typesOf(productId)).toEqual([
      ...['product.created', 'product.archived', 'product.updated', 'product.archived'],
    ])
    const wrong = await post(`${PATH}/archive-product`, { productId, archived: 'yes' })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['archived']])
  })

  test('200 deletes it for everybody, frees its slug and keeps its row; then 404', async () => {
    const { make, post, get, details, typesOf, businessId } = await shop()
    const made = await make({ quantity: 2 })
    const { productId, slug } = made
    const deleted = await post(`${PATH}/delete-product`, { productId })
    expect(deleted.status).toBe(200)
    expect(deleted.body.data).toMatchObject({
      ...made,
      status: 'Deleted',
      updatedAt: expect.any(String),
    })

    const again = await post(`${PATH}/delete-product`, { productId })
    expect([again.status, again.body.errorCode]).toEqual([404, 'product_not_found'])
    expect((await details(`productId=${productId}`)).status).toBe(404)
    expect((await details(`slug=${slug}`)).status).toBe(404)
    for (const query of ['', '?search=ankara', '?status=Active', `?search=${made.reference}`]) {
      expect((await get(`${PATH}/get-products${query}`)).body.meta.total).toBe(0)
    }
    expect((await make()).slug).toBe(slug)
    expect(await typesOf(productId)).toEqual(['product.created', 'product.deleted'])
    expect(
      await db.one`
      select name from products where business_id = ${businessId} and id = ${Number(productId)}`,
    ).toEqual({ name: shirt.name })
  })

  test('404 for one that was deleted, is unknown or another’s, wherever an id is taken', async () => {
    const { make, post, put, get } = await shop()
    const { productId: gone } = await make()
    await post(`${PATH}/delete-product`, { productId: gone })
    const { productId: theirs } = await (await shop()).make()
    const { count, businessId } = await shop()
    for (const productId of [gone, theirs, '0', 99_999_999, '9007199254740991']) {
      const tried = [
        await put(`${PATH}/update-product-details`, { productId, name: 'Mine' }),
        await put(`${PATH}/update-product-details`, { productId, quantity: 1 }),
        await post(`${PATH}/archive-product`, { productId }),
        await post(`${PATH}/delete-product`, { productId }),
        await post(`${PLAIN}/duplicate-product`, { productId }),
        await get(`${PATH}/get-product-details?productId=${productId}`),
        await get(`${PLAIN}/get-product-inventory-details?productId=${productId}`),
      ]
      expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
        tried.map(() => '404 product_not_found'),
      )
    }
    expect([await count(), businessId > 0]).toEqual([0, true])
  })

  test('200 for one of twenty deletions at once', async () => {
    const { make, post, typesOf } = await shop()
    const { productId } = await make()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => post(`${PATH}/delete-product`, { productId })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 404)).toHaveLength(19)
    expect(await typesOf(productId)).toEqual(['product.created', 'product.deleted'])
  })
})

describe('duplicate', () => {
  test('200 copies it as a Draft of which there is nothing', async () => {
    const { make, post, get, businessId, typesOf } = await shop()
    const options = [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Red', 'Blue'] },
    ]
    const extra = { quantity: 9, lowStockThreshold: 1, sku: 'A', metadata: { a: 1 }, options }
    const made = await make({ ...extra, description: 'Fine', slug: 'the-shirt' })
    const { productId } = made
    await db.run`
      insert into delivery_fees (business_id, live, id, product_id, location, fee_minor, currency,
        created_at, updated_at)
      values (${businessId}, false, 1, ${Number(productId)}, 'Lagos', 100, 'NGN', ${new Date()},
        ${new Date()})`
    const { status, body } = await post(`${PLAIN}/duplicate-product`, { productId })
    expect(status).toBe(200)
    const copy = body.data
    expect(copy).toMatchObject({
      ...{ name: 'Ankara shirt (copy)', slug: 'ankara-shirt-copy', status: 'Draft' },
      ...{ description: 'Fine', sku: 'A', metadata: { a: 1 }, price: made.price },
      ...{ tracked: true, quantity: 0, lowStockThreshold: 1 },
    })
    const shape = ({ options, variants }: typeof made) => [
      options.map((one: { name: string; values: { value: string }[] }) => [
        one.name,
        one.values.map(({ value }) => value),
      ]),
      variants.map(({ optionValues }: { optionValues: object }) => optionValues),
    ]
    expect(shape(copy)).toEqual(shape(made))
    const ids = (one: typeof made) =>
      one.variants.map((variant: { variantId: number }) => variant.variantId)
    expect(new Set([...ids(copy), ...ids(made)]).size).toBe(8)
    expect(await typesOf(copy.productId)).toEqual(['product.created'])
    expect(await typesOf(productId)).toEqual(['product.created'])
    const fees = await db.many`
      select location, fee_minor from delivery_fees
      where business_id = ${businessId} and product_id = ${Number(copy.productId)}`
    expect(fees).toEqual([{ location: 'Lagos', fee_minor: 100n }])

    const named = await post(`${PLAIN}/duplicate-product`, { productId, name: 'Another' })
    expect(named.body.data).toMatchObject({ name: 'Another', slug: 'another' })
    const twice = await post(`${PLAIN}/duplicate-product`, { productId })
    expect(twice.body.data.slug).toMatch(/^ankara-shirt-copy-[0-9a-z]{6}$/)
    const long = await make({ name: `${'x'.repeat(192)}👩‍🍳` })
    const cut = await post(`${PLAIN}/duplicate-product`, { productId: long.productId })
    expect([cut.status, cut.body.data.name.length <= 200]).toEqual([200, true])
    expect((await get(`${PATH}/get-products?search=copy`)).body.meta.total).toBe(3)
  })

  test('404 in the external family', async () => {
    const { make, post } = await shop()
    const { productId } = await make()
    const { status, body } = await post(`${PATH}/duplicate-product`, { productId })
    expect([status, body.errorCode]).toEqual([404, 'route_not_found'])
  })
})

describe('slugExist', () => {
  test('200 says whether it is there, and suggests free ones when it is', async () => {
    const { make, post, live } = await shop()
    const ask = async (slug: unknown) => (await post(`${PATH}/slugExist`, { slug })).body.data
    expect(await ask('ankara-shirt')).toEqual({ exists: false, available: true, suggestions: [] })
    const { productId } = await make()
    await make({ slug: 'ankara-shirt-2' })
    expect(await ask('ankara-shirt')).toEqual({
      ...{ exists: true, available: false },
      suggestions: ['ankara-shirt-3', 'ankara-shirt-4', 'ankara-shirt-5'],
    })
    expect(await ask('Ankara Shirt')).toMatchObject({
      ...{ exists: false, available: false },
      suggestions: ['ankara-shirt-3', 'ankara-shirt-4', 'ankara-shirt-5'],
    })
    const elsewhere = await live.post(`${PLAIN}/slugExist/`, { slug: 'ankara-shirt' })
    expect(elsewhere.body.data.available).toBe(true)
    await post(`${PATH}/delete-product`, { productId })
    expect((await ask('ankara-shirt')).available).toBe(true)
  })

  test('400 without one, or with no text', async () => {
    const { post } = await shop()
    for (const body of [{}, { slug: 5 }, { slug: '' }, { slug: 'a\u0000b' }]) {
      const refused = await post(`${PATH}/slugExist`, body)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['slug']])
    }
  })
})

describe('inventory', () => {
  test('200 in both families, with what is put aside and how low it is', async () => {
    const { make, get, reserve } = await shop()
    const { productId, reference } = await make({ quantity: 5, lowStockThreshold: 2, sku: 'A' })
    await reserve(productId, 3)
    for (const family of [PATH, PLAIN]) {
      const { status, body } = await get(
        `${family}/get-product-inventory-details?productId=${productId}`,
      )
      expect([status, body.data]).toEqual([
        200,
        {
          ...{ productId, reference, status: 'Active', sku: 'A', tracked: true, onHand: 5 },
          ...{ reserved: 3, available: 2, sold: 0, lowStockThreshold: 2, lowStock: true },
          ...{ inStock: true, variants: [] },
        },
      ])
    }
    const free = await make()
    const { data } = (
      await get(`${PATH}/get-product-inventory-details?productId=${free.productId}`)
    ).body
    expect([data.tracked, data.inStock, data.lowStock]).toEqual([false, true, false])
  })

  test('400 without productId', async () => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/get-product-inventory-details`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['productId']])
  })
})
