import { sessionOf } from '../http/auth.ts'
import { success } from '../http/envelopes.ts'
import { appendOfPerson } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { deleteByHash } from './queries-sessions.ts'
import type { Asked } from './route.ts'
import { beginSession, cookieFor, hashOf } from './sessions.ts'

/**
 * Begins a session in the browser that asked, for somebody who proved who they are. The session
 * that it had ends, so that no cookie which was there before leads into the account.
 */
export async function enter(
  { db, ids, publicUrl }: ConsoleDeps,
  { ip, userAgent, requestId, now, reply, request }: Asked,
  { id: personId, name }: { id: number; name: string },
  by: string,
) {
  const before = sessionOf(request)
  const { token } = await db.transaction(async (tx) => {
    if (before) await deleteByHash(tx, hashOf(before.token))
    const begun = await beginSession(tx, ids, { personId, ip, userAgent }, now)
    const actor = { personId, name, ip, requestId }
    await appendOfPerson(tx, actor, { action: 'session.begin', detail: `Signed in ${by}`, at: now })
    return begun
  })
  reply.header('set-cookie', cookieFor(publicUrl, token))
  return success('Signed in.', null)
}
