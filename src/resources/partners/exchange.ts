import type { Db } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { hashOf } from '../keys/format.ts'
import type { Scope } from '../keys/scopes.ts'
import { isClientSecret, newToken } from './format.ts'
import { insertToken, type ProvenPartner, selectByCredentials } from './queries.ts'
import { commonScopes, readAskedScopes } from './scopes.ts'

export const TOKEN_SECONDS = 3_600

/** The token is in here once, and nowhere afterwards. */
export interface IssuedToken {
  token: string
  scopes: Scope[]
}

/**
 * Whose credentials these are; undefined for everything that is wrong with them. A malformed secret
 * costs no query.
 */
export async function provePartner(
  db: Db,
  clientId: string,
  clientSecret: string,
  now: Date,
): Promise<ProvenPartner | undefined> {
  if (!isClientSecret(clientSecret)) return undefined
  return selectByCredentials(db, clientId, hashOf(clientSecret), now)
}

/**
 * Gives a proven partner a token for an hour, for what it may or for the part that it asks for.
 * Throws `invalid_scope` (400).
 */
export async function issueToken(
  db: Db,
  { live, scopes: ofPartner, secret_id }: ProvenPartner,
  asked: string | undefined,
  now: Date,
): Promise<IssuedToken> {
  const scopes = asked === undefined ? null : readAskedScopes(asked, ofPartner)
  const token = newToken(live)
  await insertToken(db, {
    hash: hashOf(token),
    secret_id,
    scopes,
    expires_at: addMs(now, TOKEN_SECONDS * 1_000),
    created_at: now,
  })
  return { token, scopes: commonScopes(scopes, ofPartner) }
}
