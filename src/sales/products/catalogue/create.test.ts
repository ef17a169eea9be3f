import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop, PATH, PLAIN, shirt } from './catalogue.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('create', () => {
  test('200 stores names composed, so that equal looks mean equal text', async () => {
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

  test('200 returns the whole record and stores it with its stock, event and search text', async () => {
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

  test('200 accepts a price of 0 as a string, a type, a status and untracked stock', async () => {
    const { make } = await shop()
    const extra = { price: '0.00', type: 'digital', status: 'Draft', slug: 'free-e-book' }
    expect(await make(extra)).toMatchObject({
      price: 0,
      priceMinor: 0,
      type: 'digital',
      status: 'Draft',
      slug: 'free-e-book',
      tracked: false,
      quantity: 0,
      available: 0,
    })
    expect(await make({ quantity: 4, tracked: false })).toMatchObject({ tracked: false })
    expect(await make({ quantity: 0 })).toMatchObject({ tracked: true, quantity: 0 })
  })

  test('200 derives a slug from any name, and another one if it is taken', async () => {
    const { make } = await shop()
    const names = ['Àdìrẹ  & Ọjà!', 'X', 'متجر', `${'long '.repeat(30)}end`]
    const slugs: string[] = []
    for (const name of names) slugs.push((await make({ name })).slug)
    const long = `${'long-'.repeat(13)}`.slice(0, 64)
    expect(slugs).toEqual(['adire-oja', 'product-x', 'product', long])
    expect((await make({ name: 'ADIRE OJA' })).slug).toMatch(/^adire-oja-[0-9a-z]{6}$/)
    expect((await make({ name: names[3] })).slug).toMatch(/^[a-z-]{57}-[0-9a-z]{6}$/)
  })

  test('200 in both families; 404 in the other mode and for another business', async () => {
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

  test('200 repeats its response for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const headers = { 'idempotency-key': 'one-shirt' }
    const first = await post(`${PATH}/create-product`, shirt, headers)
    const again = await post(`${PLAIN}/create-product/`, shirt, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await post(`${PATH}/create-product`, { ...shirt, price: 1 }, headers)
    expect([other.status, await count()]).toEqual([422, 1])
  })

  test('200 repeats its response to an update whose price is written differently', async () => {
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

  test('400 says that a price must not be negative', async () => {
    const { post } = await shop()
    const { status, body } = await post(`${PATH}/create-product`, { ...shirt, price: -1 })
    expect([status, body.errors]).toEqual([400, { price: ['must not be negative'] }])
  })

  test('409 for a taken slug, and stores nothing', async () => {
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
    [{ type: 'Virtual' }, 'type'],
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
  ])('400 for %j names the field and stores nothing', async (wrong, field) => {
    const { post, count } = await shop()
    const refused = await post(`${PATH}/create-product`, { ...shirt, ...wrong })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toEqual([field])
    expect(await count()).toBe(0)
  })

  test('200 keeps names with slashes, quotes and emoji as they are', async () => {
    const { make, details } = await shop()
    const name = `../../a "b" 'c' \\ {d,e} 👩‍🍳 é ﷽`
    const { productId } = await make({ name, sku: '../{"x"}' })
    const { data } = (await details(`productId=${productId}`)).body
    expect([data.name, data.sku]).toEqual([name, '../{"x"}'])
  })

  test('200 for 200 with one name at once, each with a separate slug', async () => {
    const { make, businessId } = await shop()
    const made = await Promise.all(Array.from({ length: 200 }, () => make()))
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(200)
    const { n } = await db.one<{ n: number }>`
      select count(distinct slug) as n from products where business_id = ${businessId}`
    expect(n).toBe(200)
  })

  test('409 for all but one of 20 simultaneous requests with one slug', async () => {
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

describe('duplicate', () => {
  test('200 copies it as a Draft without stock', async () => {
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
      name: 'Ankara shirt (copy)',
      slug: 'ankara-shirt-copy',
      status: 'Draft',
      description: 'Fine',
      sku: 'A',
      metadata: { a: 1 },
      price: made.price,
      tracked: true,
      quantity: 0,
      lowStockThreshold: 1,
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
