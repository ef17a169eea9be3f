import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { secondFactorNeeded, sessionEnded } from '../../http/auth.ts'
import type { PersonInput, PublicInput } from '../../http/route.ts'
import { Text } from '../../lib/schemas.ts'
import { selectPerson } from './queries.ts'
import { selectPasskeys } from './queries-sessions.ts'
import { browserTokens, type Source } from './throttle.ts'

export const Password = Text(500)
export const Token = Type.String({ minLength: 20, maxLength: 100 })
export const Code = Text(40)
/** The browser creates this. The library checks its content. */
export const PasskeyResponse = Type.Object({
  id: Text(2_000),
  rawId: Text(2_000),
  type: Type.Literal('public-key'),
  response: Type.Record(Type.String({ maxLength: 50 }), Type.Unknown(), { maxProperties: 20 }),
  clientExtensionResults: Type.Record(Type.String({ maxLength: 50 }), Type.Unknown(), {
    maxProperties: 20,
  }),
  authenticatorAttachment: Type.Optional(Text(50)),
})

export async function personOf({ db }: Pick<ConsoleDeps, 'db'>, { signedIn }: PersonInput) {
  const person = await selectPerson(db, signedIn.session.person_id)
  if (!person) throw sessionEnded()
  return person
}

/**
 * Requires every factor before sign-in settings change, because a stolen password must not be
 * enough to add or replace a passkey. Throws `second_factor_needed` (403).
 */
export async function requireAllFactors(
  { db }: Pick<ConsoleDeps, 'db'>,
  { signedIn: { session } }: PersonInput,
): Promise<void> {
  if (session.has_second_factor) return
  if ((await selectPasskeys(db, session.person_id)).length === 0) return
  throw secondFactorNeeded(
    'Your account has a passkey. Sign in with it before you change how you sign in.',
  )
}

export const sourceOf = (
  { publicUrl }: Pick<ConsoleDeps, 'publicUrl'>,
  { ip, request }: PublicInput,
  sessionId?: number,
): Source => ({ ip, browsers: browserTokens(request, publicUrl), sessionId })
