import type { Tx } from '../../db/database.ts'
import { invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { requireCarried } from '../../providers/currencies.ts'
import { takeLink, takeLinkLike } from '../page-links/service.ts'
import { picturesChanged, requirePicture } from '../products/media/of-pages.ts'
import { redirectTermsOf } from '../profile/service.ts'
import { contentOf, refuseNothingToPay } from './content.ts'
import { keepSearchable, type PageDeps, refuseBusiness, told } from './pages.ts'
import { namedProducts, readProductIds } from './product-ids.ts'
import { type Content, insertPage } from './queries.ts'
import { insertParts } from './queries-products.ts'
import type { NewPage } from './schemas.ts'
import { refuseSplitPage } from './split-page.ts'

/** A page of which nothing is said. */
export const NOTHING: Content = {
  title: '',
  description: null,
  status: 'Published',
  custom_link: '',
  amount_type: 'variable',
  amount_minor: null,
  suggested_minor: [],
  image: null,
  color: null,
  custom_fields: [],
  collect_phone: false,
  collect_address: false,
  allow_discount_codes: true,
  max_payments: null,
  expires_at: null,
  redirect_url: null,
  success_message: null,
  split_page_id: null,
  fee_bearer: null,
  channels: [],
  metadata: null,
}

/**
 * Creates a payment page, with its products or not at all. Throws 400 naming what is wrong, 404 for
 * an unknown product or split page, 409 for a link that is taken.
 */
export async function createPage(tx: Tx, deps: PageDeps, caller: Caller, request: NewPage) {
  const { currency, customLink, amount } = request
  const { now } = caller
  refuseBusiness(caller, request)
  if (request.title === undefined && request.name === undefined) {
    throw invalid({ title: ['is required'] })
  }
  requireCarried(currency)
  const origins = await originsFor(tx, caller, request)
  const amountType = request.amountType ?? (amount === undefined ? 'variable' : 'fixed')
  const reading = { caller, currency, publicUrl: deps.publicUrl, origins }
  const content = contentOf(NOTHING, { ...request, amountType }, reading)
  const productIds = readProductIds(request.productIds ?? [])
  refuseNothingToPay(content, productIds.length, 'amount')
  await refuseSplitPage(tx, caller, content.split_page_id, currency)
  await namedProducts(tx, caller, { ids: productIds, currency, missing: 'not_found' })

  const id = await deps.ids.next(tx)
  if (customLink !== undefined) await takeLink(tx, caller, id, customLink, 'customLink')
  const row = await insertPage(tx, {
    business_id: caller.businessId,
    live: caller.live,
    id,
    reference: newReference('PAG'),
    ...content,
    custom_link: customLink ?? (await takeLinkLike(tx, caller, id, content.title)),
    currency,
    deleted_at: null,
    event_sequence: 1,
    created_at: now,
    updated_at: now,
  })
  await picturesChanged(tx, deps, caller, [content.image])
  await requirePicture(tx, caller, content.image)
  if (productIds.length > 0) await insertParts(tx, caller, id, productIds)
  await keepSearchable(tx, row)
  return told(tx, deps, caller, ['created'], row)
}

/** Test mode takes any origin, so nothing needs to be read. */
export async function originsFor(
  tx: Tx,
  tenant: Tenant,
  { redirectUrl }: { redirectUrl?: string | null },
): Promise<readonly string[]> {
  return redirectUrl && tenant.live ? (await redirectTermsOf(tx, tenant)).origins : []
}
