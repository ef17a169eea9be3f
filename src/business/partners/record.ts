import type { GrantRow, PartnerRow } from './queries.ts'
import { commonScopes } from './scopes.ts'

/** Never includes the partner's secrets. */
export const partnerRecord = (row: PartnerRow & { businesses?: number }) => ({
  id: row.id,
  clientId: row.client_id,
  status: row.revoked_at ? 'Revoked' : 'Active',
  name: row.name,
  mode: row.live ? 'live' : 'test',
  scopes: row.scopes,
  ...(row.businesses !== undefined && { businesses: row.businesses }),
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
})
export type PartnerRecord = ReturnType<typeof partnerRecord>

/** Returns a grant as the business sees it. A revoked partner has no active grants. */
export function grantRecord(row: GrantRow) {
  const revokedAt = row.revoked_at ?? row.partner_revoked_at
  return {
    reference: row.reference,
    status: revokedAt ? 'Revoked' : 'Active',
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    scopes: row.scopes,
    effectiveScopes: revokedAt ? [] : commonScopes(row.scopes, row.partner_scopes),
    lastUsedAt: row.last_used_at,
    revokedAt,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
