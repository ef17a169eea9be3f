import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { success } from '../http/envelopes.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deps } from '../resources/deps.ts'
import { findByPassword, forgetFailures, provePassword, signUp } from './accounts.ts'
import { linkNotFound } from './links.ts'
import { selectLink, selectPerson } from './queries-people.ts'
import { deleteSession, updateProven } from './queries-sessions.ts'
import { scopesOf } from './roles.ts'
import { type Asked, type ConsoleRoute, consoleRoute } from './route.ts'
import {
  beginSession,
  callerOf,
  cookieFor,
  hashOf,
  type SignedIn,
  sessionEnded,
} from './sessions.ts'

export interface ConsoleDeps extends Pick<Deps, 'providers' | 'publicUrl' | 'nudge'> {
  db: Database
  ids: Ids
  clock: Clock
}

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Password = Text(500)
const Token = Type.String({ minLength: 20, maxLength: 100 })

/** Signing up, in and out, and who one is. */
export const accountRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/me',
    asker: 'person',
    handle: async ({ signedIn, request, now }) =>
      success('Who is signed in.', meOf(deps, signedIn, request.headers, now)),
  }),
  consoleRoute({
    method: 'GET',
    path: '/link',
    asker: 'anybody',
    query: Type.Object({ token: Token }),
    handle: async ({ query, now }) => {
      const link = await selectLink(deps.db, hashOf(query.token), now)
      if (!link) throw linkNotFound()
      const { kind, business, email, role } = link
      return success('A link that can be used.', { kind, business, email, role })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-up',
    asker: 'anybody',
    body: Type.Object({
      token: Token,
      name: Type.Optional(Text(100)),
      email: Type.Optional(Text(254)),
      password: Password,
    }),
    handle: async (asked) => {
      const personId = await signUp(deps, asked.body, asked.now)
      return enter(deps, asked, personId)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-in',
    asker: 'anybody',
    body: Type.Object({
      email: Text(254),
      password: Password,
      code: Type.Optional(Text(40)),
    }),
    handle: async (asked) => {
      const { email, password } = asked.body
      const person = await findByPassword(deps.db, email, password, asked.now)
      await forgetFailures(deps.db, person)
      return enter(deps, asked, person.id)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-out',
    asker: 'person',
    handle: async ({ signedIn: { session }, reply }) => {
      await deleteSession(deps.db, session.person_id, session.id)
      reply.header('set-cookie', cookieFor(deps.publicUrl, null))
      return success('Signed out.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/reauthenticate',
    asker: 'person',
    body: Type.Object({ password: Password, code: Type.Optional(Text(40)) }),
    handle: async ({ signedIn: { session }, body, now }) => {
      const person = await selectPerson(deps.db, session.person_id)
      if (!person) throw sessionEnded()
      await provePassword(deps.db, person, body.password, now)
      await forgetFailures(deps.db, person)
      await updateProven(deps.db, session.id, now)
      return success('Go on.', null)
    },
  }),
]

/** Begins a session in the browser that asked. */
async function enter(
  { db, ids, publicUrl }: ConsoleDeps,
  { ip, userAgent, now, reply }: Asked,
  personId: number,
) {
  const { token } = await beginSession(db, ids, { personId, ip, userAgent }, now)
  reply.header('set-cookie', cookieFor(publicUrl, token))
  return success('Signed in.', null)
}

/** What the dashboard has to know of who looks at it (dashboard/src/api/session.ts). */
function meOf(
  { providers }: ConsoleDeps,
  { session, members }: SignedIn,
  headers: Record<string, unknown>,
  now: Date,
) {
  const live = headers['x-tradepost-mode'] === 'live'
  const named = headers['x-business-id'] as string | undefined
  const isKnown = members.some(({ business_id }) => String(business_id) === named)
  const asked = { token: '', csrf: undefined, live, writes: false }
  const caller =
    members.length === 0
      ? undefined
      : callerOf(
          { session, members },
          { businessId: isKnown ? named : undefined, session: asked },
          now,
        )
  const { person_id: id, name, email, has_totp: twoFactor, csrf } = session
  return {
    person: { id, name, email, twoFactor },
    businesses: members.map((one) => ({
      id: one.business_id,
      reference: one.reference,
      name: one.name,
      role: one.role,
      currency: one.currency,
      timeZone: one.time_zone,
    })),
    csrf,
    scopes: caller?.person ? scopesOf(caller.person.role as never, live) : [],
    liveReady: providers.channels(true).length > 0,
  }
}
