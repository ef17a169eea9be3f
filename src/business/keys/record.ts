import { Type } from 'typebox'
import type { NewEvent } from '../../events/append.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { Nullable, NullableTimestamp, Timestamp } from '../../lib/schemas.ts'
import type { KeyRow } from './queries.ts'

/** Never includes the key itself or its hash. */
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

/** `Replaced` means that a key has been rotated, but still works for its last few hours. */
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

const text = Type.String()
const texts = Type.Array(text)

export const KeyData = Type.Object({
  id: Type.Integer(),
  reference: text,
  status: Type.String({ description: 'Active, Replaced, Expired or Revoked' }),
  businessId: Type.Integer(),
  mode: Type.String({ description: 'test or live' }),
  type: Type.String({ description: 'secret or public' }),
  label: Nullable(text),
  hint: Type.String({
    description: 'The first and last characters of the key, never the whole key.',
  }),
  scopes: Nullable(texts),
  allowedIps: texts,
  expiresAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
  browserSeenAt: NullableTimestamp,
  replacedBy: Nullable(Type.Integer()),
  revokedAt: NullableTimestamp,
  createdAt: Timestamp,
})

const ENDED_AT = '2026-11-06T09:00:00.000Z'

const example = {
  id: 41300,
  reference: 'KEY_1kE4wM3aHf6sV8lGb2Yb',
  status: 'Active',
  businessId: 1025,
  mode: 'test',
  type: 'secret',
  label: 'Shop backend',
  hint: 'sk_test_…x8Qd',
  scopes: ['invoices:write', 'events:read'],
  allowedIps: [],
  expiresAt: null,
  lastUsedAt: null,
  browserSeenAt: null,
  replacedBy: null,
  revokedAt: null,
  createdAt: '2026-11-01T08:00:00.000Z',
}

export const keyEvents = kindsOf(
  { object: 'api_key', schema: KeyData, example },
  {
    'api_key.created': ['A key was created, either as a new key or as a replacement.'],
    'api_key.rotated': [
      'A key was rotated: a new key replaces it, and the old key expires after its grace period.',
      { status: 'Replaced', replacedBy: 41340, expiresAt: ENDED_AT },
    ],
    'api_key.revoked': ['A key was revoked.', { status: 'Revoked', revokedAt: ENDED_AT }],
  },
)
