import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { type Reply, send } from '../../../test/request.ts'
import type { MailRow } from '../../mail/email.ts'
import { memberEmailComposer } from '../team/mails.ts'
import { ownerLinkFor } from './accounts.ts'
import { personEmailComposer } from './mails.ts'
import { createLink } from './one-time-links.ts'
import type { Role } from './roles.ts'

type Server = Awaited<ReturnType<typeof startServer>>

export const PASSWORD = 'blue-kettle-sings-often'

/**
 * A browser as the server sees it: stores cookies and sends back the CSRF token. `known` is another
 * browser's device cookie.
 */
export function browserAt(url: string, known = '') {
  let cookie = ''
  let csrf = ''
  let tenant: Record<string, string> = {}

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const isRead = method === 'GET'
    const reply = await send(url + path, {
      method,
      headers: {
        cookie: [cookie, known].filter(Boolean).join('; '),
        ...(!isRead && { 'x-csrf-token': csrf, origin: url }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...tenant,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const set of reply.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      if (pair.startsWith('tradepost-browser=')) {
        known = pair
        continue
      }
      cookie = pair.endsWith('=') ? '' : pair
      csrf = ''
      // A simultaneous request may have ended the session.
      if (cookie) csrf = (await call('GET', '/console/me')).body.data?.csrf ?? ''
    }
    return reply
  }
  type Headers_ = Record<string, string>
  return {
    get: (path: string, headers?: Headers_) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}, headers?: Headers_) =>
      call('POST', path, body, headers),
    put: (path: string, body: unknown = {}, headers?: Headers_) => call('PUT', path, body, headers),
    call,
    choose: (businessId: number, mode: 'test' | 'live' = 'test') => {
      tenant = { 'x-business-id': String(businessId), 'x-tradepost-mode': mode }
    },
    cookie: () => cookie,
    known: () => known,
    csrf: () => csrf,
  }
}

export type TestBrowser = ReturnType<typeof browserAt>

let count = 0

/** A signed-in member with a role in a business, as after an invitation. */
export async function memberOf(
  server: Server,
  role: Role,
  businessId = server.business.businessId,
) {
  const { db, clock, url } = server
  const email = `${role}-${++count}@people.example`
  const about = {
    kind: 'invitation',
    business_id: businessId,
    role,
    email,
    person_id: null,
  } as const
  const { token } = await createLink(db, 'http://127.0.0.1', about, clock.now())
  const browser = browserAt(url)
  const signUp = { token, name: `Person ${count}`, password: PASSWORD }
  expect(await browser.post('/console/sign-up', signUp)).toMatchObject({ status: 200 })
  const { data } = (await browser.get('/console/me')).body
  browser.choose(businessId)
  return { ...browser, email, id: data.person.id as number, password: PASSWORD }
}

export type Member = Awaited<ReturnType<typeof memberOf>>

export async function ownerToken(server: Server, businessId: number): Promise<string> {
  const url = await ownerLinkFor(server.db, 'http://127.0.0.1', { businessId }, server.clock.now())
  return new URL(url!).searchParams.get('token')!
}

/** The newest email to an address that contains `words`, as it would be sent now. */
export async function emailTo(server: Server, email: string, words = ''): Promise<string> {
  let found: string | undefined
  const look = async () => {
    found = (await lettersTo(server, email)).find((text) => text.includes(words))
    return found
  }
  await expect.poll(look).toBeDefined()
  return found!
}

/** All emails to an address that would be sent now, newest first. */
export async function lettersTo({ db, keyring, clock }: Server, email: string): Promise<string[]> {
  const rows = await db.many<MailRow>`
    select * from mails where to_address = ${email} order by created_at desc, id desc`
  const deps = { publicUrl: 'http://127.0.0.1', keyring }
  const emailComposers = { person_notice: personEmailComposer, person_news: memberEmailComposer }
  const letters = await Promise.all(
    rows.map((row) => {
      const mailing = emailComposers[row.kind as keyof typeof emailComposers](deps)
      return mailing.compose(db, row, clock.now())
    }),
  )
  return letters.flatMap((letter) => (letter ? [`${letter.subject}\n${letter.text}`] : []))
}

export const tokenIn = (letter: string): string => /token=(\w+)/.exec(letter)![1]!

export const codeAt = (secret: string, at: Date): string =>
  new TOTP({ secret }).generate({ timestamp: at.getTime() })

/** Turns two-factor authentication on, and moves the clock to a later time step. */
export async function turnTwoFactorOn(server: Server, member: Member) {
  const { secret } = (await member.post('/console/two-factor/begin')).body.data
  const code = codeAt(secret, server.clock.now())
  const { status, body } = await member.post('/console/two-factor/confirm', { code })
  expect(status).toBe(200)
  server.clock.advance(60_000)
  return { secret: secret as string, recoveryCodes: body.data.recoveryCodes as string[] }
}

/** Sets approval limits. The business gets an owner and a finance member as approvers. */
export async function limitedBy(server: Server, businessId: number, limits: object) {
  const owner = await memberOf(server, 'owner', businessId)
  const finance = await memberOf(server, 'finance', businessId)
  const settings = '/api/user-service/external/v1/profile/settings'
  expect((await owner.put(settings, limits)).status).toBe(200)
  return { owner, finance }
}
