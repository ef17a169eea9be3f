import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop, PATH, PLAIN, save10 } from './discounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('create', () => {
  test('200 repeats its response to the same request with numbers written differently', async () => {
    const { post, put } = await shop()
    const numbers = { value: 12.5, minSpend: 10.5, maxDiscount: 100 }
    const spelt = { value: '12.50', minSpend: '10.50', maxDiscount: '100.00' }
    const headers = { 'idempotency-key': 'once' }
    for (const [call, name] of [
      [post, 'add-discount-code'],
      [put, 'update-discount-code-details'],
    ] as const) {
      const path = `${PATH}/${name}`
      const first = await call(path, { ...save10, ...numbers }, headers)
      const again = await call(path, { ...save10, ...spelt }, headers)
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    }
  })

  test('200 returns the whole record, in upper case, with one event', async () => {
    const { product, add, eventsOf } = await shop()
    const [shirt, cap] = [await product(), await product()]
    const { status, body } = await add({
      code: 'black_Friday-26',
      value: 12.5,
      productIds: [shirt, Number(cap), shirt],
      minSpend: '1000.50',
      maxDiscount: 500,
      startsAt: '2026-11-27',
      endsAt: '2026-11-28',
      maxUses: 100,
      maxUsesPerCustomer: 2,
    })
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Discount code created.',
        data: {
          id: expect.any(Number),
          reference: expect.stringMatching(/^DSC_\w{20}$/),
          code: 'BLACK_FRIDAY-26',
          type: 'percentage',
          value: 12.5,
          currency: 'NGN',
          productIds: [shirt, cap],
          minSpend: 1000.5,
          maxDiscount: 500,
          // Days in Lagos; the second is included.
          startsAt: '2026-11-26T23:00:00.000Z',
          endsAt: '2026-11-28T23:00:00.000Z',
          maxUses: 100,
          maxUsesPerCustomer: 2,
          usedCount: 0,
          reservedCount: 0,
          status: 'Active',
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      },
    ])
    expect(await eventsOf(body.data.id)).toEqual([{ type: 'discount.created', data: body.data }])
  })

  test.each([
    [{ code: 'abc' }, { code: 'ABC', maxUses: null, minSpend: null, productIds: [] }],
    [{ code: '_'.repeat(32) }, { code: '_'.repeat(32) }],
    [{ value: 0.01 }, { value: 0.01 }],
    [{ value: '99.99' }, { value: 99.99 }],
    [{ value: 100 }, { value: 100 }],
    [{ type: 'fixed', value: '1500.50' }, { value: 1500.5 }],
    [
      { minSpend: 0, status: 'Inactive' },
      { minSpend: 0, status: 'Inactive' },
    ],
    [{ endsAt: '2020-01-01T00:00:00Z' }, { endsAt: '2020-01-01T00:00:00.000Z' }],
    [{ productIds: [] }, { productIds: [] }],
  ])('200 for %j', async (body, expected) => {
    const { add } = await shop()
    const reply = await add(body)
    expect(reply).toMatchObject({ status: 200, body: { data: expected } })
  })

  test('200 in the plain family, for one product, in its currency', async () => {
    const { post, product } = await shop()
    const productId = await product({ currency: 'USD', price: 10 })
    const body = { ...save10, type: 'fixed', productId: Number(productId) }
    const reply = await post(`${PLAIN}/add-discount-code`, body)
    const data = { productIds: [productId], currency: 'USD' }
    expect(reply).toMatchObject({ status: 200, body: { data } })
  })

  test.each([
    ['code', undefined],
    ['code', ''],
    ['code', 'ab'],
    ['code', 'x'.repeat(33)],
    ['code', 'TEN %'],
    ['code', ' SAVE'],
    ['code', 'ZEHN₦'],
    ['code', 10],
    ['type', undefined],
    ['type', 'share'],
    ['value', undefined],
    ['value', 0],
    ['value', -1],
    ['value', 100.01],
    ['value', 12.345],
    ['value', 1e-7],
    ['value', '0x10'],
    ['value', ' 5'],
    ['value', 'ten'],
    ['value', true],
    ['currency', 'naira'],
    ['currency', 'ZZZ'],
    ['productId', 'abc'],
    ['productIds', '1'],
    ['productIds', Array(101).fill(1)],
    ['productIds.0', ['x'], 'productIds'],
    ['minSpend', -1],
    ['minSpend', 'much'],
    ['minSpend', 1.234],
    ['maxDiscount', 0],
    ['maxDiscount', 1e12],
    ['startsAt', 'tomorrow'],
    ['startsAt', '2026-02-30'],
    ['startsAt', 20261127],
    ['endsAt', '2026-11-27 10:00'],
    ['maxUses', 0],
    ['maxUses', 1.5],
    ['maxUses', '5'],
    ['maxUses', 1_000_000_001],
    ['maxUsesPerCustomer', 0],
    ['status', 'open'],
  ])('400 names %s = %j and stores nothing', async (field, value, sent = field) => {
    const { add, codes } = await shop()
    const { status, body } = await add({ [sent]: value })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(body).toMatchObject({ status: 'error', errorCode: 'validation_failed' })
    expect(await codes()).toEqual([])
  })

  test.each([
    [{ type: 'fixed', value: 1.234 }, 'value'],
    [{ type: 'fixed', value: 0 }, 'value'],
    [{ type: 'fixed', value: 5, currency: 'JPY' }, 'currency'],
    [{ startsAt: '2026-11-28', endsAt: '2026-11-27' }, 'startsAt'],
    [{ startsAt: '2026-11-28T10:00:00Z', endsAt: '2026-11-28T10:00:00Z' }, 'startsAt'],
    [{ productId: '1', productIds: ['1'] }, 'productId'],
  ])('400 for %j names %s', async (body, field) => {
    const { add, codes } = await shop()
    const reply = await add(body)
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    expect(await codes()).toEqual([])
  })

  test('200 for a period of one day', async () => {
    const { make } = await shop()
    expect(await make({ startsAt: '2026-11-28', endsAt: '2026-11-28' })).toMatchObject({
      startsAt: '2026-11-27T23:00:00.000Z',
      endsAt: '2026-11-28T23:00:00.000Z',
    })
  })

  test('400 for a currency that no channel can take', async () => {
    const { add, codes } = await shop()
    for (const currency of ['USD', 'XXQ']) {
      const { status, body } = await add({ type: 'fixed', value: 5, currency })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['currency']])
    }
    expect(await codes()).toEqual([])
  })

  test('404 for an unknown product, and 409 for one in another currency', async () => {
    const { product, add, post, codes } = await shop()
    const [naira, dollar, gone] = [
      await product(),
      await product({ currency: 'USD', price: 1 }),
      await product(),
    ]
    await post(`${PATH}/delete-product`, { productId: gone })
    const refused = async (body: object) => {
      const reply = await add(body)
      return [reply.status, reply.body.errorCode]
    }
    expect(await refused({ productId: '999999999' })).toEqual([404, 'product_not_found'])
    expect(await refused({ productIds: [naira, gone] })).toEqual([404, 'product_not_found'])
    expect(await refused({ productIds: [naira, dollar] })).toEqual([409, 'currency_mismatch'])
    expect(await refused({ productId: dollar, currency: 'NGN' })).toEqual([
      409,
      'currency_mismatch',
    ])
    expect(await codes()).toEqual([])
  })

  test('409 for a taken code, in any case; of many at once one is created', async () => {
    const { add, codes, make } = await shop()
    const spelt = ['save-10', 'SAVE-10', 'Save-10', 'sAVE-10']
    const replies = await times(24, (i) => untilDone(() => add({ code: spelt[i % 4] })))
    const made = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 409)
    expect([made.length, refused.length]).toEqual([1, 23])
    expect(refused[0]!.body).toMatchObject({
      errorCode: 'discount_code_taken',
      errors: { code: ['is already used by another discount'] },
    })
    expect(await codes()).toEqual(['SAVE-10'])
    await (await shop()).make()
    await make({ code: 'OTHER' })
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('list', () => {
  test('200 newest first, by page, by code in any case, and by product', async () => {
    const { get, product, make, list, codes } = await shop()
    expect(await list()).toMatchObject({ status: 'success', data: [], meta: { total: 0 } })
    const [shirt, cap] = [await product(), await product()]
    await make({ code: 'ALL' })
    await make({ code: 'SHIRT', productId: shirt })
    await make({ code: 'BOTH', productIds: [shirt, cap] })
    expect(await codes()).toEqual(['BOTH', 'SHIRT', 'ALL'])
    expect(await codes('?sort=asc&limit=2')).toEqual(['ALL', 'SHIRT'])
    expect((await list('?page=2&limit=2')).meta).toMatchObject({ total: 3, page: 2, pageCount: 2 })
    expect(await codes('?code=%20shirt')).toEqual(['SHIRT'])
    expect(await codes(`?productId=${shirt}`)).toEqual(['BOTH', 'SHIRT'])
    expect(await codes(`?productId=${cap}&code=shirt`)).toEqual([])
    expect(await codes('?productId=999999999')).toEqual([])
    expect(await codes('?code=none')).toEqual([])
    const plain = await get(`${PLAIN}/get-discount-codes/?code=both`)
    expect(plain.body.data).toMatchObject([{ code: 'BOTH', productIds: [shirt, cap] }])
  })

  test.each([
    ['productId', 'abc'],
    ['productId', ''],
    ['code', 'x'.repeat(101)],
    ['page', '0'],
    ['limit', '101'],
    ['sort', 'up'],
  ])('400 names %s=%s', async (field, value) => {
    const { list } = await shop()
    expect(Object.keys((await list(`?${field}=${value}`)).errors)).toEqual([field])
  })
})
