import { Type } from 'typebox'
import { success } from '../http/envelopes.ts'
import { addMs } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import type { ConsoleDeps } from './deps.ts'
import { selectSessions } from './queries-sessions.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'
import { endSession, endSessions, IDLE_MS } from './sessions.ts'

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
    handle: async ({ signedIn: { session }, params }) => {
      if (!(await endSession(db, session.person_id, params.id))) throw notFound('session')
      return success('The session is ended.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sessions/end-others',
    asker: 'person',
    handle: async ({ signedIn: { session } }) => {
      const ended = await endSessions(db, session.person_id, session.id)
      return success('Your other sessions are ended.', { ended })
    },
  }),
]
