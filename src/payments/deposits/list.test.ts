import { beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { dayIn } from '../../lib/dates.ts'

const SERVICE = '/api/transaction-service/external/v1'
const ACCOUNTS = `${SERVICE}/virtual-accounts`
const DEPOSITS = `${SERVICE}/deposits`
const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer({ jobs: false })
const { db, clock } = server

/** Each business has three accounts: one paid, one that rejected a deposit, and an expired one. */
async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const accounts: { id: number; number: string; reference: string }[] = []
  for (const amount of [1_000, 2_000, 3_000]) {
    const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount })
    const path = new URL(body.data.hostedUrl).pathname
    const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
    await fetch(`${server.url}${path}/pay`, { method: 'POST', body: form, redirect: 'manual' })
    accounts.push(
      await db.one`
        select v.id, v.account_number as number, t.reference from virtual_accounts v
        join transactions t on t.business_id = v.business_id and t.id = v.transaction_id
        where v.business_id = ${businessId} order by v.id desc limit 1`,
    )
    clock.advance(1_000)
  }
  const pay = (i: number, amount: number) =>
    post('/api/simulator/deposit', { accountNumber: accounts[i]!.number, amount })
  await pay(0, 1_000)
  await pay(1, 500)
  await db.run`update virtual_accounts set status = 'Expired' where id = ${accounts[2]!.id}`
  const list = async (path: string, query: object = {}) => {
    const { status, body } = await get(`${path}?${new URLSearchParams({ ...query })}`)
    expect([status, body.errors]).toEqual([200, undefined])
    // biome-ignore lint/suspicious/noExplicitAny: as in the harness
    return body.data as any[]
  }
  return { get, list, accounts }
}

let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  shop = await openShop()
})

describe('GET virtual-accounts', () => {
  test('200 lists accounts, newest first', async () => {
    const { list, get, accounts } = shop
    const [paid, open, expired] = accounts
    const all = await list(ACCOUNTS)
    expect(all.map(({ id, status }) => [id, status])).toEqual([
      [expired!.id, 'Expired'],
      [open!.id, 'Open'],
      [paid!.id, 'Paid'],
    ])
    expect(all[2]).toEqual({
      id: paid!.id,
      reference: paid!.reference,
      status: 'Paid',
      accountNumber: paid!.number,
      accountName: expect.any(String),
      bankName: 'Wema Bank',
      bankCode: '035',
      amount: 1_000,
      amountMinor: 100_000,
      currency: 'NGN',
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      transactionId: expect.any(Number),
    })
    expect((await get(`${ACCOUNTS}/${paid!.id}`)).body.data).toEqual(all[2])
    expect(await list(ACCOUNTS, { sort: 'ASC', limit: '1', page: '2' })).toEqual([all[1]])
  })

  test('200 filters and finds', async () => {
    const { list, accounts } = shop
    const [paid, open] = accounts
    const ids = async (query: object) => (await list(ACCOUNTS, query)).map(({ id }) => id)
    expect(await ids({ status: 'paid' })).toEqual([paid!.id])
    expect(await ids({ accountNumber: open!.number })).toEqual([open!.id])
    expect(await ids({ account_number: open!.number, status: 'Paid' })).toEqual([])
    expect(await ids({ transactionReference: open!.reference })).toEqual([open!.id])
    expect(await ids({ search: ` ${paid!.number} ` })).toEqual([paid!.id])
    expect(await ids({ search: paid!.reference })).toEqual([paid!.id])
    expect(await ids({ search: 'nothing' })).toEqual([])
    const day = dayIn('Africa/Lagos', clock.now())
    expect(await ids({ startDate: day, endDate: day })).toHaveLength(3)
    expect(await ids({ endDate: '2020-01-01' })).toEqual([])
  })

  test('200 exports what the filters select', async () => {
    const { accounts } = shop
    const { text } = await shop.get(`${ACCOUNTS}/export?status=Paid`)
    const [head, row, ...more] = text.trim().split(/\r?\n/)
    expect(head).toMatch(/^\W?id,reference,status,accountNumber/)
    expect(row).toContain(`${accounts[0]!.reference},Paid,${accounts[0]!.number}`)
    expect(more).toEqual([])
  })

  test('404 for another business’s account; 400 for an unknown status', async () => {
    const other = await openShop()
    const { status, body } = await other.get(`${ACCOUNTS}/${shop.accounts[0]!.id}`)
    expect([status, body.errorCode]).toEqual([404, 'virtual_account_not_found'])
    expect((await other.get(`${ACCOUNTS}?status=Closed`)).body.errors.status).toBeDefined()
    expect(await other.list(ACCOUNTS, { search: shop.accounts[0]!.number })).toEqual([])
  })
})

describe('GET deposits', () => {
  test('200 lists deposits with their outcome', async () => {
    const { list, get, accounts } = shop
    const [rejected, accepted, ...more] = await list(DEPOSITS)
    expect(more).toEqual([])
    expect(accepted).toEqual({
      id: expect.any(Number),
      reference: expect.stringMatching(/^DEP_/),
      providerReference: expect.stringMatching(/^PAY_/),
      status: 'Accepted',
      reason: null,
      returnStatus: null,
      accountNumber: accounts[0]!.number,
      amount: 1_000,
      amountMinor: 100_000,
      currency: 'NGN',
      providerFee: null,
      createdAt: expect.any(String),
      sender: {
        accountName: 'CHINEDU EZE',
        accountNumber: '******6789',
        bankName: 'Guaranty Trust Bank',
      },
      transactionId: expect.any(Number),
      transactionReference: accounts[0]!.reference,
    })
    expect(rejected).toMatchObject({
      status: 'Rejected',
      reason: 'amount_too_low',
      returnStatus: 'ReturnedByProvider',
    })
    for (const path of [accepted.reference, accepted.providerReference, accepted.id]) {
      expect((await get(`${DEPOSITS}/${path}`)).body.data).toEqual(accepted)
    }
  })

  test('200 filters and finds', async () => {
    const { list, accounts } = shop
    const [rejected, accepted] = await list(DEPOSITS)
    const ids = async (query: object) => (await list(DEPOSITS, query)).map(({ id }) => id)
    expect(await ids({ status: 'Rejected' })).toEqual([rejected.id])
    expect(await ids({ accountNumber: accounts[0]!.number })).toEqual([accepted.id])
    expect(await ids({ transactionReference: accounts[1]!.reference })).toEqual([rejected.id])
    for (const search of [accepted.reference, accounts[0]!.reference, accounts[0]!.number]) {
      expect(await ids({ search }), search).toEqual([accepted.id])
    }
    expect(await ids({ search: 'DEP_0', status: 'Accepted' })).toEqual([])
    expect(await ids({ sort: 'ASC' })).toEqual([accepted.id, rejected.id])
  })

  test('200 exports what the filters select', async () => {
    const { text } = await shop.get(`${DEPOSITS}/export?status=Rejected`)
    const [head, row, ...more] = text.trim().split(/\r?\n/)
    expect(head).toMatch(/^\W?id,reference,providerReference,status,reason,returnStatus/)
    expect(row).toContain('Rejected,amount_too_low,ReturnedByProvider')
    expect(more).toEqual([])
  })

  test('404 for another business’s deposit', async () => {
    const [mine] = await shop.list(DEPOSITS)
    const other = await openShop()
    for (const path of [mine.reference, mine.id]) {
      const { status, body } = await other.get(`${DEPOSITS}/${path}`)
      expect([status, body.errorCode]).toEqual([404, 'deposit_not_found'])
    }
  })
})
