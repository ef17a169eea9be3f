import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { SignedIn } from '../../http/admit.ts'
import { isLive } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type PersonInput, type Route, route } from '../../http/route.ts'
import { addMs } from '../../lib/clock.ts'
import { notFound } from '../../lib/problem.ts'
import { Envelope, NoData, Nullable, Text, Timestamp } from '../../lib/schemas.ts'
import type { Providers } from '../../providers/connector/types.ts'
import { actorOf, appendOfPerson } from '../audit-log/log.ts'
import { signUp, verifyCredentials, verifyPassword } from './accounts.ts'
import { linkNotFound } from './one-time-links.ts'
import { hasAccounts, selectLink } from './queries.ts'
import { deleteSession, selectSessions, updateProven } from './queries-sessions.ts'
import {
  changePassword,
  confirmEmail,
  mailEmailLink,
  mailPasswordLink,
  resetPassword,
  startBrowserSession,
} from './recovery.ts'
import { ROLES, scopesOf } from './roles.ts'
import { Code, Password, personOf, sourceOf, Token } from './schemas.ts'
import {
  cookieFor,
  endSession,
  endSessions,
  hashOf,
  IDLE_MS,
  lacksSecondFactor,
  memberOf,
} from './sessions.ts'

const text = Type.String()
const Role = Type.Enum([...ROLES])
const Me = Envelope(
  Type.Object({
    person: Type.Object({
      id: Type.Integer(),
      name: text,
      email: text,
      emailProved: Type.Boolean(),
      twoFactor: Type.Boolean(),
      passkey: Type.Boolean(),
      secondFactor: Type.Boolean(),
    }),
    businesses: Type.Array(
      Type.Object({
        id: Type.Integer(),
        reference: text,
        name: text,
        role: Role,
        currency: text,
        timeZone: text,
        requiresTwoFactor: Type.Boolean(),
      }),
    ),
    csrf: text,
    scopes: Type.Array(text),
    liveMissing: Type.Array(Type.Enum(['payments', 'payouts']), {
      description: 'What no provider does for the business in live mode.',
    }),
  }),
)
const OneLink = Envelope(
  Type.Object({
    kind: text,
    business: Nullable(text),
    email: Nullable(text),
    role: Nullable(text),
  }),
)
const Welcome = Envelope(
  Type.Object({ isNew: Type.Boolean({ description: 'Whether the server has no accounts yet.' }) }),
)

export const accountRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    operation: 'get_me',
    method: 'GET',
    path: '/me',
    caller: 'person',
    response: Me,
    handle: async ({ signedIn, request }) =>
      success('Account retrieved.', await meOf(deps, signedIn, request.headers)),
  }),
  route({
    operation: 'get_link',
    method: 'GET',
    path: '/link',
    caller: 'public',
    query: Type.Object({ token: Token }),
    response: OneLink,
    handle: async ({ query, now }) => {
      const link = await selectLink(deps.db, hashOf(query.token), now)
      if (!link) throw linkNotFound()
      const { kind, business, email, role } = link
      return success('Link valid.', { kind, business, email, role })
    },
  }),
  route({
    operation: 'get_welcome',
    method: 'GET',
    path: '/welcome',
    caller: 'public',
    response: Welcome,
    handle: async () =>
      success('Server status retrieved.', { isNew: !(await hasAccounts(deps.db)) }),
  }),
  route({
    operation: 'sign_up',
    method: 'POST',
    path: '/sign-up',
    caller: 'public',
    body: Type.Object({
      token: Token,
      name: Type.Optional(Text(100)),
      email: Type.Optional(Text(254)),
      password: Password,
      code: Type.Optional(Code),
      businessName: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    response: NoData,
    handle: async (input) => {
      const { requestId, now } = input
      const person = await signUp(deps, input.body, { ...sourceOf(deps, input), requestId }, now)
      return startBrowserSession(deps, input, person, { by: 'with a link' })
    },
  }),
  route({
    operation: 'sign_in',
    method: 'POST',
    path: '/sign-in',
    caller: 'public',
    body: Type.Object({ email: Text(254), password: Password, code: Type.Optional(Code) }),
    response: NoData,
    handle: async (input) => {
      const person = await verifyCredentials(deps, input.body, sourceOf(deps, input), input.now)
      const by = person.totp_secret ? 'with a code' : 'with a password'
      return startBrowserSession(deps, input, person, { by })
    },
  }),
  route({
    operation: 'sign_out',
    method: 'POST',
    path: '/sign-out',
    caller: 'person',
    response: NoData,
    handle: async (input) => {
      const { signedIn, reply } = input
      const { person_id: personId, id } = signedIn.session
      await deps.db.transaction(async (tx) => {
        if (await deleteSession(tx, personId, id)) await noteEnd(tx, input, 'Signed out')
      })
      reply.header('set-cookie', cookieFor(deps.publicUrl, null))
      return success('Signed out.', null)
    },
  }),
  route({
    operation: 'send_email_link',
    method: 'POST',
    path: '/email/send',
    caller: 'person',
    response: NoData,
    handle: async ({ signedIn: { session }, now }) => {
      await deps.db.transaction((tx) => mailEmailLink(deps, tx, session.person_id, now))
      return success('Link sent.', null)
    },
  }),
  route({
    operation: 'confirm_email',
    method: 'POST',
    path: '/email/confirm',
    caller: 'person',
    body: Type.Object({ token: Token }),
    response: NoData,
    handle: async (input) => {
      await confirmEmail(deps, input.body.token, actorOf(input), input.now)
      return success('Email address confirmed.', null)
    },
  }),
  route({
    operation: 'reauthenticate',
    method: 'POST',
    path: '/reauthenticate',
    caller: 'person',
    body: Type.Object({ password: Password, code: Type.Optional(Code) }),
    response: NoData,
    handle: async (input) => {
      const { body, now } = input
      const { id } = input.signedIn.session
      const { email } = await personOf(deps, input)
      await verifyCredentials(deps, { ...body, email }, sourceOf(deps, input, id), now)
      await updateProven(deps.db, id, now)
      return success('Confirmed.', null)
    },
  }),
]

async function liveMissingOf(providers: Providers, businessId: number | undefined) {
  if (businessId === undefined) return []
  const tenant = { businessId, live: true }
  const hasChannels = (await providers.channels(tenant)).length > 0
  const missing: ('payments' | 'payouts')[] = []
  if (!hasChannels) missing.push('payments')
  if (!(await providers.canPayOut(tenant))) missing.push('payouts')
  return missing
}

/** Read by dashboard/src/api/session.ts. */
async function meOf(
  { providers }: ConsoleDeps,
  { session, members }: SignedIn,
  headers: IncomingHttpHeaders,
) {
  const live = isLive(headers)
  const named = headers['x-business-id'] as string | undefined
  const member = memberOf(members, named) ?? memberOf(members, undefined)
  const { person_id: id, name, email, has_totp: twoFactor, has_passkey: passkey, csrf } = session
  const scopes = member && !lacksSecondFactor(session, member) ? scopesOf(member.role, live) : []
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
    liveMissing: await liveMissingOf(providers, member?.business_id),
  }
}

export const passwordRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    operation: 'send_password_link',
    method: 'POST',
    path: '/password/forgot',
    caller: 'public',
    body: Type.Object({ email: Text(254) }),
    response: NoData,
    handle: async ({ body, now }) => {
      // Runs in the background, so that neither the response nor its timing reveals whether the
      // account exists.
      deps.background.run(() => mailPasswordLink(deps, body.email, now))
      return success(
        'If an account with this email address exists, we have sent a link to it.',
        null,
      )
    },
  }),
  route({
    operation: 'reset_password',
    method: 'POST',
    path: '/password/reset',
    caller: 'public',
    body: Type.Object({ token: Token, password: Password }),
    response: NoData,
    handle: async (input) => {
      const { ip, requestId, reply, now } = input
      const { browsers } = sourceOf(deps, input)
      const cookie = await resetPassword(deps, input.body, { ip, requestId, browsers }, now)
      reply.header('set-cookie', cookie)
      return success('Password reset. Sign in with your new password.', null)
    },
  }),
  route({
    operation: 'change_password',
    method: 'POST',
    path: '/password/change',
    caller: 'person',
    body: Type.Object({ password: Password, newPassword: Password }),
    response: NoData,
    handle: async (input) => {
      const person = await personOf(deps, input)
      const { password, newPassword } = input.body
      const sessionId = input.signedIn.session.id
      await verifyPassword(deps, person, password, sourceOf(deps, input, sessionId), input.now)
      await changePassword(deps, { person, sessionId, newPassword }, actorOf(input), input.now)
      return success('Password changed. You have been signed out of your other sessions.', null)
    },
  }),
]

const SessionList = Envelope(
  Type.Array(
    Type.Object({
      id: Type.Integer(),
      current: Type.Boolean(),
      ip: Nullable(text),
      userAgent: Nullable(text),
      createdAt: Timestamp,
      lastSeenAt: Timestamp,
    }),
  ),
)
const EndedSessions = Envelope(Type.Object({ ended: Type.Integer() }))

export const sessionRoutes = ({ db }: ConsoleDeps): Route[] => [
  route({
    operation: 'list_sessions',
    method: 'GET',
    path: '/sessions',
    caller: 'person',
    response: SessionList,
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
      return success('Sessions retrieved.', listed)
    },
  }),
  route({
    operation: 'end_session',
    method: 'POST',
    path: '/sessions/:id/end',
    caller: 'person',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    response: NoData,
    handle: async (input) => {
      const { session } = input.signedIn
      await db.transaction(async (tx) => {
        if (!(await endSession(tx, session.person_id, input.params.id))) throw notFound('session')
        await noteEnd(tx, input, 'Ended a session')
      })
      return success('Session ended.', null)
    },
  }),
  route({
    operation: 'end_other_sessions',
    method: 'POST',
    path: '/sessions/end-others',
    caller: 'person',
    response: EndedSessions,
    handle: async (input) => {
      const { session } = input.signedIn
      const ended = await db.transaction(async (tx) => {
        const count = await endSessions(tx, session.person_id, session.id)
        if (count > 0) await noteEnd(tx, input, `Ended ${count} other sessions`)
        return count
      })
      return success('You have been signed out of your other sessions.', { ended })
    },
  }),
]

const noteEnd = (tx: Tx, input: PersonInput, detail: string) =>
  appendOfPerson(tx, actorOf(input), { action: 'session.end', detail, at: input.now })
