import type { Db } from '../../db/database.ts'
import { numberColumn, numberIn } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { amountsOf } from '../../lib/money.ts'
import type { SubaccountCode } from '../subaccounts/service.ts'
import { protectedSettlements } from './audit.ts'
import type { LineRow, SettlementRow } from './queries.ts'
import { SettlementRecord } from './schemas.ts'

/**
 * A settlement as the API and its event show it, without its lines (docs/CONTRACT.md, section 12).
 */
export function settlementRecord(row: Settlement, subaccount: SubaccountCode | undefined) {
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    subaccount: row.subaccount_id,
    subaccountCode: subaccount?.reference ?? null,
    business_name: subaccount?.business_name ?? null,
    ...amountsOf(row.currency, { amount: row.amount_minor }),
    currency: row.currency,
    count: row.entry_count,
    bankCode: row.bank_code,
    bankName: row.bank_name,
    accountNumber: row.account_number,
    accountName: row.account_name,
    failureReason: row.failure_reason,
    timeline: JSON.parse(row.timeline),
    paidAt: row.paid_at,
    returnedAt: row.returned_at,
    createdAt: row.created_at,
  }
}

export const lineRecord = (line: LineRow) => ({
  kind: line.kind,
  transactionId: line.transaction_id,
  transactionReference: line.transaction_reference,
  refundReference: line.refund_reference,
  ...amountsOf(line.currency, { amount: line.amount_minor }),
  createdAt: line.created_at,
})

const MADE_AT = '2026-11-03T00:00:05.000Z'
const PAID_AT = '2026-11-03T00:00:07.211Z'

const RETURNED_AT = '2026-11-04T09:15:00.000Z'
const RETURNED = 'Returned by the bank'

const paid = [
  { status: 'Pending', at: MADE_AT, message: null },
  { status: 'Paid', at: PAID_AT, message: null },
]

export const settlementEvents = kindsOf(
  {
    object: 'settlement',
    schema: SettlementRecord,
    example: {
      id: 41100,
      reference: 'STL_6gA9sI1wDb7oR3hCf5Ux',
      status: 'Paid',
      subaccount: 40120,
      subaccountCode: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
      business_name: 'Obi Tailors',
      amount: 5910.2,
      amountMinor: 591020,
      currency: 'NGN',
      count: 3,
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '0123456789',
      accountName: 'ADA OBI',
      failureReason: null,
      timeline: paid,
      paidAt: PAID_AT,
      returnedAt: null,
      createdAt: MADE_AT,
    },
  },
  {
    'settlement.paid': ['A subaccount’s open balance was paid out to its bank account.'],
    'settlement.returned': [
      'The bank returned a settlement that it had paid; its amount is open again.',
      {
        status: 'Failed',
        failureReason: RETURNED,
        timeline: [...paid, { status: 'Failed', at: RETURNED_AT, message: RETURNED }],
        returnedAt: RETURNED_AT,
      },
    ],
  },
)

/** A settlement with the number of the account that it pays, which its row has only encrypted. */
export interface Settlement extends SettlementRow {
  account_number: string
}

export const TABLE = 'settlements'

export const settlementNumbers = numberColumn({
  table: TABLE,
  encrypted: (tx, { businessId, live, id }) =>
    writeRowNote(tx, protectedSettlements, { businessId, live }, id),
})

export async function withNumber(
  db: Db,
  keyring: Keyring,
  { businessId, live }: Tenant,
  row: SettlementRow,
): Promise<Settlement> {
  return {
    ...row,
    account_number: await numberIn(db, keyring, TABLE, { ...row, businessId, live }),
  }
}
