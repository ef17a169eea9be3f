import { reserveLink, reserveLinkFor } from '../../business/links/service.ts'
import type { Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { requireSupportedCurrency } from '../../providers/routing.ts'
import { lockShareRecipients, refuseCurrency, type SubaccountName } from '../subaccounts/service.ts'
import { insertShares, insertSplitPage } from './queries.ts'
import type { NewSplitPage } from './schemas.ts'
import { over100, publishChange, SPLIT_PAGES, type SplitPageDeps } from './service.ts'

/**
 * Creates a split page with all its shares, or nothing at all. Throws 400 naming the invalid field,
 * 404 for an unknown subaccount, and 409 for a slug that is taken or a subaccount that is Inactive
 * or in a different currency.
 */
export async function createSplitPage(
  tx: Tx,
  deps: SplitPageDeps,
  caller: Caller,
  request: NewSplitPage,
) {
  const { name, splitType, currency, slug } = request
  const { now } = caller
  requireSupportedCurrency(currency)
  const shares = await sharesFor(tx, caller, request)
  const total = shares.reduce((sum, { share }) => sum + share, 0)
  if (splitType === 'percentage' && total > 100) throw over100('subaccounts', total)

  const id = await deps.ids.next(tx)
  if (slug !== undefined) await reserveLink(tx, caller, id, slug, 'slug')
  const row = await insertSplitPage(tx, {
    business_id: caller.businessId,
    live: caller.live,
    id,
    reference: newReference('SPL'),
    name,
    slug: slug ?? (await reserveLinkFor(tx, caller, id, name)),
    active: request.status,
    split_type: splitType,
    category: request.category,
    currency,
    fee_bearer: request.feeBearer ?? null,
    total_share: total,
    event_sequence: 1,
    created_at: now,
    updated_at: now,
  })
  const stored = shares.map(({ share, to }) => ({ subaccount_id: to.id, share }))
  if (shares.length > 0) await insertShares(tx, caller, id, stored, now)
  await indexText(tx, caller, SPLIT_PAGES, row)
  const shown = shares.map(({ share, to }) => ({ ...to, share }))
  return publishChange(tx, deps, caller, 'split_page.created', row, shown)
}

interface NewShare {
  share: number
  to: SubaccountName
}

async function sharesFor(
  tx: Tx,
  tenant: Tenant,
  { subaccounts = [], currency }: NewSplitPage,
): Promise<NewShare[]> {
  if (subaccounts.length === 0) return []
  const codes = subaccounts.map(({ subaccount }) => subaccount)
  refuseTwice(codes)
  const found = await lockShareRecipients(tx, tenant, codes, (i) => `subaccounts.${i}.subaccount`)
  const shares = subaccounts.map(({ subaccount, share }) => ({ share, to: found.get(subaccount)! }))
  for (const { to } of shares) refuseCurrency(to, currency)
  return shares.sort((one, other) => one.to.id - other.to.id)
}

/** Throws 400 naming each repeated subaccount. */
function refuseTwice(codes: readonly string[]): void {
  const faults: Fields = {}
  for (const [i, code] of codes.entries()) {
    if (codes.indexOf(code) < i) faults[`subaccounts.${i}.subaccount`] = ['is listed twice']
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}
