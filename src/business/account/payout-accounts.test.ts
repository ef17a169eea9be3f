import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop } from '../../money/settlements/settlements.fixture.ts'
import { emailTo, memberOf } from '../people/people.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const MONEY = '/api/transaction-service/external/v1'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const UTILITY = '/api/payment-service/external/v1/utility/transactions/process-payment'
const DAY_MS = 24 * 3_600_000
const AGAIN = { status: 403, body: { errorCode: 'reauthentication_needed' } }

const account = (account_number: string) => ({
  business_name: 'Stall',
  bank: 58,
  account_number,
  percentage_charge: 0,
})

test('403 for changes of where money goes, until the password is entered again', async () => {
  const { businessId, keys } = await server.newBusiness()
  const key = server.as(keys.testSecret)
  const owner = await memberOf(server, 'owner', businessId)
  const made = await key.post(`${MONEY}/subaccounts`, account('0123456789'))
  const code = made.body.subaccount_code
  const page = (await key.post(`${MONEY}/split-page`, { name: 'Market' })).body.data.id
  clock.advance(6 * 60_000)
  const path = `${MONEY}/subaccounts/${code}`
  const share = { subaccount: code, share: 60 }
  expect(await owner.post(`${MONEY}/subaccounts`, account('0123456781'))).toMatchObject(AGAIN)
  expect(await owner.put(path, { account_number: '0123456782' })).toMatchObject(AGAIN)
  expect(await owner.put(path, { bank: null })).toMatchObject(AGAIN)
  expect(await owner.put(path, { percentage_charge: 100 })).toMatchObject(AGAIN)
  expect(await owner.post(`${MONEY}/split-page`, { name: 'Other' })).toMatchObject(AGAIN)
  expect(await owner.put(`${MONEY}/split-page/${page}`, { feeBearer: 'customer' })).toMatchObject(
    AGAIN,
  )
  expect(await owner.post(`${MONEY}/split-page/${page}/subaccount/add`, share)).toMatchObject({
    status: 403,
  })
  expect(await owner.post(`${MONEY}/split-page/${page}/subaccount/remove`, share)).toMatchObject({
    status: 403,
  })
  expect(await owner.put(SETTINGS, { virtualAccountPolicy: 'accept_over' })).toMatchObject(AGAIN)
  expect(await owner.put(SETTINGS, { origins: ['https://shop.example'] })).toMatchObject(AGAIN)
  expect(await owner.put(SETTINGS, { feeBearer: 'customer' })).toMatchObject(AGAIN)
  expect((await owner.post(UTILITY, {})).status).toBe(403)
  // Changes that move no money need no password.
  expect((await owner.put(path, { business_name: 'Other' })).status).toBe(200)
  expect((await owner.put(`${MONEY}/split-page/${page}`, { name: 'Fair' })).status).toBe(200)
  expect((await owner.put(SETTINGS, { timeZone: 'Africa/Nairobi' })).status).toBe(200)
  await owner.post('/console/reauthenticate', { password: owner.password })
  expect((await owner.put(path, { account_number: '0123456782' })).status).toBe(200)
  expect((await owner.put(SETTINGS, { feeBearer: 'customer' })).status).toBe(200)
})

test('200 pauses payouts to a changed account for 24 hours in live mode, and mails the owners', async () => {
  const { businessId, keys } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  const live = server.as(keys.liveSecret)
  // Without a bank there is no need to ask a provider for it.
  const made = await live.post(`${MONEY}/subaccounts`, {
    ...account('0123456789'),
    bank: undefined,
  })
  const { id, subaccount_code: code } = made.body
  expect(made.body.data.payoutsPausedUntil).toBe(null)
  await db.transaction(
    (tx) => tx.run`
      update subaccounts set had_account = true, bank_code = '058', bank_name = 'GTBank'
      where id = ${id}`,
  )
  const { status, body } = await live.put(`${MONEY}/subaccounts/${code}`, { bank: null })
  expect(status).toBe(200)
  const until = Date.parse(body.data.payoutsPausedUntil)
  expect(Math.abs(until - clock.now().getTime() - DAY_MS)).toBeLessThan(60_000)
  const letter = await emailTo(server, owner.email, 'payout account was changed')
  expect(letter).toContain('Stall')
  expect(letter).toContain('6789')
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from mails where business_id = ${businessId} and kind = 'person_news'`
  expect(n).toBe(1)
  // The mailbox shows it to members who can read the audit log.
  const viewer = await memberOf(server, 'viewer', businessId)
  const mailsOf = async (who: typeof owner) => {
    who.choose(businessId, 'live')
    return (await who.get('/console/mails')).body.data
  }
  const news = {
    kind: 'person_news',
    to: owner.email,
    subject: expect.stringContaining('payout account'),
  }
  const mails = await mailsOf(owner)
  expect(mails).toEqual([expect.objectContaining(news)])
  const one = `/console/mails/${mails[0].id}`
  expect((await owner.get(one)).body.data.text).toContain('Stall')
  expect(await mailsOf(viewer)).toEqual([])
  expect((await viewer.get(one)).status).toBe(404)
})

test('nothing is settled while payouts are paused', async () => {
  const shop = await openShop(server)
  const { id, code, page } = await shop.stall()
  await shop.pay(1_000, page)
  const until = new Date(clock.now().getTime() + DAY_MS)
  await db.transaction(
    (tx) => tx.run`update subaccounts set payouts_paused_until = ${until} where id = ${id}`,
  )
  expect(await shop.settle()).toEqual([])
  await server.runJob('settlements')
  const { body } = await shop.get(`${MONEY}/subaccounts/${code}/balance`)
  expect(body.data).toMatchObject({ owed: 500, pending: 0 })
  expect(Date.parse(body.data.nextSettlementAt)).toBeGreaterThanOrEqual(until.getTime())
  clock.advance(2 * DAY_MS)
  await server.runJob('settlements')
  const after = await shop.get(`${MONEY}/subaccounts/${code}/balance`)
  expect(after.body.data).toMatchObject({ owed: 0, pending: 500 })
})
