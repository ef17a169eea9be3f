import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { ownerLinkFor } from './accounts.ts'
import { addPasskey, enterWith } from './passkey.fixture.ts'
import {
  browserAt,
  codeAt,
  emailTo,
  lettersTo,
  memberOf,
  ownerToken,
  PASSWORD,
  tokenIn,
  turnTwoFactorOn,
} from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const OTHER = 'green-lantern-walks-home'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

let count = 0

/** An account that someone created for this email address with the owner link of their business. */
async function unproved() {
  const email = `cfo-${++count}@victim.example`
  const { businessId } = await server.newBusiness()
  const token = await ownerToken(server, businessId)
  const browser = browserAt(url)
  const signUp = { token, name: 'Mallory', email, password: PASSWORD }
  expect((await browser.post('/console/sign-up', signUp)).status).toBe(200)
  browser.choose(businessId)
  return { ...browser, email, id: 0, password: PASSWORD, businessId }
}

/** Another business invites the address, which resets the password by mail. */
async function inviteAndReset(email: string) {
  const owner = await memberOf(server, 'owner', (await server.newBusiness()).businessId)
  await owner.post('/console/team/invite', { email, role: 'admin' })
  const invitation = tokenIn(await emailTo(server, email, 'Join'))
  await browserAt(url).post('/console/password/forgot', { email })
  const token = tokenIn(await emailTo(server, email, 'Reset your password'))
  const reset = () => browserAt(url).post('/console/password/reset', { token, password: OTHER })
  return { owner, invitation, reset }
}

const personOf = (email: string) =>
  db.one<{ id: number; proved: boolean; app: boolean; codes: number; passkeys: number }>`
    select p.id, email_proved_at is not null as proved,
      totp_secret is not null or totp_pending is not null as app,
      cardinality(recovery_hashes) as codes,
      (select count(*) from passkeys k where k.person_id = p.id) as passkeys
    from people p where email = ${email}`

const linkOf = async (browser: { get: typeof server.get }) =>
  (await browser.get('/console/me')).body.data.person

describe('an account created by someone before its mailbox was confirmed', () => {
  test('200 of the first reset removes earlier passkeys and sessions', async () => {
    const mallory = await unproved()
    const { made } = await addPasskey(mallory)
    expect(await personOf(mallory.email)).toMatchObject({ proved: false, passkeys: 1 })
    const { invitation, reset, owner } = await inviteAndReset(mallory.email)
    expect((await reset()).status).toBe(200)

    expect(await personOf(mallory.email)).toMatchObject({ proved: true, app: false, passkeys: 0 })
    expect((await mallory.get('/console/me')).status).toBe(401)
    expect((await enterWith(browserAt(url), made)).status).toBe(401)
    const letter = await emailTo(server, mallory.email, 'Your password was changed')
    expect(letter).toContain('we also removed its passkeys')
    expect(letter).not.toContain('token=')

    const cfo = browserAt(url)
    const join = { token: invitation, password: OTHER }
    expect((await cfo.post('/console/sign-up', join)).status).toBe(200)
    const { members } = (await owner.get('/console/team')).body.data
    expect(members).toMatchObject([{ role: 'owner' }, { email: mallory.email, role: 'admin' }])
    expect((await enterWith(browserAt(url), made)).status).toBe(401)
  })

  test('200 of the first reset removes an app that would lock the owner out', async () => {
    const mallory = await unproved()
    await turnTwoFactorOn(server, mallory)
    expect(await personOf(mallory.email)).toMatchObject({ app: true, codes: 10 })
    const { reset } = await inviteAndReset(mallory.email)
    await reset()
    expect(await personOf(mallory.email)).toMatchObject({ app: false, codes: 0 })
    const cfo = browserAt(url)
    const signIn = { email: mallory.email, password: OTHER }
    expect((await cfo.post('/console/sign-in', signIn)).status).toBe(200)
  })

  test('200 of an invitation with its mailed link removes them too', async () => {
    const mallory = await unproved()
    const { made } = await addPasskey(mallory)
    const { invitation } = await inviteAndReset(mallory.email)
    const join = { token: invitation, password: PASSWORD }
    expect((await browserAt(url).post('/console/sign-up', join)).status).toBe(200)
    expect(await personOf(mallory.email)).toMatchObject({ proved: true, passkeys: 0 })
    expect((await enterWith(browserAt(url), made)).status).toBe(401)
    expect((await mallory.get('/console/me')).status).toBe(401)
    expect(await emailTo(server, mallory.email, 'is confirmed')).toContain('removed its passkeys')
  })

  test('200 resets an account without a business, for one that invites it', async () => {
    const mallory = await unproved()
    const { id } = await personOf(mallory.email)
    const other = await memberOf(server, 'owner', mallory.businessId)
    expect((await other.post(`/console/team/${id}/remove`)).status).toBe(200)
    const { reset } = await inviteAndReset(mallory.email)
    expect((await reset()).status).toBe(200)
    expect(await personOf(mallory.email)).toMatchObject({ proved: true })
  })

  test('401 for everything that runs while the mailbox is confirmed', async () => {
    const mallory = await unproved()
    const { made } = await addPasskey(mallory)
    const { reset } = await inviteAndReset(mallory.email)
    const { email } = mallory
    const change = { password: PASSWORD, newPassword: 'yet-another-password-here' }
    const browsers = Array.from({ length: 8 }, () => browserAt(url))
    const attacks = [
      ...browsers.map((one) => one.post('/console/sign-in', { email, password: PASSWORD })),
      ...Array.from({ length: 8 }, () => enterWith(browserAt(url), made)),
      ...Array.from({ length: 8 }, () => addPasskey(mallory).catch(() => undefined)),
      ...Array.from({ length: 4 }, () => mallory.post('/console/password/change', change)),
      mallory.post('/console/two-factor/begin'),
    ]
    const [answer] = await Promise.all([reset(), ...attacks])
    // A password change before the reset completes invalidates its link, and a busy server refuses.
    if (answer.status !== 200) {
      await browserAt(url).post('/console/password/forgot', { email })
      const token = tokenIn(await emailTo(server, email, 'Reset your password'))
      const again = await browserAt(url).post('/console/password/reset', { token, password: OTHER })
      expect(again.status).toBe(200)
    }
    const { id, passkeys } = await personOf(email)
    expect(passkeys).toBe(0)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from sessions where person_id = ${id}`
    expect(n).toBe(0)
    for (const one of browsers) expect((await one.get('/console/me')).status).toBe(401)
    clock.advance(3_700_000)
    const signIn = (password: string) =>
      browserAt(url).post('/console/sign-in', { email, password })
    expect((await signIn(OTHER)).status).toBe(200)
    expect((await signIn(change.newPassword)).status).toBe(401)
  })
})

describe('an owner who confirms their email address', () => {
  test('200 keeps passkeys and app through a later reset', async () => {
    const owner = await unproved()
    expect(await linkOf(owner)).toMatchObject({ emailProved: false })
    const letter = await emailTo(server, owner.email, 'Confirm your email address')
    expect(letter).toContain('/confirm-email?token=')
    const token = tokenIn(letter)
    await addPasskey(owner)
    const { secret } = await turnTwoFactorOn(server, owner)

    const stranger = await memberOf(server, 'owner')
    expect((await stranger.post('/console/email/confirm', { token })).status).toBe(404)
    expect((await browserAt(url).post('/console/email/confirm', { token })).status).toBe(401)
    const confirmed = await Promise.all(
      Array.from({ length: 20 }, () => owner.post('/console/email/confirm', { token })),
    )
    expect(confirmed.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await linkOf(owner)).toMatchObject({ emailProved: true })

    const { reset } = await inviteAndReset(owner.email)
    expect((await reset()).status).toBe(200)
    expect(await personOf(owner.email)).toMatchObject({ app: true, codes: 10, passkeys: 1 })
    const signIn = { email: owner.email, password: OTHER, code: codeAt(secret, clock.now()) }
    expect((await browserAt(url).post('/console/sign-in', signIn)).status).toBe(200)
  })

  test('200 mails at most three links within half an hour, and none once confirmed', async () => {
    const owner = await unproved()
    await Promise.all(Array.from({ length: 20 }, () => owner.post('/console/email/send')))
    const letters = (await lettersTo(server, owner.email)).filter((one) => one.includes('Confirm'))
    expect(letters).toHaveLength(3)
    await owner.post('/console/email/confirm', { token: tokenIn(letters[0]!) })
    clock.advance(31 * 60_000)
    await browserAt(url).post('/console/sign-in', { email: owner.email, password: PASSWORD })
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from mails where to_address = ${owner.email}`
    expect(n).toBe(3)
  })
})

describe('the mail about a reset', () => {
  test('200 lists the passkeys that remain, and its link removes them once', async () => {
    const member = await memberOf(server, 'admin')
    const { made } = await addPasskey(member)
    const { reset } = await inviteAndReset(member.email)
    await reset()
    const letter = await emailTo(
      server,
      member.email,
      'These passkeys can still be used to sign in',
    )
    expect(letter).toContain('/remove-passkeys?token=')
    const inside = browserAt(url)
    expect((await enterWith(inside, made)).status).toBe(200)

    const token = tokenIn(letter)
    const remove = () => browserAt(url).post('/console/passkeys/remove-all', { token })
    const replies = await Promise.all(Array.from({ length: 20 }, remove))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)])
    expect(await personOf(member.email)).toMatchObject({ passkeys: 0 })
    expect((await inside.get('/console/me')).status).toBe(401)
    expect((await enterWith(browserAt(url), made)).status).toBe(401)
    expect(await emailTo(server, member.email, 'Your passkeys were removed')).toContain(
      'email account',
    )
  })

  test('404 for a link of another kind, which removes nothing; this one resets nothing', async () => {
    const member = await memberOf(server, 'viewer')
    await addPasskey(member)
    await browserAt(url).post('/console/password/forgot', { email: member.email })
    const password = tokenIn(await emailTo(server, member.email, 'Reset your password'))
    const post = browserAt(url).post
    expect((await post('/console/passkeys/remove-all', { token: password })).status).toBe(404)
    await post('/console/password/reset', { token: password, password: OTHER })
    const token = tokenIn(await emailTo(server, member.email, 'These passkeys'))
    expect((await post('/console/password/reset', { token, password: PASSWORD })).status).toBe(404)
    expect((await post('/console/sign-up', { token, password: PASSWORD })).status).toBe(404)
    expect(await personOf(member.email)).toMatchObject({ passkeys: 1 })
  })
})

test('200 for an owner link of one address, whatever the form sends; earlier links end', async () => {
  const { businessId } = await server.newBusiness()
  const before = await ownerToken(server, businessId)
  const email = 'chosen@people.example'
  const link = await ownerLinkFor(db, 'http://127.0.0.1', { businessId, email }, clock.now())
  const token = new URL(link!).searchParams.get('token')!
  const body = { name: 'Ada', email: 'other@people.example', password: PASSWORD }
  const { post, get } = browserAt(url)
  expect((await post('/console/sign-up', { ...body, token: before })).status).toBe(404)
  expect((await post('/console/sign-up', { ...body, token })).status).toBe(200)
  expect((await get('/console/me')).body.data.person.email).toBe(email)
})

test('200 sends at most three mails for 100 simultaneous password resets', async () => {
  const { email } = await memberOf(server, 'viewer')
  await Promise.all(
    Array.from({ length: 100 }, () => browserAt(url).post('/console/password/forgot', { email })),
  )
  await expect.poll(async () => (await lettersTo(server, email)).length).toBe(3)
  await browserAt(url).post('/console/password/forgot', { email: 'nobody@people.example' })
  expect(await lettersTo(server, email)).toHaveLength(3)
})
