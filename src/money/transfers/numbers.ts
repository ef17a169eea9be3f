import type { Db } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import { numberColumn, numberIn } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { protectedTransfers } from './audit.ts'
import { selectById, TRANSFERS, type TransferRow } from './queries.ts'

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
