import { Type } from 'typebox'
import { kindsOf } from '../../events/kind.ts'
import { Moment, Nullable, NullableMoment } from '../../lib/schemas.ts'

const text = Type.String()
const texts = Type.Array(text)

const KeyRecord = Type.Object({
  id: Type.Integer(),
  reference: text,
  status: Type.String({ description: 'Active, Replaced, Expired or Revoked' }),
  businessId: Type.Integer(),
  mode: Type.String({ description: 'test or live' }),
  type: Type.String({ description: 'secret or public' }),
  label: Nullable(text),
  hint: Type.String({ description: 'How the key begins and ends; never the key itself.' }),
  scopes: Nullable(texts),
  allowedIps: texts,
  expiresAt: NullableMoment,
  lastUsedAt: NullableMoment,
  browserSeenAt: NullableMoment,
  replacedBy: Nullable(Type.Integer()),
  revokedAt: NullableMoment,
  createdAt: Moment,
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
  { object: 'api_key', schema: KeyRecord, example },
  {
    'api_key.created': ['A key was made, by itself or as the successor of another.'],
    'api_key.rotated': [
      'A key got a successor, and ends when its hours are over.',
      { status: 'Replaced', replacedBy: 41340, expiresAt: ENDED_AT },
    ],
    'api_key.revoked': ['A key was ended.', { status: 'Revoked', revokedAt: ENDED_AT }],
  },
)
