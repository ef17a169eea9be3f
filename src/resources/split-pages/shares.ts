import type { Tx } from '../../db/database.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { refuseCurrency, sharers } from '../subaccounts/service.ts'
import { lockSplitPage, type ShareRow, selectShares, updateShare } from './queries.ts'
import { SHARES_MAX, type ShareRequest, type SubaccountRequest } from './schemas.ts'
import { over100, type SplitPageDeps, told } from './service.ts'

/**
 * Gives a subaccount a share of a page, or another share than it had. Throws 400 when percentages
 * would be more than 100 together, 404 for an unknown page or subaccount, 409 for one that is
 * Inactive or of another currency.
 */
export async function addSubaccount(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  id: number,
  { share, subaccount: code }: ShareRequest,
): Promise<ShareRequest> {
  // The page is held after the subaccount, and so for no longer than need be: others wait for it.
  const to = (await sharers(tx, caller, [code], () => 'subaccount')).get(code)!
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
  await told(tx, deps, caller, 'split_page.updated', row, inOrder([...without(shares, had), added]))
  return answer
}

/** Takes a subaccount off a page; throws 404 for one that is not on it. */
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
  if (!row) throw new Error(`The split page ${id} would not let go of a share`)
  return told(tx, deps, caller, 'split_page.updated', row, without(shares, had))
}

/** A page that nobody else changes until the transaction ends; throws 404. */
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
  conflict(
    'split_page_full',
    `The split page has ${SHARES_MAX} subaccounts, the most there can be.`,
  )
