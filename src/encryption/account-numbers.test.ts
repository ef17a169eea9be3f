import { afterEach, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { asOwner, startServer } from '../../test/harness.ts'
import { openShop } from '../money/settlements/settlements.fixture.ts'

const SERVICE = '/api/transaction-service/external/v1'
const TRANSFERS = `${SERVICE}/transfers`
const SUBACCOUNTS = `${SERVICE}/subaccounts`
const PROFILE = '/api/user-service/external/v1/profile'
const NUMBER = '8034516277'
const LISTED = 'page=1&limit=20&sort=ASC&sortKey=id'

const server = await startServer({ jobs: false })
const { db } = server
const TABLES = ['transfers', 'settlements', 'subaccounts', 'business_settings']

afterEach(async () => expect(await findings(server)).toEqual([]))

/** A business that pays one account in every way. */
async function openBusiness() {
  const shop = await openShop(server)
  const { get, post, put } = shop
  const { code, page } = await shop.stall({ account_number: NUMBER })
  const account = { bankCode: '058', accountNumber: NUMBER }
  const { reference } = (await post(TRANSFERS, { ...account, amount: 1_000 })).body.data
  await shop.pay(1_000, page)
  const [settled] = await shop.settle()
  await put(`${PROFILE}/settings`, { settlementAccount: account })
  /** The account, wherever the API shows it. */
  const shown = async () => [
    (await get(`${TRANSFERS}/${reference}`)).body.data.accountNumber,
    (await get(`${SUBACCOUNTS}/${code}`)).body.data.account_number,
    (await shop.one(settled.reference)).accountNumber,
    (await get(`${PROFILE}/settings`)).body.data.settlementAccount.accountNumber,
  ]
  const found = async () => [
    (await get(`${TRANSFERS}?accountNumber=${NUMBER}`)).body.meta.total,
    (await get(`${TRANSFERS}?search=${NUMBER}`)).body.meta.total,
    (await get(`${SUBACCOUNTS}/all?${LISTED}&searchString=${NUMBER}`)).body.meta.total,
  ]
  return { ...shop, code, reference, settled, shown, found }
}

const everywhere = [NUMBER, NUMBER, NUMBER, NUMBER]

/** How the rows of a business store the number. */
const storedIn = (businessId: number) =>
  asOwner(server.name, async (client) => {
    const all = TABLES.map(
      (table) => `select '${table}' as name, account_number_plain as plain, account_last4 as last4,
        encode(account_hash, 'hex') as hash, encode(account_encrypted, 'hex') as encrypted
        from ${table} where business_id = ${businessId} and account_last4 is not null
          or business_id = ${businessId} and account_number_plain is not null`,
    )
    const { rows } = await client.query(all.join(' union all '))
    return rows as { name: string; plain: string; last4: string; hash: string; encrypted: string }[]
  })

test('numbers are stored encrypted, with one hash for equal numbers of a business', async () => {
  const { businessId, shown, found } = await openBusiness()
  expect([await shown(), await found()]).toEqual([everywhere, [1, 1, 1]])
  const rows = await storedIn(businessId)
  expect(rows.map(({ name }) => name).sort()).toEqual([...TABLES].sort())
  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(1)
  expect(new Set(rows.map(({ encrypted }) => encrypted)).size).toBe(TABLES.length)
  expect(rows.map(({ plain, last4 }) => [plain, last4])).toEqual(rows.map(() => [null, '6277']))
  const [other] = await storedIn((await openBusiness()).businessId)
  expect(other!.hash).not.toBe(rows[0]!.hash)
})

test('numbers of an earlier version are shown before and after the job encrypts them', async () => {
  const { businessId, shown, found, post } = await openBusiness()
  await asOwner(server.name, async (client) => {
    for (const table of TABLES) {
      await client.query(`
        update ${table} set account_number_plain = '${NUMBER}', account_encrypted = null,
          account_hash = null, account_last4 = null
        where business_id = ${businessId} and account_last4 is not null`)
    }
    await client.query(`delete from search_texts where business_id = ${businessId} and id in (
      select id from transfers union all select id from subaccounts)`)
  })
  expect(await shown()).toEqual(everywhere)
  const again = { business_name: 'Again', account_number: NUMBER, percentage_charge: 0, bank: 58 }
  expect((await post(SUBACCOUNTS, again)).body.errorCode).toBe('subaccount_exists')
  await server.runJob('encrypt-secrets')
  expect([await shown(), await found()]).toEqual([everywhere, [1, 1, 1]])
  const rows = await storedIn(businessId)
  expect(rows.map(({ plain, last4 }) => [plain, last4])).toEqual(rows.map(() => [null, '6277']))
  expect((await post(SUBACCOUNTS, again)).body.errorCode).toBe('subaccount_exists')
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from search_texts
    where business_id = ${businessId} and position(${NUMBER} in text) > 0`
  expect(n).toBe(0)
})

test('500 for the number of another row', async () => {
  const { get, post, reference } = await openBusiness()
  const account = { bankCode: '058', accountNumber: '8034516999' }
  const other = (await post(TRANSFERS, { ...account, amount: 1_000 })).body.data.reference
  const swap = (from: string, to: string) =>
    asOwner(server.name, (client) =>
      client.query(
        `update transfers t set account_encrypted = o.account_encrypted from transfers o
         where t.reference = $1 and o.reference = $2`,
        [to, from],
      ),
    )
  const { account_encrypted: kept } = await db.one<{ account_encrypted: Buffer }>`
    select account_encrypted from transfers where reference = ${reference}`
  await swap(other, reference)
  expect((await get(`${TRANSFERS}/${reference}`)).status).toBe(500)
  await asOwner(server.name, (client) =>
    client.query('update transfers set account_encrypted = $1 where reference = $2', [
      kept,
      reference,
    ]),
  )
  expect((await get(`${TRANSFERS}/${reference}`)).body.data.accountNumber).toBe(NUMBER)
})
