import type { NewEvent } from '../../events/append.ts'
import { toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'
import type { VirtualAccountRow } from './queries-accounts.ts'
import type { ShareRow } from './queries-shares.ts'
import { transactionRecord } from './record.ts'

export const transactionEvent = (
  type: string,
  row: TransactionRow,
  tenant: Tenant,
  at: Date,
  shares: readonly ShareRow[],
): NewEvent => ({
  ...tenant,
  type,
  objectType: 'transaction',
  objectId: row.id,
  sequence: row.event_sequence,
  data: transactionRecord(row, tenant, shares),
  at,
})

export const virtualAccountEvent = (
  type: string,
  row: VirtualAccountRow,
  reference: string,
  tenant: Tenant,
  at: Date,
  more: object = {},
): NewEvent => ({
  ...tenant,
  type,
  objectType: 'virtual_account',
  objectId: row.id,
  sequence: row.event_sequence,
  data: {
    reference,
    status: row.status,
    transactionId: row.transaction_id,
    accountNumber: row.account_number,
    accountName: row.account_name,
    bankName: row.bank_name,
    bankCode: row.bank_code,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    expiresAt: row.expires_at,
    ...more,
  },
  at,
})
