import type { Db } from '../../db/database.ts'
import { numberColumn, numberIn } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { protectedSettlements } from './audit.ts'
import type { SettlementRow } from './queries.ts'

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
