import type { Tx } from '../../db/database.ts'
import { isCurrency } from '../../lib/money.ts'
import { conflict, type Fields, invalid, notFound } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { giveLinkBack, takeLink } from '../page-links/service.ts'
import { NO_CURRENCY } from './create.ts'
import {
  type Content,
  lockSplitPage,
  type SplitPageRow,
  selectShares,
  updateSplitPage,
} from './queries.ts'
import { splitPageRecord } from './record.ts'
import type { UpdateSplitPage } from './schemas.ts'
import { keepSearchable, type SplitPageDeps, told } from './service.ts'

const COLUMNS: readonly (keyof Content)[] = [
  'name',
  'slug',
  'active',
  'split_type',
  'category',
  'currency',
  'fee_bearer',
]

/**
 * Changes the fields that are given. Type and currency change only while the page has no shares:
 * 409. Another slug frees the one it had. To give what it has already is no change and no event.
 */
export async function changeSplitPage(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  id: number,
  request: UpdateSplitPage,
) {
  const { currency } = request
  if (currency !== undefined && !isCurrency(currency)) throw invalid(NO_CURRENCY)
  const row = await lockSplitPage(tx, caller, id)
  if (!row) throw notFound('split_page')
  const shares = await selectShares(tx, caller, [id])
  const wanted = contentOf(row, request)
  if (COLUMNS.every((column) => row[column] === wanted[column])) {
    return splitPageRecord(row, { publicUrl: deps.publicUrl, shares })
  }
  const updated = await updateSplitPage(tx, caller, id, wanted, caller.now)
  if (!updated) throw shared(row, wanted)
  if (wanted.slug !== row.slug) {
    await takeLink(tx, caller, id, wanted.slug, 'slug')
    await giveLinkBack(tx, caller, id, row.slug)
  }
  await keepSearchable(tx, updated)
  return told(tx, deps, caller, 'split_page.updated', updated, shares)
}

function contentOf(row: SplitPageRow, request: UpdateSplitPage): Content {
  return {
    name: request.name ?? row.name,
    slug: request.slug ?? row.slug,
    active: request.status ?? row.active,
    split_type: request.splitType ?? row.split_type,
    category: request.category ?? row.category,
    currency: request.currency ?? row.currency,
    fee_bearer: request.feeBearer === undefined ? row.fee_bearer : request.feeBearer,
  }
}

function shared(row: SplitPageRow, wanted: Content) {
  const fields: Fields = {}
  const fault = ['cannot change while the page has shares']
  if (wanted.split_type !== row.split_type) fields.splitType = fault
  if (wanted.currency !== row.currency) fields.currency = fault
  const names = Object.keys(fields).join(' and ')
  return conflict('split_page_shared', `The page has shares: ${names} cannot change.`, fields)
}
