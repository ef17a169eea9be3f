import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { isLive } from '../http/auth.ts'
import { success } from '../http/envelopes.ts'
import { Text } from '../lib/schemas.ts'
import { prove, signUp } from './accounts.ts'
import { actorOf } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { confirmEmail, mailEmailLink } from './email-proof.ts'
import { enter } from './enter.ts'
import { Code, Password, personOf, Token, whenceOf } from './fields.ts'
import { linkNotFound } from './links.ts'
import { selectAnybody, selectLink } from './queries-people.ts'
import { deleteSession, updateProven } from './queries-sessions.ts'
import { scopesOf } from './roles.ts'
import { type ConsoleRoute, consoleRoute, type SignedIn } from './route.ts'
import { noteEnd } from './session-routes.ts'
import { cookieFor, hashOf, isBarred, memberOf } from './sessions.ts'

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
      const person = await signUp(deps, asked.body, { ...whenceOf(deps, asked), requestId }, now)
      return enter(deps, asked, person, { by: 'by a link' })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-in',
    asker: 'anybody',
    body: Type.Object({ email: Text(254), password: Password, code: Type.Optional(Code) }),
    handle: async (asked) => {
      const person = await prove(deps, asked.body, whenceOf(deps, asked), asked.now)
      const by = person.totp_secret ? 'with a code' : 'by password'
      return enter(deps, asked, person, { by })
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
      await prove(deps, { ...body, email }, whenceOf(deps, asked, id), now)
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
