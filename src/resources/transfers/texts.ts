import type { Tx } from '../../db/database.ts'
import { keepTexts } from '../../db/texts.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import { type TransferRow, takeWithoutTexts } from './queries.ts'

/** What searches know transfers by. */
export const KIND = 'transfer'

type Searched = Pick<
  TransferRow,
  | 'id'
  | 'reference'
  | 'transfer_reference'
  | 'bank_name'
  | 'account_number'
  | 'account_name'
  | 'narration'
>

/** Keeps what a transfer is found by: who gets it, and its names. None of it changes later. */
export function keepTransferTexts(tx: Tx, tenant: Tenant, row: Searched): Promise<void> {
  const { id, reference, transfer_reference, bank_name, account_number } = row
  const fields = [account_number, bank_name, row.account_name, row.narration]
  const references = new Set([transfer_reference, reference])
  return keepTexts(tx, tenant, KIND, id, [...fields.filter((one) => one !== null), ...references])
}

/** Takes in transfers from before they could be searched, until there are none left. */
export const transferTextSweeper: Sweeper = {
  name: 'transfer-texts',
  everyMs: 60_000,
  sweep: (db, _now, only) =>
    only === undefined
      ? db.transaction(async (tx) => {
          const rows = await takeWithoutTexts(tx, SWEEP_ROWS_MAX)
          for (const { business_id: businessId, live, ...row } of rows) {
            await keepTransferTexts(tx, { businessId, live }, row)
          }
          return rows.length
        })
      : Promise.resolve(0),
}
