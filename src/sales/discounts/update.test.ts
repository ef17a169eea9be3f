import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop, PATH, PLAIN, save10 } from './discounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('update', () => {
  test('200 changes the given fields and clears null ones, by id and by code', async () => {
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

  test('200 for current values is no change and causes no event', async () => {
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

  test('404 and 409 for changes that are not possible', async () => {
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

  test('200 for one of many that request the same code at once, 409 for the rest', async () => {
    const { make, update, codes } = await shop()
    const some = []
    for (let i = 0; i < 12; i++) some.push(await make({ code: `CODE-${i}` }))
    const replies = await Promise.all(
      some.map(({ id }) => untilDone(() => update({ discountId: id, code: 'same' }))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(11)
    expect((await codes()).filter((code) => code === 'SAME')).toHaveLength(1)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

test('404, [] or not_found for another business and the other mode', async () => {
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
