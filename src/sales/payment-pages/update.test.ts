import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import {
  ADD,
  CREATE,
  DELETE,
  DETAILS,
  LIST,
  newTitle,
  openPages,
  REMOVE,
  STATUS,
  UPDATE,
} from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => openPages(server)

describe('get', () => {
  test('400 for neither and both; 404 for an unknown page', async () => {
    const { get, make, live } = await shop()
    const other = await shop()
    const { id, customLink } = await make()
    for (const [query, says] of [
      ['', 'pageId is required unless customLink is given'],
      [`?pageId=${id}&customLink=${customLink}`, 'pageId cannot be combined with customLink'],
    ]) {
      const { status, body } = await get(DETAILS + query)
      expect([status, body.error]).toEqual([400, says])
    }
    expect((await get(`${DETAILS}?pageId=x`)).status).toBe(400)
    for (const query of [`pageId=${id}`, `customLink=${customLink}`]) {
      expect((await get(`${DETAILS}?${query}`)).body.data.id).toBe(id)
      for (const caller of [other, live]) {
        const { status, body } = await caller.get(`${DETAILS}?${query}`)
        expect([status, body.errorCode]).toEqual([404, 'payment_page_not_found'])
      }
    }
    for (const query of ['pageId=1', 'pageId=9007199254740991', 'customLink=none-of-these']) {
      expect((await get(`${DETAILS}?${query}`)).status).toBe(404)
    }
  })

  test('404 for the link of a split page', async () => {
    const { get, splitPage } = await shop()
    await splitPage({ slug: 'choir-dues' })
    expect((await get(`${DETAILS}?customLink=choir-dues`)).status).toBe(404)
  })
})

describe('update', () => {
  test('200 changes the given fields, with one event', async () => {
    const { make, put, seen, eventsOf, splitPage } = await shop()
    const made = await make()
    const change = {
      title: 'Another Title',
      description: 'About it',
      amountType: 'minimum',
      amount: 50,
      suggestedAmounts: [50, 100],
      customLink: 'another-link',
      image: 'http://example.com/x.png',
      color: '#abcdef',
      customFields: [{ label: 'A', name: 'a', type: 'phone', required: true, options: [] }],
      collectPhone: true,
      collectAddress: true,
      allowDiscountCodes: false,
      maxPayments: 3,
      expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(),
      redirectUrl: 'https://example.com/',
      successMessage: 'Thanks',
      splitPageId: await splitPage(),
      feeBearer: 'subaccounts',
      channels: ['BANK_TRANSFER', 'USSD'],
      metadata: { a: 1, b: 2 },
    }
    const { status, body } = await put(UPDATE, { pageId: made.id, ...change })
    expect([status, body.message, body.data]).toEqual([
      200,
      'Payment page updated.',
      {
        ...made,
        ...change,
        amountMinor: 5_000,
        url: 'http://127.0.0.1/pay/another-link',
        updatedAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await seen(made.id)).toEqual(body.data)
    const again = { ...change, color: '#ABCDEF', metadata: { b: 2, a: 1 }, currency: 'NGN' }
    const repeat = await put(UPDATE, { pageId: String(made.id), ...again })
    expect(repeat.body.data).toEqual(body.data)
    const events = await eventsOf(made.id)
    expect(events.slice(1)).toEqual([{ type: 'payment_page.updated', data: body.data }])
  })

  test('200 clears with null', async () => {
    const { make, put, splitPage, typesOf } = await shop()
    const empty = await make()
    const given = {
      description: 'D',
      image: 'http://example.com/x.png',
      color: '#abcdef',
      suggestedAmounts: [5],
      customFields: [{ label: 'A', name: 'a' }],
      maxPayments: 3,
      expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(),
      redirectUrl: 'https://example.com/',
      successMessage: 'Thanks',
      splitPageId: await splitPage(),
      feeBearer: 'customer',
      channels: ['USSD'],
      metadata: { a: 1 },
    }
    const made = await make(given)
    const nulls = Object.fromEntries(Object.keys(given).map((field) => [field, null]))
    const { body, text } = await put(UPDATE, { pageId: made.id, ...nulls })
    expect(text).toContain('success')
    const own = ['id', 'pageId', 'reference', 'title', 'customLink', 'url', 'createdAt']
    const kept = Object.fromEntries(own.map((field) => [field, made[field]]))
    expect(body.data).toEqual({ ...empty, ...kept, updatedAt: body.data.updatedAt })
    expect(await typesOf(made.id)).toEqual(['created', 'updated'])
  })

  test('200 clears fields that do not fit another type', async () => {
    const { make, put } = await shop()
    const { id } = await make({ amountType: 'minimum', amount: 5, suggestedAmounts: [5, 10] })
    const set = async (change: object) => (await put(UPDATE, { pageId: id, ...change })).body.data
    expect(await set({ amountType: 'variable' })).toMatchObject({
      amount: null,
      suggestedAmounts: [5, 10],
    })
    expect(await set({ amountType: 'fixed', amount: 7 })).toMatchObject({
      amount: 7,
      suggestedAmounts: [],
    })
  })

  test('400 for a minimum above the suggested amounts', async () => {
    const { make, put } = await shop()
    const { id } = await make({ amountType: 'minimum', amount: 5, suggestedAmounts: [5, 10] })
    const { status, body } = await put(UPDATE, { pageId: id, amount: 6 })
    expect([status, body.error]).toEqual([400, 'suggestedAmounts must each be at least 6.00'])
  })

  test('200 changes the link and frees the old one; 409 for a taken link', async () => {
    const { make, put, seen } = await shop()
    const [one, two] = [await make(), await make()]
    const taken = await put(UPDATE, { pageId: one.id, customLink: two.customLink, title: 'No' })
    expect([taken.status, taken.body.errorCode]).toEqual([409, 'link_taken'])
    expect(await seen(one.id)).toEqual(one)
    expect((await put(UPDATE, { pageId: one.id, customLink: 'moved-here' })).status).toBe(200)
    const freed = await put(UPDATE, { pageId: two.id, customLink: one.customLink })
    expect(freed.body.data.customLink).toBe(one.customLink)
    const links = await db.many<{ link: string }>`
      select link from page_links where page_id in (${one.id}, ${two.id}) order by page_id`
    expect(links.map(({ link }) => link)).toEqual(['moved-here', one.customLink])
  })

  test('200 changes content and status at once, in two events', async () => {
    const { make, put, typesOf, eventsOf } = await shop()
    const { id } = await make()
    const change = { pageId: id, title: 'New', status: 'Unpublished' }
    const { body } = await put(UPDATE, change)
    expect(body.data).toMatchObject({ title: 'New', status: 'Unpublished' })
    expect(await typesOf(id)).toEqual(['created', 'updated', 'unpublished'])
    for (const { data } of (await eventsOf(id)).slice(1)) expect(data).toEqual(body.data)
  })

  test('200 keeps an expiry in the past and changes the rest', async () => {
    const { make, put, seen, businessId } = await shop()
    const { id } = await make()
    await db.run`
      update payment_pages set expires_at = '2020-01-01T00:00:00Z'
      where business_id = ${businessId} and id = ${id}`
    const { expiresAt } = await seen(id)
    expect((await put(UPDATE, { pageId: id, expiresAt, title: 'Later' })).status).toBe(200)
    const past = await put(UPDATE, { pageId: id, expiresAt: '2020-01-02' })
    expect([past.status, past.body.error]).toEqual([400, 'expiresAt must be in the future'])
  })

  test.each([
    ['pageId', { pageId: undefined }, 'is required'],
    ['pageId', { pageId: 'x' }],
    ['title', { title: null }],
    ['title', { name: '' }],
    ['businessId', { businessId: 1 }],
    ['customLink', { customLink: null }],
    ['customLink', { customLink: 'pay' }, 'reserved'],
    ['amount', { amountType: 'fixed' }, 'is required'],
    ['amount', { amountType: 'minimum', amount: null }, 'is required'],
    ['amount', { amount: 5 }, 'cannot be given if amountType is variable'],
    ['amount', { amountType: 'fixed', amount: 0.001 }],
    ['suggestedAmounts.0', { suggestedAmounts: ['x'] }],
    ['customFields.0.options', { customFields: [{ label: 'A', name: 'a', type: 'select' }] }],
    ['splitPageId', { splitPageId: 1.5 }],
    ['image', { image: 'x' }],
    ['redirectUrl', { redirectUrl: 'x' }],
    ['expiresAt', { expiresAt: '2020-01-01' }],
    ['status', { status: null }],
    ['channels', { channels: 'USSD' }],
    ['feeBearer', { feeBearer: '' }],
  ])('400 names %s: %j', async (field, change, says = '') => {
    const { make, put, seen, typesOf } = await shop()
    const made = await make()
    const { status, body } = await put(UPDATE, { pageId: made.id, ...change })
    const named = body.error.split(' ')[0]
    expect([status, named === 'name' ? 'title' : named]).toEqual([400, field])
    expect(body.error).toContain(says)
    expect(await seen(made.id)).toEqual(made)
    expect(await typesOf(made.id)).toEqual(['created'])
  })

  test('409 for another currency', async () => {
    const { make, put } = await shop()
    const { id } = await make()
    const { status, body } = await put(UPDATE, { pageId: id, currency: 'USD' })
    expect([status, body.errorCode]).toEqual([409, 'currency_fixed'])
  })

  test('404 for a split page that is unknown, of another business or mode; 400 in live mode', async () => {
    const { make, put, splitPage, live } = await shop()
    const other = await shop()
    const { id } = await make()
    for (const splitPageId of [1, await other.splitPage(), await splitPage({}, live)]) {
      const { status, body } = await put(UPDATE, { pageId: id, splitPageId })
      expect([status, body.errorCode]).toEqual([404, 'split_page_not_found'])
    }
    const usd = await splitPage({ currency: 'USD' })
    expect((await put(UPDATE, { pageId: id, splitPageId: usd })).status).toBe(400)
    const there = await make({}, live)
    const redirectUrl = 'https://nowhere.example.com/'
    const { status, body } = await live.put(UPDATE, { pageId: there.id, redirectUrl })
    expect([status, body.error.split(' ')[0]]).toEqual([400, 'redirectUrl'])
  })
})

describe('status', () => {
  test('200 can be repeated; each change has one event', async () => {
    const { make, put, seen, typesOf } = await shop()
    const made = await make()
    const set = (status: string) => put(STATUS, { pageId: made.id, status })
    expect((await set('Published')).body.data).toEqual(made)
    const off = await set('Unpublished')
    expect([off.status, off.body.message]).toEqual([200, 'Payment page unpublished.'])
    expect(off.body.data).toEqual({
      ...made,
      status: 'Unpublished',
      updatedAt: off.body.data.updatedAt,
    })
    const all = await Promise.all(Array.from({ length: 20 }, () => set('Published')))
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await seen(made.id)).status).toBe('Published')
    expect(await typesOf(made.id)).toEqual(['created', 'unpublished', 'published'])
  })

  test('400 for a page with nothing to pay for, until it has something', async () => {
    const { make, put, post, product, typesOf } = await shop()
    const { id } = await make({ amountType: 'fixed', status: 'Unpublished' })
    const publish = () => put(STATUS, { pageId: id, status: 'Published' })
    const { status, body } = await publish()
    expect([status, body.error]).toEqual([
      400,
      'status cannot be Published without an amount or products',
    ])
    expect((await put(UPDATE, { pageId: id, status: 'Published' })).status).toBe(400)
    const productId = await product()
    await post(ADD, { pageId: id, productIds: productId })
    expect((await publish()).status).toBe(200)
    const cleared = await post(REMOVE, { pageId: id, productId })
    expect([cleared.status, cleared.body.error.split(' ')[0]]).toEqual([400, 'productIds'])
    expect(await typesOf(id)).toEqual(['created', 'updated', 'published'])
  })

  test('400 for a product that was deleted since; other changes still work', async () => {
    const { make, put, post, product } = await shop()
    const productId = await product()
    const { id } = await make({ amountType: 'fixed', productIds: productId })
    await post(DELETE.replace('payment-pages/delete-page', 'products/delete-product'), {
      productId,
    })
    const renamed = await put(UPDATE, { pageId: id, title: 'Sold Out' })
    expect([renamed.status, renamed.body.data.products]).toEqual([200, []])
    await put(STATUS, { pageId: id, status: 'Unpublished' })
    expect((await put(STATUS, { pageId: id, status: 'Published' })).status).toBe(400)
  })

  test.each([
    ['pageId', { status: 'Published' }],
    ['status', { pageId: 1 }],
    ['status', { pageId: 1, status: 'open' }],
    ['status', { pageId: 1, status: 'Deleted' }],
  ])('400 names %s: %j', async (field, body) => {
    const { put } = await shop()
    const wrong = await put(STATUS, body)
    expect([wrong.status, wrong.body.error.split(' ')[0]]).toEqual([400, field])
  })
})

describe('delete', () => {
  test('200 once; then the page cannot be found, and its link is never used again', async () => {
    const { make, post, get, put, eventsOf } = await shop()
    const made = await make({ customLink: 'gone-for-good', description: 'needle' })
    const { status, body } = await post(DELETE, { pageId: made.id })
    expect([status, body.message, body.data]).toEqual([
      200,
      'Payment page deleted.',
      { ...made, status: 'Deleted', updatedAt: body.data.updatedAt },
    ])
    const answers = [
      await post(DELETE, { pageId: made.id }),
      await get(`${DETAILS}?pageId=${made.id}`),
      await get(`${DETAILS}?customLink=gone-for-good`),
      await put(UPDATE, { pageId: made.id, title: 'Back' }),
      await put(STATUS, { pageId: made.id, status: 'Published' }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.body.errorCode]).toEqual([404, 'payment_page_not_found'])
    }
    for (const query of ['', '?status=Published', '?searchPageText=needle']) {
      expect((await get(LIST + query)).body.data).toEqual([])
    }
    const taken = await post(CREATE, { title: newTitle(), customLink: 'gone-for-good' })
    expect([taken.status, taken.body.errorCode]).toEqual([409, 'link_taken'])
    expect((await make({ title: 'Gone for good' })).customLink).toMatch(/^gone-for-good-/)
    const events = await eventsOf(made.id)
    expect(events.at(-1)).toEqual({ type: 'payment_page.deleted', data: body.data })
    expect(events).toHaveLength(2)
  })

  test('200 for one of many that delete it at once, 404 for the others', async () => {
    const { make, post, typesOf } = await shop()
    const { id } = await make()
    const all = await Promise.all(Array.from({ length: 20 }, () => post(DELETE, { pageId: id })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)])
    expect(await typesOf(id)).toEqual(['created', 'deleted'])
  })
})

test('404 for every change of a page of another business or mode', async () => {
  const { make, live, seen, product } = await shop()
  const other = await shop()
  const made = await make()
  for (const caller of [other, live]) {
    const answers = [
      await caller.put(UPDATE, { pageId: made.id, title: 'Mine' }),
      await caller.put(STATUS, { pageId: made.id, status: 'Unpublished' }),
      await caller.post(DELETE, { pageId: made.id }),
      await caller.post(REMOVE, { pageId: made.id, productId: await product() }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errorCode]).toEqual([404, 'payment_page_not_found'])
    }
  }
  expect(await seen(made.id)).toEqual(made)
})

test('200 for the plain family and with a trailing slash; 405 for another method', async () => {
  const { make, put, post, get } = await shop()
  const plain = (path: string) => path.replace('external/', '')
  const { id, customLink } = await make()
  for (const of of [plain, (path: string) => `${path}/`]) {
    expect((await get(`${of(DETAILS)}?customLink=${customLink}`)).status).toBe(200)
    expect((await put(of(UPDATE), { pageId: id, color: '#000000' })).status).toBe(200)
    expect((await put(of(STATUS), { pageId: id, status: 'Unpublished' })).status).toBe(200)
  }
  expect((await post(plain(DELETE), { pageId: id })).status).toBe(200)
  expect((await get(DELETE)).status).toBe(405)
})
