import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import type { Role } from './roles.ts'
import { type Member, memberOf, PASSWORD } from './testing.ts'

const server = await startServer({ sweepers: false })
const { clock, db } = server
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const PAYOUT = { amount: 900, bankCode: '058', accountNumber: '0000000001' }
const AGAIN = { status: 403, body: { errorCode: 'reauthentication_needed' } }

/** A business with money, of which each transfer waits for approval, and its people. */
async function business(...roles: Role[]) {
  const { businessId, keys } = await server.newBusiness()
  const key = server.as(keys.testSecret)
  await key.put(SETTINGS, { virtualAccountPolicy: 'accept_over', transferApprovalAbove: 1 })
  const { body } = await key.post(INVOICES, { customerEmail: 'a@b.example', amount: 10_000 })
  const page = server.url + new URL(body.data.hostedUrl).pathname
  const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
  const accountNumber = /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
  await key.post('/api/simulator/deposit', { accountNumber, amount: 10_000 })
  const people: Member[] = []
  for (const role of roles) people.push(await memberOf(server, role, businessId))
  return { businessId, key, people }
}

async function transferOf({ post }: Pick<Member, 'post'>): Promise<string> {
  const { status, body } = await post(TRANSFERS, PAYOUT)
  expect([status, body.data.status]).toEqual([201, 'Unverified'])
  return body.data.reference
}

const whoOf = (reference: string) =>
  db.one<{ created_by: number | null; approved_by: number | null }>`
    select created_by, approved_by from transfers where reference = ${reference}`

test('403 for who made it, 200 for somebody else who may', async () => {
  const { people } = await business('finance', 'owner', 'viewer')
  const [maker, other, viewer] = people as [Member, Member, Member]
  const reference = await transferOf(maker)
  const denied = { status: 403, body: { errorCode: 'second_person_needed' } }
  expect(await maker.post(`${TRANSFERS}/${reference}/approve`)).toMatchObject(denied)
  expect((await viewer.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(403)
  expect(await whoOf(reference)).toEqual({ created_by: maker.id, approved_by: null })
  expect((await other.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(200)
  expect(await whoOf(reference)).toEqual({ created_by: maker.id, approved_by: other.id })
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('200 for who made it while nobody else may approve', async () => {
  const { people } = await business('owner', 'viewer', 'support')
  const [owner] = people as [Member]
  const reference = await transferOf(owner)
  expect((await owner.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(200)
  expect(await whoOf(reference)).toEqual({ created_by: owner.id, approved_by: owner.id })
})

test('200 rejects one’s own, which sends no money', async () => {
  const { people } = await business('owner', 'finance')
  const [owner] = people as [Member]
  const reference = await transferOf(owner)
  expect((await owner.post(`${TRANSFERS}/${reference}/reject`)).status).toBe(200)
})

test('200 for a person where a key made it, and for a key where a person did', async () => {
  const { key, people } = await business('owner', 'finance')
  const [owner] = people as [Member]
  const [byKey, byHand] = [await transferOf(key), await transferOf(owner)]
  expect((await owner.post(`${TRANSFERS}/${byKey}/approve`)).status).toBe(200)
  expect((await key.post(`${TRANSFERS}/${byHand}/approve`)).status).toBe(200)
  expect(await whoOf(byKey)).toEqual({ created_by: null, approved_by: owner.id })
  expect(await whoOf(byHand)).toEqual({ created_by: owner.id, approved_by: null })
})

test('200 once of many who approve at once', async () => {
  const { people } = await business('finance', 'owner', 'admin')
  const [maker, ...others] = people as [Member, Member, Member]
  const reference = await transferOf(maker)
  const answers = await Promise.all(
    [...others, ...others, maker].map(({ post }) => post(`${TRANSFERS}/${reference}/approve`)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 409, 409, 409])
})

test('403 for what sends money until the password is given again; keys are not asked', async () => {
  const { key, people } = await business('owner')
  const [owner] = people as [Member]
  const reference = await transferOf(key)
  clock.advance(6 * 60_000)
  const account = { bankCode: '058', accountNumber: '0123456789' }
  expect(await owner.post(TRANSFERS, PAYOUT)).toMatchObject(AGAIN)
  expect(await owner.post(`/transfers`, PAYOUT)).toMatchObject(AGAIN)
  expect(await owner.post(`${TRANSFERS}/${reference}/approve`)).toMatchObject(AGAIN)
  expect(await owner.post(`${TRANSFERS}/${reference}/retry`)).toMatchObject(AGAIN)
  expect(await owner.put(SETTINGS, { settlementAccount: account })).toMatchObject(AGAIN)
  expect(await owner.put(SETTINGS, { transferApprovalAbove: 500 })).toMatchObject(AGAIN)
  expect(await owner.put(SETTINGS, { feeBearer: 'customer' })).toMatchObject(AGAIN)
  expect((await key.put(SETTINGS, { settlementAccount: account })).status).toBe(200)
  expect((await owner.post('/console/reauthenticate', { password: PASSWORD })).status).toBe(200)
  expect((await owner.post(`${TRANSFERS}/${reference}/approve`)).status).toBe(200)
})
