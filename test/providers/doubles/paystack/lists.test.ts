import { afterEach, describe, expect, test } from 'vitest'
import { send } from '../../../request.ts'
import { startDouble } from '../start.ts'
import { paystack } from './paystack.ts'

const double = await startDouble((kit) => paystack(kit))
const { provider } = double
const { payer, disputes, owner } = provider
const HOUR_MS = 3_600_000

const call = (method: string, path: string, body?: unknown) =>
  send(`${double.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${provider.secretKey()}`,
      'content-type': 'application/json',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const list = async (path: string) => (await call('GET', path)).body

let made = 0
/** A charge that has been paid. */
async function paidCharge(amount = 500_000): Promise<string> {
  const reference = `trf-doubles-of-providers-${++made}`
  const account_expires_at = new Date(double.now().getTime() + HOUR_MS).toISOString()
  const charge = { email: 'ada@example.com', amount, reference }
  const { body } = await call('POST', '/charge', {
    ...charge,
    bank_transfer: { account_expires_at },
  })
  payer.transferTo(body.data.account_number, BigInt(amount))
  return reference
}

afterEach(() => owner.set({ countsPages: true, filtersSettlements: true }))

describe('a list', () => {
  test('has as many rows as are asked for, and says how many pages there are', async () => {
    const reference = await paidCharge()
    for (let i = 0; i < 60; i++) disputes.open(reference, 1_000n, HOUR_MS)
    const { data, meta } = await list('/dispute?perPage=100')
    expect([data.length, meta.pageCount]).toEqual([60, 1])
  })

  test('may have 50 rows a page, whatever is asked for, and not say how many pages', async () => {
    owner.set({ countsPages: false })
    const rows: number[] = []
    for (const page of [1, 2, 3]) {
      const { data, meta } = await list(`/dispute?perPage=100&page=${page}`)
      expect(meta).toMatchObject({ perPage: 50, page })
      expect(meta).not.toHaveProperty('pageCount')
      rows.push(data.length)
    }
    expect(rows).toEqual([50, 10, 0])
    for (const path of ['/transaction', '/transfer', '/refund', '/settlement', '/balance/ledger']) {
      expect((await list(path)).meta).not.toHaveProperty('pageCount')
    }
  })
})

describe('settlements', () => {
  test('are also those of subaccounts, unless they are left out', async () => {
    await paidCharge()
    owner.settleToBank()
    const before = double.books.balance_minor('NGN')
    owner.settleSubaccount('ACCT_1', 70_000n)
    expect(double.books.balance_minor('NGN')).toBe(before)
    const paid = async (query = '') =>
      (await list(`/settlement${query}`)).data.map(
        (one: { effective_amount: number }) => one.effective_amount,
      )
    const [share, ours] = await paid()
    expect([share, ours]).toEqual([70_000, expect.any(Number)])
    expect(await paid('?subaccount=none')).toEqual([ours])
    expect(await paid('?subaccount=ACCT_1')).toEqual([70_000])
  })

  test('may be those of any time', async () => {
    const from = new Date(double.now().getTime() + HOUR_MS).toISOString()
    expect((await list(`/settlement?from=${from}`)).data).toEqual([])
    owner.set({ filtersSettlements: false })
    expect((await list(`/settlement?from=${from}`)).data.length).toBeGreaterThan(0)
  })
})

describe('a refund', () => {
  test('is listed for a dispute that took money, and takes nothing more', async () => {
    const reference = await paidCharge()
    const before = double.books.balance_minor('NGN')
    const [won, lost] = [200_000n, 300_000n].map((minor) =>
      disputes.open(reference, minor, HOUR_MS),
    )
    disputes.decide(won!, 'won')
    disputes.decide(lost!, 'lost')
    expect(before - double.books.balance_minor('NGN')).toBe(300_000n)
    const [refund, ...others] = (await list('/refund')).data
    expect(refund).toMatchObject({ dispute: Number(lost), amount: 300_000, status: 'processed' })
    expect(others).toEqual([])
    const more = { transaction: reference, amount: 200_001 }
    expect((await call('POST', '/refund', more)).status).toBe(400)
  })
})
