import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { addMs } from '../../../lib/clock.ts'
import { keepDiscount, reserveDiscount } from './uses.ts'

const PATH = '/api/payment-service/external/v1/products'
const PLAIN = '/api/payment-service/v1/products'
const PAGES = '/api/payment-service/external/v1/payment-pages'

const server = await startServer({ sweepers: false })
const { db, ids, clock } = server

const save10 = { code: 'SAVE-10', type: 'percentage', value: 10 }

/** A business of its own for each test. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const tenant = { businessId, live: false }
  const product = async (body: object = {}): Promise<string> => {
    const wanted = { name: 'Shirt', price: 1500, ...body }
    return (await caller.post(`${PATH}/create-product`, wanted)).body.data.productId
  }
  const add = (body: object = {}) =>
    caller.post(`${PATH}/add-discount-code`, { ...save10, ...body })
  const make = async (body: object = {}) => {
    const made = await add(body)
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const list = async (query = '') => (await caller.get(`${PATH}/get-discount-codes${query}`)).body
  const codes = async (query = ''): Promise<string[]> =>
    (await list(query)).data.map(({ code }: { code: string }) => code)
  const update = (body: object) => caller.put(`${PATH}/update-discount-code-details`, body)
  const verify = (body: object = {}) =>
    caller.post(`${PATH}/verify-discount-code`, { code: 'save-10', amount: 1000, ...body })
  const reserve = async (code: string, email = 'ada@example.com') => {
    const causeId = await ids.next()
    const now = clock.now()
    await db.transaction((tx) =>
      reserveDiscount(tx, tenant, {
        causeId,
        code,
        lines: [{ productId: null, amount_minor: 100_000n }],
        currency: 'NGN',
        email,
        expiresAt: addMs(now, 900_000),
        now,
      }),
    )
    return causeId
  }
  const keep = (causeId: number) =>
    db.transaction((tx) => keepDiscount(tx, ids, tenant, { causeId, now: clock.now() }))
  const eventsOf = async (id: number) => {
    const rows = await db.many<{ type: string; data: string }>`
      select type, data::text as data from events
      where business_id = ${businessId} and object_id = ${id} order by sequence`
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
  }
  const live = server.as(keys.liveSecret)
  const calls = { product, add, make, list, codes, update, verify, reserve, keep, eventsOf }
  return { ...caller, live, businessId, ...calls }
}

describe('add', () => {
  test('200 repeats a code, and a change of it, whose numbers are spelt otherwise', async () => {
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

  test('200 answers the whole record, in upper case, and tells of it', async () => {
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
          // Days of Lagos, the second to its end.
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
    [{ type: 'fixed', value: 5, currency: 'KWD', minSpend: 1.001 }, { minSpend: 1.001 }],
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
    ['type', 'Percentage'],
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
    ['productId', null],
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
    ['status', 'active'],
  ])('400 names %s = %j, and nothing is stored', async (field, value, sent = field) => {
    const { add, codes } = await shop()
    const { status, body } = await add({ [sent]: value })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(body).toMatchObject({ status: 'error', errorCode: 'validation_failed' })
    expect(await codes()).toEqual([])
  })

  test.each([
    [{ type: 'fixed', value: 1.234 }, 'value'],
    [{ type: 'fixed', value: 0 }, 'value'],
    [{ type: 'fixed', value: 1.5, currency: 'JPY' }, 'value'],
    [{ startsAt: '2026-11-28', endsAt: '2026-11-27' }, 'startsAt'],
    [{ startsAt: '2026-11-28T10:00:00Z', endsAt: '2026-11-28T10:00:00Z' }, 'startsAt'],
    [{ productId: '1', productIds: ['1'] }, 'productId'],
  ])('400 for %j names %s', async (body, field) => {
    const { add, codes } = await shop()
    const reply = await add(body)
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    expect(await codes()).toEqual([])
  })

  test('200 for a single day', async () => {
    const { make } = await shop()
    expect(await make({ startsAt: '2026-11-28', endsAt: '2026-11-28' })).toMatchObject({
      startsAt: '2026-11-27T23:00:00.000Z',
      endsAt: '2026-11-28T23:00:00.000Z',
    })
  })

  test('404 for an unknown product, and 409 for one of another currency', async () => {
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
    expect(await refused({ productId: naira, currency: 'USD' })).toEqual([409, 'currency_mismatch'])
    expect(await codes()).toEqual([])
  })

  test('409 for a code that is taken, in any case; of many at once one is made', async () => {
    const { add, codes, make } = await shop()
    const spelt = ['save-10', 'SAVE-10', 'Save-10', 'sAVE-10']
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, i) => add({ code: spelt[i % 4] })),
    )
    const made = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 409)
    expect([made.length, refused.length]).toEqual([1, 23])
    expect(refused[0]!.body).toMatchObject({
      errorCode: 'discount_code_taken',
      errors: { code: ['is that of another discount'] },
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

describe('update', () => {
  test('200 changes what is given and clears what is null, by id and by code', async () => {
    const { product, make, update, eventsOf } = await shop()
    const productId = await product()
    const made = await make({ productId, maxUses: 5, minSpend: 100, endsAt: '2026-12-01' })
    const first = await update({ code: 'Save-10', value: 15, status: 'Inactive', minSpend: null })
    expect(first.status).toBe(200)
    expect(first.body.data).toEqual({
      ...made,
      value: 15,
      status: 'Inactive',
      minSpend: null,
      updatedAt: expect.any(String),
    })
    const second = await update({
      discountId: String(made.id),
      code: 'save-15',
      type: 'fixed',
      value: '150.00',
      currency: 'NGN',
      productId: null,
      maxDiscount: 20,
      startsAt: '2026-11-01',
      endsAt: null,
      maxUses: null,
      maxUsesPerCustomer: 3,
      status: 'Active',
    })
    expect(second.body.data).toMatchObject({
      id: made.id,
      reference: made.reference,
      code: 'SAVE-15',
      type: 'fixed',
      value: 150,
      productIds: [],
      maxDiscount: 20,
      startsAt: '2026-10-31T23:00:00.000Z',
      endsAt: null,
      maxUses: null,
      maxUsesPerCustomer: 3,
      status: 'Active',
    })
    expect((await eventsOf(made.id)).map(({ type }) => type)).toEqual([
      'discount.created',
      'discount.updated',
      'discount.updated',
    ])
    expect((await eventsOf(made.id))[2]!.data).toEqual(second.body.data)
  })

  test('200 for what it has already is no change and no event', async () => {
    const { put, product, make, eventsOf } = await shop()
    const productId = await product()
    const made = await make({ productIds: [productId], startsAt: '2026-11-01', minSpend: 5 })
    const same = { discountId: made.id, ...made, productIds: [Number(productId)] }
    const wanted = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== null))
    const { status, body } = await put(`${PLAIN}/update-discount-code-details`, wanted)
    expect([status, body.data]).toEqual([200, made])
    expect(await eventsOf(made.id)).toHaveLength(1)
  })

  test.each([
    [{ code: undefined }, 'discountId'],
    [{ discountId: 'x' }, 'discountId'],
    [{ code: 'a b' }, 'code'],
    [{ type: 'half' }, 'type'],
    [{ type: 'fixed' }, 'value'],
    [{ value: 101 }, 'value'],
    [{ value: null }, 'value'],
    [{ type: 'fixed', value: 0 }, 'value'],
    [{ productId: 'x' }, 'productId'],
    [{ productId: '1', productIds: null }, 'productId'],
    [{ productIds: 'x' }, 'productIds'],
    [{ minSpend: 'x' }, 'minSpend'],
    [{ maxDiscount: 0 }, 'maxDiscount'],
    [{ startsAt: '2027-01-01' }, 'startsAt'],
    [{ endsAt: 'x' }, 'endsAt'],
    [{ maxUses: 0 }, 'maxUses'],
    [{ maxUsesPerCustomer: 'x' }, 'maxUsesPerCustomer'],
    [{ status: 'Gone' }, 'status'],
  ])('400 for %j names %s', async (body, field) => {
    const { make, update, list } = await shop()
    const made = await make({ endsAt: '2026-12-31' })
    const reply = await update({ code: 'SAVE-10', ...body })
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    expect((await list()).data).toEqual([made])
  })

  test('404 and 409 for what cannot be', async () => {
    const { product, make, update, reserve, keep } = await shop()
    const [made, dollar] = [await make(), await product({ currency: 'USD', price: 1 })]
    await make({ code: 'OTHER' })
    await keep(await reserve('SAVE-10'))
    await reserve('SAVE-10')
    const refused = async (body: object) => {
      const reply = await update({ discountId: made.id, ...body })
      return [reply.status, reply.body.errorCode]
    }
    expect(await refused({ discountId: 999_999_999 })).toEqual([404, 'discount_not_found'])
    expect(await refused({ discountId: undefined, code: 'NONE' })).toEqual([
      404,
      'discount_not_found',
    ])
    expect(await refused({ productIds: ['999999999'] })).toEqual([404, 'product_not_found'])
    expect(await refused({ productId: dollar })).toEqual([409, 'currency_mismatch'])
    expect(await refused({ currency: 'USD' })).toEqual([409, 'currency_fixed'])
    expect(await refused({ code: 'other' })).toEqual([409, 'discount_code_taken'])
    expect(await refused({ maxUses: 1 })).toEqual([409, 'discount_used'])
    expect((await update({ discountId: made.id, maxUses: 2 })).body.data).toMatchObject({
      maxUses: 2,
      usedCount: 1,
      reservedCount: 1,
    })
  })

  test('200 for one of many that take the same code at once, 409 for the rest', async () => {
    const { make, update, codes } = await shop()
    const some = []
    for (let i = 0; i < 12; i++) some.push(await make({ code: `CODE-${i}` }))
    const replies = await Promise.all(
      some.map(({ id }) => update({ discountId: id, code: 'same' })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(11)
    expect((await codes()).filter((code) => code === 'SAME')).toHaveLength(1)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('verify', () => {
  test('200 says what comes off, and uses nothing', async () => {
    const { make, verify, list } = await shop()
    const made = await make({ value: 12.5 })
    const { status, body } = await verify({ amount: '999.99', email: 'ada@example.com' })
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Discount code is valid.',
        data: {
          valid: true,
          code: 'SAVE-10',
          type: 'percentage',
          value: 12.5,
          amount: 999.99,
          amountMinor: 99_999,
          discountAmount: 125,
          discountAmountMinor: 12_500,
          finalAmount: 874.99,
          finalAmountMinor: 87_499,
          currency: 'NGN',
        },
      },
    ])
    expect((await list()).data).toEqual([made])
  })

  test('200 takes no more off than there is', async () => {
    const { make, verify } = await shop()
    await make({ type: 'fixed', value: 5_000 })
    const data = { discountAmount: 1000, finalAmount: 0 }
    expect(await verify()).toMatchObject({ status: 200, body: { data } })
  })

  test('404 in the plain family', async () => {
    const { make, post } = await shop()
    await make()
    const reply = await post(`${PLAIN}/verify-discount-code`, { code: 'SAVE-10', amount: 1 })
    expect(reply).toMatchObject({ status: 404, body: { errorCode: 'route_not_found' } })
  })

  test.each([
    ['not_found', {}, { code: 'NONE' }],
    ['not_found', {}, { code: 'no such code ₦' }],
    ['inactive', { status: 'Inactive', endsAt: '2020-01-01' }, {}],
    ['not_started', { startsAt: '2999-01-01', minSpend: 5000 }, {}],
    ['expired', { endsAt: '2020-01-01', minSpend: 5000 }, {}],
    ['not_applicable', { minSpend: 5000 }, { currency: 'USD' }],
    ['min_spend', { minSpend: 1000.01 }, {}],
  ])('400 %s for %j and %j', async (reason, terms, asked) => {
    const { make, verify } = await shop()
    await make({ maxUses: 1, ...terms })
    const { status, body } = await verify(asked)
    expect([status, body]).toEqual([
      400,
      {
        status: 'error',
        message: expect.stringMatching(/discount code/),
        errors: { code: [reason] },
        errorCode: 'discount_refused',
        requestId: expect.any(String),
      },
    ])
  })

  test('400 exhausted and customer_limit once it was used', async () => {
    const { make, verify, reserve } = await shop()
    await make({ maxUses: 2, maxUsesPerCustomer: 1 })
    const reason = async (email?: string) => (await verify({ email })).body.errors?.code?.[0]
    expect(await reason('ada@example.com')).toBeUndefined()
    await reserve('SAVE-10')
    expect(await reason('ADA@example.com')).toBe('customer_limit')
    expect(await reason('bola@example.com')).toBeUndefined()
    expect(await reason()).toBeUndefined()
    await reserve('SAVE-10', 'bola@example.com')
    expect(await reason('chi@example.com')).toBe('exhausted')
    expect(await reason('ada@example.com')).toBe('exhausted')
  })

  test('200 for the product that it is for, 400 for others', async () => {
    const { product, make, verify } = await shop()
    const [shirt, cap] = [await product(), await product()]
    await make({ productId: shirt })
    expect((await verify({ productId: shirt })).status).toBe(200)
    expect((await verify({ productId: cap })).body.errors).toEqual({ code: ['not_applicable'] })
    expect((await verify()).body.errors).toEqual({ code: ['not_applicable'] })
    expect(await verify({ productId: '999999999' })).toMatchObject({
      status: 404,
      body: { errorCode: 'product_not_found' },
    })
  })

  test('200 for a page that takes codes and sells what it is for, 400 for others', async () => {
    const { post, product, make, verify } = await shop()
    const [shirt, cap] = [await product(), await product()]
    await make({ productId: shirt })
    const page = async (productId: string, body: object = {}): Promise<number> => {
      const wanted = { title: 'Shop', amountType: 'variable', productIds: [productId], ...body }
      const { pageId } = (await post(`${PAGES}/create-pages`, wanted)).body.data
      return pageId
    }
    const [selling, other] = [await page(shirt), await page(cap)]
    const closed = await page(shirt, { allowDiscountCodes: false })
    expect((await verify({ pageId: selling })).status).toBe(200)
    expect((await verify({ pageId: other })).body.errors).toEqual({ code: ['not_applicable'] })
    expect((await verify({ pageId: closed })).body.errors).toEqual({ code: ['not_applicable'] })
    await post(`${PAGES}/delete-page`, { pageId: selling })
    for (const pageId of [selling, 999_999_999]) {
      expect(await verify({ pageId })).toMatchObject({
        status: 404,
        body: { errorCode: 'payment_page_not_found' },
      })
    }
  })

  test.each([
    ['code', ''],
    ['code', undefined],
    ['code', 'x'.repeat(101)],
    ['amount', undefined],
    ['amount', 0],
    ['amount', -5],
    ['amount', 1.234],
    ['amount', 'x'],
    ['amount', null],
    ['currency', 'ZZZ'],
    ['currency', 5],
    ['productId', 'x'],
    ['pageId', 'x'],
    ['email', 'ada'],
  ])('400 names %s = %j', async (field, value) => {
    const { make, verify } = await shop()
    await make()
    const { status, body } = await verify({ [field]: value })
    expect([status, Object.keys(body.errors), body.errorCode]).toEqual([
      400,
      [field],
      'validation_failed',
    ])
  })
})

test('404, [] or not_found, of another business and in the other mode', async () => {
  const ours = await shop()
  const productId = await ours.product()
  const made = await ours.make({ productId })
  for (const { get, post, put } of [await shop(), ours.live]) {
    const send = { ...save10, productId }
    expect((await post(`${PATH}/add-discount-code`, send)).status).toBe(404)
    const updates = [{ discountId: made.id }, { code: 'SAVE-10' }]
    for (const name of updates) {
      const body = { ...name, status: 'Inactive' }
      expect((await put(`${PATH}/update-discount-code-details`, body)).status).toBe(404)
    }
    for (const query of ['', '?code=SAVE-10', `?productId=${productId}`]) {
      expect((await get(`${PATH}/get-discount-codes${query}`)).body.data).toEqual([])
    }
    const asked = { code: 'SAVE-10', amount: 5 }
    const unknown = await post(`${PATH}/verify-discount-code`, asked)
    expect([unknown.status, unknown.body.errors]).toEqual([400, { code: ['not_found'] }])
    const foreign = await post(`${PATH}/verify-discount-code`, { ...asked, productId })
    expect(foreign.status).toBe(404)
    await post(`${PATH}/add-discount-code`, save10)
    const own = (await get(`${PATH}/get-discount-codes`)).body.data[0]
    const stolen = { discountId: own.id, productId }
    expect((await put(`${PATH}/update-discount-code-details`, stolen)).status).toBe(404)
  }
  expect((await ours.list()).data).toEqual([made])
})
