import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { runAudit } from '../../ledger/audit.ts'
import { memberOf, PASSWORD } from '../people/people.fixture.ts'
import { consoleChecks } from './audit.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const BODY = { customerEmail: 'bola@example.com', amount: 100, note: 'a word of the body' }

/** The owner of a new business. */
async function owner() {
  const { businessId } = await server.newBusiness()
  return { ...(await memberOf(server, 'owner', businessId)), businessId }
}
type Owner = Awaited<ReturnType<typeof owner>>

const entries = async ({ get }: Owner, query = '') =>
  (await get(`/console/audit${query}`)).body.data as Record<string, unknown>[]

/** The newest entry of an action. */
async function entryOf(who: Owner, action: string) {
  await expect.poll(async () => (await entries(who, `?action=${action}`)).length).toBeGreaterThan(0)
  return (await entries(who, `?action=${action}`))[0]!
}

describe('the audit log', () => {
  test('200 lists API operations, but never what was sent', async () => {
    const who = await owner()
    const made = await who.post(INVOICES, BODY)
    const { reference } = made.body.data
    expect(await entryOf(who, 'create_invoice')).toMatchObject({
      personId: who.id,
      object: reference,
      mode: 'test',
      detail: 'Done (201)',
      ip: '127.0.0.1',
      requestId: made.headers.get('x-request-id'),
    })
    await who.post(`${INVOICES}/${reference}/void`)
    expect(await entryOf(who, 'void_invoice')).toMatchObject({ object: reference })
    await who.post(`${INVOICES}/${reference}/send`)
    expect(await entryOf(who, 'send_invoice')).toMatchObject({ detail: 'Refused (409)' })
    const text = JSON.stringify(await entries(who))
    for (const secret of ['a word of the body', 'bola@example.com', PASSWORD]) {
      expect(text).not.toContain(secret)
    }
  })

  test('200 does not list reads, repeats and requests with keys', async () => {
    const who = await owner()
    const headers = { 'idempotency-key': 'once' }
    await who.post(INVOICES, BODY, headers)
    await who.post(INVOICES, BODY, headers)
    await who.get(INVOICES)
    await server.post(INVOICES, BODY)
    await who.post(`${INVOICES}/nothing/void`)
    await entryOf(who, 'void_invoice')
    const actions = (await entries(who)).map(({ action }) => action).sort()
    expect(actions).toEqual(['create_invoice', 'member.join', 'session.begin', 'void_invoice'])
  })

  test('200 lists changes of people in the transaction of their cause, not failures', async () => {
    const who = await owner()
    await who.post('/console/team/invite', { email: 'x@people.example', role: 'viewer' })
    await who.post('/console/team/999/role', { role: 'viewer' })
    const change = { password: PASSWORD, newPassword: 'green-lantern-walks-home' }
    await who.post('/console/password/change', change)
    expect((await entries(who)).map(({ action }) => action)).toEqual([
      'person.password',
      'member.invite',
      'session.begin',
      'member.join',
    ])
    expect(await entryOf(who, 'member.invite')).toMatchObject({
      object: 'x@people.example',
      detail: 'Invited x@people.example as viewer',
    })
  })

  test('200 filters by person, action and day, in pages', async () => {
    const who = await owner()
    const other = await memberOf(server, 'finance', who.businessId)
    expect(await entries(who, `?person=${other.id}`)).toHaveLength(2)
    expect(await entries(who, '?action=member')).toHaveLength(2)
    expect(await entries(who, '?action=member.join')).toHaveLength(2)
    expect(await entries(who, '?action=mem')).toHaveLength(0)
    const day = (ms: number) => new Date(clock.now().getTime() + ms).toISOString().slice(0, 10)
    const DAY_MS = 86_400_000
    expect(await entries(who, `?from=${day(2 * DAY_MS)}`)).toHaveLength(0)
    expect(await entries(who, `?to=${day(-2 * DAY_MS)}`)).toHaveLength(0)
    expect(await entries(who, `?from=${day(-2 * DAY_MS)}&to=${day(2 * DAY_MS)}`)).toHaveLength(4)
    const { body } = await who.get('/console/audit?limit=3&page=2')
    expect(body).toMatchObject({ data: [{ number: 1 }], meta: { total: 4, pageCount: 2 } })
  })

  test('200 exports all of it, safe for spreadsheets', async () => {
    const who = await owner()
    for (let i = 0; i < 3; i++) {
      await who.post('/console/team/invite', { email: `=a${i}@people.example`, role: 'viewer' })
    }
    const { text, headers } = await who.get('/console/audit/export')
    expect(headers.get('content-disposition')).toContain('audit-log.csv')
    const lines = text.trim().split('\r\n')
    expect(lines).toHaveLength(6)
    expect(lines[0]).toContain('number,at,mode,person,action')
    expect(lines[1]).toContain(",'=a2@people.example,")
  })

  test('403 for roles without access, 404 for non-members', async () => {
    const who = await owner()
    const support = await memberOf(server, 'support', who.businessId)
    for (const path of ['/console/audit', '/console/audit/export']) {
      expect((await support.get(path)).status).toBe(403)
      const headers = { 'x-business-id': String(server.business.businessId) }
      expect((await who.get(path, headers)).status).toBe(404)
    }
  })

  test('200 numbers simultaneous entries without a gap', async () => {
    const who = await owner()
    await Promise.all(Array.from({ length: 30 }, () => who.post(INVOICES, BODY)))
    await expect.poll(async () => (await entries(who, '?limit=100')).length).toBe(32)
    const numbers = (await entries(who, '?limit=100')).map((entry) => entry.number)
    expect(numbers).toEqual(Array.from({ length: 32 }, (_, i) => 32 - i))
    expect(await runAudit(db, consoleChecks)).toEqual([])
  })
})

describe('the audit', () => {
  test.each([
    ['a changed entry', `update audit_log set detail = 'Nothing' where seq = 2`, ['audit-log 2']],
    ['a changed time', `update audit_log set at = at + '1 s' where seq = 2`, ['audit-log 2']],
    [
      'another hash',
      `update audit_log set hash = sha256(hash) where seq = 2`,
      ['audit-log 2', 'audit-log 3'],
    ],
    ['a missing entry', `delete from audit_log where seq = 2`, ['audit-log-gaps 2']],
    ['a log without its end', `delete from audit_log where seq = 3`, ['audit-log-gaps 3']],
    [
      'a missing log',
      'delete from audit_log where seq > 0',
      ['audit-log-gaps 3', 'audit-log-missing 1'],
    ],
    [
      'a missing log with a missing end',
      `with gone as (delete from audit_log where seq > 0 returning business_id)
       delete from audit_chains where seq > 0`,
      ['audit-log-missing 1'],
    ],
    [
      'an end that was moved back',
      `with gone as (delete from audit_log where seq = 3 returning business_id)
       update audit_chains set seq = 2 where seq > 0`,
      ['audit-log-gaps 2'],
    ],
  ])('names %s', async (_title, statement, expected) => {
    const who = await owner()
    await who.post('/console/team/invite', { email: 'y@people.example', role: 'viewer' })
    const business = ` and business_id = ${who.businessId}`
    await asOwner(server.name, (client) =>
      client.query(statement.replace(/where seq \S+ \d/g, (found) => found + business)),
    )
    const found = await runAudit(db, consoleChecks)
    const ours = found.filter(({ businessId }) => businessId === who.businessId)
    expect(ours.map(({ check, id }) => `${check} ${id}`).sort()).toEqual(expected)
  })

  test('names a business without an owner', async () => {
    const { businessId } = await server.newBusiness()
    const { id } = await memberOf(server, 'admin', businessId)
    const found = await runAudit(db, consoleChecks)
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'owners', table: 'members', businessId, id: String(id) }),
    )
  })

  test('the server itself cannot change or remove an entry', async () => {
    await expect(db.run`update audit_log set detail = 'x'`).rejects.toThrow(/permission denied/)
    await expect(db.run`delete from audit_log`).rejects.toThrow(/permission denied/)
  })
})
