import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop, SETTLEMENTS } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

describe('GET settlements', () => {
  test('200 filters, sorts and pages', async () => {
    const { stall, pay, settle, bank, list, get } = await shop()
    const [one, other] = [await stall(), await stall({ account_number: '0000000002' })]
    const made: { reference: string; subaccount: number }[] = []
    for (const { page } of [one, other, one]) {
      await pay(1_000, page)
      made.push(...(await settle()))
      await bank()
    }
    // The entries of the failed settlement are in the last one again.
    expect(made.map(({ subaccount }) => subaccount)).toEqual([one.id, other.id, one.id, other.id])
    const refs = async (query: string) =>
      (await list(query)).map(({ reference }: { reference: string }) => reference)
    const [a, b, c, d] = made.map(({ reference }) => reference)
    expect(new Set(await refs(''))).toEqual(new Set([a, b, c, d]))
    expect((await refs('sort=asc')).slice(0, 2)).toEqual([a, b])
    expect(await refs('status=paid')).toEqual([c, a])
    expect(await refs('status=PENDING')).toEqual([])
    expect(await refs(`subaccount=${other.code}`)).toEqual([d, b])
    expect(await refs(`subaccount=${other.id}&sort=ASC&status=failed`)).toEqual([b, d])
    expect(await refs('startDate=2999-01-01')).toEqual([])
    expect((await refs('endDate=2999-01-01')).length).toBe(4)
    const { body } = await get(`${SETTLEMENTS}?limit=3&page=2`)
    expect([body.data.length, body.meta]).toEqual([
      1,
      {
        total: 4,
        totalIsExact: true,
        page: 2,
        limit: 3,
        pageCount: 2,
        hasNext: false,
        hasPrevious: true,
      },
    ])
    expect(body.data[0].lines).toBeUndefined()
    const plain = await get('/api/transaction-service/v1/settlements')
    expect(plain.body.data.length).toBe(4)
  })

  test.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['limit=101', 'limit'],
    ['sort=up', 'sort'],
    ['status=Done', 'status'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['subaccount=', 'subaccount'],
    ['status=Paid&status=Paid', 'status'],
  ])('400 for %s', async (query, field) => {
    const { status, body } = await server.get(`${SETTLEMENTS}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('404 for a subaccount of another business', async () => {
    const { code } = await (await shop()).subaccount()
    const { status, body } = await server.get(`${SETTLEMENTS}?subaccount=${code}`)
    expect([status, body.errorCode]).toEqual([404, 'subaccount_not_found'])
  })
})

describe('GET settlements/{reference}', () => {
  test('200 pages through its lines', async () => {
    const { stall, pay, settle, get } = await shop()
    const { page } = await stall()
    const payments = []
    for (let i = 0; i < 5; i++) payments.push(await pay(100 + i, page))
    const [made] = await settle()
    const { body } = await get(`${SETTLEMENTS}/${made.reference}?limit=2&page=2`)
    const { lines, linesMeta } = body.data
    expect(lines.map((line: { transactionId: number }) => line.transactionId)).toEqual([
      payments[2]!.id,
      payments[3]!.id,
    ])
    expect(linesMeta).toMatchObject({ total: 5, page: 2, pageCount: 3, hasNext: true })
    const { status } = await get(`${SETTLEMENTS}/${made.reference}?limit=101`)
    expect(status).toBe(400)
  })

  test('404 for another business, the other mode, and an unknown reference', async () => {
    const { stall, pay, settle, keys } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [{ reference }] = await settle()
    for (const key of [keys.liveSecret, server.business.keys.testSecret]) {
      const caller = server.as(key)
      for (const path of [reference, `${reference}/export`, 'STL_0', 'STL_0/export']) {
        const { status, body } = await caller.get(`${SETTLEMENTS}/${path}`)
        expect([status, body.errorCode]).toEqual([404, 'settlement_not_found'])
      }
      expect((await caller.get(SETTLEMENTS)).body.data).toEqual([])
    }
  })
})
