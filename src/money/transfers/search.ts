import type { Db, Tx } from '../../db/database.ts'
import { type Found, findPage } from '../../db/paginate.ts'
import { all, sql } from '../../db/sql.ts'
import { keepTexts } from '../../db/text-search.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Page } from '../../lib/paging.ts'
import { COLUMNS, type TransferRow, takeWithoutTexts } from './queries.ts'
import type { TransferState } from './states.ts'

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

interface TransferFilter {
  status: TransferState | undefined
  transferReference: string | undefined
  /** Part of who gets it, or of what it is called. */
  text: string | undefined
}

/** One page and one row more, newest first, and how many match. */
export function findTransfers(
  db: Db,
  { businessId, live }: Tenant,
  { status, transferReference, text }: TransferFilter,
  page: Page,
): Promise<Found<TransferRow>> {
  const wanted = [
    status && sql`status = ${status}`,
    transferReference === undefined ? undefined : sql`transfer_reference = ${transferReference}`,
  ].filter((part) => part !== undefined)
  return findPage<TransferRow>(
    db,
    {
      table: sql`transfers`,
      columns: COLUMNS,
      tenant: { businessId, live },
      parts: wanted.length > 0 ? [all(wanted)] : [],
      order: sql`created_at desc, id desc`,
      search: text === undefined ? undefined : { kind: KIND, text, commonStart: 'trf_' },
    },
    page,
  )
}
