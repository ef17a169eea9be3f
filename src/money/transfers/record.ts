import type { Db } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import { numberColumn, numberIn } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { amountsOf, toAmount } from '../../lib/money.ts'
import { bankId, bankOf } from '../../providers/banks/banks.ts'
import { protectedTransfers } from './audit.ts'
import { selectById, TRANSFERS, type TransferRow } from './queries.ts'
import { TransferRecord } from './schemas.ts'

/** A transfer as the API and its events show it (docs/CONTRACT.md, section 8). */
export function transferRecord(row: Transfer, { businessId }: Tenant) {
  const bank = bankOf(row.bank_code)
  return {
    id: row.id,
    reference: row.reference,
    transferReference: row.transfer_reference,
    businessId,
    origin: row.origin,
    status: row.status,
    ...amountsOf(row.currency, { amount: row.amount_minor }),
    fee: toAmount(row.fee_minor, row.currency),
    currency: row.currency,
    bankId: bank ? bankId(bank) : null,
    bankCode: row.bank_code,
    bankName: row.bank_name,
    accountNumber: row.account_number,
    accountName: row.account_name,
    narration: row.narration,
    failureReason: row.failure_reason,
    createdBy: actorIn(row.created_with, row.created_by_name, row.created_by_person),
    approvedBy: actorIn(row.approved_with, row.approved_by_name, row.approved_by_person),
    needsSecondPerson: row.status === 'Unverified' && row.doubt === 'limit',
    canCancel: row.can_cancel,
    attempt: row.attempt,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    timeline: JSON.parse(row.timeline),
    createdAt: row.created_at,
    completedAt: row.completed_at,
    reversedAt: row.reversed_at,
  }
}

const actorIn = (type: string | null, name: string | null, personId: number | null) =>
  type === null ? null : { type, name, personId }

const MADE_AT = '2026-11-02T11:00:00.000Z'
const ENDED_AT = '2026-11-02T11:00:02.417Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

const moved = (status: string, message: string | null) => ({
  status,
  canCancel: false,
  timeline: [begun, { status, at: ENDED_AT, message }],
})

const example = {
  id: 41002,
  reference: 'TRF_2bV8nD5rYw0jL7cXk4Ps',
  transferReference: 'payout-2026-118',
  businessId: 1025,
  origin: 'transfer',
  status: 'Pending',
  amount: 5000,
  amountMinor: 500000,
  fee: 10,
  currency: 'NGN',
  bankId: 58,
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: 'November',
  failureReason: null,
  createdBy: { type: 'person', name: 'Ngozi Eze', personId: 4010 },
  approvedBy: null,
  needsSecondPerson: false,
  canCancel: true,
  attempt: 1,
  metadata: null,
  timeline: [begun],
  createdAt: MADE_AT,
  completedAt: null,
  reversedAt: null,
}

const GONE = 'The account is closed'

export const transferEvents = kindsOf(
  { object: 'transfer', schema: TransferRecord, example },
  {
    'transfer.unverified': [
      'A transfer was created and needs approval before it is sent.',
      {
        status: 'Unverified',
        failureReason: 'The amount is above the approval limit',
        needsSecondPerson: true,
        timeline: [
          {
            status: 'Unverified',
            at: MADE_AT,
            message: 'The amount is above the approval limit',
          },
        ],
      },
    ],
    'transfer.pending': ['A transfer was created, approved or retried.'],
    'transfer.successful': [
      'The bank completed a transfer.',
      { ...moved('Successful', null), completedAt: ENDED_AT },
    ],
    'transfer.failed': [
      'A transfer failed, and the money is back in the wallet.',
      { ...moved('Failed', GONE), failureReason: GONE, completedAt: ENDED_AT },
    ],
    'transfer.blocked': [
      'The bank has put a transfer on hold. It stays Blocked until the bank decides or someone retries it.',
      { ...moved('Blocked', 'Held by the bank'), failureReason: 'Held by the bank' },
    ],
    'transfer.rejected': [
      'A transfer was not approved, or the bank refused it; the money is back in the wallet.',
      { ...moved('Rejected', 'Not approved'), failureReason: 'Not approved' },
    ],
    'transfer.reversed': [
      'The bank returned a transfer that it had completed; the transfer is now Failed, with `reversedAt`.',
      {
        ...moved('Failed', 'Returned by the bank'),
        failureReason: 'Returned by the bank',
        completedAt: ENDED_AT,
        reversedAt: '2026-11-03T09:15:00.000Z',
      },
    ],
  },
)

/** A transfer with the recipient's account number, which its row has only encrypted. */
export interface Transfer extends TransferRow {
  account_number: string
}

export const TABLE = 'transfers'

export const transferNumbers = numberColumn({
  table: TABLE,
  async encrypted(tx, { businessId, live, id }) {
    const tenant = { businessId, live }
    await writeRowNote(tx, protectedTransfers, tenant, id)
    const row = await selectById(tx, tenant, id)
    // The text that it was found by until now has the whole number.
    if (row) await indexText(tx, tenant, TRANSFERS, row)
  },
})

export async function withNumber(
  db: Db,
  keyring: Keyring,
  { businessId, live }: Tenant,
  row: TransferRow,
): Promise<Transfer> {
  return {
    ...row,
    account_number: await numberIn(db, keyring, TABLE, { ...row, businessId, live }),
  }
}
