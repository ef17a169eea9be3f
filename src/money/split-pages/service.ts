import type { Db, Tx } from '../../db/database.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { type Minor, wholeUnits } from '../../lib/money.ts'
import { isDescending } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import {
  findSplitPages,
  lockSplitPage,
  type ShareRow,
  type SplitPageRow,
  selectShares,
  selectSplitPage,
  selectSplitPageByLink,
  selectWithShares,
} from './queries.ts'
import { splitPageRecord } from './record.ts'
import type { SplitPageQuery } from './schemas.ts'

const KIND = 'split_page'

export type SplitPageDeps = Pick<Deps, 'ids' | 'publicUrl'>

export interface SplitPage {
  id: number
  active: boolean
  splitType: SplitPageRow['split_type']
  currency: string
  /** Null if the page uses the business's setting. */
  feeBearer: SplitPageRow['fee_bearer']
  /** Percentages or, for fixed shares, amounts in major units. */
  shares: { subaccountId: number; share: number }[]
}

/** Returns the split page with this id and its shares, read in one snapshot. */
export async function splitPageFor(
  db: Db,
  tenant: Tenant,
  id: number,
): Promise<SplitPage | undefined> {
  const rows = await selectWithShares(db, tenant, id)
  const [page] = rows
  if (!page) return undefined
  return {
    id,
    active: page.active,
    splitType: page.split_type,
    currency: page.currency,
    feeBearer: page.fee_bearer,
    shares: rows.flatMap(({ subaccount_id, share }) =>
      subaccount_id === null || share === null ? [] : [{ subaccountId: subaccount_id, share }],
    ),
  }
}

/** The smallest payment that covers every fixed share. */
export const minimumPayment = ({ splitType, shares, currency }: SplitPage): Minor =>
  splitType === 'fixed'
    ? shares.reduce((sum, { share }) => sum + wholeUnits(share, currency), 0n)
    : 0n

/** Finds a split page by its payment URL. Returns its tenant and what payers see. */
export async function splitPageByLink(db: Db, link: string) {
  const row = await selectSplitPageByLink(db, link)
  if (!row) return undefined
  const { business_id: businessId, live, id, name, currency, active } = row
  return { tenant: { businessId, live }, id, name, currency, active }
}

export async function getSplitPage(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  id: number,
) {
  const row = await selectSplitPage(db, tenant, id)
  if (!row) throw notFound('split_page')
  return splitPageRecord(row, { publicUrl, shares: await selectShares(db, tenant, [id]) })
}

/** Returns a split page's record and locks the page until the transaction ends. Throws 404. */
export async function lockRecord(
  tx: Tx,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  id: number,
) {
  const row = await lockSplitPage(tx, tenant, id)
  if (!row) throw notFound('split_page')
  return splitPageRecord(row, { publicUrl, shares: await selectShares(tx, tenant, [id]) })
}

/**
 * Returns the fields that an edit can change. A share is identified by its subaccount's id, not by
 * the name.
 */
export function editablePartOf(page: ReturnType<typeof splitPageRecord>) {
  const { url: _url, updatedAt: _changed, ...content } = page
  return {
    ...content,
    subaccounts: page.subaccounts.map(({ subaccount, share }) => [subaccount, share]),
  }
}

type Shown = Pick<ShareRow, 'share' | 'reference' | 'business_name'>

/** Writes the event for a change and returns the updated record. */
export async function publishChange(
  tx: Tx,
  { ids, publicUrl }: SplitPageDeps,
  { businessId, live, now }: Caller,
  type: 'split_page.created' | 'split_page.updated',
  row: SplitPageRow,
  shares: readonly Shown[],
) {
  const record = splitPageRecord(row, { publicUrl, shares })
  await appendEvents(tx, ids, [
    {
      businessId,
      live,
      type,
      objectType: KIND,
      objectId: row.id,
      sequence: row.event_sequence,
      data: record,
      at: now,
    },
  ])
  return record
}

export const over100 = (field: string, total: number) =>
  invalid(
    {
      [field]: [`would bring the page’s shares to ${total}%; the total can be at most 100%`],
    },
    'shares_over_100',
  )

export const SPLIT_PAGES: Searchable<SplitPageRow> = {
  kind: KIND,
  table: 'split_pages',
  fields: ['name', 'slug', 'reference'],
  commonStart: 'spl_',
}

export async function listSplitPages(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  query: SplitPageQuery,
) {
  const filter = {
    search: searchFor(SPLIT_PAGES, query.searchString),
    active: query.status,
    splitType: query.splitType,
    category: query.category,
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findSplitPages(db, tenant, filter, query)
  const shares = await selectShares(
    db,
    tenant,
    rows.map(({ id }) => id),
  )
  const byPage = Map.groupBy(shares, ({ split_page_id }) => split_page_id)
  const records = rows.map((row) =>
    splitPageRecord(row, { publicUrl, shares: byPage.get(row.id) ?? [] }),
  )
  return { records, meta }
}
