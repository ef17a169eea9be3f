import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { BILLERS, UTILITY_CATEGORIES } from '../../providers/connector/utilities.ts'
import { AIRTIME, ENQUIRE, METER, PHONE, shopOn, UTILITY } from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const { get, post, db } = server

describe('the catalogue', () => {
  test('has a unique slug for each biller and package, and a price or limits', () => {
    const packages = BILLERS.flatMap(({ packages: own }) => own)
    const slugs = packages.map(({ packageSlug }) => packageSlug)
    const billers = BILLERS.map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    expect(new Set(billers).size).toBe(billers.length)
    for (const slug of [...slugs, ...billers]) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    for (const { amount_minor, minimum_minor, maximum_minor } of packages) {
      expect((amount_minor === null) !== (minimum_minor === null)).toBe(true)
      expect(maximum_minor === null).toBe(minimum_minor === null)
      expect((amount_minor ?? minimum_minor)! > 0n).toBe(true)
      expect((maximum_minor ?? 2n) > (minimum_minor ?? 1n)).toBe(true)
    }
    const of = (category: string) => BILLERS.filter((biller) => biller.category === category)
    expect(UTILITY_CATEGORIES.map((category) => of(category).length)).toEqual([4, 4, 11, 4, 3])
  })

  test('200 lists all categories', async () => {
    const { status, body } = await get(`${UTILITY}/categories`)
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Categories.',
        data: [
          { slug: 'airtime', name: 'Airtime', billers: 4 },
          { slug: 'data', name: 'Data bundles', billers: 4 },
          { slug: 'electricity', name: 'Electricity', billers: 11 },
          { slug: 'television', name: 'Television', billers: 4 },
          { slug: 'exams', name: 'Exam pins', billers: 3 },
        ],
      },
    ])
  })

  test('200 lists the billers of a category, or all, or a page', async () => {
    const { body: some } = await get(`${UTILITY}/billers?category=electricity`)
    expect(some.data).toHaveLength(11)
    expect(some.data[0]).toEqual({
      slug: 'aedc',
      name: 'Abuja Electricity (AEDC)',
      category: 'electricity',
      packages: 2,
    })
    expect((await get(`${UTILITY}/billers`)).body.data).toHaveLength(26)
    const { body: page } = await get(`${UTILITY}/billers?page=2&limit=20`)
    expect(page.data).toHaveLength(6)
    expect(page.meta).toMatchObject({ total: 26, page: 2, limit: 20, hasNext: false })
  })

  test('200 lists the packages of a biller, with a price or limits', async () => {
    const { body: dstv } = await get(`${UTILITY}/packages?biller=dstv`)
    expect(dstv.data).toContainEqual({
      packageSlug: 'dstv-compact',
      name: 'DStv Compact',
      billerSlug: 'dstv',
      billerName: 'DStv',
      category: 'television',
      amountType: 'fixed',
      amount: 19_000,
      amountMinor: 1_900_000,
      minimumAmount: null,
      minimumAmountMinor: null,
      maximumAmount: null,
      maximumAmountMinor: null,
      currency: 'NGN',
    })
    const { body: eko } = await get(`${UTILITY}/packages?biller=ekedc`)
    expect(eko.data.map((one: { packageSlug: string }) => one.packageSlug)).toEqual([
      'ekedc-prepaid',
      'ekedc-postpaid',
    ])
    expect(eko.data[0]).toMatchObject({
      amountType: 'variable',
      amount: null,
      minimumAmount: 1_000,
      maximumAmount: 1_000_000,
    })
    expect((await get(`${UTILITY}/packages`)).body.data.length).toBeGreaterThan(80)
  })

  test.each([
    ['billers?category=water', 'utility_category_not_found'],
    ['packages?biller=nepa', 'utility_biller_not_found'],
  ])('404 %s', async (path, errorCode) => {
    const { status, body } = await get(`${UTILITY}/${path}`)
    expect([status, body]).toMatchObject([404, { error: true, errorCode }])
  })

  test.each([
    'categories?page=0',
    'billers?limit=101',
    'packages?page=x',
    'billers?category=a&category=b',
  ])('400 %s', async (path) => {
    const { status, body } = await get(`${UTILITY}/${path}`)
    expect([status, body.error]).toEqual([400, true])
  })
})

describe('POST customer-enquiry', () => {
  test('200 returns the customer and the price', async () => {
    const { status, body } = await post(ENQUIRE, { customerId: PHONE, packageSlug: AIRTIME })
    expect([status, body]).toEqual([
      200,
      {
        error: false,
        status: 'success',
        message: 'Customer found.',
        responseCode: '00',
        responseData: {
          enquiryReference: expect.stringMatching(/^ENQ_\w{20}$/),
          customerId: PHONE,
          customerName: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
          packageSlug: AIRTIME,
          packageName: 'MTN top-up',
          billerName: 'MTN Airtime',
          category: 'airtime',
          amountType: 'variable',
          amount: null,
          amountMinor: null,
          minimumAmount: 50,
          minimumAmountMinor: 5_000,
          maximumAmount: 50_000,
          maximumAmountMinor: 5_000_000,
          fee: 0,
          currency: 'NGN',
          expiresAt: expect.any(String),
        },
      },
    ])
  })

  test('200 again renews the enquiry in the same row; an Idempotency-Key repeats the response', async () => {
    const { businessId, post: ask } = await shopOn(server)
    const body = { customerId: PHONE, packageSlug: 'dstv-padi' }
    const known = { ...body, customerId: '7012345678' }
    const key = { 'idempotency-key': 'enquiry' }
    const first = await ask(ENQUIRE, known, key)
    const second = await ask(ENQUIRE, known)
    const repeated = await ask(ENQUIRE, known, key)
    expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([
      first.text,
      'true',
    ])
    const { enquiryReference } = second.body.responseData
    expect(enquiryReference).not.toBe(first.body.responseData.enquiryReference)
    const rows = await db.many`
      select reference from utility_enquiries where business_id = ${businessId}`
    expect(rows).toEqual([{ reference: enquiryReference }])
    expect((await ask(ENQUIRE, { ...known, packageSlug: 'dstv-yanga' }, key)).status).toBe(422)
  })

  test.each([
    ['ikedc-prepaid', '123', /Ikeja.*no customer.*meter/],
    ['ikedc-prepaid', 'ABC1234567', /meter/],
    ['ikedc-prepaid', '0000000000', /meter/],
    ['ikedc-prepaid', '0000000005', /meter/],
    ['dstv-padi', '123', /DStv.*smart card/],
    [AIRTIME, '12345', /MTN.*telephone/],
    [AIRTIME, '0803123456', /telephone/],
    [AIRTIME, '+2348031234567890', /telephone/],
  ])('404 because %s has no customer %s', async (packageSlug, customerId, says) => {
    const { status, body } = await post(ENQUIRE, { packageSlug, customerId })
    expect([status, body]).toMatchObject([
      404,
      { error: true, errorCode: 'utility_customer_not_found' },
    ])
    expect(body.message).toMatch(says)
    const rows = await db.many`
      select from utility_enquiries
      where business_id = ${server.business.businessId} and customer_id = ${customerId}`
    expect(rows).toEqual([])
  })

  test.each(['+2348031234567', '2348031234567', '09012345678'])(
    '200 for a phone number as %s',
    async (customerId) => {
      expect((await post(ENQUIRE, { customerId, packageSlug: AIRTIME })).status).toBe(200)
    },
  )

  test('404 for an unknown package', async () => {
    const { status, body } = await post(ENQUIRE, { customerId: PHONE, packageSlug: 'mtn' })
    expect([status, body]).toMatchObject([
      404,
      { error: true, errorCode: 'utility_package_not_found' },
    ])
  })

  test.each([
    [{ packageSlug: AIRTIME }, 'customerId'],
    [{ customerId: PHONE }, 'packageSlug'],
    [{ customerId: 8031234567, packageSlug: AIRTIME }, 'customerId'],
    [{ customerId: '', packageSlug: AIRTIME }, 'customerId'],
    [{ customerId: '1'.repeat(101), packageSlug: AIRTIME }, 'customerId'],
  ])('400 %j', async (body, field) => {
    const answer = await post(ENQUIRE, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: true, errorCode: 'validation_failed' })
    expect(answer.body.message).toContain(field)
  })

  test('503 with a live key; 200 for the catalogue', async () => {
    const { keys } = await shopOn(server)
    const live = server.as(keys.liveSecret)
    const { status, body } = await live.post(ENQUIRE, { ...METER, customerId: '45012345678' })
    expect([status, body]).toMatchObject([503, { error: true, errorCode: 'live_provider_missing' }])
    expect((await live.get(`${UTILITY}/packages`)).status).toBe(200)
  })
})
