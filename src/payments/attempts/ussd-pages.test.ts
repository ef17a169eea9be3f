import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop, USSD } from './ussd.fixture.ts'

const PAGES = '/api/payment-service/external/v1/payment-pages'

const server = await startServer({ jobs: false })

async function shop() {
  const opened = await openShop(server)
  const page = async (more: object = {}) => {
    const { status, body } = await opened.post(`${PAGES}/create-pages`, { title: 'Pay', ...more })
    expect([status, body.error]).toEqual([200, undefined])
    return body.data.pageId as number
  }
  return { ...opened, page }
}

describe('USSD on a payment page', () => {
  test('200 returns the page on the transaction, for an id as a number or digits', async () => {
    const { begin, page, get } = await shop()
    const pageId = await page({ amount: 100 })
    for (const named of [pageId, String(pageId)]) {
      const { transactionId } = await begin({ amount: 100, pageId: named })
      const { body } = await get(`/api/transaction-service/v1/fetch/${transactionId}`)
      expect(body.data).toMatchObject({ pageId, splitPageId: null, amount: 100 })
    }
  })

  test('200 shares the payment through the payment page’s split page', async () => {
    const { begin, page, splitPage, shares } = await shop()
    const { id } = await splitPage([30])
    const pageId = await page({ amount: 1_000, splitPageId: id })
    const { transactionId } = await begin({ amount: 1_000, pageId })
    expect(await shares(transactionId)).toMatchObject([{ amount_minor: 30_000n }])
  })

  test('400 names the amount if the page has another one', async () => {
    const { page, post, count } = await shop()
    const pageId = await page({ amount: 100 })
    const { status, body } = await post(USSD, { channel: 'USSD', amount: 99, pageId })
    expect([status, body.message]).toEqual([400, 'amount must be ₦100.00 on this page'])
    expect(await count()).toBe(0)
  })

  test('409 for a page that is Unpublished, 404 for a deleted one and for another business', async () => {
    const { page, post, put } = await shop()
    const pageId = await page({ amount: 100 })
    const ussd = () => post(USSD, { channel: 'USSD', amount: 100, pageId })
    await put(`${PAGES}/update-page-status`, { pageId, status: 'Unpublished' })
    expect((await ussd()).status).toBe(409)
    await post(`${PAGES}/delete-page`, { pageId })
    expect((await ussd()).body).toEqual({
      message: 'Split page not found',
      code: 404,
      error: 'NOT_FOUND',
    })
    const theirs = await (await shop()).page({ amount: 100 })
    const other = await post(USSD, { channel: 'USSD', amount: 100, pageId: theirs })
    expect(other.status).toBe(404)
  })
})
