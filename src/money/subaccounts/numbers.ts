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
import { writeRowNote } from '../../ledger/row-notes.ts'
import { protectedSubaccounts } from './audit.ts'
import {
  type StoredSubaccount,
  SUBACCOUNTS,
  type SubaccountRow,
  selectSubaccount,
} from './queries.ts'

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
