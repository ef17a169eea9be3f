import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { emailTo, lettersTo, type Member, memberOf, PASSWORD } from '../people/people.fixture.ts'
import type { Role } from '../people/roles.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const PAYOUT = { amount: 900, bankCode: '058', accountNumber: '0000000001' }
const DAY_MS = 24 * 3_600_000
const AGAIN = { status: 403, body: { errorCode: 'reauthentication_needed' } }

/** A business with ₦10,000 in its wallet, and its members; the first one sets `limits`. */
async function business(limits: object | null, ...roles: Role[]) {
  const { businessId, keys } = await server.newBusiness()
  const key = server.as(keys.testSecret)
  await key.put(SETTINGS, { virtualAccountPolicy: 'accept_over' })
  const { body } = await key.post(INVOICES, { customerEmail: 'a@b.example', amount: 10_000 })
  const page = server.url + new URL(body.data.hostedUrl).pathname
  const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
  const accountNumber = /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
  await key.post('/api/simulator/deposit', { accountNumber, amount: 10_000 })
  const people: Member[] = []
  for (const role of roles) people.push(await memberOf(server, role, businessId))
  if (limits) expect((await people[0]!.put(SETTINGS, limits)).status).toBe(200)
  return { businessId, key, people: people as [Member, Member, Member] }
}

const EACH = { transferApprovalAbove: 1 }

/** A key that a member creates in the dashboard. */
async function keyOf(member: Member) {
  const { status, body } = await member.post('/console/keys', {})
  expect(status).toBe(200)
  return server.as(body.data.key)
}

async function transferOf({ post }: Pick<Member, 'post'>, more: object = {}): Promise<string> {
  const { status, body } = await post(TRANSFERS, { ...PAYOUT, ...more })
  expect([status, body.data.status]).toEqual([201, 'Unverified'])
  return body.data.reference
}

const whoOf = async ({ get }: Pick<Member, 'get'>, reference: string) => {
  const { createdBy, approvedBy, needsSecondPerson } = (await get(`${TRANSFERS}/${reference}`)).body
    .data
  return { createdBy, approvedBy, needsSecondPerson }
}
const person = ({ id }: Member) => ({ type: 'person', name: expect.any(String), personId: id })
const DENIED = { status: 403, body: { errorCode: 'second_person_needed' } }
const approve = ({ post }: Pick<Member, 'post'>, reference: string) =>
  post(`${TRANSFERS}/${reference}/approve`)

test('403 for the maker, 200 for another approver', async () => {
  const { people } = await business(EACH, 'owner', 'finance', 'viewer')
  const [maker, other, viewer] = people
  const reference = await transferOf(maker)
  expect(await approve(maker, reference)).toMatchObject(DENIED)
  expect((await approve(viewer, reference)).status).toBe(403)
  expect(await whoOf(maker, reference)).toEqual({
    createdBy: person(maker),
    approvedBy: null,
    needsSecondPerson: true,
  })
  expect((await approve(other, reference)).status).toBe(200)
  expect(await whoOf(maker, reference)).toEqual({
    createdBy: person(maker),
    approvedBy: person(other),
    needsSecondPerson: false,
  })
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('403 for the maker’s own key and a key without a maker; 200 for another’s key', async () => {
  const { key, people } = await business(EACH, 'owner', 'admin')
  const [maker, other] = people
  const [own, others] = [await keyOf(maker), await keyOf(other)]
  const byHand = await transferOf(maker)
  const byKey = await transferOf(own)
  const byOperatorsKey = await transferOf(key)
  for (const reference of [byHand, byKey]) {
    for (const denied of [maker, own, key]) {
      expect(await approve(denied, reference)).toMatchObject(DENIED)
    }
  }
  expect(await approve(key, byOperatorsKey)).toMatchObject(DENIED)
  expect((await approve(others, byHand)).status).toBe(200)
  expect((await approve(other, byKey)).status).toBe(200)
  expect((await approve(maker, byOperatorsKey)).status).toBe(200)
  expect(await whoOf(maker, byHand)).toMatchObject({
    createdBy: { type: 'person', personId: maker.id },
    approvedBy: { type: 'key', personId: other.id },
  })
})

test('403 for a key whose maker can no longer approve', async () => {
  const { people, businessId } = await business(EACH, 'owner', 'admin', 'finance')
  const [maker, leaver] = people
  const left = await keyOf(leaver)
  const reference = await transferOf(maker)
  expect((await maker.post(`/console/team/${leaver.id}/remove`)).status).toBe(200)
  expect(await approve(left, reference)).toMatchObject(DENIED)
  expect(businessId).toBeGreaterThan(0)
})

test('200 for any member who can send money if only the name differs', async () => {
  const { key, people } = await business(null, 'owner', 'finance')
  const named = { accountName: 'Somebody Else' }
  const [one, other] = [await transferOf(people[0], named), await transferOf(key, named)]
  expect((await approve(people[0], one)).status).toBe(200)
  expect((await approve(key, other)).status).toBe(200)
})

test('201 mails approvers about a different name if the amount is above the limit', async () => {
  const { key } = await business(EACH, 'owner', 'finance')
  const reference = await transferOf(key, { accountName: 'Somebody Else' })
  const { failureReason } = (await key.get(`${TRANSFERS}/${reference}`)).body.data
  expect(failureReason).toMatch(/^The amount is above the approval limit\. The bank says .+$/)
})

test('200 lets the maker reject a transfer, which sends no money', async () => {
  const { people } = await business(EACH, 'owner', 'finance')
  const reference = await transferOf(people[0])
  expect((await people[0].post(`${TRANSFERS}/${reference}/reject`)).status).toBe(200)
})

test('200 for only one of many simultaneous approvals', async () => {
  const { people } = await business(EACH, 'owner', 'finance', 'admin')
  const [maker, ...others] = people
  const reference = await transferOf(maker)
  const answers = await Promise.all(
    [...others, ...others, maker].map((one) => approve(one, reference)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 409, 409, 409])
})

test('201 sends only what the daily limit allows of many at once; the rest waits', async () => {
  // At noon, because at midnight another limit would begin.
  clock.advance(1.5 * DAY_MS - (clock.now().getTime() % DAY_MS))
  const { key, people } = await business({ dailyApprovalAbove: 2_800 }, 'owner', 'finance')
  const all = await Promise.all(Array.from({ length: 8 }, () => key.post(TRANSFERS, PAYOUT)))
  const states = all.map(({ body }) => body.data.status).sort()
  // Three of ₦900 are within the daily limit.
  expect(states).toEqual([...Array(3).fill('Pending'), ...Array(5).fill('Unverified')])
  expect((await people[0].get(`/console/approvals`)).body.data).toEqual({ transfers: 5, limits: 0 })
  clock.advance(DAY_MS)
  expect((await key.post(TRANSFERS, { ...PAYOUT, amount: 100 })).body.data.status).toBe('Pending')
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('409 for introducing a limit without a second approver', async () => {
  const { people } = await business(null, 'owner', 'viewer', 'support')
  const refused = await people[0].put(SETTINGS, EACH)
  expect(refused).toMatchObject({ status: 409, body: { errorCode: 'approvers_missing' } })
})

test('200 suspends the limits with a mail to the owner, and restores them', async () => {
  const { people, businessId } = await business(EACH, 'owner', 'finance')
  const [owner, finance] = people
  const reference = await transferOf(owner)
  expect((await owner.post(`/console/team/${finance.id}/remove`)).status).toBe(200)
  expect(await emailTo(server, owner.email, 'no longer need approval')).toContain('suspended')
  const { approvalSuspendedAt } = (await owner.get(SETTINGS)).body.data
  expect(approvalSuspendedAt).not.toBe(null)
  expect((await owner.post(TRANSFERS, PAYOUT)).body.data.status).toBe('Pending')
  expect((await approve(owner, reference)).status).toBe(200)
  await memberOf(server, 'admin', businessId)
  await transferOf(owner)
  expect((await owner.get(SETTINGS)).body.data.approvalSuspendedAt).toBe(null)
})

test('200 mails the approvers except the maker, once for many transfers of one maker', async () => {
  const { people } = await business(EACH, 'owner', 'finance', 'admin')
  const [owner, finance, admin] = people
  const letters = () =>
    Promise.all(
      [owner, finance, admin].map(async ({ email }) => (await lettersTo(server, email)).length),
    )
  const before = await letters()
  const since = async () => (await letters()).map((n, i) => n - before[i]!)
  await transferOf(finance)
  await transferOf(finance)
  for (const { email } of [owner, admin]) {
    expect(await emailTo(server, email, 'needs approval')).toContain('₦900.00')
  }
  expect(await since()).toEqual([1, 0, 1])
  await transferOf(owner)
  expect(await emailTo(server, finance.email, 'needs approval')).toContain('₦900.00')
  expect(await since()).toEqual([1, 1, 2])
  clock.advance(16 * 60_000)
  expect((await finance.post('/console/reauthenticate', { password: PASSWORD })).status).toBe(200)
  await transferOf(finance)
  expect(await since()).toEqual([2, 1, 3])
})

test('200 mails the approvers at once, even if the test clock is a month ahead', async () => {
  const { key, people } = await business(EACH, 'owner', 'finance')
  const { status } = await key.post('/api/simulator/clock', { advanceSeconds: 30 * 86_400 })
  expect(status).toBe(200)
  await transferOf(key)
  await server.runJob('mail')
  for (const { email } of people) {
    const { late, status } = await db.one<{ late: boolean; status: string }>`
      select status, greatest(due_at, created_at) > ${clock.now()} as late from mails
      where to_address = ${email} and kind = 'person_news'`
    expect({ late, status }).toEqual({ late: false, status: 'Captured' })
  }
})

test('200 raises a limit only after a second person confirms it', async () => {
  const { people } = await business({ transferApprovalAbove: 500 }, 'owner', 'admin', 'finance')
  const [owner, admin, finance] = people
  const off = await owner.put(SETTINGS, { transferApprovalAbove: null })
  expect(off.body.data).toMatchObject({
    transferApprovalAbove: 500,
    pendingApprovalChange: { transferApprovalAbove: null, requestedBy: { personId: owner.id } },
  })
  expect(await emailTo(server, finance.email, 'approval limits')).toContain('no limit')
  const { requestedAt } = off.body.data.pendingApprovalChange
  const confirm = '/console/approval-change/confirm'
  expect(await owner.post(confirm, { requestedAt })).toMatchObject(DENIED)
  expect((await owner.post(TRANSFERS, PAYOUT)).body.data.status).toBe('Unverified')
  // A newer change replaces it, so the one that was shown is not confirmed.
  clock.advance(1_000)
  const raised = await owner.put(SETTINGS, { transferApprovalAbove: 900 })
  expect(await admin.post(confirm, { requestedAt })).toMatchObject({ status: 409 })
  const at = raised.body.data.pendingApprovalChange.requestedAt
  const all = await Promise.all(
    [admin, finance, admin, finance].map(({ post }) => post(confirm, { requestedAt: at })),
  )
  expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  expect((await owner.get(SETTINGS)).body.data).toMatchObject({
    transferApprovalAbove: 900,
    pendingApprovalChange: null,
  })
  expect((await owner.put(SETTINGS, { transferApprovalAbove: 100 })).body.data).toMatchObject({
    transferApprovalAbove: 100,
    pendingApprovalChange: null,
  })
})

test('200 ends a pending change when a limit is lowered or another is introduced', async () => {
  const { people } = await business({ transferApprovalAbove: 500 }, 'owner', 'finance')
  const [owner, finance] = people
  for (const lower of [{ transferApprovalAbove: 400 }, { dailyApprovalAbove: 900 }]) {
    const { body } = await owner.put(SETTINGS, { transferApprovalAbove: null })
    const { requestedAt } = body.data.pendingApprovalChange
    const lowered = await owner.put(SETTINGS, lower)
    expect(lowered.body.data).toMatchObject({ ...lower, pendingApprovalChange: null })
    const confirmed = await finance.post('/console/approval-change/confirm', { requestedAt })
    expect(confirmed.status).toBe(409)
    clock.advance(1_000)
  }
  expect((await owner.get(SETTINGS)).body.data).toMatchObject({
    transferApprovalAbove: 400,
    dailyApprovalAbove: 900,
  })
})

test('200 drops a pending change', async () => {
  const { people } = await business({ dailyApprovalAbove: 500 }, 'owner', 'finance')
  const { body } = await people[0].put(SETTINGS, { dailyApprovalAbove: 501 })
  const { requestedAt } = body.data.pendingApprovalChange
  expect((await people[1].post('/console/approval-change/drop', { requestedAt })).status).toBe(200)
  expect((await people[0].get(SETTINGS)).body.data).toMatchObject({
    dailyApprovalAbove: 500,
    pendingApprovalChange: null,
  })
})

test('403 for sending money until the password is entered again, except for keys', async () => {
  const { key, people } = await business(EACH, 'owner', 'finance')
  const [owner] = people
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
