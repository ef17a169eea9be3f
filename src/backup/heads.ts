import type { Db } from '../db/database.ts'

/** A chain's last row. `live` is false for the audit log, which covers both modes. */
export interface Head {
  chain: 'ledger' | 'audit log' | 'digests'
  businessId: number
  live: boolean
  seq: number
  hash: string
}

/** Selects the heads of the hash chains. */
export const selectHeads = (db: Db): Promise<Head[]> =>
  db.many<Head>`
    select chain, business_id as "businessId", live, seq, encode(hash, 'hex') as hash from (
      select 'ledger' as chain, business_id, live, seq, hash from ledger_chains
      union all
      select 'audit log', business_id, false, seq, hash from audit_chains
      union all
      select 'digests', business_id, live, seq, hash from digest_chains
    ) as chains
    where seq > 0
    order by business_id, live, chain`
