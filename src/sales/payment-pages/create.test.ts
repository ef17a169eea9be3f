import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { CREATE, DETAILS, newTitle, openPages, PAGES } from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => openPages(server)
const DAY_MS = 86_400_000
/** The smallest image. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('create', () => {
  test('200 derives a link from the title and returns the whole record', async () => {
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

  test('200 accepts every field', async () => {
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

  test('200 defaults to fixed for an amount, and accepts name for title and a list of ids', async () => {
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
    expect(await make({ suggestedAmounts: [5, '5.00', 2] })).toMatchObject({
      suggestedAmounts: [5, 2],
    })
    expect(await count()).toBe(6)
  })

  test('200 expires at the end of a day in the time zone of the business', async () => {
    const { make } = await shop()
    const year = clock.now().getUTCFullYear() + 1
    const { expiresAt } = await make({ expiresAt: `${year}-03-01` })
    expect(expiresAt).toBe(`${year}-03-01T23:00:00.000Z`)
  })

  test('200 stores an image on this server by its path, and only the business’s own', async () => {
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
      expect([status, body.error]).toEqual([400, 'image must be an image of this business'])
    }
  })

  test.each([
    ['title', {}, 'is required'],
    ['title', { title: ' ' }],
    ['title', { title: 'two\nlines' }],
    ['title', { title: 'turned \u202e round' }],
    ['title', { title: 'x'.repeat(151) }],
    ['name', { title: 'A', name: 'B' }, 'must be the same as title'],
    ['businessId', { businessId: 1 }, 'must be the id of the business that the key belongs to'],
    ['currency', { currency: 'XXQ' }],
    ['currency', { currency: 'naira' }],
    ['amountType', { amountType: 'free' }],
    ['amount', { amountType: 'fixed' }, 'is required'],
    ['amount', { amountType: 'minimum' }, 'is required'],
    ['amount', { amountType: 'variable', amount: 5 }, 'cannot be given if'],
    ['amount', { amount: 0 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 1.234 }, 'kobo'],
    ['amount', { amount: '1,000' }],
    ['amount', { amount: true }],
    ['currency', { amount: 5, currency: 'JPY' }, 'no channel can take JPY'],
    ['suggestedAmounts', { suggestedAmounts: Array(11).fill(5) }],
    ['suggestedAmounts.1', { suggestedAmounts: [5, 0] }],
    ['suggestedAmounts', { amountType: 'minimum', amount: 10, suggestedAmounts: [20, 9.99] }],
    ['suggestedAmounts', { amount: 10, suggestedAmounts: [10] }, 'cannot be given if'],
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
    ['customFields.1.name', { customFields: [...fields(1), ...fields(1)] }, 'must be unique'],
    ['customFields.0.type', { customFields: [{ name: 'a', label: 'A', type: 'file' }] }],
    ['customFields.0.required', { customFields: [{ name: 'a', label: 'A', required: 1 }] }],
    ['customFields.0.options', { customFields: [{ name: 'a', label: 'A', type: 'select' }] }],
    ['customFields.0.options', { customFields: [select(['a', 'a'])] }],
    ['customFields.0.options', { customFields: [select(Array(51).fill('a'))] }],
    ['customFields.0.options.0', { customFields: [select([''])] }],
    ['customFields.0.options', { customFields: [{ ...select(['a']), type: 'text' }] }],
    ['collectPhone', { collectPhone: 'yes' }],
    ['collectAddress', { collectAddress: 1 }],
    ['allowDiscountCodes', { allowDiscountCodes: 1 }],
    ['maxPayments', { maxPayments: 0 }],
    ['maxPayments', { maxPayments: 1.5 }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: '2020-01-01' }, 'must be in the future'],
    ['redirectUrl', { redirectUrl: '/done' }],
    ['redirectUrl', { redirectUrl: 'ftp://example.com/' }],
    ['redirectUrl', { redirectUrl: 'https://a@example.com/' }],
    ['successMessage', { successMessage: 'x'.repeat(1_001) }],
    ['splitPageId', { splitPageId: 'x' }],
    ['feeBearer', { feeBearer: 'nobody' }],
    ['channels', { channels: ['USSD', 'USSD'] }],
    ['channels.0', { channels: ['CASH'] }],
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

  test('400 names every invalid field at once', async () => {
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

  test('404 for products and split pages that are unknown, of another business or mode', async () => {
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

  test('400 for products and split pages in another currency', async () => {
    const { post, product, splitPage } = await shop()
    const productIds = await product({ currency: 'USD' })
    const wrong = await post(CREATE, { title: newTitle(), productIds })
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      `productIds must be in NGN, like the page; product ${productIds} is in USD`,
    ])
    const splitPageId = await splitPage({ currency: 'USD' })
    const split = await post(CREATE, { title: newTitle(), splitPageId: String(splitPageId) })
    expect(split.status).toBe(400)
    expect(split.body.error).toMatch(/^splitPageId must be a split page in NGN: this one is in USD/)
    const dollars = await post(CREATE, { title: newTitle(), currency: 'USD', amount: 5 })
    expect([dollars.status, dollars.body.error]).toEqual([
      400,
      'currency must be NGN: no channel can take USD',
    ])
  })

  test('400 in live mode for a redirect to an origin that is not registered', async () => {
    const { live, make } = await shop()
    const redirectUrl = 'https://shop.example.com/done'
    const before = await live.post(CREATE, { title: newTitle(), redirectUrl })
    expect([before.status, before.body.error]).toEqual([
      400,
      'redirectUrl must be on an origin registered in your settings; https://shop.example.com is not',
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

function fields(count: number) {
  return Array.from({ length: count }, (_, i) => ({ label: 'A', name: `a${i}` }))
}

function select(options: string[]) {
  return { label: 'A', name: 'a', type: 'select', options }
}

function manyIds(count: number) {
  return Array.from({ length: count }, (_, i) => i + 1).join(',')
}
