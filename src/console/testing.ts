import { expect } from 'vitest'
import type { Reply, startServer } from '../../test/harness.ts'
import { makeLink } from './links.ts'
import { ownerLinkFor } from './owner.ts'
import type { Role } from './roles.ts'

type Server = Awaited<ReturnType<typeof startServer>>

export const PASSWORD = 'blue-kettle-sings-often'

/** A browser as far as the server sees one: it keeps the cookie, and sends back the token. */
export function browserAt(url: string) {
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
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie && { cookie }),
        ...(!isRead && { 'x-csrf-token': csrf, origin: url }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...tenant,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) {
      const [pair = ''] = set.split(';')
      cookie = pair.endsWith('=') ? '' : pair
      csrf = ''
      if (cookie) csrf = (await call('GET', '/console/me')).body.data.csrf
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    const parsed = isJson && text ? JSON.parse(text) : undefined
    return { status: response.status, body: parsed, text, headers: response.headers }
  }
  type Headers_ = Record<string, string>
  return {
    get: (path: string, headers?: Headers_) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}, headers?: Headers_) =>
      call('POST', path, body, headers),
    put: (path: string, body: unknown = {}, headers?: Headers_) => call('PUT', path, body, headers),
    call,
    /** In which business and mode it looks around from now on. */
    choose: (businessId: number, mode: 'test' | 'live' = 'test') => {
      tenant = { 'x-business-id': String(businessId), 'x-tradepost-mode': mode }
    },
    cookie: () => cookie,
    csrf: () => csrf,
  }
}

export type TestBrowser = ReturnType<typeof browserAt>

let count = 0

/** Somebody who is signed in; of a role in a business, as if they had been invited. */
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
  const { token } = await makeLink(db, 'http://127.0.0.1', about, clock.now())
  const browser = browserAt(url)
  const signUp = { token, name: `Person ${count}`, password: PASSWORD }
  expect(await browser.post('/console/sign-up', signUp)).toMatchObject({ status: 200 })
  const { data } = (await browser.get('/console/me')).body
  browser.choose(businessId)
  return { ...browser, email, id: data.person.id as number, password: PASSWORD }
}

export type Member = Awaited<ReturnType<typeof memberOf>>

/** The token of the link for the first owner of a business. */
export async function ownerToken(server: Server, businessId: number): Promise<string> {
  const url = await ownerLinkFor(server.db, 'http://127.0.0.1', businessId, server.clock.now())
  return new URL(url!).searchParams.get('token')!
}

/** The newest mail to an address, by the mailbox of development, once it is there. */
export async function mailTo(server: Server, email: string, words = ''): Promise<string> {
  await expect
    .poll(async () => (await mailsTo(server, email)).filter((text) => text.includes(words)).length)
    .toBeGreaterThan(0)
  return (await mailsTo(server, email)).find((text) => text.includes(words))!
}

export async function mailsTo({ db, app, clock }: Server, email: string): Promise<string[]> {
  void app
  const rows = await db.many<{ data: string }>`
    select data from mails where to_address = ${email} order by created_at desc, id desc`
  void clock
  return rows.map(({ data }) => data)
}
