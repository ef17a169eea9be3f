import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import type { Tx } from '../../db/database.ts'
import { DELETE, openPages, SERVICE, STATUS } from './payment-pages.fixture.ts'
import {
  countPagePayment,
  countView,
  pageByLink,
  pageForPaying,
  releasePagePlace,
  reservePagePlace,
  reservePagePlaceAgain,
} from './service.ts'

const server = await startServer({ jobs: false })
const { db, runJob } = server

async function shop() {
  const own = await openPages(server)
  const { tenant } = own
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work)
  const statsOf = async (id: number) => (await own.seen(id)).stats
  const openOf = async (id: number) => (await pageForPaying(db, tenant, id))?.open_checkouts
  return {
    ...own,
    statsOf,
    openOf,
    take: (id: number) => inTx((tx) => reservePagePlace(tx, tenant, id)),
    retake: (id: number) => inTx((tx) => reservePagePlaceAgain(tx, tenant, id)),
    giveBack: (id: number) => inTx((tx) => releasePagePlace(tx, tenant, id)),
    pay: (id: number, minor: bigint) => inTx((tx) => countPagePayment(tx, tenant, id, minor)),
  }
}

const full = { kind: 'conflict', code: 'page_full' }

describe('places', () => {
  test('409 for all checkouts beyond maxPayments that start at once', async () => {
    const { make, take, statsOf, openOf } = await shop()
    const { id } = await make({ maxPayments: 5 })
    const taken = await Promise.allSettled(Array.from({ length: 40 }, () => take(id)))
    const refused = taken.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(35)
    for (const { reason } of refused) expect(reason).toMatchObject(full)
    expect([await openOf(id), (await statsOf(id)).checkouts]).toEqual([5, 5])
  })

  test('200 for any number without a limit', async () => {
    const { make, take, openOf } = await shop()
    const { id } = await make()
    await Promise.all(Array.from({ length: 30 }, () => take(id)))
    expect(await openOf(id)).toBe(30)
  })

  test('409 while the only place is reserved or paid, not after it was given back', async () => {
    const { make, take, retake, giveBack, pay, statsOf, openOf } = await shop()
    const { id } = await make({ maxPayments: 1 })
    await take(id)
    await expect(take(id)).rejects.toMatchObject(full)
    expect(await retake(id)).toBe(false)
    await giveBack(id)
    expect(await retake(id)).toBe(true)
    await pay(id, 150_050n)
    await expect(take(id)).rejects.toMatchObject(full)
    expect(await openOf(id)).toBe(0)
    expect(await statsOf(id)).toEqual({
      views: 0,
      checkouts: 1,
      payments: 1,
      amount: 1_500.5,
      amountMinor: 150_050,
      conversion: 0,
    })
  })

  test('500 for a place that no checkout has: neither given back nor paid twice', async () => {
    const { make, take, giveBack, pay, statsOf } = await shop()
    const { id } = await make()
    await take(id)
    const twice = await Promise.allSettled([giveBack(id), giveBack(id), pay(id, 5n)])
    expect(twice.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await statsOf(id)).checkouts).toBe(1)
  })

  test('409 never for a page of another tenant: nothing is counted for it', async () => {
    const { make, openOf } = await shop()
    const other = await shop()
    const { id } = await make()
    await expect(other.take(id)).rejects.toMatchObject(full)
    expect(await openOf(id)).toBe(0)
  })
})

describe('pages as payers see them', () => {
  test('200 by id and by link, with fields and products', async () => {
    const { make, product, tenant, post, live } = await shop()
    const [one, two] = [await product(), await product()]
    const customFields = [{ label: 'A', name: 'a', type: 'select', required: true, options: ['x'] }]
    const made = await make({
      amountType: 'minimum',
      amount: 5,
      suggestedAmounts: [5, 7.5],
      customFields,
      productIds: [two, one],
    })
    await post(`${SERVICE}/products/delete-product`, { productId: one })
    const page = await pageForPaying(db, tenant, made.id)
    expect(page).toMatchObject({
      id: made.id,
      amount_minor: 500n,
      suggested_minor: [500n, 750n],
      custom_fields: customFields,
      product_ids: [Number(two)],
      payments: 0,
      open_checkouts: 0,
      deleted_at: null,
    })
    expect(await pageByLink(db, made.customLink)).toEqual({ tenant, page })
    expect(await pageForPaying(db, { ...tenant, live: true }, made.id)).toBe(undefined)
    const there = await make({}, live)
    expect((await pageByLink(db, there.customLink))?.tenant).toEqual({ ...tenant, live: true })
    expect(await pageByLink(db, 'nobody-ever-had-this')).toBe(undefined)
  })

  test('410 is possible, because a deleted page is still found and marked as deleted', async () => {
    const { make, tenant, post, put } = await shop()
    const { id, customLink } = await make()
    await put(STATUS, { pageId: id, status: 'Unpublished' })
    expect((await pageByLink(db, customLink))?.page.status).toBe('Unpublished')
    await post(DELETE, { pageId: id })
    expect((await pageByLink(db, customLink))?.page.deleted_at).toBeInstanceOf(Date)
    expect((await pageForPaying(db, tenant, id))?.deleted_at).toBeInstanceOf(Date)
  })

  test('200 never for the link of a split page', async () => {
    const { splitPage } = await shop()
    await splitPage({ slug: 'split-page-only' })
    expect(await pageByLink(db, 'split-page-only')).toBe(undefined)
  })
})

describe('views', () => {
  test('200 counts them in the background, once each, and computes the conversion', async () => {
    const { make, tenant, take, pay, statsOf } = await shop()
    const [one, two] = [await make(), await make()]
    for (let i = 0; i < 3; i++) countView(db, tenant, one.id)
    countView(db, tenant, two.id)
    expect((await statsOf(one.id)).views).toBe(0)
    expect(await runJob('page_views')).toBe(2)
    expect(await runJob('page_views')).toBe(0)
    await take(one.id)
    await pay(one.id, 5n)
    expect(await statsOf(one.id)).toMatchObject({ views: 3, conversion: 0.3333 })
    expect((await statsOf(two.id)).views).toBe(1)
    await take(two.id)
    await take(two.id)
    await pay(two.id, 5n)
    await pay(two.id, 5n)
    expect((await statsOf(two.id)).conversion).toBe(1)
  })

  test('200 for more pages than one run writes', async () => {
    const { tenant, businessId } = await shop()
    const pages = 450
    await db.run`
      insert into payment_pages (business_id, live, id, reference, title, status, custom_link,
        amount_type, currency, created_at, updated_at)
      select ${businessId}, false, 2000000000 + n, 'PAG_v' || n, 'P', 'Published', 'v-' || n,
        'variable', 'NGN', ${new Date()}, ${new Date()}
      from generate_series(1, ${pages}::int) n`
    await db.run`
      insert into payment_page_counts (business_id, live, page_id)
      select ${businessId}, false, 2000000000 + n from generate_series(1, ${pages}::int) n`
    for (let n = pages; n > 0; n--) countView(db, tenant, 2_000_000_000 + n)
    expect(await runJob('page_views')).toBe(pages)
    const { views } = await db.one<{ views: number }>`
      select sum(views)::bigint as views from payment_page_counts where business_id = ${businessId}`
    expect(views).toBe(pages)
  })

  test('200 are written when the server ends', async () => {
    const first = await startServer({ jobs: false })
    const { make, tenant } = await openPages(first)
    const { id } = await make()
    countView(first.db, tenant, id)
    await first.app.server.close()
    const { views } = await first.db.one<{ views: number }>`
      select views from payment_page_counts where page_id = ${id}`
    expect(views).toBe(1)
  })
})
