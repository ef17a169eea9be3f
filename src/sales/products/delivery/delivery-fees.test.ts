import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { productOf } from '../catalogue/catalogue.fixture.ts'
import { deliveryFeeFor } from './service.ts'

const PATH = '/api/payment-service/external/v1/products'
const PLAIN = '/api/payment-service/v1/products'

const server = await startServer({ jobs: false })
const { db } = server

/** A separate business for each test. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const product = (body: object = {}) => productOf(db, caller, { price: 1500, ...body })
  const add = (body: object, headers?: Record<string, string>) =>
    caller.post(`${PATH}/add-delivery-fees`, body, headers)
  const list = async (productId: string, more = '') =>
    (await caller.get(`${PATH}/get-delivery-fees?productId=${productId}${more}`)).body
  const feesOf = async (productId: string): Promise<string[]> =>
    (await list(productId)).data.map((fee: { location: string; fees: string }) =>
      [fee.location, fee.fees].join(' '),
    )
  const eventsOf = async (productId: string) => {
    const rows = await db.many<{ type: string; data: string }>`
      select type, data::text as data from events
      where business_id = ${businessId} and object_id = ${Number(productId)} order by sequence`
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
  }
  const live = server.as(keys.liveSecret)
  return { ...caller, live, businessId, product, add, list, feesOf, eventsOf }
}

describe('add', () => {
  test('200 returns only a message; the product shows the fee and has an event', async () => {
    const { get, product, add, list, eventsOf } = await shop()
    const productId = await product()
    const { status, body } = await add({ productId, location: ' Lagos ', fees: '12.50' })
    expect([status, body]).toEqual([200, { message: 'Delivery fee added.' }])
    const fee = {
      reference: expect.stringMatching(/^DLV_\d+$/),
      status: 'Active',
      id: expect.any(Number),
      productId,
      location: 'Lagos',
      fees: '12.50',
      currency: 'NGN',
    }
    const { body: details } = await get(`${PATH}/get-product-details?productId=${productId}`)
    expect(details.data.deliveryFees).toEqual([fee])
    expect(await list(productId)).toEqual({
      status: 'success',
      message: 'Delivery fees retrieved.',
      data: [fee],
    })
    const [created, updated, ...rest] = await eventsOf(productId)
    expect([created!.type, updated!.type, rest]).toEqual(['product.created', 'product.updated', []])
    expect(updated!.data.deliveryFees).toEqual([fee])
  })

  test('200 in the plain family, for free, and at the maximum length', async () => {
    const { post, product, feesOf } = await shop()
    const productId = await product()
    const url = `${PLAIN}/add-delivery-fees/`
    const long = 'x'.repeat(100)
    for (const body of [
      { productId: Number(productId), location: 'Aba', fees: '0' },
      { productId, location: long, fees: '100000000000' },
      { productId, location: 'Everywhere', fees: '100.5' },
    ]) {
      expect((await post(url, body)).status).toBe(200)
    }
    expect(await feesOf(productId)).toEqual([
      'Aba 0.00',
      'Everywhere 100.50',
      `${long} 100000000000.00`,
    ])
  })

  test('200 a repeat in another case changes the fee; the same fee changes nothing', async () => {
    const { product, add, list, eventsOf } = await shop()
    const productId = await product()
    await add({ productId, location: 'Lagos', fees: '10' })
    const [{ id }] = (await list(productId)).data
    const changed = await add({ productId, location: 'LAGOS', fees: '20' })
    expect(changed.body).toEqual({ message: 'Delivery fee changed.' })
    await add({ productId, location: 'LAGOS', fees: '20.00' })
    expect((await list(productId)).data).toMatchObject([{ id, location: 'LAGOS', fees: '20.00' }])
    expect((await eventsOf(productId)).map(({ type }) => type)).toEqual([
      'product.created',
      'product.updated',
      'product.updated',
    ])
  })

  test('200 once for one key', async () => {
    const { product, add, eventsOf } = await shop()
    const body = { productId: await product(), location: 'Lagos', fees: '10' }
    const sent = await Promise.all([1, 2, 3].map(() => add(body, { 'idempotency-key': 'k' })))
    expect(sent.map(({ status, text }) => [status, text])).toEqual(
      Array(3).fill([200, '{"message":"Delivery fee added."}']),
    )
    expect(await eventsOf(body.productId)).toHaveLength(2)
  })

  test.each([
    ['productId', undefined, 'is required'],
    ['productId', '', 'must be an id'],
    ['productId', 'abc', 'must be an id'],
    ['productId', '999999999', 'must be the id of a product of this business'],
    ['productId', null, 'must be'],
    ['location', undefined, 'is required'],
    ['location', '', 'must not be empty'],
    ['location', '   ', 'must be a single line'],
    ['location', 'La\ngos', 'must be a single line'],
    ['location', 'Lag\u202eos', 'must be a single line'],
    ['location', 'La\0gos', ''],
    ['location', 'x'.repeat(101), 'must have at most 100'],
    ['location', 7, 'must be a string'],
    ['fees', undefined, 'is required'],
    ['fees', 12.5, 'must be a string'],
    ['fees', '', 'must be an amount as a string'],
    ['fees', '-1', 'must be an amount as a string'],
    ['fees', '1.', 'must be an amount as a string'],
    ['fees', '.5', 'must be an amount as a string'],
    ['fees', '1e3', 'must be an amount as a string'],
    ['fees', '12.505', 'must have at most 2 decimals in NGN (amounts are in naira, not kobo)'],
    ['fees', ' 12', 'must be an amount as a string'],
    ['fees', '100000000000.01', 'must be at most 100000000000.00 (amounts are in naira, not kobo)'],
    ['fees', '1234567890123456', 'must be an amount as a string'],
    ['fees', '١٢', 'must be an amount as a string'],
  ])('400 for %s = %j, and stores nothing', async (field, value, says) => {
    const { product, add, list } = await shop()
    const productId = await product()
    const body = { productId, location: 'Lagos', fees: '10', [field]: value }
    const reply = await add(body)
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.body)).toEqual(['error', 'errorCode', 'requestId'])
    expect(reply.body.error).toContain(field)
    expect(reply.body.error).toContain(says)
    expect((await list(productId)).data).toEqual([])
  })

  test('400 for decimals in a currency that has none', async () => {
    const { product, add, feesOf } = await shop()
    const productId = await product({ currency: 'JPY', price: 100 })
    const body = { productId, location: 'Osaka', fees: '10.5' }
    expect((await add(body)).status).toBe(400)
    expect((await add({ ...body, fees: '10' })).status).toBe(200)
    expect(await feesOf(productId)).toEqual(['Osaka 10'])
  })

  test('200 for as many decimals as its currency has', async () => {
    const { product, add, feesOf } = await shop()
    const productId = await product({ currency: 'KWD', price: 100 })
    const body = { productId, location: 'Jahra', fees: '1.2345' }
    expect((await add(body)).status).toBe(400)
    expect((await add({ ...body, fees: '1.234' })).status).toBe(200)
    expect(await feesOf(productId)).toEqual(['Jahra 1.234'])
  })

  test('409 for more than a hundred locations, even if many arrive at once', async () => {
    const { product, add, list } = await shop()
    const productId = await product()
    const replies = await Promise.all(
      Array.from({ length: 103 }, (_, i) =>
        add({ productId, location: `Town ${i}`, fees: `${i}` }),
      ),
    )
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, body.errorCode])).toEqual(
      Array(3).fill([409, 'delivery_fees_full']),
    )
    const { data } = await list(productId)
    expect(data).toHaveLength(100)
    expect((await add({ ...data[0], fees: '77' })).status).toBe(200)
  })

  test('200 for one location in many cases at once leaves one fee', async () => {
    const { product, add, list } = await shop()
    const productId = await product()
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        add({ productId, location: i % 2 ? 'KANO' : 'kano', fees: `${i}` }),
      ),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect((await list(productId)).data).toHaveLength(1)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('get', () => {
  test('200 returns the whole list, ordered by location; a page if one is requested', async () => {
    const { get, product, add, list, feesOf } = await shop()
    const productId = await product()
    expect((await list(productId)).data).toEqual([])
    for (const location of ['kano', 'Aba', 'Lagos']) await add({ productId, location, fees: '1' })
    expect(await feesOf(productId)).toEqual(['Aba 1.00', 'kano 1.00', 'Lagos 1.00'])
    const page = await list(productId, '&page=2&limit=2')
    expect(page.data).toMatchObject([{ location: 'Lagos' }])
    expect(page.meta).toMatchObject({ total: 3, page: 2, limit: 2, hasNext: false })
    expect((await get(`${PLAIN}/get-delivery-fees?productId=${productId}`)).status).toBe(200)
  })

  test.each([
    ['', 400],
    ['?productId=', 400],
    ['?productId=abc', 400],
    ['?productId=1&productId=2', 400],
    ['?productId=1&limit=101', 400],
    ['?productId=999999999', 404],
  ])('%s answers %i in its envelope', async (query, expected) => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/get-delivery-fees${query}`)
    expect([status, Object.keys(body)]).toEqual([expected, ['error', 'errorCode', 'requestId']])
  })
})

describe('update and delete', () => {
  test('200 by location, ignoring case, and by id', async () => {
    const { put, post, product, add, list, feesOf, eventsOf } = await shop()
    const productId = await product()
    await add({ productId, location: 'Lagos', fees: '10' })
    await add({ productId, location: 'Kano', fees: '20' })
    const change = (body: object) => put(`${PATH}/update-delivery-fees`, { productId, ...body })
    const { status, body } = await change({ location: ' lagos ', fees: '11' })
    const [, { id }] = (await list(productId)).data
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Delivery fee updated.',
        data: {
          reference: `DLV_${id}`,
          status: 'Active',
          id,
          productId,
          location: 'Lagos',
          fees: '11.00',
          currency: 'NGN',
        },
      },
    ])
    expect((await change({ deliveryFeeId: String(id), fees: '12' })).status).toBe(200)
    expect((await change({ deliveryFeeId: id, location: 'LAGOS', fees: '12.00' })).status).toBe(200)
    expect(await feesOf(productId)).toEqual(['Kano 20.00', 'Lagos 12.00'])
    expect(await eventsOf(productId)).toHaveLength(5)

    const remove = (body: object) => post(`${PLAIN}/delete-delivery-fees`, { productId, ...body })
    expect((await remove({ location: 'KANO' })).body.data).toMatchObject({
      status: 'Deleted',
      location: 'Kano',
    })
    expect((await remove({ deliveryFeeId: id })).status).toBe(200)
    expect((await remove({ deliveryFeeId: id })).status).toBe(404)
    expect(await feesOf(productId)).toEqual([])
    expect((await eventsOf(productId)).at(-1)!.data.deliveryFees).toEqual([])
  })

  const operations = [
    ['PUT', 'update-delivery-fees'],
    ['POST', 'delete-delivery-fees'],
  ] as const
  test.each(operations)('404 and 400 when %s %s cannot be found or read', async (method, name) => {
    const { call, product, add, feesOf } = await shop()
    const [productId, other] = [await product(), await product()]
    await add({ productId, location: 'Lagos', fees: '10' })
    await add({ productId: other, location: 'Kano', fees: '10' })
    const send = (body: object) =>
      call(method, `${PATH}/${name}`, { productId, fees: '1', location: 'Lagos', ...body })
    const refused: [object, number, string][] = [
      [{ productId: '999999999' }, 404, 'product_not_found'],
      [{ location: 'Kano' }, 404, 'delivery_fee_not_found'],
      [{ deliveryFeeId: 999_999_999 }, 404, 'delivery_fee_not_found'],
      [{ location: undefined }, 400, 'validation_failed'],
      [{ productId: undefined }, 400, 'validation_failed'],
      [{ deliveryFeeId: 'x' }, 400, 'validation_failed'],
      [{ location: 3 }, 400, 'validation_failed'],
    ]
    for (const [body, status, code] of refused) {
      const reply = await send(body)
      expect([reply.status, reply.body.errorCode]).toEqual([status, code])
      expect(Object.keys(reply.body)).toEqual(['error', 'errorCode', 'requestId'])
    }
    expect(await feesOf(productId)).toEqual(['Lagos 10.00'])
  })

  test.each([[undefined], [12], ['-1'], ['1.234']])('400 for fees = %j', async (fees) => {
    const { put, product, add, feesOf } = await shop()
    const productId = await product()
    await add({ productId, location: 'Lagos', fees: '10' })
    const body = { productId, location: 'Lagos', fees }
    expect((await put(`${PATH}/update-delivery-fees`, body)).status).toBe(400)
    expect(await feesOf(productId)).toEqual(['Lagos 10.00'])
  })
})

test('404, or 400 when adding, for another business and the other mode', async () => {
  const ours = await shop()
  const productId = await ours.product()
  await ours.add({ productId, location: 'Lagos', fees: '10' })
  const deliveryFeeId = (await ours.list(productId)).data[0].id
  const body = { productId, location: 'Lagos', fees: '1' }
  for (const { get, post, put } of [await shop(), ours.live]) {
    const replies = [
      await post(`${PATH}/add-delivery-fees`, body),
      await get(`${PATH}/get-delivery-fees?productId=${productId}`),
      await put(`${PATH}/update-delivery-fees`, body),
      await post(`${PATH}/delete-delivery-fees`, { productId, deliveryFeeId }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 404, 404, 404])
  }
  const theirs = await shop()
  const their = await theirs.product()
  const stolen = { productId: their, deliveryFeeId, fees: '1' }
  expect((await theirs.put(`${PATH}/update-delivery-fees`, stolen)).status).toBe(404)
  expect((await theirs.post(`${PATH}/delete-delivery-fees`, stolen)).status).toBe(404)
  expect(await ours.feesOf(productId)).toEqual(['Lagos 10.00'])
})

test('200 for the fee that checkout needs: that of the location, or else of Everywhere', async () => {
  const { businessId, product, add } = await shop()
  const [both, fallback, none] = [await product(), await product(), await product()]
  await add({ productId: both, location: 'Lagos', fees: '10' })
  await add({ productId: both, location: 'EVERYWHERE', fees: '99' })
  await add({ productId: fallback, location: 'Everywhere', fees: '50' })
  await add({ productId: none, location: 'Kano', fees: '1' })
  const products = [both, fallback, none].map(Number)
  const asked = async (location: string) => {
    const fees = await deliveryFeeFor(db, { businessId, live: false }, products, location)
    return products.map((id) => fees.get(id)?.fee_minor)
  }
  expect(await asked(' lagos ')).toEqual([1000n, 5000n, undefined])
  expect(await asked('Jos')).toEqual([9900n, 5000n, undefined])
  expect(await asked('Kano')).toEqual([9900n, 5000n, 100n])
  expect(await deliveryFeeFor(db, { businessId, live: false }, [], 'Jos')).toEqual(new Map())
})
