import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { browserAt, emailTo, lettersTo, memberOf, PASSWORD, tokenIn } from './people.fixture.ts'
import { hashPassword } from './recovery.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const OTHER = 'green-lantern-walks-home'
const MINUTE_MS = 60_000

const forgot = (email: string, headers: Record<string, string> = {}) =>
  browserAt(url).post('/console/password/forgot', { email }, headers)
const reset = (token: string, password = OTHER) =>
  browserAt(url).post('/console/password/reset', { token, password })
const signIn = (email: string, password: string) =>
  browserAt(url).post('/console/sign-in', { email, password })

test('200 mails a link that resets the password, once, and ends every session', async () => {
  const { email, get } = await memberOf(server, 'viewer')
  expect((await forgot(email.toUpperCase(), { host: 'evil.example' })).status).toBe(200)
  const letter = await emailTo(server, email, 'Reset your password')
  expect(letter).toContain('http://127.0.0.1/reset-password?token=')
  expect(letter).not.toContain('evil.example')
  const token = tokenIn(letter)
  expect((await browserAt(url).get(`/console/link?token=${token}`)).body.data.kind).toBe('password')

  expect((await reset(token, 'short')).body).toMatchObject({
    errors: { password: ['must have at least 12 characters'] },
  })
  expect((await reset(token)).status).toBe(200)
  expect((await reset(token)).body).toMatchObject({ errorCode: 'link_not_found' })
  expect((await get('/console/me')).status).toBe(401)
  expect((await signIn(email, PASSWORD)).status).toBe(401)
  expect((await signIn(email, OTHER)).status).toBe(200)
  expect(await emailTo(server, email, 'Your password was changed')).toContain(email)
})

test('is stored as a hash that costs 18 ms of a core, or less if so configured', async () => {
  expect(await hashPassword(PASSWORD)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const { email } = await memberOf(server, 'viewer')
  const { password_hash } = await db.one<{ password_hash: string }>`
    select password_hash from people where email = ${email}`
  expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
})

test('200 is the same for an unknown email address, without a mail', async () => {
  const { email } = await memberOf(server, 'viewer')
  const { requestId: _, ...known } = (await forgot(email)).body
  const { requestId: __, ...unknown } = (await forgot('nobody@people.example')).body
  expect(unknown).toEqual(known)
  await emailTo(server, email)
  expect(await lettersTo(server, 'nobody@people.example')).toEqual([])
})

test('404 for all but one of many simultaneous uses of the link', async () => {
  const { email } = await memberOf(server, 'viewer')
  await forgot(email)
  const token = tokenIn(await emailTo(server, email))
  const answers = await Promise.all(Array.from({ length: 8 }, () => reset(token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
})

test('404 after 30 minutes, when the mail is no longer sent either', async () => {
  const { email } = await memberOf(server, 'viewer')
  await forgot(email)
  const token = tokenIn(await emailTo(server, email))
  clock.advance(31 * MINUTE_MS)
  expect((await reset(token)).status).toBe(404)
  expect(await lettersTo(server, email)).toEqual([])
})

test('404 for a link of another kind, and for an invalid token', async () => {
  const { email } = await memberOf(server, 'viewer')
  await forgot(email)
  const token = tokenIn(await emailTo(server, email))
  const signUp = { token, name: 'Eve', email: 'eve@people.example', password: PASSWORD }
  expect((await browserAt(url).post('/console/sign-up', signUp)).status).toBe(404)
  expect((await reset('x'.repeat(43))).status).toBe(404)
})

test('200 stores no link in its row; at most three are valid at once', async () => {
  const { email, id } = await memberOf(server, 'viewer')
  for (let i = 1; i <= 5; i++) {
    await forgot(email)
    const count = async () =>
      (
        await db.one<{ n: number }>`
          select count(*) as n from person_links where person_id = ${id}`
      ).n
    await expect.poll(count).toBe(Math.min(i, 3))
  }
  const letters = await lettersTo(server, email)
  const rows = await db.many<{ data: string }>`select data from mails where to_address = ${email}`
  expect(letters).toHaveLength(3)
  for (const letter of letters) {
    for (const { data } of rows) expect(data).not.toContain(tokenIn(letter))
  }
})

test('200 changes the password, and ends only the other sessions', async () => {
  const first = await memberOf(server, 'viewer')
  const second = browserAt(url)
  await second.post('/console/sign-in', { email: first.email, password: PASSWORD })
  const change = (password: string, newPassword = OTHER) =>
    first.post('/console/password/change', { password, newPassword })
  expect((await change('not-the-one-at-all')).status).toBe(401)
  expect((await change(PASSWORD, 'short')).body).toMatchObject({
    errors: { newPassword: ['must have at least 12 characters'] },
  })
  expect((await change(PASSWORD)).status).toBe(200)
  expect((await first.get('/console/me')).status).toBe(200)
  expect((await second.get('/console/me')).status).toBe(401)
  expect((await signIn(first.email, OTHER)).status).toBe(200)
})
