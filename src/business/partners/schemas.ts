import { type Static, Type } from 'typebox'
import { shortListPaging } from '../../lib/paging.ts'
import {
  Envelope,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  Timestamp,
} from '../../lib/schemas.ts'

const text = Type.String()

const ClientId = Type.String({
  pattern: '^pc_(test|live)_[0-9A-Za-z]{1,40}$',
  'x-says': 'must be a partner’s client id, such as pc_test_… or pc_live_…',
  examples: ['pc_test_4fJ0aQx7Lk2Zr9TbWc1D'],
})

export const NewGrant = Type.Object({
  clientId: ClientId,
  scopes: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 50, examples: ['invoices:write'] }), {
        maxItems: 100,
        description: 'The scopes to grant; null or absent for all of the partner’s scopes.',
      }),
    ),
  ),
})
export type NewGrant = Static<typeof NewGrant>

export const GrantPath = Type.Object({ clientId: ClientId })

export const GrantQuery = Type.Object({ ...shortListPaging })

const Grant = Type.Object({
  reference: text,
  status: Type.String({ description: 'Active or Revoked.' }),
  id: Type.Integer(),
  clientId: text,
  name: text,
  scopes: Nullable(Type.Array(text, { description: 'As granted.' })),
  effectiveScopes: Type.Array(text, {
    description: 'The granted scopes that the partner still has.',
  }),
  lastUsedAt: NullableTimestamp,
  revokedAt: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export const OneGrant = Envelope(Grant)
export const GrantList = PageOf(Grant)

/** Longer than a list of all scopes. */
const SCOPE_LENGTH_MAX = 2_000
const CREDENTIAL_LENGTH_MAX = 200

const asked = {
  scope: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SCOPE_LENGTH_MAX,
      description:
        'Some of the partner’s scopes, separated by spaces; leave it out for all of them.',
      examples: ['invoices:write wallet:read'],
      'x-never-empty': true,
    }),
  ),
}

export const TokenRequest = Type.Object({
  clientId: OneLine(CREDENTIAL_LENGTH_MAX),
  clientSecret: OneLine(CREDENTIAL_LENGTH_MAX),
  ...asked,
})

export const OneToken = Envelope(
  Type.Object({
    accessToken: text,
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'The token’s lifetime in seconds.' }),
    scope: text,
  }),
)

export const OAuthRequest = Type.Object({
  grant_type: Type.String({ maxLength: 100, examples: ['client_credentials'] }),
  client_id: Type.Optional(Type.String({ maxLength: CREDENTIAL_LENGTH_MAX })),
  client_secret: Type.Optional(Type.String({ maxLength: CREDENTIAL_LENGTH_MAX })),
  ...asked,
})
export type OAuthRequest = Static<typeof OAuthRequest>

export const OAuthToken = Type.Object({
  access_token: text,
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'The token’s lifetime in seconds.' }),
  scope: text,
})
