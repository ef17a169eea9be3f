import { Readable } from 'node:stream'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { browserAt, type Member, memberOf } from '../people/people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const MEDIA = '/api/payment-service/external/v1/products/product-upload-media'
/** Starts its own server process. */
const SLOW = { timeout: 180_000 }
const PAYOUT = { amount: 900, bankCode: '058', accountNumber: '0000000001' }

async function owner() {
  const { businessId, keys } = await server.newBusiness()
  const member = await memberOf(server, 'owner', businessId)
  return { member, businessId, key: server.as(keys.testSecret) }
}

const entries = async ({ get }: Pick<Member, 'get'>, action: string) =>
  (await get(`/console/audit?action=${action}`)).body.data as Record<string, unknown>[]

const askedOf = (businessId: number) =>
  db.many<{ action: string; object: string | null }>`
    select action, object from audit_asked where business_id = ${businessId}`

/** Another client's transaction, open until it is released. */
async function holding(statement: string, value: number) {
  const client = new pg.Client(server.connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(statement, [value])
  return { release: () => client.query('rollback') }
}
const holdChain = (businessId: number) =>
  holding('select from audit_chains where business_id = $1 for update', businessId)

/** A wallet with money in it. */
async function fund(key: ReturnType<typeof server.as>) {
  await key.put(SETTINGS, { virtualAccountPolicy: 'accept_over' })
  const { body } = await key.post(INVOICES, { customerEmail: 'a@b.example', amount: 10_000 })
  const page = server.url + new URL(body.data.hostedUrl).pathname
  const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
  const accountNumber = /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
  await key.post('/api/simulator/deposit', { accountNumber, amount: 10_000 })
}

test('200 lists a request whose server was killed: it survives the crash', SLOW, async () => {
  const { member, businessId, key } = await owner()
  await fund(key)
  const { url, child } = await otherProcess(server.connection)
  const there = browserAt(url)
  await there.post('/console/sign-in', { email: member.email, password: member.password })
  there.choose(businessId)

  const transfers = async () =>
    (
      await db.one<{ n: number }>`
        select count(*) as n from transfers where business_id = ${businessId}`
    ).n
  const { release } = await holdChain(businessId)
  const answer = there.post(TRANSFERS, PAYOUT).catch(() => undefined)
  await expect.poll(transfers).toBe(1)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  await answer
  await release()

  expect(await entries(member, 'create_transfer')).toEqual([])
  expect(await askedOf(businessId)).toEqual([{ action: 'create_transfer', object: null }])
  await server.runJob('people')
  expect(await askedOf(businessId)).toHaveLength(1)
  clock.advance(16 * 60_000)
  await Promise.all(Array.from({ length: 4 }, () => server.runJob('people')))
  expect(await entries(member, 'create_transfer')).toMatchObject([
    {
      personId: member.id,
      mode: 'test',
      detail: 'Requested; outcome unknown',
    },
  ])
  expect(await askedOf(businessId)).toEqual([])
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('201 is sent once the log has the entry, and nothing stays pending', async () => {
  const { member, businessId } = await owner()
  const body = { customerEmail: 'a@b.example', amount: 100 }
  const headers = { 'idempotency-key': 'once' }
  const made = await member.post(INVOICES, body, headers)
  // No wait: the entry was written before the response.
  expect(await entries(member, 'create_invoice')).toMatchObject([
    { object: made.body.data.reference, detail: 'Done (201)' },
  ])
  await member.post(INVOICES, body, headers)
  await member.post(INVOICES, { amount: 'much' })
  await member.post(`${INVOICES}/none/void`)
  expect(await entries(member, 'create_invoice')).toMatchObject([
    { detail: 'Refused (400)' },
    { detail: 'Done (201)' },
  ])
  expect(await entries(member, 'void_invoice')).toMatchObject([
    { object: 'none', detail: 'Refused (404)' },
  ])
  clock.advance(6 * 60_000)
  expect((await member.put(SETTINGS, { transferApprovalAbove: 5 })).status).toBe(403)
  expect(await entries(member, 'update_profile_settings')).toEqual([])
  expect(await askedOf(businessId)).toEqual([])
})

test('200 lists requests whose client did not wait for the response', async () => {
  const { member, businessId } = await owner()
  const { release } = await holding(
    'select from business_settings where business_id = $1 for update',
    businessId,
  )
  const leaving = new AbortController()
  const gone = fetch(server.url + SETTINGS, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      cookie: member.cookie(),
      'x-csrf-token': member.csrf(),
      'x-business-id': String(businessId),
    },
    body: JSON.stringify({ timeZone: 'Africa/Accra' }),
    signal: leaving.signal,
  }).catch(() => undefined)
  await expect.poll(() => askedOf(businessId)).toHaveLength(1)
  leaving.abort()
  await gone
  await release()
  await expect.poll(() => entries(member, 'update_profile_settings')).toHaveLength(1)
  await expect.poll(() => askedOf(businessId)).toEqual([])
})

test('201 even if the log cannot be written at that moment; the entry follows later', async () => {
  const { member, businessId } = await owner()
  const { release } = await holdChain(businessId)
  const body = { customerEmail: 'a@b.example', amount: 100 }
  expect((await member.post(INVOICES, body)).status).toBe(201)
  await release()
  expect(await askedOf(businessId)).toHaveLength(1)
  clock.advance(16 * 60_000)
  await server.runJob('people')
  expect(await entries(member, 'create_invoice')).toHaveLength(1)
  expect(await askedOf(businessId)).toEqual([])
})

test('400 of an upload is logged like everything else', async () => {
  const { member, businessId } = await owner()
  const form = new FormData()
  form.set('productId', '1')
  const answer = await fetch(`${server.url}${MEDIA}`, {
    method: 'POST',
    headers: {
      cookie: member.cookie(),
      'x-csrf-token': member.csrf(),
      'x-business-id': String(businessId),
    },
    body: form,
  })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(await entries(member, 'add_product_media')).toMatchObject([
    { detail: `Refused (${answer.status})` },
  ])
  expect(await askedOf(businessId)).toEqual([])
})

test('200 of a slow upload: unknown for a while, then its outcome', async () => {
  const { member, businessId } = await owner()
  let goOn = () => {}
  const waits = new Promise<void>((resolve) => {
    goOn = resolve
  })
  async function* slowly() {
    yield '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    await waits
    yield 'no picture\r\n--x--\r\n'
  }
  const answer = fetch(server.url + MEDIA, {
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=x',
      cookie: member.cookie(),
      'x-csrf-token': member.csrf(),
      'x-business-id': String(businessId),
    },
    body: Readable.toWeb(Readable.from(slowly())) as BodyInit,
    duplex: 'half',
  } as RequestInit)
  await expect.poll(() => askedOf(businessId)).toHaveLength(1)
  clock.advance(16 * 60_000)
  await server.runJob('people')
  const notKnown = { detail: 'Requested; outcome unknown' }
  expect(await entries(member, 'add_product_media')).toMatchObject([notKnown])
  goOn()
  expect((await answer).status).toBe(400)
  expect(await entries(member, 'add_product_media')).toMatchObject([
    { detail: 'Refused (400)' },
    notKnown,
  ])
  expect(await askedOf(businessId)).toEqual([])
  expect(await runAudit(db, allChecks)).toEqual([])
})
