import type { Db, Tx } from '../../db/database.ts'
import {
  type EncryptedNumber,
  encryptNumber,
  numberColumn,
  numberIn,
} from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { protectedSettings } from './audit.ts'
import type { SettingsRow } from './queries.ts'

const TABLE = 'business_settings'

export const settlementAccountNumbers = numberColumn({
  table: TABLE,
  idColumn: 'business_id',
  encrypted: (tx, { businessId, live }) =>
    writeRowNote(tx, protectedSettings, { businessId, live }, businessId),
})

export const NO_NUMBER = {
  account_encrypted: null,
  account_hash: null,
  account_last4: null,
  account_number_plain: null,
}

/** Returns the columns for the number of a business's settlement account. */
export const settlementNumber = async (
  tx: Tx,
  keyring: Keyring,
  { businessId, live }: Tenant,
  number: string,
): Promise<EncryptedNumber & { account_number_plain: null }> => ({
  ...(await encryptNumber(tx, keyring, TABLE, { businessId, live, id: businessId }, number)),
  account_number_plain: null,
})

/** Returns the number of a business's settlement account; null if it has none. */
export async function settlementNumberOf(
  db: Db,
  keyring: Keyring,
  { businessId, live }: Tenant,
  row: SettingsRow,
): Promise<string | null> {
  if (row.account_encrypted === null && row.account_number_plain === null) return null
  return numberIn(db, keyring, TABLE, { ...row, businessId, live, id: businessId })
}
