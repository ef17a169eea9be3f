import { invalid, Problem } from '../../lib/problem.ts'
import { COLLECTIONS } from '../../lib/scopes.ts'
import { randomText } from '../../lib/tokens.ts'
import { isWellFormed, newSecret } from '../keys/format.ts'
import { readScopes, type Scope } from '../keys/scopes.ts'

/**
 * Scopes that no partner can have. A partner that creates keys, or grants access to others, would
 * keep access that was only lent to it. So would a partner with a webhook endpoint, which continues
 * to receive all events. The request log contains everyone's requests and responses, including
 * other partners'.
 */
export const NEVER_IN = ['keys', 'requests', 'webhooks']
const NEVER: readonly string[] = NEVER_IN.flatMap((one) => [`${one}:read`, `${one}:write`])

/**
 * Returns the scopes for a partner or a grant, without duplicates. Null, which means all scopes
 * that a partner can have, stays null. Throws 400 naming `scopes` for an empty list, and for a
 * scope that does not exist or that no partner can have.
 */
export function readPartnerScopes(wanted: readonly string[] | null): Scope[] | null {
  const never = wanted?.find((scope) => NEVER.includes(scope))
  if (never) throw invalid({ scopes: [`has ${never}, which partners cannot have`] })
  return readScopes(wanted)
}

type Levels = Map<string, 'read' | 'write'>

/**
 * Returns the scopes that all lists allow, in minimal form. A null list stands for all scopes that
 * a partner can have.
 */
export function commonScopes(...lists: readonly (readonly string[] | null)[]): Scope[] {
  const levels = lists.map(levelsOf)
  return COLLECTIONS.flatMap((collection): Scope[] => {
    const allowed = levels.map((one) => one.get(collection))
    if (allowed.includes(undefined)) return []
    return [`${collection}:${allowed.includes('read') ? 'read' : 'write'}`]
  })
}

/**
 * Returns what a caller grants by default: all their scopes, or null if they have every scope that
 * a partner can have.
 */
export function scopesToGrant(own: readonly string[] | null): Scope[] | null {
  const granted = commonScopes(own)
  return granted.join() === commonScopes(null).join() ? null : granted
}

function levelsOf(scopes: readonly string[] | null): Levels {
  const levels: Levels = new Map()
  const all = COLLECTIONS.map((collection) => `${collection}:write`)
  for (const scope of scopes ?? all) {
    if (NEVER.includes(scope)) continue
    const [collection = '', level] = scope.split(':')
    if (levels.get(collection) !== 'write') {
      levels.set(collection, level === 'write' ? 'write' : 'read')
    }
  }
  return levels
}

/**
 * Reads the space-separated scopes requested for a token. Throws `invalid_scope` (400) for a scope
 * that the partner doesn't have, naming the scope if it exists.
 */
export function readRequestedScopes(asked: string, ofPartner: readonly string[] | null): Scope[] {
  const wanted = asked.split(' ').filter((name) => name !== '')
  if (wanted.length === 0) throw badScope('scope is empty: leave it out to get all scopes.')
  const levels = levelsOf(ofPartner)
  for (const scope of wanted) {
    const [collection = '', level, ...more] = scope.split(':')
    const has = level === 'read' || level === 'write' ? levels.get(collection) : undefined
    if (!has || more.length > 0 || (level === 'write' && has === 'read')) {
      const isName = /^[a-z_]{1,30}:[a-z]{1,10}$/.test(scope)
      const which = isName ? `the scope ${scope}` : 'one of these scopes'
      throw badScope(`This partner does not have ${which}.`)
    }
  }
  return commonScopes(wanted, ofPartner)
}

const badScope = (message: string) =>
  new Problem('invalid', 'invalid_scope', message, { fields: { scope: [message] } })

/** Not secret: it identifies the partner to businesses, to the server and in logs. */
export const newClientId = (live: boolean): string =>
  `pc_${live ? 'live' : 'test'}_${randomText(20)}`

/** Like a key, shown once and stored as a hash. */
export const newClientSecret = (live: boolean): string => newSecret('ps', live)

/** Sent instead of a key, and valid for an hour. */
export const newToken = (live: boolean): string => newSecret('pt', live)

export const isClientSecret = (text: string): boolean =>
  text.startsWith('ps_') && isWellFormed(text)

export const isToken = (text: string): boolean => text.startsWith('pt_') && isWellFormed(text)
