import { describe, expect, test } from 'vitest'
import { ApiError, List, type ResponseInfo, Tradepost } from '../../sdk/src/index.ts'
import { startServer } from '../harness.ts'

const server = await startServer({ jobs: false })
const key = server.business.keys.testSecret
const tradepost = new Tradepost({ key, baseUrl: server.url })

for (const amount of [1, 2, 3, 4, 5]) {
  await tradepost.invoices.create({ customerEmail: 'ada@example.com', amount })
  await tradepost.transactions.createUssd({ channel: 'USSD', amount: 1000 + amount })
}

/** Counts the requested pages. */
function counter() {
  const pages: ResponseInfo[] = []
  return { pages, options: { onResponse: (answer: ResponseInfo) => void pages.push(answer) } }
}

describe('a list', () => {
  test('200 awaited is the first page, with the server’s meta', async () => {
    const { data, meta } = await tradepost.invoices.list()
    expect(data.map(({ amount }) => amount)).toEqual([5, 4, 3, 2, 1])
    expect(meta).toEqual(expect.objectContaining({ total: 5, page: 1, limit: 20, hasNext: false }))
    const second = await tradepost.invoices.list({ page: 2, limit: 2, sort: 'ASC' })
    expect(second.data.map(({ amount }) => amount)).toEqual([3, 4])
    expect(second.meta).toMatchObject({ page: 2, pageCount: 3, hasPrevious: true })
  })

  test('200 iterates over three numbered pages', async () => {
    const { pages, options } = counter()
    const amounts: number[] = []
    for await (const { amount } of tradepost.invoices.list({ limit: 2 }, options))
      amounts.push(amount)
    expect(amounts).toEqual([5, 4, 3, 2, 1])
    expect(pages).toHaveLength(3)
  })

  test('200 iterates over three pages by cursor while records are added', async () => {
    const { pages, options } = counter()
    const amounts: number[] = []
    for await (const { amount } of tradepost.transactions.list({ limit: 2 }, options)) {
      if (amounts.push(amount) === 1) {
        await tradepost.transactions.createUssd({ channel: 'USSD', amount: 2000 })
      }
    }
    expect(amounts).toEqual([1005, 1004, 1003, 1002, 1001])
    expect(pages).toHaveLength(3)
  })

  test('200 starts at the given page, and keeps its filters', async () => {
    const list = tradepost.invoices.list({ page: 2, limit: 2, search: 'ada@', sort: 'ASC' })
    expect((await list.toArray()).map(({ amount }) => amount)).toEqual([3, 4, 5])
    expect(await tradepost.invoices.list({ status: 'Void', limit: 2 }).toArray()).toEqual([])
  })

  test('200 requests the largest pages while it iterates', async () => {
    for await (const { meta } of tradepost.invoices.list().pages()) expect(meta.limit).toBe(100)
    for await (const { meta } of tradepost.wallet.listLedger().pages()) expect(meta.limit).toBe(100)
  })

  test('200 requests no page that is not needed', async () => {
    const { pages, options } = counter()
    const list = tradepost.invoices.list({ limit: 2 }, options)
    expect(pages).toHaveLength(0)
    expect(await list.toArray({ max: 3 })).toHaveLength(3)
    expect(pages).toHaveLength(2)
    for await (const _ of list) break
    expect(pages).toHaveLength(3)
    expect(await list.toArray({ max: 0 })).toEqual([])
    expect(pages).toHaveLength(3)
  })

  test('200 can be iterated again, and awaited twice for one request', async () => {
    const { pages, options } = counter()
    const list = tradepost.invoices.list({ limit: 4 }, options)
    expect(await list.toArray()).toEqual(await list.toArray())
    expect(pages).toHaveLength(4)
    expect(await list).toBe(await list)
    expect(pages).toHaveLength(5)
  })

  test('200 has no pages by default if the list is complete', async () => {
    const { data, meta } = await tradepost.banks.list()
    expect([data.length > 20, meta]).toEqual([true, undefined])
    const { pages, options } = counter()
    expect(await tradepost.banks.list({ limit: 10 }, options).toArray()).toEqual(data)
    expect(pages).toHaveLength(Math.ceil(data.length / 10))
  })

  test('200 adds the page if the operation requires one', async () => {
    const { businessId } = await tradepost.profile.get()
    const { meta } = await tradepost.transfers.listOfBusiness({ businessId })
    expect(meta).toMatchObject({ page: 1, limit: 20, total: 0 })
  })

  test('400 is thrown by the loop and by await', async () => {
    const list = tradepost.invoices.list({ status: 'Lost' })
    expect(list).toBeInstanceOf(List)
    await expect(list).rejects.toBeInstanceOf(ApiError)
    await expect(list.toArray()).rejects.toMatchObject({
      status: 400,
      fields: { status: [expect.any(String)] },
    })
  })

  test('ends at a cursor that points to itself', async () => {
    let asked = 0
    const ask = async () => {
      asked++
      return { data: [asked], meta: { limit: 1, next: 'same', previous: null, hasMore: true } }
    }
    expect(await new List(ask, {}, 'cursor').toArray()).toEqual([1, 2])
  })
})
