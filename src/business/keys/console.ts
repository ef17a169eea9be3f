import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { requireScope, secondFactorNeeded } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { ADDRESSES_MAX } from '../../http/ip-addresses.ts'
import { type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { parseTimestamp } from '../../lib/dates.ts'
import { notFound } from '../../lib/problem.ts'
import { Envelope, Nullable, Text, TimestampText } from '../../lib/schemas.ts'
import { actorOf, appendAudit } from '../audit-log/log.ts'
import { KeyData } from './record.ts'
import { readScopes, SCOPES } from './scopes.ts'
import {
  createKey,
  GRACE_HOURS,
  type IssuedKey,
  LABEL_LENGTH_MAX,
  listKeys,
  revokeKey,
  rotateKey,
} from './service.ts'

const KeyPath = Type.Object({ reference: Type.String({ pattern: '^KEY_\\w{1,60}$' }) })
const NewKey = Type.Object({
  label: Type.Optional(Nullable(Type.String({ maxLength: LABEL_LENGTH_MAX }))),
  type: Type.Enum(['secret', 'public'], { default: 'secret' }),
  scopes: Type.Optional(Nullable(Type.Array(Text(60), { maxItems: SCOPES.length }))),
  allowedIps: Type.Array(Text(60), { maxItems: ADDRESSES_MAX, default: [] }),
  expiresAt: Type.Optional(Nullable(TimestampText)),
})
const Grace = Type.Object({
  graceHours: Type.Number({
    minimum: GRACE_HOURS.least,
    maximum: GRACE_HOURS.most,
    default: GRACE_HOURS.default,
  }),
})

const key = { ...KeyData.properties, type: Type.Enum(['secret', 'public']) }
const KeyList = Envelope(Type.Array(Type.Object(key)))
const OneKey = Envelope(Type.Object(key))
const NewKeyShown = Envelope(
  Type.Object({ ...key, key: Type.String({ description: 'Shown only once.' }) }),
)

const changes = { method: 'POST', caller: 'member', scope: 'keys:write', proven: true } as const
const SHOWN_ONCE = 'Store the key now: it is shown only once.'

/** Expiry follows the server's clock, as it does in authentication. */
export const keyRoutes = ({ db, ids }: ConsoleDeps): Route[] => [
  route({
    operation: 'list_keys',
    method: 'GET',
    path: '/keys',
    caller: 'member',
    scope: 'keys:read',
    response: KeyList,
    handle: async ({ caller, now }) => success('API keys.', await listKeys(db, caller, now)),
  }),
  route({
    ...changes,
    operation: 'create_key',
    path: '/keys',
    body: NewKey,
    response: NewKeyShown,
    handle: async (input) => {
      const { caller, now, body } = input
      const { expiresAt, label, allowedIps, type, scopes = null } = body
      const request = {
        type: type as 'secret' | 'public',
        label: label?.trim() || null,
        scopes: readScopes(scopes),
        allowedIps,
        expiresAt: expiresAt ? parseTimestamp(expiresAt, caller.timeZone, 'expiresAt', true) : null,
        madeBy: caller.person?.id ?? null,
      }
      requireRightsOf(caller, request)
      requireSecondFactor(caller, request)
      const issued = await db.transaction(async (tx) => {
        const made = await createKey(tx, ids, caller, request, now)
        const { reference: object, hint } = made.record
        const detail = `Created the ${type} key ${hint}`
        await appendAudit(tx, actorOf(input), {
          ...tenantOf(input),
          action: 'key.create',
          object,
          detail,
        })
        return made
      })
      return success(SHOWN_ONCE, shown(issued))
    },
  }),
  route({
    ...changes,
    operation: 'rotate_key',
    path: '/keys/:reference/rotate',
    params: KeyPath,
    body: Grace,
    response: NewKeyShown,
    handle: async (input) => {
      const { caller, now, body, params } = input
      const before = await keyOf(db, caller, params.reference, now)
      requireRightsOf(caller, before)
      requireSecondFactor(caller, before)
      const issued = await db.transaction(async (tx) => {
        const made = await rotateKey(
          tx,
          ids,
          caller,
          before.id,
          body.graceHours,
          now,
          caller.person?.id,
        )
        const detail = `Replaced ${before.hint} with ${made.record.hint}; grace period: ${body.graceHours} hours`
        const about = { action: 'key.rotate', object: before.reference, detail }
        await appendAudit(tx, actorOf(input), { ...tenantOf(input), ...about })
        return made
      })
      return success(SHOWN_ONCE, shown(issued))
    },
  }),
  route({
    ...changes,
    operation: 'revoke_key',
    path: '/keys/:reference/revoke',
    params: KeyPath,
    response: OneKey,
    handle: async (input) => {
      const { caller, now, params } = input
      const { id, hint, reference } = await keyOf(db, caller, params.reference, now)
      const record = await db.transaction(async (tx) => {
        const revoked = await revokeKey(tx, ids, caller, id, now)
        const about = { action: 'key.revoke', object: reference, detail: `Revoked ${hint}` }
        await appendAudit(tx, actorOf(input), { ...tenantOf(input), ...about })
        return revoked
      })
      return success('Key revoked.', record)
    },
  }),
]

const shown = ({ key, record }: IssuedKey) => ({ ...record, key })

const tenantOf = ({ caller, now }: { caller: Caller; now: Date }) => ({
  businessId: caller.businessId,
  live: caller.live,
  at: now,
})

/** A business has few keys, so the search for a reference needs no index. */
async function keyOf(db: ConsoleDeps['db'], caller: Caller, reference: string, now: Date) {
  const found = (await listKeys(db, caller, now)).find((key) => key.reference === reference)
  if (!found) throw notFound('key')
  return found
}

/**
 * Ensures that members only create keys with access that they have themselves. A developer's live
 * key, for example, can't move money. Throws 403 naming the first scope that the role lacks. A
 * public key has no access.
 */
function requireRightsOf(
  caller: Caller,
  { type, scopes }: { type: string; scopes: readonly string[] | null },
): void {
  if (type === 'public') return
  for (const scope of scopes ?? SCOPES) requireScope(caller, scope)
}

/**
 * A live secret key can move money and outlives any session, so a stolen password must not be
 * enough to create one. Throws `second_factor_needed` (403).
 */
function requireSecondFactor({ live, person }: Caller, { type }: { type: string }): void {
  if (!live || type === 'public' || person?.hasSecondFactor) return
  throw secondFactorNeeded('Live secret keys require two-factor authentication on your account.')
}
