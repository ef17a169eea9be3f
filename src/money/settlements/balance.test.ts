import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

async function shop() {
  const made = await openShop(server)
  const has = async (code: string | number) =>
    (await made.get(`${SUBACCOUNTS}/${code}/balance`)).body.data
  return { ...made, has }
}

describe('GET subaccounts/{reference}/balance', () => {
  test('200 moves shares from owed to pending to paid out', async () => {
    const { stall, pay, settle, bank, has, balance, refund } = await shop()
    const { id, code, page } = await stall()
    const nothing = {
      reference: code,
      subaccount_code: code,
      status: 'Active',
      currency: 'NGN',
      owed: 0,
      owedMinor: 0,
      pending: 0,
      pendingMinor: 0,
      paidOut: 0,
      paidOutMinor: 0,
      nextSettlementAt: null,
    }
    expect(await has(code)).toEqual(nothing)

    const { id: first } = await pay(1_000.5, page)
    const owed = { ...nothing, owed: 500.25, owedMinor: 50_025 }
    expect(await has(code)).toEqual({ ...owed, nextSettlementAt: expect.any(String) })
    expect(await has(id)).toEqual(await has(code))
    expect(BigInt((await has(code)).owedMinor)).toBe(await balance(id))

    await settle()
    expect(await has(code)).toEqual({ ...nothing, pending: 500.25, pendingMinor: 50_025 })
    await bank()
    expect(await has(code)).toEqual({ ...nothing, paidOut: 500.25, paidOutMinor: 50_025 })

    await pay(100, page)
    expect(await has(code)).toMatchObject({ owed: 50, pending: 0, paidOut: 500.25 })
    expect((await refund(first, 40)).status).toBe(201)
    expect(BigInt((await has(code)).owedMinor)).toBe(await balance(id))
  })

  test('200 owes a failed amount again', async () => {
    const { stall, pay, settle, simulate, has } = await shop()
    const { code, page } = await stall()
    await pay(300, page)
    const [made] = await settle()
    await server.runJob('settlement-orders')
    expect((await simulate(made.reference, 'failed')).status).toBe(200)
    await server.runJob('settlement-orders')
    expect(await has(code)).toMatchObject({ owed: 150, pending: 0, paidOut: 0 })
  })

  test('200 has no next settlement time without a bank', async () => {
    const { stall, pay, has } = await shop()
    const { code, page } = await stall({ bank: undefined })
    await pay(300, page)
    expect(await has(code)).toMatchObject({ owed: 150, nextSettlementAt: null })
  })

  test('404 for another business or the other mode; 401 without a key', async () => {
    const [one, other] = [await shop(), await shop()]
    const { code } = await one.subaccount()
    const at = `${SUBACCOUNTS}/${code}/balance`
    const answers = [
      await other.get(at),
      await server.as(one.keys.liveSecret).get(at),
      await one.get(`${SUBACCOUNTS}/ACCT_nobody/balance`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect((await server.get(at, { authorization: '' })).status).toBe(401)
  })
})
