import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, sql } from '../../db/sql.ts'
import type { Page } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type TransferRow } from './queries.ts'
import type { TransferState } from './states.ts'
import { KIND } from './texts.ts'

export interface TransferFilter {
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
