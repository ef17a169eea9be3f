import { Type } from 'typebox'
import type { Tx } from '../db/database.ts'
import { success } from '../http/envelopes.ts'
import { addMs } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import { actorOf, appendOfPerson } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { selectSessions } from './queries-sessions.ts'
import { type Asked, type ConsoleRoute, consoleRoute } from './route.ts'
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
export const noteEnd = (tx: Tx, asked: Asked, detail: string): Promise<void> =>
  appendOfPerson(tx, actorOf(asked), { action: 'session.end', detail, at: asked.now })
