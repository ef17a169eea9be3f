import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'
import { limitedBy } from '../../business/people/people.fixture.ts'

const BASE = '/api/transaction-service/external/v1'
const FEE = `${BASE}/transfers/fee`
const BALANCE = '/api/user-service/external/v1/wallet/balance'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const send = (amount: number | string) =>
    post(`${BASE}/transfers`, { amount, bankCode: '058', accountNumber: '0123456785' })
  const wallet = async () => (await get(BALANCE)).body.data[0]
  return { businessId, get, send, wallet }
}

describe('GET transfers/fee', () => {
  test.each([
    ['1000.50', 10],
    ['5000', 10],
    ['5000.01', 25],
    ['50000', 25],
    ['50000.01', 50],
  ])('200 returns the cost of sending %s', async (amount, fee) => {
    const { get, send, wallet } = await shop()
    const before = await wallet()
    const { status, body } = await get(`${FEE}?amount=${amount}`)
    expect([status, body.data]).toEqual([
      200,
      {
        amount: Number(amount),
        amountMinor: Math.round(Number(amount) * 100),
        fee,
        feeMinor: fee * 100,
        total: Math.round(Number(amount) * 100 + fee * 100) / 100,
        totalMinor: Math.round(Number(amount) * 100) + fee * 100,
        currency: 'NGN',
        needsApproval: false,
      },
    ])
    expect(await wallet()).toEqual(before)
    const made = (await send(amount)).body.data
    expect([made.fee, made.status]).toEqual([fee, 'Pending'])
    expect(before.availableMinor - (await wallet()).availableMinor).toBe(body.data.totalMinor)
  })

  test('200 reports whether approval is needed, like sending it', async () => {
    const { get, send, businessId } = await shop()
    await limitedBy(server, businessId, { transferApprovalAbove: 2_000 })
    for (const amount of [2_000, 2_000.01]) {
      const { needsApproval } = (await get(`${FEE}?amount=${amount}`)).body.data
      const { status } = (await send(amount)).body.data
      expect([needsApproval, status]).toEqual(
        amount > 2_000 ? [true, 'Unverified'] : [false, 'Pending'],
      )
    }
  })

  test.each([
    ['', 'amount'],
    ['amount=0', 'amount'],
    ['amount=-1', 'amount'],
    ['amount=1.001', 'amount'],
    ['amount=much', 'amount'],
    ['amount=1&currency=naira', 'currency'],
    ['amount=1&currency=ZZY', 'currency'],
    ['amount=1&currency=USD', 'currency'],
  ])('400 for %j', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${FEE}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('401 without a key, 403 without the scope', async () => {
    const { businessId } = await shop()
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, { businessId, live: false }, { scopes: ['wallet:read'] }, clock.now()),
    )
    expect((await server.as(key).get(`${FEE}?amount=1`)).status).toBe(403)
    expect((await server.get(`${FEE}?amount=1`, { authorization: '' })).status).toBe(401)
  })
})
