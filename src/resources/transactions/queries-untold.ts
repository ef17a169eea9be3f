import type { Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type TransactionRow } from './queries.ts'

/** The `provider` of an attempt of which no provider was told yet. */
export const UNTOLD = 'none'

type Asked = Pick<TransactionRow, 'purpose' | 'purpose_id' | 'amount_minor'>

type Way = Pick<
  TransactionRow,
  'channel' | 'fee_minor' | 'payable_minor' | 'provider' | 'bank_code' | 'expires_at'
> & { look_up_at: Date | null }

/** Settles how an attempt is paid of which no provider was told; of two at once, one finds it. */
export function updateUntold(tx: Tx, { businessId, live }: Tenant, asked: Asked, way: Way) {
  return tx.maybe<TransactionRow>`
    update transactions
    set channel = ${way.channel}, fee_minor = ${way.fee_minor},
      payable_minor = ${way.payable_minor}, provider = ${way.provider},
      bank_code = ${way.bank_code}, expires_at = ${way.expires_at}, look_up_at = ${way.look_up_at},
      dismissed_at = null
    where business_id = ${businessId} and live = ${live} and purpose = ${asked.purpose}
      and purpose_id = ${asked.purpose_id} and status = 'Pending' and provider = ${UNTOLD}
      and amount_minor = ${asked.amount_minor}
    returning ${COLUMNS}`
}
