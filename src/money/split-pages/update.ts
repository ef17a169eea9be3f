import { releaseLink, reserveLink } from '../../business/links/service.ts'
import type { Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict, type Fields, notFound } from '../../lib/problem.ts'
import { requireSupportedCurrency } from '../../providers/routing.ts'
import { lockShareRecipients, refuseCurrency } from '../subaccounts/service.ts'
import {
  type Content,
  lockSplitPage,
  type ShareRow,
  type SplitPageRow,
  selectShares,
  updateShare,
  updateSplitPage,
} from './queries.ts'
import { splitPageRecord } from './record.ts'
import {
  SHARES_MAX,
  type ShareRequest,
  type SubaccountRequest,
  type UpdateSplitPage,
} from './schemas.ts'
import { over100, publishChange, SPLIT_PAGES, type SplitPageDeps } from './service.ts'

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
 * Changes the given fields. The type and currency can change only while the page has no shares;
 * otherwise, this throws 409. Changing the slug frees the old one. Unchanged values cause neither a
 * change nor an event.
 */
export async function changeSplitPage(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  id: number,
  request: UpdateSplitPage,
) {
  const row = await lockSplitPage(tx, caller, id)
  if (!row) throw notFound('split_page')
  const shares = await selectShares(tx, caller, [id])
  const wanted = contentOf(row, request)
  if (COLUMNS.every((column) => row[column] === wanted[column])) {
    return splitPageRecord(row, { publicUrl: deps.publicUrl, shares })
  }
  // A page created by an older version keeps its currency.
  if (wanted.currency !== row.currency) requireSupportedCurrency(wanted.currency)
  const updated = await updateSplitPage(tx, caller, id, wanted, caller.now)
  if (!updated) throw shared(row, wanted)
  if (wanted.slug !== row.slug) {
    await reserveLink(tx, caller, id, wanted.slug, 'slug')
    await releaseLink(tx, caller, id, row.slug)
  }
  await indexText(tx, caller, SPLIT_PAGES, updated)
  return publishChange(tx, deps, caller, 'split_page.updated', updated, shares)
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
  return conflict('split_page_shared', `The page has shares, so ${names} cannot change.`, fields)
}

/**
 * Adds a subaccount to a page with a share, or changes its existing share. Throws 400 if the
 * percentages would add up to more than 100, 404 for an unknown page or subaccount, and 409 for a
 * subaccount that is Inactive or in a different currency.
 */
export async function addSubaccount(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  id: number,
  { share, subaccount: code }: ShareRequest,
): Promise<ShareRequest> {
  // The page is locked after the subaccount, because other requests wait for the page's lock.
  const to = (await lockShareRecipients(tx, caller, [code], () => 'subaccount')).get(code)!
  const { page, shares } = await heldPage(tx, caller, id)
  refuseCurrency(to, page.currency)
  const had = shares.find(({ subaccount_id }) => subaccount_id === to.id)
  const answer = { share, subaccount: code }
  if (had?.share === share) return answer
  if (!had && shares.length >= SHARES_MAX) throw full()

  const before = had?.share ?? 0
  const change = { pageId: id, subaccountId: to.id, share, before, now: caller.now }
  const row = await updateShare(tx, caller, change)
  if (!row) throw over100('share', page.total_share - before + share)
  const { reference, business_name } = to
  const added = { split_page_id: id, subaccount_id: to.id, share, reference, business_name }
  await publishChange(
    tx,
    deps,
    caller,
    'split_page.updated',
    row,
    inOrder([...without(shares, had), added]),
  )
  return answer
}

/** Removes a subaccount from a page. Throws 404 if it is not on the page. */
export async function removeSubaccount(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  id: number,
  { subaccount: code }: SubaccountRequest,
) {
  const { shares } = await heldPage(tx, caller, id)
  const had = shares.find(({ reference }) => reference === code)
  if (!had) throw notFound('subaccount')
  const { subaccount_id: subaccountId, share: before } = had
  const row = await updateShare(tx, caller, {
    pageId: id,
    subaccountId,
    share: 0,
    before,
    now: caller.now,
  })
  if (!row) throw new Error(`The split page ${id} did not release a share`)
  return publishChange(tx, deps, caller, 'split_page.updated', row, without(shares, had))
}

/** Locks a page until the transaction ends. Throws 404. */
async function heldPage(tx: Tx, tenant: Tenant, id: number) {
  const page = await lockSplitPage(tx, tenant, id)
  if (!page) throw notFound('split_page')
  return { page, shares: await selectShares(tx, tenant, [id]) }
}

const without = (shares: readonly ShareRow[], one: ShareRow | undefined) =>
  shares.filter((share) => share !== one)

const inOrder = (shares: ShareRow[]) =>
  shares.sort((one, other) => one.subaccount_id - other.subaccount_id)

const full = () =>
  conflict('split_page_full', `A split page can have at most ${SHARES_MAX} subaccounts.`)
