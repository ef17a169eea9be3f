import type { NewEvent } from '../../events/append.ts'
import type { KeyRow } from './queries.ts'

/** A key as events and the command line show it: never the key itself, nor its hash. */
export const keyRecord = (row: KeyRow, now: Date) => ({
  id: row.id,
  reference: row.reference,
  status: stateOf(row, now),
  businessId: row.business_id,
  mode: row.live ? 'live' : 'test',
  type: row.type,
  label: row.label,
  hint: row.hint,
  scopes: row.scopes,
  allowedIps: row.allowed_ips,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  browserSeenAt: row.browser_seen_at,
  replacedBy: row.replaced_by,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
})
export type KeyRecord = ReturnType<typeof keyRecord>

/** `Replaced` is a key that was rotated and still works for its last hours. */
function stateOf({ revoked_at, expires_at, replaced_by }: KeyRow, now: Date) {
  if (revoked_at) return 'Revoked'
  if (expires_at && expires_at <= now) return 'Expired'
  return replaced_by === null ? 'Active' : 'Replaced'
}

export const keyEvent = (type: string, row: KeyRow, at: Date): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type,
  objectType: 'api_key',
  objectId: row.id,
  sequence: row.event_sequence,
  data: keyRecord(row, at),
  at,
})
