import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { isLive } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import {
  type Asked,
  type ConsoleRoute,
  consoleRoute,
  type SignedIn,
} from '../../http/session-route.ts'
import { addMs } from '../../lib/clock.ts'
import { notFound } from '../../lib/problem.ts'
import { Text } from '../../lib/schemas.ts'
import { actorOf, appendOfPerson } from '../audit-log/log.ts'
import { prove, provePassword, signUp } from './accounts.ts'
import { confirmEmail, mailEmailLink, startSession } from './email-proof.ts'
import { linkNotFound } from './one-time-links.ts'
import { selectAnybody, selectLink } from './queries.ts'
import { deleteSession, selectSessions, updateProven } from './queries-sessions.ts'
import { changePassword, mailPasswordLink, resetPassword } from './recovery.ts'
import { scopesOf } from './roles.ts'
import { Code, Password, personOf, sourceOf, Token } from './schemas.ts'
import {
  cookieFor,
  endSession,
  endSessions,
  hashOf,
  IDLE_MS,
  isBarred,
  memberOf,
} from './sessions.ts'

/** Signing up, in and out, and who one is. */
export const accountRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/me',
    asker: 'person',
    handle: async ({ signedIn, request }) =>
      success('Who is signed in.', meOf(deps, signedIn, request.headers)),
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
    method: 'GET',
    path: '/welcome',
    asker: 'anybody',
    handle: async () => success('Who can sign in.', { isNew: !(await selectAnybody(deps.db)) }),
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
      code: Type.Optional(Code),
      businessName: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    handle: async (asked) => {
      const { requestId, now } = asked
      const person = await signUp(deps, asked.body, { ...sourceOf(deps, asked), requestId }, now)
      return startSession(deps, asked, person, { by: 'by a link' })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-in',
    asker: 'anybody',
    body: Type.Object({ email: Text(254), password: Password, code: Type.Optional(Code) }),
    handle: async (asked) => {
      const person = await prove(deps, asked.body, sourceOf(deps, asked), asked.now)
      const by = person.totp_secret ? 'with a code' : 'by password'
      return startSession(deps, asked, person, { by })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-out',
    asker: 'person',
    handle: async (asked) => {
      const { signedIn, reply } = asked
      const { person_id: personId, id } = signedIn.session
      await deps.db.transaction(async (tx) => {
        if (await deleteSession(tx, personId, id)) await noteEnd(tx, asked, 'Signed out')
      })
      reply.header('set-cookie', cookieFor(deps.publicUrl, null))
      return success('Signed out.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/email/send',
    asker: 'person',
    handle: async ({ signedIn: { session }, now }) => {
      await deps.db.transaction((tx) => mailEmailLink(deps, tx, session.person_id, now))
      return success('The link is on its way.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/email/confirm',
    asker: 'person',
    body: Type.Object({ token: Token }),
    handle: async (asked) => {
      await confirmEmail(deps, asked.body.token, actorOf(asked), asked.now)
      return success('Your email address is confirmed.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/reauthenticate',
    asker: 'person',
    body: Type.Object({ password: Password, code: Type.Optional(Code) }),
    handle: async (asked) => {
      const { body, now } = asked
      const { id } = asked.signedIn.session
      const { email } = await personOf(deps, asked)
      await prove(deps, { ...body, email }, sourceOf(deps, asked, id), now)
      await updateProven(deps.db, id, now)
      return success('Go on.', null)
    },
  }),
]

/** What the dashboard has to know of who looks at it (dashboard/src/api/session.ts). */
function meOf(
  { providers }: ConsoleDeps,
  { session, members }: SignedIn,
  headers: IncomingHttpHeaders,
) {
  const live = isLive(headers)
  const named = headers['x-business-id'] as string | undefined
  const member = memberOf(members, named) ?? memberOf(members, undefined)
  const { person_id: id, name, email, has_totp: twoFactor, has_passkey: passkey, csrf } = session
  const scopes = member && !isBarred(session, member) ? scopesOf(member.role, live) : []
  return {
    person: {
      id,
      name,
      email,
      emailProved: session.email_proved,
      twoFactor,
      passkey,
      secondFactor: session.has_second_factor,
    },
    businesses: members.map((one) => ({
      id: one.business_id,
      reference: one.reference,
      name: one.name,
      role: one.role,
      currency: one.currency,
      timeZone: one.time_zone,
      requiresTwoFactor: one.requires_two_factor,
    })),
    csrf,
    scopes,
    liveReady: providers.channels(true).length > 0,
  }
}

/** A password that was forgotten, and one that is changed. */
export const passwordRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/password/forgot',
    asker: 'anybody',
    body: Type.Object({ email: Text(254) }),
    handle: async ({ body, now }) => {
      // Nobody waits for it, so that the time tells no more than the words.
      deps.background.run(() => mailPasswordLink(deps, body.email, now))
      return success('If there is such an account, a link is on its way.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/password/reset',
    asker: 'anybody',
    body: Type.Object({ token: Token, password: Password }),
    handle: async (asked) => {
      const { ip, requestId, reply, now } = asked
      const { browsers } = sourceOf(deps, asked)
      const cookie = await resetPassword(deps, asked.body, { ip, requestId, browsers }, now)
      reply.header('set-cookie', cookie)
      return success('The password is set. Sign in with it.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/password/change',
    asker: 'person',
    body: Type.Object({ password: Password, newPassword: Password }),
    handle: async (asked) => {
      const person = await personOf(deps, asked)
      const { password, newPassword } = asked.body
      const sessionId = asked.signedIn.session.id
      await provePassword(deps, person, password, sourceOf(deps, asked, sessionId), asked.now)
      await changePassword(deps, { person, sessionId, newPassword }, actorOf(asked), asked.now)
      return success('The password is changed; your other sessions ended.', null)
    },
  }),
]

/** Where somebody is signed in. */
export const sessionRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/sessions',
    asker: 'person',
    handle: async ({ signedIn: { session }, now }) => {
      const rows = await selectSessions(db, session.person_id, now, addMs(now, -IDLE_MS))
      const listed = rows.map((row) => ({
        id: row.id,
        current: row.id === session.id,
        ip: row.ip,
        userAgent: row.user_agent,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
      }))
      return success('Your sessions.', listed)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sessions/:id/end',
    asker: 'person',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    handle: async (asked) => {
      const { session } = asked.signedIn
      await db.transaction(async (tx) => {
        if (!(await endSession(tx, session.person_id, asked.params.id))) throw notFound('session')
        await noteEnd(tx, asked, 'Ended a session')
      })
      return success('The session is ended.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sessions/end-others',
    asker: 'person',
    handle: async (asked) => {
      const { session } = asked.signedIn
      const ended = await db.transaction(async (tx) => {
        const count = await endSessions(tx, session.person_id, session.id)
        if (count > 0) await noteEnd(tx, asked, `Ended ${count} other sessions`)
        return count
      })
      return success('Your other sessions are ended.', { ended })
    },
  }),
]

/** Writes into the audit log that somebody ended sessions of theirs. */
const noteEnd = (tx: Tx, asked: Asked, detail: string): Promise<void> =>
  appendOfPerson(tx, actorOf(asked), { action: 'session.end', detail, at: asked.now })
