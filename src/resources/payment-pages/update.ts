import type { Tx } from '../../db/database.ts'
import { canonical } from '../../lib/canonical.ts'
import { conflict } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { giveLinkBack, takeLink } from '../page-links/service.ts'
import { picturesChanged, requirePicture } from '../products/media/of-pages.ts'
import { contentOf, refuseNothingToPay } from './content.ts'
import { originsFor } from './create.ts'
import {
  type EventType,
  holdPage,
  keepSearchable,
  type PageDeps,
  recordOf,
  refuseBusiness,
  told,
} from './pages.ts'
import { productIdsOf } from './products.ts'
import { type Content, type PageRow, updateContent } from './queries.ts'
import type { UpdatePage } from './schemas.ts'
import { refuseSplitPage } from './split-page.ts'

/**
 * Changes the fields that are given; null clears. Another link frees the one it had. To give what
 * it has already is no change and no event. Throws 400 naming what is wrong, 404 for an unknown
 * page or split page, 409 for a link that is taken and for another currency.
 */
export async function updatePage(tx: Tx, deps: PageDeps, caller: Caller, request: UpdatePage) {
  refuseBusiness(caller, request)
  const row = await holdPage(tx, caller, request.pageId)
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

/** Publishes a page or takes it from the public; again changes nothing and tells of nothing. */
export async function setPageStatus(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  { pageId, status }: Required<Pick<UpdatePage, 'pageId' | 'status'>>,
) {
  const row = await holdPage(tx, caller, pageId)
  return change(tx, deps, caller, row, { ...row, status }, 'status')
}

/** What decides whether there is something to pay for; the catalogue may have taken it away. */
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
    refuseNothingToPay(wanted, (await productIdsOf(tx, caller, row.id)).length, blamed)
  }
  if (wanted.split_page_id !== row.split_page_id) {
    await refuseSplitPage(tx, caller, wanted.split_page_id, row.currency)
  }
  if (wanted.custom_link !== row.custom_link) {
    await takeLink(tx, caller, row.id, wanted.custom_link, 'customLink')
    await giveLinkBack(tx, caller, row.id, row.custom_link)
  }
  if (wanted.image !== row.image) {
    await picturesChanged(tx, deps, caller, [row.image, wanted.image])
    await requirePicture(tx, caller, wanted.image)
  }
  const counted = { events: events.length, now: caller.now }
  const updated = await updateContent(tx, caller, row.id, wanted, counted)
  if (updated.title !== row.title || updated.description !== row.description) {
    await keepSearchable(tx, updated)
  }
  return told(tx, deps, caller, events, updated)
}

function refuseCurrency(currency: string, request: UpdatePage): void {
  if (request.currency === undefined || request.currency === currency) return
  const text = `The currency of a payment page cannot change: it is ${currency}.`
  throw conflict('currency_fixed', text, { currency: [`cannot change: it is ${currency}`] })
}

/** In the order in which they are told. */
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
