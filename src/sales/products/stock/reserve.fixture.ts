import type { Tx } from '../../../db/database.ts'
import type { Ids } from '../../../db/ids.ts'
import { Sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import {
  decidingStock,
  type NewReservations,
  type ReservedLevel,
  reservedEvents,
  STOCK_LINE,
  stockLineValues,
  takingStock,
} from './reserve.ts'
import { shortageError } from './service.ts'

interface Cause extends Pick<NewReservations, 'lines' | 'expiresAt'> {
  causeId: number
  now: Date
}

const DECIDING = new Sql([decidingStock('wanted')], [])
const TAKING = new Sql([takingStock('served')], [])
const COLUMNS = new Sql([STOCK_LINE], [])

/** Reserves stock for a new cause that consists only of its reservations. */
export async function reserveStock(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { causeId, lines, expiresAt, now }: Cause,
): Promise<void> {
  const { businessId: business_id, live } = tenant
  const cause = { business_id, live, cause_id: causeId }
  const wanted = stockLineValues(lines).map((line) => ({ ...cause, ...line }))
  const results = await tx.many<{ short_items: number[] | null; changes: ReservedLevel[] | null }>`
    with wanted as materialized (
      select 1 as place, 'all' as withheld, ${expiresAt}::timestamptz as stock_until,
        ${now}::timestamptz as created_at, w.*
      from json_to_recordset(${JSON.stringify(wanted)}::json)
        as w (business_id bigint, live boolean, ${COLUMNS})
    ), ${DECIDING}, served as (
      select distinct business_id, live, cause_id as id from wanted
      where not exists (select from short_causes)
    ), ${TAKING}
    select short_items, changes from stock_results`
  for (const { short_items } of results) {
    if (short_items) throw await shortageError(tx, tenant, lines, short_items)
  }
  const levels = results.flatMap(({ changes }) => changes ?? [])
  await reservedEvents(tx, ids, tenant, levels, now)
}
