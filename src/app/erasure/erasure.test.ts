import { afterAll, expect, inject, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { asOwner, sessionsWaiting, startSecond, startServer } from '../../../test/harness.ts'
import { lockHolds } from '../../business/holds/service.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { commandsOn } from '../../cli/cli.fixture.ts'
import { openDatabase } from '../../db/database.ts'
import { runDue } from '../../jobs/jobs.ts'

/* What members can do; src/cli/erase.test.ts shows what is erased. */

const server = await startServer({ jobs: false })
const { db, clock, name } = server
const owner = openDatabase({
  connection: { ...inject('cluster').owner, database: name },
  connectionsMax: 2,
  // A test changes records while an erasure waits.
  lockMs: 10_000,
})
afterAll(() => owner.close())
const eraser = await startSecond(server, { eventRetention: { owner } })
const erase = () =>
  runDue(db, clock.now(), eraser.app.jobs.find((job) => job.name === 'erasures')!.run)
const { json } = commandsOn(name)

const INVOICES = '/api/payment-service/external/v1/invoices'
const EMAIL = 'ada@example.com'
const asked = { email: 'Ada@Example.com' }

/** Does some work after an erasure has found its records, and before it changes them. */
async function eraseAround(businessId: number, work: () => Promise<unknown>): Promise<void> {
  await db
    .transaction(async (tx) => {
      await lockHolds(tx, businessId)
      const erasing = erase()
      await Promise.race([erasing, waiting()])
      await work()
      return { erasing }
    })
    .then(({ erasing }) => erasing)
}

const waiting = () => expect.poll(() => sessionsWaiting(name), { interval: 5 }).toBe(1)

async function newShop() {
  const business = await server.newBusiness()
  const shop = server.as(business.keys.testSecret)
  const invoice = { customerEmail: EMAIL, customerName: 'Ada Obi', amount: 100 }
  const { body } = await shop.post(INVOICES, invoice)
  const member = await memberOf(server, 'owner', business.businessId)
  const { reference } = body.data
  const read = async () => (await shop.get(`${INVOICES}/${reference}`)).body.data
  const finish = async () => {
    expect((await shop.post(`${INVOICES}/${reference}/void`)).status).toBe(200)
    await server.runJob('mail')
    for (const job of ['ledger-seal', 'digest-seal']) while ((await server.runJob(job)) > 0);
  }
  const draft = async () => {
    const { body } = await shop.post(INVOICES, { ...invoice, sendImmediately: false })
    return `${INVOICES}/${body.data.reference}`
  }
  const mentions = () => db.many`
    select type from events
    where business_id = ${business.businessId} and lower(data) like ${`%${EMAIL}%`}`
  const state = async () => (await member.get(`/console/erasures?email=${EMAIL}`)).body.data
  const log = () => db.many<{ action: string; detail: string; name: string }>`
    select action, detail, person_name as name from audit_log
    where business_id = ${business.businessId} and action = 'customer.erase' order by seq`
  return { ...business, ...shop, member, read, finish, draft, mentions, state, log }
}

test('200 erases the data of a customer, and nothing else keeps the email address', async () => {
  const { businessId, member, read, finish, state, log } = await newShop()
  await finish()
  expect(await state()).toBeNull()
  const { status, body } = await member.post('/console/erasures', asked)
  expect([status, body.data.refused]).toEqual([200, null])
  expect(await state()).toEqual(body.data)
  await erase()
  expect(await state()).toBeNull()
  expect(await read()).toMatchObject({
    customerName: null,
    customerEmail: expect.stringMatching(/^erased-/),
  })
  const left = await db.many`select email from erasures where business_id = ${businessId}`
  expect(left).toEqual([{ email: null }])
  expect(await log()).toEqual([
    {
      action: 'customer.erase',
      detail: 'Erased the personal data of a customer',
      name: expect.stringMatching(/^Person/),
    },
  ])
  expect(await findings(server)).toEqual([])
})

test('200 says why unfinished records prevent it, and can be asked again', async () => {
  const { member, read, finish, state, log } = await newShop()
  await member.post('/console/erasures', asked)
  await erase()
  expect((await state()).refused).toMatch(/^In test mode, the customer .* not paid yet: void them/)
  expect(await read()).toMatchObject({ customerEmail: EMAIL })
  await finish()
  await member.post('/console/erasures', asked)
  await erase()
  expect(await state()).toBeNull()
  expect(await log()).toHaveLength(2)
})

test('200 says after some hours that it failed, and can be asked again', async () => {
  const { businessId, member, read, finish, log } = await newShop()
  await finish()
  await member.post('/console/erasures', asked)
  await owner.run`
    create function refuse_update() returns trigger language plpgsql as
      'begin raise exception ''out of order''; end'`
  await owner.run`
    create trigger refuse_update before update on invoices for each row
      execute function refuse_update()`
  const refused = async () =>
    (
      await db.one<{ refused: string | null }>`
      select refused from erasures where business_id = ${businessId}`
    ).refused
  for (let hours = 0; hours < 5; hours++) {
    await expect(erase()).rejects.toThrow('out of order')
    expect(await refused()).toBeNull()
    clock.advance(3_600_000)
  }
  await expect(erase()).rejects.toThrow('out of order')
  const again = await memberOf(server, 'owner', businessId)
  const state = async () => (await again.get(`/console/erasures?email=${EMAIL}`)).body.data
  expect((await state()).refused).toContain('Ask its operator to look at the log')
  expect(await log()).toMatchObject([{ detail: expect.stringContaining('because of an error') }])
  await owner.run`drop trigger refuse_update on invoices`
  await erase()
  expect(await read()).toMatchObject({ customerEmail: EMAIL })

  expect((await again.post('/console/erasures', asked)).status).toBe(200)
  expect((await state()).refused).toBeNull()
  await erase()
  expect(await state()).toBeNull()
  expect(await read()).toMatchObject({ customerEmail: expect.stringMatching(/^erased-/) })
})

test('200 says so if each attempt ends the server, but not if none was made for hours', async () => {
  const [tried, waiting] = [await newShop(), await newShop()]
  for (const { finish, member } of [tried, waiting]) {
    await finish()
    await member.post('/console/erasures', asked)
  }
  // An attempt only takes the erasure, and then ends with its process.
  const attempt = (hours: number) => db.run`
    update erasures set due_at = asked_at + ${hours + 1} * interval '1 hour'
    where business_id = ${tried.businessId}`
  for (let hours = 0; hours < 6; hours++) {
    await attempt(hours)
    clock.advance(3_600_000)
  }
  await erase()
  expect(await tried.read()).toMatchObject({ customerEmail: EMAIL })
  const again = await memberOf(server, 'owner', tried.businessId)
  const { body } = await again.get(`/console/erasures?email=${EMAIL}`)
  expect(body.data.refused).toContain('Ask its operator to look at the log')
  expect(await tried.log()).toMatchObject([{ detail: expect.stringContaining('each attempt') }])
  expect(await waiting.read()).toMatchObject({ customerEmail: expect.stringMatching(/^erased-/) })
})

test('200 while an upgrade adds columns to tables', async () => {
  for (const column of ['first_new', 'second_new']) {
    const { member, finish, state } = await newShop()
    await finish()
    await member.post('/console/erasures', asked)
    await erase()
    expect(await state()).toBeNull()
    for (const table of ['orders', 'invoices', 'checkouts', 'transactions', 'mails']) {
      await asOwner(name, (client) => client.query(`alter table ${table} add ${column} text`))
    }
  }
})

test('200 keeps an invoice that gets another customer meanwhile, and leaves no mention', async () => {
  const { businessId, member, get, put, finish, draft, mentions, state } = await newShop()
  const other = { customerEmail: 'bola@example.com', customerName: 'Bola' }
  const path = await draft()
  await finish()
  await member.post('/console/erasures', asked)
  await eraseAround(businessId, async () => {
    expect((await put(path, other)).status).toBe(200)
  })
  expect((await get(path)).body.data).toMatchObject(other)
  expect([await mentions(), await state()]).toEqual([[], null])
  await server.runJob('digest-seal')
  expect(await findings(server)).toEqual([])
})

test('200 erases what happens to the records of the customer meanwhile', async () => {
  const { businessId, member, get, post, finish, draft, mentions, state, log } = await newShop()
  const path = await draft()
  await finish()
  await member.post('/console/erasures', asked)
  await eraseAround(businessId, async () => {
    for (const step of ['send', 'mark-paid']) {
      expect((await post(`${path}/${step}`)).status).toBe(200)
    }
    await server.runJob('mail')
  })
  expect((await get(path)).body.data).toMatchObject({
    customerEmail: expect.stringMatching(/^erased-/),
    customerName: null,
  })
  expect([await mentions(), await state()]).toEqual([[], null])
  const left = await db.many`
    select id from transactions where business_id = ${businessId} and customer_name is not null`
  expect(left).toEqual([])
  expect(new Set((await log()).map(({ detail }) => detail)).size).toBe(1)
  for (const job of ['ledger-seal', 'digest-seal']) while ((await server.runJob(job)) > 0);
  expect(await findings(server)).toEqual([])
})

test('200 for a second request during an attempt that is refused: it is tried again', async () => {
  const { businessId, member, read, finish, state, log } = await newShop()
  await member.post('/console/erasures', asked)
  clock.advance(1_000)
  await eraseAround(businessId, async () => {
    clock.advance(1_000)
    expect((await member.post('/console/erasures', asked)).status).toBe(200)
  })
  expect(await state()).toMatchObject({ refused: null })
  expect(await log()).toEqual([])
  await finish()
  await erase()
  expect(await state()).toBeNull()
  expect(await read()).toMatchObject({ customerEmail: expect.stringMatching(/^erased-/) })
})

test('409 while the customer is on legal hold, without the reason', async () => {
  const { businessId, member, finish, read, state } = await newShop()
  await finish()
  const of = ['--business', String(businessId), '--customer', EMAIL]
  await member.post('/console/erasures', asked)
  await json('hold', 'add', ...of, '--reason', 'A police request')
  await erase()
  const { refused } = await state()
  expect(refused).toBe('The customer is on legal hold. Ask the operator of this server.')
  const { status, body } = await member.post('/console/erasures', asked)
  expect([status, body.errorCode]).toEqual([409, 'erasure_refused'])
  expect(JSON.stringify(body)).not.toContain('police')
  expect(await read()).toMatchObject({ customerEmail: EMAIL })
})

test.each(['developer', 'finance', 'support', 'viewer'] as const)('403 for a %s', async (role) => {
  const { businessId } = await newShop()
  const browser = await memberOf(server, role, businessId)
  expect((await browser.post('/console/erasures', asked)).status).toBe(403)
  expect((await browser.get(`/console/erasures?email=${EMAIL}`)).status).toBe(403)
})

test('403 for an owner who entered the password long ago; only of their own business', async () => {
  const { member, read, finish } = await newShop()
  await finish()
  const other = await newShop()
  await other.finish()
  await other.member.post('/console/erasures', asked)
  await erase()
  expect(await read()).toMatchObject({ customerEmail: EMAIL })
  clock.advance(6 * 60_000)
  const { status, body } = await member.post('/console/erasures', asked)
  expect([status, body.errorCode]).toEqual([403, 'reauthentication_needed'])
})
