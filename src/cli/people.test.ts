import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { consoleChecks } from '../business/audit-log/audit.ts'
import { addPasskey } from '../business/people/passkey.fixture.ts'
import {
  browserAt,
  emailTo,
  memberOf,
  PASSWORD,
  turnTwoFactorOn,
} from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const server = await startServer({ jobs: false })
const { tradepost } = commandsOn(server.name)
const people = (...args: string[]) => tradepost('people', ...args)

const signIn = (email: string) =>
  browserAt(server.url).post('/console/sign-in', { email, password: PASSWORD })

test('0 lets in an owner who lost phone and codes, records it, and notifies them', async () => {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  const other = await memberOf(server, 'admin', businessId)
  await addPasskey(owner)
  await turnTwoFactorOn(server, owner)
  await turnTwoFactorOn(server, other)
  expect((await signIn(owner.email)).body).toMatchObject({ errorCode: 'code_needed' })
  const listed = await people('list')
  expect(listed.stdout).toMatch(
    new RegExp(`${owner.email} +Person \\d+ +on +1 +owner of ${businessId} +`),
  )

  const { status, stdout, stderr } = await people('reset-two-factor', owner.email.toUpperCase())
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^Removed two-factor authentication for Person \d+ \(owner-\S+\) and ended 1 session\.\n/,
  )
  expect((await owner.get('/console/me')).status).toBe(401)
  const known = await server.db.many`
    select 1 from known_browsers where person_id = ${owner.id}`
  expect(known).toEqual([])
  const entered = browserAt(server.url)
  expect(
    (await entered.post('/console/sign-in', { email: owner.email, password: PASSWORD })).status,
  ).toBe(200)
  expect((await entered.get('/console/passkeys')).body.data.passkeys).toEqual([])
  expect((await entered.get('/console/me')).body.data.person.twoFactor).toBe(false)

  const [entry] = (await entered.get('/console/audit?action=person.two_factor')).body.data
  expect(entry).toMatchObject({
    personId: null,
    person: 'The operator',
    action: 'person.two_factor',
    object: owner.email,
    ip: null,
    detail: expect.stringMatching(/^Removed two-factor authentication for Person \d+ and ended/),
  })
  expect(
    await emailTo(server, owner.email, 'Your two-factor authentication was removed'),
  ).toContain('You now need only your password')
  expect(await runAudit(server.db, consoleChecks)).toEqual([])

  // The other members of the business are not affected.
  expect((await other.get('/console/me')).status).toBe(200)
  expect((await signIn(other.email)).body).toMatchObject({ errorCode: 'code_needed' })
  const again = await people('reset-two-factor', owner.email)
  expect([again.status, again.stderr]).toEqual([
    1,
    'error: This person does not use two-factor authentication.\n',
  ])
  expect((await entered.get('/console/me')).status).toBe(200)
})

test('0 notes it in each business, and prints JSON', async () => {
  const [one, two] = [await server.newBusiness(), await server.newBusiness()]
  const owner = await memberOf(server, 'owner', one.businessId)
  await server.db.run`
    insert into members (business_id, person_id, role, created_at)
    values (${two.businessId}, ${owner.id}, 'viewer', ${server.clock.now()})`
  // Somebody of the business has to own it.
  await memberOf(server, 'owner', two.businessId)
  await turnTwoFactorOn(server, owner)
  const { stdout } = await people('reset-two-factor', owner.email, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    personId: owner.id,
    email: owner.email,
    endedSessions: 1,
    businessIds: [one.businessId, two.businessId],
  })
  const noted = await server.db.many<{ business_id: number }>`
    select business_id from audit_log where object = ${owner.email} and person_id is null
    order by business_id`
  expect(noted.map((row) => row.business_id)).toEqual([one.businessId, two.businessId])
  const rows = JSON.parse((await people('list', '--json')).stdout)
  expect(rows).toContainEqual(
    expect.objectContaining({
      email: owner.email,
      twoFactor: false,
      memberships: [`owner of ${one.businessId}`, `viewer of ${two.businessId}`],
    }),
  )
})

test.each([
  [
    1,
    ['reset-two-factor', 'nobody@people.example'],
    'no account has the email address nobody@people.example; see tradepost people list',
  ],
  [2, ['reset-two-factor'], "missing required argument 'EMAIL'"],
])('%i for %j, in one line', async (expected, args, says) => {
  expectRefused(await people(...args), expected, says)
})

test('0 for help', async () => {
  const { status, stdout } = await people('reset-two-factor', '--help')
  expect([status, stdout]).toEqual([0, expect.stringContaining('Example')])
})
