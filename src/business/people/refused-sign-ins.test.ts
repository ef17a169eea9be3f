import { afterAll, describe, expect, test } from 'vitest'
import { asOwner, startSecond, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { browserAt, memberOf, PASSWORD } from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { db, url } = server
const WRONG = 'wrong-password-here'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

interface Line {
  action: string
  person: string
  detail: string
}

async function owner() {
  const { businessId } = await server.newBusiness()
  const member = await memberOf(server, 'owner', businessId)
  const sessions = async () =>
    ((await member.get('/console/audit?action=session')).body.data as Line[]).toReversed()
  return { ...member, businessId, sessions }
}

const signIn = (email: string, password = WRONG) =>
  browserAt(url).post('/console/sign-in', { email, password })

describe('the audit log', () => {
  test('200 lists each refused sign-in and the wait, but no attempts during it', async () => {
    const { email, sessions } = await owner()
    await Promise.all(Array.from({ length: 20 }, () => signIn(email)))
    const refused = async () =>
      (await sessions()).filter(({ action }) => action !== 'session.begin')
    await expect.poll(async () => (await refused()).length).toBe(5)
    const actions = (await refused()).map(({ action }) => action).sort()
    expect(actions).toEqual(['session.locked', ...Array(4).fill('session.refused')])
    for (const { person, detail } of await refused()) {
      expect(person).toBe('Not signed in')
      expect(detail).toContain('Refused a sign-in: wrong password')
      expect(detail).not.toContain(WRONG)
    }
  })

  test('200 lists a refused sign-in that had to wait for the log for long', async () => {
    const { email, businessId, sessions } = await owner()
    const second = await startSecond(server, { lockMs: 1_000 })
    await asOwner(server.name, async (client) => {
      await client.query('begin')
      await client.query('select from audit_chains where business_id = $1 for update', [businessId])
      const refused = await browserAt(second.url).post('/console/sign-in', {
        email,
        password: WRONG,
      })
      expect(refused.status).toBe(401)
      await expect
        .poll(() => second.db.failures().get('55P03'), { timeout: 10_000 })
        .toBeGreaterThan(0)
    })
    const actions = async () => (await sessions()).map(({ action }) => action)
    await expect.poll(actions).toContain('session.refused')
  })

  test('200 lists ended sessions and sign-outs', async () => {
    const member = await owner()
    const other = browserAt(url)
    await other.post('/console/sign-in', { email: member.email, password: PASSWORD })
    const listed = (await member.get('/console/sessions')).body.data as {
      id: number
      current: boolean
    }[]
    const { id } = listed.find(({ current }) => !current)!
    expect((await member.post(`/console/sessions/${id}/end`)).status).toBe(200)
    expect((await member.post(`/console/sessions/${id}/end`)).status).toBe(404)
    await other.post('/console/sign-in', { email: member.email, password: PASSWORD })
    expect((await member.post('/console/sessions/end-others')).status).toBe(200)
    expect((await member.post('/console/sessions/end-others')).status).toBe(200)
    const third = browserAt(url)
    await third.post('/console/sign-in', { email: member.email, password: PASSWORD })
    await third.post('/console/sign-out')
    const ended = (await member.sessions()).filter(({ action }) => action === 'session.end')
    expect(ended.map(({ detail }) => detail)).toEqual([
      'Ended a session',
      'Ended 1 other sessions',
      'Signed out',
    ])
  })
})

test('429 for a network that tries many email addresses; 200 in a known browser', async () => {
  const limited = await startServer({ jobs: false, rateLimit: 1_000 })
  const { email, known } = await memberOf(limited, 'viewer')
  const guess = (i: number) => {
    const body = { email: `nobody-${i}@people.example`, password: WRONG }
    return browserAt(limited.url).post('/console/sign-in', body)
  }
  let tried = 0
  let refused: Awaited<ReturnType<typeof guess>> | undefined
  while (!refused) {
    const first = tried
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => guess(first + i)))
    tried += replies.filter(({ status }) => status === 401).length
    refused = replies.find(({ status }) => status !== 401)
  }
  expect(refused).toMatchObject({ status: 429, body: { errorCode: 'rate_limited' } })
  expect(tried).toBeGreaterThanOrEqual(30)
  const own = browserAt(limited.url, known())
  expect((await own.post('/console/sign-in', { email, password: PASSWORD })).status).toBe(200)
})
