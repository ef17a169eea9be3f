import { sessionOf } from '../http/auth.ts'
import { success } from '../http/envelopes.ts'
import { appendOfPerson } from './audit-log.ts'
import { browserTokens, rememberBrowser } from './browsers.ts'
import type { ConsoleDeps } from './deps.ts'
import { overtaken } from './email-proof.ts'
import { isAsProved, type PersonRow } from './queries-people.ts'
import { deleteByHash } from './queries-sessions.ts'
import type { Asked } from './route.ts'
import { beginSession, cookieFor, hashOf } from './sessions.ts'

/**
 * Begins a session in the browser that asked, for somebody who proved who they are. The session
 * that it had ends, so that no cookie which was there before leads into the account; and it is a
 * browser from then on that no stranger keeps waiting. Throws `sign_in_failed` (401) where the
 * account has another password, or lost the passkey, since they proved it.
 */
export async function enter(
  { db, ids, publicUrl }: ConsoleDeps,
  { ip, userAgent, requestId, now, reply, request }: Asked,
  person: PersonRow,
  { by, passkeyId }: { by: string; passkeyId?: string },
) {
  const { id: personId, name } = person
  const before = sessionOf(request)
  const browser = { publicUrl, tokens: browserTokens(request, publicUrl) }
  const cookies = await db.transaction(async (tx) => {
    if (!(await isAsProved(tx, person, passkeyId))) throw overtaken()
    if (before) await deleteByHash(tx, hashOf(before.token))
    const who = { personId, ip, userAgent, passkeyId }
    const { id: sessionId, token } = await beginSession(tx, ids, who, now)
    const known = await rememberBrowser(tx, browser, { personId, sessionId }, now)
    const actor = { personId, name, ip, requestId }
    await appendOfPerson(tx, actor, { action: 'session.begin', detail: `Signed in ${by}`, at: now })
    return [cookieFor(publicUrl, token), known]
  })
  reply.header('set-cookie', cookies)
  return success('Signed in.', null)
}
