import { Type } from 'typebox'
import type { Actor } from './audit-log.ts'
import { browserTokens } from './browsers.ts'
import type { ConsoleDeps } from './deps.ts'
import { selectPerson } from './queries-people.ts'
import type { Asked } from './route.ts'
import { sessionEnded } from './sessions.ts'
import type { Whence } from './tries.ts'

/** Pieces of the bodies of these routes. */
export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const Password = Text(500)
export const Token = Type.String({ minLength: 20, maxLength: 100 })
export const Code = Text(40)

/** The account of who is signed in. */
export async function personOf({ db }: Pick<ConsoleDeps, 'db'>, { signedIn }: Asked) {
  const person = await selectPerson(db, signedIn.session.person_id)
  if (!person) throw sessionEnded()
  return person
}

/** Who is signed in, as the audit log names them. */
export const actorOf = ({ signedIn: { session }, ip, requestId }: Asked): Actor => ({
  personId: session.person_id,
  name: session.name,
  ip,
  requestId,
})

/** Where a try of a stranger comes from, or of somebody who is signed in. */
export const whenceOf = (
  { publicUrl }: Pick<ConsoleDeps, 'publicUrl'>,
  { ip, request }: Asked,
  sessionId?: number,
): Whence => ({ ip, browsers: browserTokens(request, publicUrl), sessionId })
