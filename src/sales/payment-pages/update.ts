import { releaseLink, reserveLink } from '../../business/links/service.ts'
import type { Db, Tx } from '../../db/database.ts'
import { indexText, removeText } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { canonical } from '../../lib/json.ts'
import { allOrPage } from '../../lib/paging.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { requirePageImage, scheduleImageChecks } from '../products/media/page-images.ts'
import { recordsOf as productRecordsOf, productsWith } from '../products/record/service.ts'
import {
  contentOf,
  namedProducts,
  noProduct,
  originsFor,
  readProductIds,
  refuseSplitPage,
  requireSomethingToPay,
  tooMany,
} from './create.ts'
import {
  type Content,
  deleteParts,
  insertParts,
  lockPage,
  type PageRow,
  selectParts,
  updateContent,
  updateDeleted,
  updateTouched,
} from './queries.ts'
import {
  type AddProducts,
  type PageProductsQuery,
  PRODUCTS_MAX,
  type RemoveProducts,
  type UpdatePage,
} from './schemas.ts'
import {
  type EventType,
  lockPageWithProducts,
  PAYMENT_PAGES,
  type PageDeps,
  publishChanges,
  type RecordDeps,
  recordOf,
  refuseBusiness,
  requirePage,
} from './service.ts'

/**
 * Changes the given fields; null clears a field. After a change of link, other pages can use the
 * old one. Giving a field its current value is not a change and doesn’t send an event. Throws 400
 * naming invalid fields, 404 for an unknown page or split page, and 409 for a link that is taken or
 * a different currency.
 */
export async function updatePage(tx: Tx, deps: PageDeps, caller: Caller, request: UpdatePage) {
  refuseBusiness(caller, request)
  const row = await lockPageWithProducts(tx, caller, request.pageId)
  const { currency } = row
  refuseCurrency(currency, request)
  const origins = await originsFor(tx, caller, request)
  const content = contentOf(row, request, {
    caller,
    currency,
    publicUrl: deps.publicUrl,
    origins,
  })
  const wanted = { ...content, custom_link: request.customLink ?? row.custom_link }
  return change(tx, deps, caller, row, wanted, 'amount')
}

/** Publishes or unpublishes a page. Doing so again has no effect and doesn’t send an event. */
export async function setPageStatus(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  { pageId, status }: Required<Pick<UpdatePage, 'pageId' | 'status'>>,
) {
  const row = await lockPageWithProducts(tx, caller, pageId)
  return change(tx, deps, caller, row, { ...row, status }, 'status')
}

/**
 * Only a change to one of these columns triggers the check that payers have something to pay for.
 * The page’s products may have been removed from the catalogue, and other edits must still be
 * possible then.
 */
const PRICING = ['status', 'amount_type', 'amount_minor'] as const

async function change(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  row: PageRow,
  wanted: Content,
  blamed: 'amount' | 'status',
) {
  const events = eventsOf(row, wanted)
  if (events.length === 0) return recordOf(tx, deps, caller, row)
  if (PRICING.some((column) => wanted[column] !== row[column])) {
    requireSomethingToPay(wanted, (await productIdsOf(tx, caller, row.id)).length, blamed)
  }
  if (wanted.split_page_id !== row.split_page_id) {
    await refuseSplitPage(tx, caller, wanted.split_page_id, row.currency)
  }
  if (wanted.custom_link !== row.custom_link) {
    await reserveLink(tx, caller, row.id, wanted.custom_link, 'customLink')
    await releaseLink(tx, caller, row.id, row.custom_link)
  }
  if (wanted.image !== row.image) {
    await scheduleImageChecks(tx, deps, caller, [row.image, wanted.image])
    await requirePageImage(tx, caller, wanted.image)
  }
  const counted = { events: events.length, now: caller.now }
  const updated = await updateContent(tx, caller, row.id, wanted, counted)
  if (updated.title !== row.title || updated.description !== row.description) {
    await indexText(tx, caller, PAYMENT_PAGES, updated)
  }
  return publishChanges(tx, deps, caller, events, updated)
}

function refuseCurrency(currency: string, request: UpdatePage): void {
  if (request.currency === undefined || request.currency === currency) return
  const text = `The currency of a payment page cannot change; this page is in ${currency}.`
  throw conflict('currency_fixed', text, { currency: [`cannot change from ${currency}`] })
}

/** Returns the events in the order in which they must be appended. */
function eventsOf(row: PageRow, wanted: Content): EventType[] {
  const { status, ...others } = wanted
  const isChanged = (Object.keys(others) as (keyof typeof others)[]).some(
    (column) => spelt(column, row) !== spelt(column, wanted),
  )
  const events: EventType[] = isChanged ? ['updated'] : []
  if (status !== row.status) events.push(status === 'Published' ? 'published' : 'unpublished')
  return events
}

function spelt(column: keyof Content, content: Content): string {
  const value = content[column]
  if (column === 'metadata' && value !== null) return canonical(JSON.parse(String(value)))
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
}

/**
 * Permanently deletes a page. Its link then returns 410, but payers who have an open checkout can
 * still pay. Returns the page as it was, but with status Deleted. Throws 404.
 */
export async function deletePage(tx: Tx, deps: PageDeps, caller: Caller, pageId: number | string) {
  const row = await updateDeleted(tx, caller, toId(pageId), caller.now)
  if (!row) throw notFound('payment_page')
  await removeText(tx, caller, PAYMENT_PAGES, row.id)
  await scheduleImageChecks(tx, deps, caller, [row.image])
  return publishChanges(tx, deps, caller, ['deleted'], row)
}

/**
 * Appends all of these products to a page, or none of them. Products already on the page keep their
 * position. Throws 400 naming invalid fields, including for an unknown page or product, as the
 * contract requires.
 */
export async function addProducts(tx: Tx, deps: PageDeps, caller: Caller, request: AddProducts) {
  refuseBusiness(caller, request)
  const ids = readProductIds(request.productIds)
  if (ids.length === 0) throw invalid({ productIds: ['must have at least 1 entry'] })
  const page = await lockPage(tx, caller, toId(request.pageId))
  if (!page) throw invalid({ pageId: ['must be the id of a payment page of this business'] })
  const { id, currency } = page
  await namedProducts(tx, caller, { ids, currency, missing: 'invalid' })
  const had = await productIdsOf(tx, caller, id)
  const added = ids.filter((one) => !had.includes(one))
  if (added.length === 0) return
  if (had.length + added.length > PRODUCTS_MAX) throw tooMany()
  await insertParts(tx, caller, id, added)
  const row = await updateTouched(tx, caller, id, caller.now)
  await publishChanges(tx, deps, caller, ['updated'], row)
}

/**
 * Removes all of these products from a page, or none of them, and returns the page. Throws 404 for
 * a product that is not on the page, and 400 if a Published page would have nothing left to pay
 * for.
 */
export async function removeProducts(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  request: RemoveProducts,
) {
  const { productId, productIds } = request
  if ((productId === undefined) === (productIds === undefined)) {
    throw invalid({ productId: ['cannot be combined with productIds'] })
  }
  const ids = readProductIds(productIds ?? [productId!])
  const page = await lockPageWithProducts(tx, caller, request.pageId)
  if (ids.length === 0) return recordOf(tx, deps, caller, page)
  const had = await productIdsOf(tx, caller, page.id)
  const missing = ids.filter((one) => !had.includes(one))
  if (missing.length > 0) throw noProduct(missing, 'not_found')
  requireSomethingToPay(page, had.length - ids.length, 'productIds')
  await deleteParts(tx, caller, page.id, ids)
  return publishChanges(
    tx,
    deps,
    caller,
    ['updated'],
    await updateTouched(tx, caller, page.id, caller.now),
  )
}

/** Returns the products on a page, in its order, as the catalogue shows them. Throws 404. */
export async function listProducts(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  query: PageProductsQuery,
) {
  const { id } = await requirePage(db, tenant, query.pageId)
  const found = await productsWith(db, tenant, await productIdsOf(db, tenant, id))
  const { rows, meta } = allOrPage(found, query)
  return { records: await productRecordsOf(db, deps, tenant, rows), meta }
}

async function productIdsOf(db: Db, tenant: Tenant, pageId: number): Promise<number[]> {
  const parts = await selectParts(db, tenant, [pageId])
  return parts.map(({ product_id }) => product_id)
}
