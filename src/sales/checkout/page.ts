import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clockOffsetMs } from '../../business/account/payment-settings.ts'
import {
  brandOf,
  merchantOf,
  type ShownTerms,
  shownTermsOf,
} from '../../business/account/public-profile.ts'
import { redirectTermsOf } from '../../business/account/service.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Download, sendDownload } from '../../http/download.ts'
import { localeOf, mountVersion, servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/rate-limit.ts'
import type { Mounted } from '../../http/route.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import {
  accentStyle,
  renderCheckoutPage,
  renderMessagePage,
  renderOrderReceipt,
  textsOf,
} from '../../pages/pages.ts'
import type { ChannelView, CheckoutPageView, CheckoutView } from '../../pages/views.ts'
import { costOf } from '../../payments/attempts/attempt.ts'
import {
  attemptView,
  chosenChannel,
  keepLanguage,
  pageVersionOf,
  type SimulateAttempt,
  USSD_BANKS,
} from '../../payments/attempts/page.ts'
import {
  type Attempt,
  dismissOpen,
  isTold,
  latestAttempt,
  type TransactionRow,
} from '../../payments/attempts/read.ts'
import type { Brand, ReceiptPaper } from '../../pdf/views.ts'
import { paymentsOf } from '../invoices/record.ts'
import { type OrderShown, orderShown } from '../orders/service.ts'
import { type PayingPage, pageForPaying } from '../payment-pages/paying.ts'
import { mediaOf } from '../products/core/media.ts'
import { cancelCheckout } from './close.ts'
import { canReopen, payCheckout, reopenCheckout, setAddress, typedAddress } from './pay.ts'
import {
  CHECKOUT_PURPOSE,
  feesOnTop,
  keptOf,
  keptOfAll,
  paidForOf,
  receivedOf,
  signedUrl,
  tenantOf,
} from './payable.ts'
import { type CheckoutRow, type SeenWith, selectSeen, selectShown } from './queries.ts'
import { accessCodeOf, checkoutOfCode, factsOf, statusOf } from './record.ts'
import { stateAt } from './states.ts'

type Form = Record<string, unknown>
interface Params {
  accessCode: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/checkout/:accessCode',
  operation: 'show_checkout_page',
  status: 200,
  errors: 'fields',
}

const RECEIPT: Mounted = { ...SHOW, url: '/receipt/:token', operation: 'show_receipt_page' }
const PDF: Mounted = { ...SHOW, url: `${RECEIPT.url}/pdf`, operation: 'show_receipt_pdf' }

/** The hosted page of a checkout, its forms, and its receipt; every failure is a page too. */
export function mountCheckoutPage(
  server: FastifyInstance,
  deps: Deps & { simulateAttempt: SimulateAttempt },
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const { page, back } = servePages(pages, limits.take)

    pages.get<{ Params: Params }>(SHOW.url, async (request, reply) => {
      const view = await checkoutView(deps, await checkoutByCode(deps, request.params.accessCode))
      return page(request, reply, (ctx) => renderCheckoutPage(view, ctx))
    })

    pages.get<{ Params: { token: string } }>(RECEIPT.url, async (request, reply) => {
      const { token } = request.params
      const view = await checkoutView(deps, await checkoutByCode(deps, token))
      // There is nothing to keep yet: the page says how it stands.
      if (view.status !== 'Paid') return back(reply, `/checkout/${encodeURIComponent(token)}`)
      return page(request, reply, (ctx) => renderOrderReceipt(view, ctx))
    })

    pages.get<{ Params: { token: string } }>(PDF.url, async (request, reply) => {
      const { token } = request.params
      const locale = localeOf(request.headers)
      const pdf = await receiptPdf(deps, await checkoutByCode(deps, token), locale)
      if (!pdf) return back(reply, `/checkout/${encodeURIComponent(token)}`)
      const file = { type: 'application/pdf', name: pdf.name, disposition: 'inline' } as const
      reply.header('vary', 'accept-language, cookie')
      return sendDownload(request, reply, new Download(pdf.bytes, file))
    })

    mountVersion(
      pages,
      SHOW.url,
      ({ accessCode }: Params) => checkoutVersion(deps, accessCode),
      limits.networkOf,
    )

    pages.get<{ Params: { name: string } }>('/accent/:name', async (request, reply) => {
      const style = accentStyle(request.params.name)
      if (!style) throw new Problem('not_found', 'route_not_found', 'There is nothing here.')
      reply.header('cache-control', 'public, max-age=31536000, immutable')
      return reply.type('text/css; charset=utf-8').send(style)
    })

    type Request = FastifyRequest<{ Params: Params }>
    const pathOf = ({ params }: Request) => `/checkout/${encodeURIComponent(params.accessCode)}`
    const toPage = (request: Request, reply: FastifyReply) => back(reply, pathOf(request))

    pages.get<{ Params: Params }>(`${SHOW.url}/address`, async (request, reply) => {
      const view = await checkoutView(deps, await checkoutByCode(deps, request.params.accessCode))
      if (!view.asksAddress) return toPage(request, reply)
      const address = { typed: view.delivery?.address ?? '', isFault: false }
      return page(request, reply, (ctx) => renderCheckoutPage({ ...view, address }, ctx))
    })

    pages.post<{ Params: Params }>(`${SHOW.url}/address`, async (request, reply) => {
      limits.takeOfLink(request.params.accessCode)
      const opened = await checkoutByCode(deps, request.params.accessCode)
      const { row, tenant, now } = opened
      const given = (request.body as Form | undefined)?.address
      const address = typedAddress(given)
      if (address !== undefined) {
        await deps.db.transaction((tx) => setAddress(tx, { ...tenant, now }, row.id, address))
        return toPage(request, reply)
      }
      const typed = typeof given === 'string' ? given.slice(0, 2_000) : ''
      const view = await checkoutView(deps, opened)
      const shown = { ...view, address: { typed, isFault: true } }
      return page(request, reply.code(400), (ctx) => renderCheckoutPage(shown, ctx))
    })

    const form = (
      path: string,
      act: (opened: OpenedCheckout, form: Form, request: FastifyRequest) => Promise<unknown>,
    ) => {
      const url = `${SHOW.url}/${path}`
      pages.post<{ Params: Params }>(url, async (request, reply) => {
        limits.takeOfLink(request.params.accessCode)
        const opened = await checkoutByCode(deps, request.params.accessCode)
        try {
          await act(opened, (request.body ?? {}) as Form, request)
        } catch (error) {
          // It was put aside for a while only, and somebody else has it now.
          if (!(error instanceof Problem && error.code === 'out_of_stock')) throw error
          return page(request, reply.code(409), (ctx) => {
            const [title, text] = textsOf(ctx.locale).shop.closed.soldOut(opened.terms.name)
            const shown = { status: 409, title, text, icon: 'stopped' } as const
            return renderMessagePage({ ...shown, back: pathOf(request) }, ctx)
          })
        }
        return toPage(request, reply)
      })
      // Whoever reloads or shares the address of a form is led to the page.
      pages.get<{ Params: Params }>(url, async (request, reply) => toPage(request, reply))
    }

    form('pay', async (opened, sent, { headers }) => {
      const { row, tenant, now } = opened
      // The page asks for it in place of the ways to pay.
      if (await lacksAddress(deps.db, opened)) return
      const bankCode = typeof sent.bankCode === 'string' ? sent.bankCode : null
      const way = { channel: chosenChannel(sent.channel), bankCode }
      await payCheckout(deps, { ...tenant, now }, row.id, way)
      const paidFor = { purpose: CHECKOUT_PURPOSE, purposeId: row.id }
      await keepLanguage(deps.db, tenant, paidFor, localeOf(headers))
    })

    form('cancel-payment', (opened) => putAside(deps.db, opened))

    form('cancel', ({ row, tenant, now }) =>
      deps.db.transaction((tx) => cancelCheckout(tx, deps, { ...tenant, now }, row.id, 'payer')),
    )

    form('again', ({ row, tenant, now }) =>
      deps.db.transaction((tx) => reopenCheckout(tx, deps, { ...tenant, now }, row.id)),
    )

    form('simulate', async (opened, { outcome }) => {
      const { tenant, now } = opened
      const attempt = await openAttempt(deps.db, opened)
      const ending = outcome === 'failed' ? 'failed' : 'success'
      await deps.simulateAttempt({ ...tenant, now }, attempt, ending)
    })
  })
  return [SHOW, RECEIPT, PDF]
}

/** A payer's look at one checkout. */
interface OpenedCheckout {
  row: CheckoutRow
  tenant: Tenant
  terms: ShownTerms
  /** The moment that decides: the test clock's for a test checkout. */
  now: Date
  /** The real time, which is what a merchant's server compares a signature with. */
  realNow: Date
}

/** Finds the checkout of a page's address. Throws 404. */
export async function checkoutByCode(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  accessCode: string,
): Promise<OpenedCheckout> {
  const row = await checkoutOfCode(db, accessCode)
  const tenant = tenantOf(row)
  const [terms, offsetMs] = await Promise.all([shownTermsOf(db, tenant), clockOffsetMs(db, tenant)])
  const realNow = clock.now()
  return { row, tenant, terms, now: addMs(realNow, offsetMs), realNow }
}

type ViewDeps = Pick<Deps, 'db' | 'providers'> & { publicUrl?: string }

/** Everything that the payer may see. */
export async function checkoutView(deps: ViewDeps, opened: OpenedCheckout): Promise<CheckoutView> {
  const { row, tenant, terms, now } = opened
  const known = await knownOf(deps.db, opened)
  const { attempt, received, shown, seen } = known
  const status = statusNow(opened)
  const page = row.page_id === null ? undefined : await pageForPaying(deps.db, tenant, row.page_id)
  const channels = channelsOf(deps, opened, received)
  const payment = attempt && attemptView(attempt)
  const facts = factsOf(row, shown, now)
  const images = await imagesOf(deps.db, tenant, shown?.lines ?? [])
  const returnUrl = await redirectOf(deps.db, opened, page)
  return {
    accessCode: accessCodeOf(row),
    ...(deps.publicUrl !== undefined && { publicUrl: deps.publicUrl }),
    version: versionOf(opened, known),
    test: !tenant.live,
    merchant: merchantOf(terms),
    reference: row.reference,
    status,
    ...(status === 'Cancelled' && row.cancelled_by && { cancelledBy: row.cancelled_by }),
    isRefunded: isRefunded(row, received),
    ...(page && { page: pageView(page) }),
    ...facts,
    lines: facts.lines.map((line, i) => ({ ...line, ...(images[i] && { image: images[i] }) })),
    ...leftOf(row, status, received),
    ...(status === 'Open' && seen.is_delivered && { asksAddress: true }),
    ...(canReopen(row, now) && { canReopen: true }),
    feeMinor: feesOnTop(received),
    channels,
    ussdBanks: channels.some(({ channel }) => channel === 'USSD') ? USSD_BANKS : [],
    ...(payment && { payment }),
    payments: paymentsOf(received, now),
    ...owedOf(received),
    ...(seen.sent_back_minor > 0n && { sentBackMinor: seen.sent_back_minor }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...(status === 'Open' && seen.kept_until && { keptUntil: seen.kept_until }),
    expiresAt: row.expires_at,
    ...(row.paid_at && { paidAt: row.paid_at }),
    createdAt: row.created_at,
    now,
    timeZone: terms.time_zone,
  }
}

/** What changes while somebody looks. */
interface Known {
  attempt: Attempt | undefined
  received: TransactionRow[]
  shown: OrderShown | undefined
  seen: SeenWith
}

async function knownOf(db: Db, { row, tenant, now }: OpenedCheckout): Promise<Known> {
  const [attempt, received, shown, seen] = await Promise.all([
    latestAttempt(db, tenant, CHECKOUT_PURPOSE, row.id),
    receivedOf(db, row),
    row.order_id === null ? undefined : orderShown(db, tenant, row.order_id),
    selectSeen(db, row, now),
  ])
  const isToSee = attempt && isTold(attempt.transaction)
  return { attempt: isToSee ? attempt : undefined, received, shown, seen }
}

const statusNow = ({ row, now }: OpenedCheckout) => stateAt(row, now)

const isRefunded = ({ status }: CheckoutRow, received: readonly TransactionRow[]): boolean =>
  status === 'Paid' && received.length > 0 && received.every((one) => keptOf(one) === 0n)

/** The picture of what was bought: of the variant, else of the product. */
async function imagesOf(db: Db, tenant: Tenant, lines: OrderShown['lines']) {
  const media = await mediaOf(db, tenant, [...new Set(lines.map((line) => line.product_id))], '')
  return lines.map(({ product_id, variant_id }) => {
    const pictures = (media.get(product_id) ?? []).filter(({ url }) => url !== null)
    const own = pictures.find(({ variantId }) => variant_id !== null && variantId === variant_id)
    const picture = own ?? pictures.find(({ variantId }) => variantId === null) ?? pictures[0]
    return picture?.thumbnailUrl ?? picture?.url ?? undefined
  })
}

/** What is left to pay, after a part of it came in. */
function leftOf(
  { amount_minor }: CheckoutRow,
  status: CheckoutView['status'],
  received: readonly TransactionRow[],
): Pick<CheckoutView, 'leftMinor'> {
  const kept_minor = keptOfAll(received)
  return status === 'Open' && kept_minor > 0n ? { leftMinor: amount_minor - kept_minor } : {}
}

/** Whether the payer has to say where the goods go before they can pay. */
async function lacksAddress(db: Db, { row, tenant, now }: OpenedCheckout): Promise<boolean> {
  if (row.order_id === null) return false
  const [{ order }, { is_delivered }] = await Promise.all([
    orderShown(db, tenant, row.order_id),
    selectSeen(db, row, now),
  ])
  return is_delivered && order.delivery_address === null
}

const pageView = (page: PayingPage): CheckoutPageView => ({
  title: page.title,
  ...(page.description && { description: page.description }),
  ...(page.color && { color: page.color }),
  ...(page.image && { image: page.image }),
  ...(page.success_message && { successMessage: page.success_message }),
  ...(page.deleted_at === null && { customLink: page.custom_link }),
})

function channelsOf(
  { providers }: Pick<Deps, 'providers'>,
  opened: OpenedCheckout,
  received: readonly TransactionRow[],
): ChannelView[] {
  const { row, tenant, terms, now } = opened
  if (statusNow(opened) !== 'Open') return []
  const working = providers.channels(tenant.live)
  const paidFor = paidForOf(row, row.amount_minor - keptOfAll(received), now)
  return row.channels
    .filter((channel) => working.includes(channel))
    .map((channel) => {
      const { payable_minor } = costOf(terms, paidFor, channel)
      const feeMinor = payable_minor - paidFor.amount_minor
      return { channel, feeMinor, payableMinor: payable_minor }
    })
}

function owedOf(received: readonly TransactionRow[]): Pick<CheckoutView, 'owed'> {
  const over = received.filter(({ excess_minor }) => excess_minor > 0n)
  if (over.length === 0) return {}
  const sum = (pick: (row: TransactionRow) => bigint) =>
    over.reduce((total, row) => total + pick(row), 0n)
  const amountMinor = sum(({ excess_minor }) => excess_minor)
  const given = (field: 'refunded_minor' | 'refunding_minor') =>
    over.every((row) => row[field] >= row.excess_minor)
  if (given('refunded_minor')) return { owed: { amountMinor, state: 'Refunded' } }
  return { owed: { amountMinor, state: given('refunding_minor') ? 'Refunding' : 'Kept' } }
}

/**
 * Where to lead the payer back to, with what became of the checkout and our signature; undefined
 * while it is Open, or where nobody gave an address.
 */
async function redirectOf(
  db: Db,
  { row, tenant, realNow }: OpenedCheckout,
  page: Pick<PayingPage, 'redirect_url'> | undefined,
): Promise<string | undefined> {
  const url = row.callback_url ?? page?.redirect_url ?? null
  if (url === null || row.status === 'Open') return undefined
  const { secret } = await redirectTermsOf(db, tenant)
  const status = statusOf(row, await selectShown(db, tenant, row.id))
  return signedUrl(url, secret, { reference: row.reference, status, at: realNow })
}

/** Changes whenever anything that the payer sees changes. */
function versionOf(opened: OpenedCheckout, { attempt, received, shown, seen }: Known): string {
  return pageVersionOf(attempt, [
    statusNow(opened),
    opened.row.updated_at.getTime(),
    shown?.order.status,
    shown?.order.delivery_address,
    ...(shown?.downloads ?? []).map(({ id, downloads }) => `${id}/${downloads}`),
    ...received.map((one) => `${one.id}/${one.refunding_minor}/${one.refunded_minor}`),
    seen.kept_until?.getTime(),
    seen.sent_back_minor,
  ])
}

/** The version alone, for a page that asks whether to look again. */
export async function checkoutVersion(deps: Pick<Deps, 'db' | 'clock'>, accessCode: string) {
  const opened = await checkoutByCode(deps, accessCode)
  return versionOf(opened, await knownOf(deps.db, opened))
}

/** Puts the attempt aside, so that the payer can choose another way; it stays good meanwhile. */
export const putAside = (db: Db, { row, tenant, now }: OpenedCheckout) =>
  dismissOpen(db, tenant, CHECKOUT_PURPOSE, row.id, now)

/** The open attempt, for the simulator's buttons. */
async function openAttempt(db: Db, opened: OpenedCheckout): Promise<Attempt | undefined> {
  return (await knownOf(db, opened)).attempt
}

type PdfDeps = Pick<Deps, 'db' | 'files' | 'providers' | 'printer'>

/** The receipt of a checkout as PDF, in the payer's language; undefined unless it is Paid. */
async function receiptPdf(
  deps: PdfDeps,
  opened: OpenedCheckout,
  locale: string,
): Promise<{ bytes: Buffer; name: string } | undefined> {
  const view = await checkoutView(deps, opened)
  if (view.status !== 'Paid') return undefined
  const paper = paperOf(view, await brandOf(deps, opened.terms, view.page?.color), opened, locale)
  // References may have dots, which a name ends with no more than one of.
  const name = `receipt-${paper.reference.replaceAll('.', '-')}.pdf`
  return { bytes: await deps.printer.print(paper), name }
}

function paperOf(
  view: CheckoutView,
  brand: Brand,
  { row }: OpenedCheckout,
  locale: string,
): ReceiptPaper {
  const { page, merchant, owed, discount, delivery } = view
  return {
    test: view.test,
    isRefunded: view.isRefunded,
    merchant: { ...merchant, brand },
    reference: view.orderReference ?? view.reference,
    ...(page && { title: page.title }),
    customer: view.customer,
    lines: view.lines,
    subtotalMinor: view.subtotalMinor,
    ...(discount && { discount }),
    ...(delivery && { delivery }),
    amountMinor: view.amountMinor,
    feeMinor: view.feeMinor,
    ...(owed && { owed }),
    currency: view.currency,
    payments: view.payments,
    answers: [...view.answers, ...downloadsOf(view, locale)],
    paidAt: view.paidAt ?? row.updated_at,
    createdAt: view.createdAt,
    updatedAt: row.updated_at,
    timeZone: view.timeZone,
    locale,
  }
}

/** The names of the files: their links are on the page and in the mail, and may end. */
const downloadsOf = ({ downloads }: CheckoutView, locale: string) =>
  downloads.length === 0
    ? []
    : [
        {
          label: textsOf(locale).shop.downloads,
          value: downloads.map(({ name }) => name).join(', '),
        },
      ]
