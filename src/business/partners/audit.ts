import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { SCOPES } from '../keys/scopes.ts'

export const partnerChecks: readonly AuditCheck[] = [
  {
    name: 'partner-scopes',
    what: 'grants and their partners have only known scopes',
    table: 'partner_grants',
    sql: sql`
      select g.business_id, g.live, g.id,
        format('its scopes %s include an unknown one',
          coalesce(g.scopes, '{}') || coalesce(p.scopes, '{}')) as problem
      from partner_grants g join partners p on p.id = g.partner_id
      where not coalesce(g.scopes, '{}') <@ ${SCOPES}::text[]
        or not coalesce(p.scopes, '{}') <@ ${SCOPES}::text[]`,
  },
  {
    name: 'partner-secrets',
    what: 'every grant’s partner has exactly one current secret',
    table: 'partner_grants',
    sql: sql`
      select g.business_id, g.live, g.id,
        format('its partner %s has %s current secrets', g.partner_id, coalesce(s.current, 0))
          as problem
      from partner_grants g
      left join (
        select partner_id, count(*) filter (where ends_at is null) as current
        from partner_secrets group by partner_id
      ) as s on s.partner_id = g.partner_id
      where coalesce(s.current, 0) <> 1`,
  },
]
