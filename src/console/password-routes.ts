import { Type } from 'typebox'
import { success } from '../http/envelopes.ts'
import { Text } from '../lib/schemas.ts'
import { provePassword } from './accounts.ts'
import { actorOf } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { Password, personOf, Token, whenceOf } from './fields.ts'
import { changePassword, mailPasswordLink, resetPassword } from './recovery.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

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
      const { browsers } = whenceOf(deps, asked)
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
      await provePassword(deps, person, password, whenceOf(deps, asked, sessionId), asked.now)
      await changePassword(deps, { person, sessionId, newPassword }, actorOf(asked), asked.now)
      return success('The password is changed; your other sessions ended.', null)
    },
  }),
]
