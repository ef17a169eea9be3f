import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { CREATE, DELETE, DETAILS, newTitle, openPages, PAGES } from './testing.ts'

const server = await startServer({ sweepers: false })
const { db, clock } = server
const shop = () => openPages(server)

const TRANSACTIONS = '/api/transaction-service/external/v1/payment-pages'
const DAY_MS = 86_400_000
/** The smallest picture. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('create', () => {
  test('200 makes a link of the title, and shows the whole record', async () => {
    const { post, get, seen, eventsOf } = await shop()
    const { status, body } = await post(CREATE, { title: "Ọjà's  Café & Co" })
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Payment page created.',
        data: {
          id: expect.any(Number),
          pageId: body.data.id,
          reference: expect.stringMatching(/^PAG_[0-9A-Za-z]{20}$/),
          title: "Ọjà's  Café & Co",
          description: null,
          status: 'Published',
          customLink: 'oja-s-cafe-co',
          url: 'http://127.0.0.1/pay/oja-s-cafe-co',
          amountType: 'variable',
          amount: null,
          amountMinor: null,
          currency: 'NGN',
          suggestedAmounts: [],
          image: null,
          color: null,
          customFields: [],
          collectPhone: false,
          collectAddress: false,
          allowDiscountCodes: true,
          maxPayments: null,
          expiresAt: null,
          redirectUrl: null,
          successMessage: null,
          splitPageId: null,
          feeBearer: null,
          channels: [],
          products: [],
          stats: {
            views: 0,
            checkouts: 0,
            payments: 0,
            amount: 0,
            amountMinor: 0,
            conversion: 0,
          },
          metadata: null,
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: body.data.createdAt,
        },
      },
    ])
    const { id } = body.data
    expect(await seen(id)).toEqual(body.data)
    expect((await get(`${DETAILS}?customLink=oja-s-cafe-co`)).body.data).toEqual(body.data)
    expect(await eventsOf(id)).toEqual([{ type: 'payment_page.created', data: body.data }])
  })

  test('200 takes everything that is given', async () => {
    const { make, product, splitPage, businessId, seen } = await shop()
    const [one, two] = [await product(), await product({ name: 'E-book', type: 'digital' })]
    const given = {
      title: newTitle(),
      description: 'First line.\nSecond line.',
      status: 'Unpublished',
      customLink: 'all-that-is-given',
      amountType: 'minimum',
      amount: 500.5,
      currency: 'NGN',
      suggestedAmounts: [500.5, 1_000],
      image: 'https://example.com/a.png?b=c',
      color: '#0b7a4b',
      customFields: [
        { label: 'Size', name: 'size', type: 'select', required: true, options: ['S', 'M'] },
        { label: 'Born on', name: 'bornOn', type: 'date', required: false, options: [] },
      ],
      collectPhone: true,
      collectAddress: true,
      allowDiscountCodes: false,
      maxPayments: 10,
      expiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
      redirectUrl: 'http://localhost:3000/done?a=1',
      successMessage: 'Thank you!',
      splitPageId: await splitPage(),
      feeBearer: 'customer',
      channels: ['USSD'],
      metadata: { a: [1, null] },
    }
    const made = await make({ ...given, productIds: `${two}, ${one},${two}`, businessId })
    expect(made).toMatchObject(given)
    expect(made.amountMinor).toBe(50_050)
    expect(made.products.map((part: { productId: string }) => part.productId)).toEqual([two, one])
    expect(made.products[1]).toEqual({
      productId: one,
      reference: expect.stringMatching(/^PRD_/),
      name: 'Shirt',
      slug: 'shirt',
      price: 900,
      priceMinor: 90_000,
      currency: 'NGN',
      type: 'physical',
      status: 'Active',
    })
    expect(await seen(made.id)).toEqual(made)
  })

  test('200 knows an amount for a fixed one, name for title, and a list of ids', async () => {
    const { make, product, count } = await shop()
    expect(await make({ amount: '1500.50' })).toMatchObject({
      amountType: 'fixed',
      amount: 1500.5,
      amountMinor: 150_050,
    })
    expect((await make({ title: undefined, name: 'By Name' })).title).toBe('By Name')
    expect((await make({ title: 'Both', name: 'Both' })).title).toBe('Both')
    const id = await product()
    const page = await make({ amountType: 'fixed', productIds: [Number(id), id] })
    expect(page).toMatchObject({ amount: null, products: [{ productId: id }] })
    expect(await make({ amountType: 'fixed', status: 'Unpublished' })).toMatchObject({
      amount: null,
      status: 'Unpublished',
    })
    expect(await make({ amount: 5, currency: 'JPY' })).toMatchObject({ amountMinor: 5 })
    expect(await make({ suggestedAmounts: [5, '5.00', 2] })).toMatchObject({
      suggestedAmounts: [5, 2],
    })
    expect(await count()).toBe(7)
  })

  test('200 ends with the end of a day in the time zone of the business', async () => {
    const { make } = await shop()
    const year = clock.now().getUTCFullYear() + 1
    const { expiresAt } = await make({ expiresAt: `${year}-03-01` })
    expect(expiresAt).toBe(`${year}-03-01T23:00:00.000Z`)
  })

  test('200 keeps a picture of this server by its path, and only its own', async () => {
    const { make, post, businessId, seen } = await shop()
    const nameOf = (id: number, mode: string) =>
      `/media/${id.toString(36)}${mode}-1a-${'x'.repeat(22)}`
    const sent = await post(`${PAGES}/upload-page-image`, { base64: PNG })
    const own = new URL(sent.body.data.url).pathname
    const page = await make({ image: own })
    expect(page.image).toBe(`http://127.0.0.1${own}`)
    const again = await make({ image: page.image })
    expect((await seen(again.id)).image).toBe(page.image)
    const kept = await db.one<{ image: string }>`
      select image from payment_pages where id = ${again.id}`
    expect(kept.image).toBe(own)
    const foreign = [nameOf(businessId + 1, 't'), nameOf(businessId, 'l'), '/media/none']
    for (const image of foreign) {
      const { status, body } = await post(CREATE, { title: 'T', image })
      expect([status, body.error]).toEqual([400, 'image is no picture of this business'])
    }
  })

  test.each([
    ['title', {}, 'is required'],
    ['title', { title: ' ' }],
    ['title', { title: 'two\nlines' }],
    ['title', { title: 'turned \u202e round' }],
    ['title', { title: 'x'.repeat(151) }],
    ['name', { title: 'A', name: 'B' }, 'must be the same as title'],
    ['businessId', { businessId: 1 }, 'is not the business of this key'],
    ['currency', { currency: 'XXQ' }],
    ['currency', { currency: 'naira' }],
    ['amountType', { amountType: 'free' }],
    ['amount', { amountType: 'fixed' }, 'is required'],
    ['amount', { amountType: 'minimum' }, 'is required'],
    ['amount', { amountType: 'variable', amount: 5 }, 'does not go with'],
    ['amount', { amount: 0 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 1.234 }, 'kobo'],
    ['amount', { amount: '1,000' }],
    ['amount', { amount: true }],
    ['amount', { amount: 1.5, currency: 'JPY' }, 'at most 0 decimals'],
    ['suggestedAmounts', { suggestedAmounts: Array(11).fill(5) }],
    ['suggestedAmounts.1', { suggestedAmounts: [5, 0] }],
    ['suggestedAmounts', { amountType: 'minimum', amount: 10, suggestedAmounts: [20, 9.99] }],
    ['suggestedAmounts', { amount: 10, suggestedAmounts: [10] }, 'does not go with'],
    ['customLink', { customLink: 'No' }],
    ['customLink', { customLink: 'ab' }],
    ['customLink', { customLink: '-abc' }],
    ['customLink', { customLink: 'a'.repeat(65) }],
    ['customLink', { customLink: 'checkout' }, 'reserved word'],
    ['description', { description: 'x'.repeat(5_001) }],
    ['image', { image: 'javascript:alert(1)' }],
    ['image', { image: 'https://a:b@example.com/x.png' }],
    ['image', { image: `https://example.com/${'x'.repeat(2_000)}` }],
    ['color', { color: 'red' }],
    ['color', { color: '#12345' }],
    ['customFields', { customFields: fields(21) }],
    ['customFields.0.label', { customFields: [{ name: 'a' }] }],
    ['customFields.0.label', { customFields: [{ name: 'a', label: 'x'.repeat(101) }] }],
    ['customFields.0.name', { customFields: [{ name: 'A', label: 'A' }] }],
    ['customFields.0.name', { customFields: [{ name: '__proto', label: 'A' }] }],
    ['customFields.0.name', { customFields: [{ name: 'a'.repeat(41), label: 'A' }] }],
    ['customFields.1.name', { customFields: [...fields(1), ...fields(1)] }, 'is there twice'],
    ['customFields.0.type', { customFields: [{ name: 'a', label: 'A', type: 'file' }] }],
    ['customFields.0.required', { customFields: [{ name: 'a', label: 'A', required: 1 }] }],
    ['customFields.0.options', { customFields: [{ name: 'a', label: 'A', type: 'select' }] }],
    ['customFields.0.options', { customFields: [select(['a', 'a'])] }],
    ['customFields.0.options', { customFields: [select(Array(51).fill('a'))] }],
    ['customFields.0.options.0', { customFields: [select([''])] }],
    ['customFields.0.options', { customFields: [{ ...select(['a']), type: 'text' }] }],
    ['collectPhone', { collectPhone: 'yes' }],
    ['collectAddress', { collectAddress: 1 }],
    ['allowDiscountCodes', { allowDiscountCodes: null }],
    ['maxPayments', { maxPayments: 0 }],
    ['maxPayments', { maxPayments: 1.5 }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: '2020-01-01' }, 'must lie in the future'],
    ['redirectUrl', { redirectUrl: '/done' }],
    ['redirectUrl', { redirectUrl: 'ftp://example.com/' }],
    ['redirectUrl', { redirectUrl: 'https://a@example.com/' }],
    ['successMessage', { successMessage: 'x'.repeat(1_001) }],
    ['splitPageId', { splitPageId: 'x' }],
    ['feeBearer', { feeBearer: 'nobody' }],
    ['channels', { channels: ['USSD', 'USSD'] }],
    ['channels.0', { channels: ['CARD'] }],
    ['status', { status: 'Deleted' }],
    ['productIds', { productIds: '1,,2' }],
    ['productIds', { productIds: 'a' }],
    ['productIds', { productIds: '1.5' }],
    ['productIds', { productIds: Array(51).fill(1) }],
    ['productIds', { productIds: manyIds(51) }],
    ['metadata', { metadata: [] }],
  ])('400 names %s: %j', async (field, wrong, says = '') => {
    const { post, count } = await shop()
    const title = field === 'title' ? {} : { title: 'Right' }
    const { status, body } = await post(CREATE, { ...title, ...wrong })
    expect([status, Object.keys(body)]).toEqual([400, ['error', 'errorCode', 'requestId']])
    expect(body.error.split(' ')[0]).toBe(field)
    expect(body.error).toContain(says)
    expect(await count()).toBe(0)
  })

  test('400 names all that is wrong at once', async () => {
    const { post } = await shop()
    const wrong = {
      title: 'A',
      name: 'B',
      amountType: 'variable',
      amount: 0,
      suggestedAmounts: [1.234],
      image: 'x',
      redirectUrl: 'y',
      expiresAt: 'z',
    }
    const { body } = await post(CREATE, wrong)
    for (const field of ['name', 'amount', 'suggestedAmounts.0', 'image', 'redirectUrl']) {
      expect(body.error).toContain(`${field} `)
    }
    expect(body.error).toContain('expiresAt ')
  })

  test('404 for products and split pages of nobody, another business and mode', async () => {
    const { post, product, splitPage, live, count } = await shop()
    const other = await shop()
    const products = [999, await other.product(), await product({}, live)]
    for (const id of products) {
      const { status, body } = await post(CREATE, { title: 'T', productIds: `${id}` })
      expect([status, body.errorCode]).toEqual([404, 'product_not_found'])
      expect(body.error).toContain(String(id))
    }
    for (const id of [0, 999, await other.splitPage(), await splitPage({}, live)]) {
      const { status, body } = await post(CREATE, { title: 'T', splitPageId: id })
      expect([status, body.errorCode]).toEqual([404, 'split_page_not_found'])
    }
    expect(await count()).toBe(0)
    expect(await db.many`select from page_links where link = 't'`).toEqual([])
  })

  test('400 for products and split pages of another currency', async () => {
    const { post, product, splitPage } = await shop()
    const productIds = await product({ currency: 'USD' })
    const wrong = await post(CREATE, { title: newTitle(), productIds })
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      `productIds must be in NGN, as the page is; ${productIds} is in USD`,
    ])
    const splitPageId = await splitPage({ currency: 'USD' })
    const split = await post(CREATE, { title: newTitle(), splitPageId: String(splitPageId) })
    expect(split.status).toBe(400)
    expect(split.body.error).toMatch(/^splitPageId is in USD/)
    const right = { title: newTitle(), productIds, splitPageId, currency: 'USD', amount: 5 }
    expect((await post(CREATE, right)).status).toBe(200)
  })

  test('400 in live mode for a redirect to an origin that is not registered', async () => {
    const { live, make } = await shop()
    const redirectUrl = 'https://shop.example.com/done'
    const before = await live.post(CREATE, { title: newTitle(), redirectUrl })
    expect([before.status, before.body.error]).toEqual([
      400,
      'redirectUrl must be on an origin of your settings; https://shop.example.com is none',
    ])
    const settings = '/api/user-service/external/v1/profile/settings'
    const origins = ['https://shop.example.com']
    expect((await live.put(settings, { origins })).status).toBe(200)
    expect((await make({ redirectUrl }, live)).redirectUrl).toBe(redirectUrl)
    const near = 'https://shop.example.com.evil.test/'
    const other = await live.post(CREATE, { title: newTitle(), redirectUrl: near })
    expect(other.status).toBe(400)
  })
})

describe('links', () => {
  test('200 a hundred at once of one title get a hundred links', async () => {
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

  test('200 with a suffix when the link of the title is reserved or empty', async () => {
    const { make } = await shop()
    expect((await make({ title: 'Checkout' })).customLink).toMatch(/^checkout-[0-9a-z]{7}$/)
    expect((await make({ title: '商店' })).customLink).toMatch(/^page-[0-9a-z]{7}$/)
  })

  test('409 for all but one of those that want a link at once, of another business too', async () => {
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

  test('200 says whether a link is free, and what else is', async () => {
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

  test.each([undefined, '', 'ab', 'Café', 'a b c', 7])('400 for the link %j', async (link) => {
    const { post } = await shop()
    const wrong = await post(`${PAGES}/custom-link-check-exist`, { customLink: link })
    expect([wrong.status, wrong.body.error.split(' ')[0]]).toEqual([400, 'customLink'])
  })
})

describe('addresses', () => {
  test('200 under both families and services, with a slash at the end too', async () => {
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

  test('200 repeats its answer for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const title = newTitle()
    const key = { 'idempotency-key': 'one' }
    const all = await Promise.all(Array.from({ length: 5 }, () => post(CREATE, { title }, key)))
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await post(CREATE, { title, status: 'Published' }, key)).text).toBe(all[0]!.text)
    // The other address of the same operation.
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

function fields(count: number) {
  return Array.from({ length: count }, (_, i) => ({ label: 'A', name: `a${i}` }))
}

function select(options: string[]) {
  return { label: 'A', name: 'a', type: 'select', options }
}

function manyIds(count: number) {
  return Array.from({ length: count }, (_, i) => i + 1).join(',')
}
