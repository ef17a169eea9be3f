import { expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop } from '../settlements/settlements.fixture.ts'
import { PATH, withBank } from './subaccounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The bank does not respond for this account. */
const SILENT = '0000000006'

async function blockedStall() {
  const shop = await openShop(server)
  const stall = await shop.stall({
    account_number: '0123456789',
    account_name: 'Somebody Else',
    isConfirmed: false,
  })
  await shop.pay(1_000, stall.page)
  return { ...shop, stall, path: `${PATH}/${stall.code}` }
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await server.runJob('account-holders')
}

const blockedEvents = (id: number) =>
  db.many<{ data: string }>`
    select data::text as data from events where object_id = ${id} and type = 'settlement.blocked'`

test('200 blocks payouts to an account with another name, and sends an event', async () => {
  const { stall, path, get, settle } = await blockedStall()
  expect((await get(path)).body.data).toMatchObject({
    verified: false,
    account_name: 'Somebody Else',
    bankAccountName: 'NGOZI OKAFOR',
    payoutsBlocked: 'name_mismatch',
  })
  expect(await settle()).toEqual([])
  expect((await get(`${path}/balance`)).body.data).toMatchObject({
    owed: 500,
    nextSettlementAt: null,
  })
  const [event, ...more] = await blockedEvents(stall.id)
  expect(more).toEqual([])
  expect(JSON.parse(event!.data)).toMatchObject({ payoutsBlocked: 'name_mismatch' })
})

test('200 settles after the name is corrected', async () => {
  const { path, put, settle } = await blockedStall()
  const { body } = await put(path, { account_name: 'Okafor, Ngozi' })
  expect(body.data).toMatchObject({ verified: true, payoutsBlocked: null })
  expect(await settle()).toMatchObject([{ amount: 500 }])
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('200 settles after a key confirms the account, and once', async () => {
  const { stall, path, post, put, settle } = await blockedStall()
  const all = await times(12, () => untilDone(() => post(`${path}/confirm-account`)))
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
  const { body } = all[0]!
  expect(body.data).toMatchObject({ verified: false, payoutsBlocked: null })
  expect(await settle()).toMatchObject([{ amount: 500 }])
  // Giving the confirmed account again does not block it again.
  const again = await put(path, { account_number: '0123456789', bank: 58 })
  expect(again.body.data.payoutsBlocked).toBe(null)
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from events where object_id = ${stall.id} and type = 'subaccount.updated'`
  expect(n).toBe(1)
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('200 stores what the bank says now when a blocked account is sent again', async () => {
  const { stall, path, put, get } = await blockedStall()
  // As the bank responded before: with another name, of which it was not certain.
  await db.transaction(
    (tx) => tx.run`
      update subaccounts set holder_name = 'N OKAFOR', payouts_blocked = 'account_unverified'
      where id = ${stall.id}`,
  )
  const account = { account_number: '0123456789', bank: 58 }
  const { body } = await put(path, account)
  expect(body.data).toMatchObject({
    bankAccountName: 'NGOZI OKAFOR',
    payoutsBlocked: 'name_mismatch',
  })
  expect((await get(path)).body.data).toEqual(body.data)
  expect(await blockedEvents(stall.id)).toHaveLength(2)
  // The same response again is not a change.
  clock.advance(1_000)
  expect((await put(path, account)).body.data).toEqual(body.data)
  expect(await blockedEvents(stall.id)).toHaveLength(2)
})

test('403 until a person confirms the password; 200 then', async () => {
  const { businessId, path } = await blockedStall()
  const finance = await memberOf(server, 'finance', businessId)
  clock.advance(6 * 60_000)
  const refused = await finance.post(`${path}/confirm-account`)
  expect(refused).toMatchObject({ status: 403, body: { errorCode: 'reauthentication_needed' } })
  await finance.post('/console/reauthenticate', { password: finance.password })
  expect((await finance.post(`${path}/confirm-account`)).status).toBe(200)
})

test('409 for a subaccount without a bank; 404 for an unknown one', async () => {
  const { post } = await openShop(server)
  const { body } = await post(PATH, { ...withBank, bank: undefined })
  expect(body.data.payoutsBlocked).toBe('bank_missing')
  const refused = await post(`${PATH}/${body.data.reference}/confirm-account`)
  expect(refused).toMatchObject({ status: 409, body: { errorCode: 'bank_missing' } })
  expect((await post(`${PATH}/ACCT_none/confirm-account`)).status).toBe(404)
})

test('200 waits for a bank that does not respond, and after 24 hours for a person', async () => {
  const shop = await openShop(server)
  const { stall, settle, pay, get } = shop
  const { id, code, page } = await stall({ account_number: SILENT, isConfirmed: false })
  await pay(1_000, page)
  const shown = async () => (await get(`${PATH}/${code}`)).body.data
  expect(await shown()).toMatchObject({ verified: false, payoutsBlocked: null })
  expect(await settle()).toEqual([])
  await pass(23 * HOUR_MS)
  expect((await shown()).payoutsBlocked).toBe(null)
  await pass(2 * HOUR_MS)
  expect((await shown()).payoutsBlocked).toBe('account_unverified')
  expect(await settle()).toEqual([])
  expect(await blockedEvents(id)).toHaveLength(1)
})

test('200 settles as soon as the bank responds', async () => {
  const { stall, settle, pay, get } = await openShop(server)
  const { id, code, page } = await stall({ account_number: SILENT, isConfirmed: false })
  await pay(1_000, page)
  await db.transaction(
    (tx) => tx.run`
      update subaccounts set account_number_plain = '0123456789', account_encrypted = null,
        account_hash = null, account_last4 = null
      where id = ${id}`,
  )
  await pass(HOUR_MS)
  expect((await get(`${PATH}/${code}`)).body.data.verified).toBe(true)
  expect(await settle()).toMatchObject([{ amount: 500 }])
})

test('200 announces the block of an older unverified account, and blocks it 14 days later', async () => {
  const { businessId, stall, path, get, settle, pay } = await blockedStall()
  const owner = await memberOf(server, 'owner', businessId)
  // As the previous version left it.
  await db.transaction(
    (tx) => tx.run`
      update subaccounts set holder_state = 'unasked', payouts_blocked = null, holder_name = null,
        holder_due_at = created_at
      where id = ${stall.id}`,
  )
  await server.runJob('account-holders')
  const announced = (await get(path)).body.data
  expect(announced).toMatchObject({ payoutsBlocked: null, bankAccountName: 'NGOZI OKAFOR' })
  const inDays = (Date.parse(announced.payoutsBlockedFrom) - clock.now().getTime()) / DAY_MS
  expect(inDays).toBeGreaterThan(13.9)
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from mails where to_address = ${owner.email} and kind = 'person_news'`
  expect(n).toBe(1)
  expect(await settle()).toMatchObject([{ amount: 500 }])
  await pay(1_000, stall.page)
  await pass(14 * DAY_MS - HOUR_MS)
  expect((await get(path)).body.data.payoutsBlocked).toBe(null)
  await pass(2 * HOUR_MS)
  expect((await get(path)).body.data.payoutsBlocked).toBe('name_mismatch')
  expect(await settle()).toEqual([])
})
