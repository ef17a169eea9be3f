import type { Db, Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import {
  encryptNumber,
  numberColumn,
  numberIn,
  type StoredNumber,
} from '../../encryption/account-numbers.ts'
import type { EncryptedRow } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { kindsOf } from '../../events/catalogue.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import { printPercentage } from '../../lib/money.ts'
import { bankId } from '../../providers/banks/banks.ts'
import { protectedSubaccounts } from './audit.ts'
import {
  type StoredSubaccount,
  SUBACCOUNTS,
  type SubaccountRow,
  selectSubaccount,
} from './queries.ts'
import { SubaccountRecord } from './schemas.ts'

/** A subaccount as the API and its events show it (docs/CONTRACT.md, Subaccounts). */
export const subaccountRecord = (row: SubaccountRow) => ({
  reference: row.reference,
  status: row.status,
  id: row.id,
  business_name: row.business_name,
  account_number: row.account_number,
  percentage_charge: printPercentage(row.charge_basis_points),
  currency: row.currency,
  bank: row.bank_code === null ? null : bankId({ code: row.bank_code }),
  account_name: row.account_name,
  subaccount_code: row.reference,
  bankCode: row.bank_code,
  bankName: row.bank_name,
  verified: row.verified,
  bankAccountName: row.holder_name,
  payoutsBlocked: row.bank_code === null ? 'bank_missing' : row.payouts_blocked,
  payoutsBlockedFrom: row.payouts_blocked_from,
  payoutsPausedUntil: row.payouts_paused_until,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const MADE_AT = '2026-11-01T12:00:00.000Z'

const example = {
  reference: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  status: 'Active',
  id: 40120,
  business_name: 'Obi Tailors',
  account_number: '0123456789',
  percentage_charge: 12.5,
  currency: 'NGN',
  bank: 58,
  account_name: 'ADA OBI',
  subaccount_code: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  verified: true,
  bankAccountName: 'ADA OBI',
  payoutsBlocked: null,
  payoutsBlockedFrom: null,
  payoutsPausedUntil: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const subaccountEvents = kindsOf(
  { object: 'subaccount', schema: SubaccountRecord, example },
  {
    'subaccount.created': ['A subaccount was created.'],
    'subaccount.updated': [
      'A subaccount was changed, deactivated or reactivated.',
      { status: 'Inactive', updatedAt: '2026-11-05T07:45:00.000Z' },
    ],
    'settlement.blocked': [
      'Payouts to a subaccount are blocked until its bank account is corrected or confirmed.',
      {
        account_name: 'ADA OBI',
        bankAccountName: 'CHINEDU EZE',
        verified: false,
        payoutsBlocked: 'name_mismatch',
      },
    ],
  },
)

const TABLE = 'subaccounts'

export const subaccountNumbers = numberColumn({
  table: TABLE,
  async encrypted(tx, { businessId, live, id }) {
    const tenant = { businessId, live }
    await writeRowNote(tx, protectedSubaccounts, tenant, id)
    const row = await selectSubaccount(tx, tenant, String(id))
    // The text that it was found by until now has the whole number.
    if (row) await indexText(tx, tenant, SUBACCOUNTS, row)
  },
})

type Key = Pick<SubaccountRow, 'business_id' | 'live' | 'id'>

/** Returns the columns for a subaccount's number. */
export const numberColumns = (
  tx: Tx,
  keyring: Keyring,
  { business_id: businessId, live, id }: Key,
  number: string,
) => encryptNumber(tx, keyring, TABLE, { businessId, live, id }, number)

/** Returns the number of a subaccount that another folder has read. */
export const numberOf = (
  db: Db,
  keyring: Keyring,
  row: EncryptedRow & StoredNumber,
): Promise<string> => numberIn(db, keyring, TABLE, row)

export async function withNumber(
  db: Db,
  keyring: Keyring,
  row: StoredSubaccount,
): Promise<SubaccountRow> {
  const { business_id: businessId } = row
  return { ...row, account_number: await numberOf(db, keyring, { ...row, businessId }) }
}
