import { invalid, Problem } from '../../lib/problem.ts'
import { COLLECTIONS } from '../../lib/scopes.ts'
import { randomText } from '../../lib/tokens.ts'
import { isWellFormed, newSecret } from '../keys/format.ts'
import { readScopes, type Scope } from '../keys/scopes.ts'

/**
 * A partner that could make keys, or let others in, would keep what it was lent; so would one that
 * named an endpoint, which is told of everything, and goes on being told. The log of requests has
 * what everybody asked and was answered, other partners too.
 */
const NEVER_IN = ['keys', 'requests', 'webhooks']
const NEVER: readonly string[] = NEVER_IN.flatMap((one) => [`${one}:read`, `${one}:write`])

/**
 * The scopes of a partner or a grant, each once; null, for everything that a partner may, stays
 * null. Throws 400 naming `scopes` for one that does not exist or that no partner may have, and for
 * none at all.
 */
export function readPartnerScopes(wanted: readonly string[] | null): Scope[] | null {
  const never = wanted?.find((scope) => NEVER.includes(scope))
  if (never) throw invalid({ scopes: [`has ${never}, which no partner may have`] })
  return readScopes(wanted)
}

type Levels = Map<string, 'read' | 'write'>

/** What all of them allow, as few scopes as say so; null stands for everything a partner may. */
export function commonScopes(...lists: readonly (readonly string[] | null)[]): Scope[] {
  const levels = lists.map(levelsOf)
  return COLLECTIONS.flatMap((collection): Scope[] => {
    const allowed = levels.map((one) => one.get(collection))
    if (allowed.includes(undefined)) return []
    return [`${collection}:${allowed.includes('read') ? 'read' : 'write'}`]
  })
}

/** What a caller grants who names no scopes: all they have, and null where nothing is missing. */
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
 * What a token is asked for: names with a space between, each within what the partner may. Throws
 * `invalid_scope` (400) for any other, naming it where it is one of ours.
 */
export function readAskedScopes(asked: string, ofPartner: readonly string[] | null): Scope[] {
  const wanted = asked.split(' ').filter((name) => name !== '')
  if (wanted.length === 0) throw badScope('scope names nothing: leave it out to get all there is.')
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

/** Public: it names the partner to businesses, to the server and in logs. */
export const newClientId = (live: boolean): string =>
  `pc_${live ? 'live' : 'test'}_${randomText(20)}`

/** Shown once and kept as a hash, like a key. */
export const newClientSecret = (live: boolean): string => newSecret('ps', live)

/** What is sent in place of a key, for an hour. */
export const newToken = (live: boolean): string => newSecret('pt', live)

export const isClientSecret = (text: string): boolean =>
  text.startsWith('ps_') && isWellFormed(text)

export const isToken = (text: string): boolean => text.startsWith('pt_') && isWellFormed(text)
