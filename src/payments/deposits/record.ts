import { idsOf, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { NewEvent } from '../../events/append.ts'
import { type EventKind, kindsOf } from '../../events/catalogue.ts'
import type { Tenant } from '../../lib/caller.ts'
import { amountsOf, toAmount } from '../../lib/money.ts'
import type { DepositWithPayment, ListedDeposit } from './queries.ts'
import { DepositRecord } from './schemas.ts'

/** A deposit as the API and its events show it (docs/CONTRACT.md, section 5). */
export const depositRecord = (row: ListedDeposit) => ({
  id: row.id,
  reference: row.reference,
  providerReference: row.provider_reference,
  status: row.status,
  reason: row.reason,
  returnStatus: row.return_status,
  transactionId: row.transaction_id,
  transactionReference: row.transaction_reference,
  accountNumber: row.account_number,
  ...amountsOf(row.currency, { amount: row.amount_minor }),
  currency: row.currency,
  providerFee:
    row.provider_fee_minor === null ? null : toAmount(row.provider_fee_minor, row.currency),
  sender: row.sender,
  createdAt: row.created_at,
})

const example = {
  id: 41120,
  reference: 'DEP_7hK2mX9qLs4vB1cN6tRw',
  providerReference: '4099260516',
  status: 'Rejected',
  reason: 'amount_too_low',
  returnStatus: 'Held',
  transactionId: 40977,
  transactionReference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  accountNumber: '9912345678',
  amount: 12000,
  amountMinor: 1200000,
  currency: 'NGN',
  providerFee: 50,
  sender: { accountName: 'ADA OBI', accountNumber: '******6789', bankName: 'Zenith Bank' },
  createdAt: '2026-11-02T10:12:41.318Z',
}

export const depositEvents: EventKind[] = kindsOf(
  { object: 'deposit', schema: DepositRecord, example },
  {
    'deposit.held': [
      'A payment was not accepted, and the provider keeps it until someone returns or accepts it. ' +
        'Sent again if the provider could not return it.',
    ],
    'deposit.returned': [
      'The provider sent a held payment back to the payer.',
      { returnStatus: 'Returned' },
    ],
    'deposit.accepted': [
      'Someone accepted a held payment for its transaction.',
      { status: 'Accepted', returnStatus: null },
    ],
  },
)

export const depositEvent = (
  type: string,
  row: DepositWithPayment,
  tenant: Tenant,
  at: Date,
): NewEvent => ({
  ...tenant,
  type,
  objectType: 'deposit',
  objectId: row.id,
  sequence: row.event_sequence,
  data: depositRecord(row),
  at,
})

export const depositPersonalData: PersonalData = {
  name: 'deposits',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`deposits`,
      match: sql`(transaction_id = any(${idsOf(found, 'transactions')}::bigint[])
        or virtual_account_id = any(${idsOf(found, 'virtualAccounts')}::bigint[]))`,
    }),
  open: {
    table: sql`deposits`,
    condition: sql`return_status in ('Held', 'Returning')`,
    words: 'deposits that are being held or returned',
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update deposits set sender = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
