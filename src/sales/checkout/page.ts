import type { FastifyInstance, FastifyReply } from 'fastify'
import { brandOf } from '../../business/account/branding.ts'
import { redirectSecretOf } from '../../business/account/service.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Download, sendDownload } from '../../http/download.ts'
import { localeOf } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/rate-limit.ts'
import type { Mounted } from '../../http/route.ts'
import type { Tenant } from '../../lib/caller.ts'
import { Problem } from '../../lib/problem.ts'
import {
  accentStyle,
  type PageContext,
  renderCheckoutPage,
  renderMessagePage,
  renderOrderReceipt,
  type Texts,
  textsOf,
} from '../../pages/pages.ts'
import type { ChannelView, CheckoutPageView, CheckoutView } from '../../pages/views.ts'
import { costOf } from '../../payments/attempts/attempt.ts'
import {
  type Form,
  type FormHandler,
  formTargetsOf,
  type HostedDeps,
  type HostedPage,
  type HostedRecord,
  hostedContext,
  hostedView,
  methodChoiceOf,
  mountHosted,
  type PageResponse,
  pageVersionOf,
  ussdBanksFor,
} from '../../payments/attempts/hosted.ts'
import { type Attempt, latestAttempt, type TransactionRow } from '../../payments/attempts/read.ts'
import type { Brand, ReceiptPdfView } from '../../pdf/views.ts'
import { type OrderDetails, orderDetails } from '../orders/service.ts'
import { type PayingPage, pageForPaying } from '../payment-pages/service.ts'
import { mediaOf } from '../products/record/parts.ts'
import { cancelCheckout } from './close.ts'
import type { TenantAt } from './draft.ts'
import { addressInForm, canReopen, payCheckout, reopenCheckout, setAddress } from './pay.ts'
import {
  appliedBy,
  appliedByAll,
  CHECKOUT_PURPOSE,
  feesOnTop,
  paymentRequestOf,
  paymentsReceived,
  signedUrl,
  tenantOf,
} from './payable.ts'
import {
  type CheckoutRow,
  type PayerDetails,
  selectPayerDetails,
  selectRelated,
} from './queries.ts'
import { accessCodeOf, checkoutOfCode, statusOf, summaryOf } from './record.ts'
import { stateAt } from './schemas.ts'

const SHOW: Mounted = {
  method: 'GET',
  url: '/checkout/:accessCode',
  operation: 'show_checkout_page',
  status: 200,
  errors: 'fields',
}

const RECEIPT: Mounted = { ...SHOW, url: '/receipt/:token', operation: 'show_receipt_page' }
const PDF: Mounted = { ...SHOW, url: `${RECEIPT.url}/pdf`, operation: 'show_receipt_pdf' }

/** Mounts a checkout’s hosted page, its forms and its receipt. */
export function mountCheckoutPage(
  server: FastifyInstance,
  deps: HostedDeps,
  limits: PayerLimits,
): Mounted[] {
  const open = (accessCode: string) => checkoutByCode(deps, accessCode)
  const html = async (opened: OpenedCheckout, more: Partial<CheckoutView> = {}) => {
    const view = { ...(await checkoutView(deps, opened)), ...more }
    const channels = view.channels.map(({ channel }) => channel)
    const formTargets = await formTargetsOf(deps, opened.tenant, channels)
    return { view, formTargets, render: (ctx: PageContext) => renderCheckoutPage(view, ctx) }
  }
  const change = (
    act: (tx: Tx, deps: Deps, caller: TenantAt, id: number) => Promise<unknown>,
  ): FormHandler<CheckoutRow> =>
    orUnavailable(async ({ row, tenant, now }) => {
      await deps.db.transaction((tx) => act(tx, deps, { ...tenant, now }, row.id))
      return ''
    })

  const page: HostedPage<CheckoutRow> = {
    url: SHOW.url,
    purpose: CHECKOUT_PURPOSE,
    open,
    show: (opened) => html(opened),
    version: (opened) => checkoutVersion(deps.db, opened),
    pay: orUnavailable(async (opened, form) => {
      const { row, tenant, now } = opened
      // The page then asks for the delivery address instead of showing payment methods.
      if (await lacksAddress(deps.db, opened)) return ''
      return {
        payUrl: await payCheckout(deps, { ...tenant, now }, row.id, methodChoiceOf(form)),
      }
    }),
    forms: {
      cancel: change((tx, deps, caller, id) => cancelCheckout(tx, deps, caller, id, 'payer')),
      again: change(reopenCheckout),
      async address(opened, { address: given }) {
        const address = addressInForm(given)
        if (address === undefined) {
          const typed = typeof given === 'string' ? given.slice(0, 2_000) : ''
          return { status: 400, ...(await html(opened, { address: { typed, isFault: true } })) }
        }
        const { row, tenant, now } = opened
        await deps.db.transaction((tx) => setAddress(tx, { ...tenant, now }, row.id, address))
        return ''
      },
    },
    formPages: {
      async address(opened) {
        const { view } = await html(opened)
        const address = { typed: view.delivery?.address ?? '', isFault: false }
        return view.asksAddress ? html(opened, { address }) : undefined
      },
    },
  }

  mountHosted(server, deps, limits, page, (pages, { page, back }) => {
    type Receipt = { Params: { token: string } }
    /**
     * Until the checkout is Paid, there is no receipt, so the payer sees the checkout page instead.
     */
    const toCheckout = (reply: FastifyReply, token: string) =>
      back(reply, `/checkout/${encodeURIComponent(token)}`)

    pages.get<Receipt>(RECEIPT.url, async (request, reply) => {
      const { token } = request.params
      const view = await checkoutView(deps, await open(token))
      if (view.status !== 'Paid') return toCheckout(reply, token)
      return page(request, reply, (ctx) => renderOrderReceipt(view, ctx))
    })

    pages.get<Receipt>(PDF.url, async (request, reply) => {
      const { token } = request.params
      const pdf = await receiptPdf(deps, await open(token), localeOf(request.headers))
      if (!pdf) return toCheckout(reply, token)
      const file = { type: 'application/pdf', name: pdf.name, disposition: 'inline' } as const
      reply.header('vary', 'accept-language, cookie')
      return sendDownload(request, reply, new Download(pdf.bytes, file))
    })

    pages.get<{ Params: { name: string } }>('/accent/:name', async (request, reply) => {
      const style = accentStyle(request.params.name)
      if (!style) throw new Problem('not_found', 'route_not_found', 'No such stylesheet.')
      reply.header('cache-control', 'public, max-age=31536000, immutable')
      return reply.type('text/css; charset=utf-8').send(style)
    })
  })
  return [SHOW, RECEIPT, PDF]
}

/**
 * Goods and discounts are only reserved for a limited time. If another payer has bought the goods
 * in the meantime, or the discount is no longer valid, shows a page that says so.
 */
const orUnavailable =
  <Answer>(act: (opened: OpenedCheckout, form: Form) => Promise<Answer>) =>
  async (opened: OpenedCheckout, form: Form): Promise<Answer | PageResponse> => {
    try {
      return await act(opened, form)
    } catch (error) {
      const unavailable = error instanceof Problem ? UNAVAILABLE[error.code] : undefined
      if (!unavailable) throw error
      const { status, wording } = unavailable
      const back = `/checkout/${accessCodeOf(opened.row)}`
      const render = (ctx: PageContext) => {
        const [title, text] = wording(textsOf(ctx.locale))(opened.terms.name)
        return renderMessagePage({ status, title, text, icon: 'stopped', back }, ctx)
      }
      return { status, render }
    }
  }

interface Unavailable {
  status: number
  wording(texts: Texts): Texts['shop']['discountOver']
}

const UNAVAILABLE: Readonly<Partial<Record<Problem['code'], Unavailable>>> = {
  out_of_stock: { status: 409, wording: ({ shop }) => shop.closed.soldOut },
  discount_refused: { status: 400, wording: ({ shop }) => shop.discountOver },
}

type OpenedCheckout = HostedRecord<CheckoutRow>

/** Finds the checkout for a page’s URL. Throws 404. */
export async function checkoutByCode(
  deps: Pick<Deps, 'db' | 'clock'>,
  accessCode: string,
): Promise<OpenedCheckout> {
  const row = await checkoutOfCode(deps.db, accessCode)
  return { row, ...(await hostedContext(deps, tenantOf(row))) }
}

type ViewDeps = Pick<Deps, 'db' | 'keyring' | 'providers'> & { publicUrl?: string }

export async function checkoutView(deps: ViewDeps, opened: OpenedCheckout): Promise<CheckoutView> {
  const { row, tenant, now } = opened
  const state = await pageStateOf(deps.db, opened)
  const { attempt, received, shown, seen } = state
  const status = statusNow(opened)
  const page = row.page_id === null ? undefined : await pageForPaying(deps.db, tenant, row.page_id)
  const channels = await channelsOf(deps, opened, received)
  const facts = summaryOf(row, shown, now)
  const images = await imagesOf(deps.db, tenant, shown?.lines ?? [])
  const returnUrl = await redirectOf(deps, opened, page)
  const methods = channels.map(({ channel }) => channel)
  const banks = await ussdBanksFor(deps, tenant, methods)
  return {
    ...hostedView(opened, banks, attempt, received),
    accessCode: accessCodeOf(row),
    ...(deps.publicUrl !== undefined && { publicUrl: deps.publicUrl }),
    version: versionOf(opened, state),
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
    ...owedOf(received),
    ...(seen.sent_back_minor > 0n && { sentBackMinor: seen.sent_back_minor }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...(status === 'Open' && seen.kept_until && { keptUntil: seen.kept_until }),
    expiresAt: row.expires_at,
    ...(row.paid_at && { paidAt: row.paid_at }),
    createdAt: row.created_at,
  }
}

interface PageState {
  attempt: Attempt | undefined
  received: TransactionRow[]
  shown: OrderDetails | undefined
  seen: PayerDetails
}

async function pageStateOf(db: Db, { row, tenant, now }: OpenedCheckout): Promise<PageState> {
  const [attempt, received, shown, seen] = await Promise.all([
    latestAttempt(db, tenant, CHECKOUT_PURPOSE, row.id),
    paymentsReceived(db, row),
    row.order_id === null ? undefined : orderDetails(db, tenant, row.order_id),
    selectPayerDetails(db, row, now),
  ])
  return { attempt, received, shown, seen }
}

const statusNow = ({ row, now }: OpenedCheckout) => stateAt(row, now)

const isRefunded = ({ status }: CheckoutRow, received: readonly TransactionRow[]): boolean =>
  status === 'Paid' && received.length > 0 && received.every((one) => appliedBy(one) === 0n)

/** Returns the image of each line: the variant’s if it has one, otherwise the product’s. */
async function imagesOf(db: Db, tenant: Tenant, lines: OrderDetails['lines']) {
  const media = await mediaOf(db, tenant, [...new Set(lines.map((line) => line.product_id))], '')
  return lines.map(({ product_id, variant_id }) => {
    const pictures = (media.get(product_id) ?? []).filter(({ url }) => url !== null)
    const own = pictures.find(({ variantId }) => variant_id !== null && variantId === variant_id)
    const picture = own ?? pictures.find(({ variantId }) => variantId === null) ?? pictures[0]
    return picture?.thumbnailUrl ?? picture?.url ?? undefined
  })
}

/** Returns the amount that is still due after a partial payment. */
function leftOf(
  { amount_minor }: CheckoutRow,
  status: CheckoutView['status'],
  received: readonly TransactionRow[],
): Pick<CheckoutView, 'leftMinor'> {
  const applied_minor = appliedByAll(received)
  return status === 'Open' && applied_minor > 0n ? { leftMinor: amount_minor - applied_minor } : {}
}

/** Returns whether the payer must give a delivery address before paying. */
async function lacksAddress(db: Db, { row, tenant, now }: OpenedCheckout): Promise<boolean> {
  if (row.order_id === null) return false
  const [{ order }, { is_delivered }] = await Promise.all([
    orderDetails(db, tenant, row.order_id),
    selectPayerDetails(db, row, now),
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

async function channelsOf(
  { providers }: Pick<Deps, 'providers'>,
  opened: OpenedCheckout,
  received: readonly TransactionRow[],
): Promise<ChannelView[]> {
  const { row, tenant, terms, now } = opened
  if (statusNow(opened) !== 'Open') return []
  const working = await providers.channels(tenant)
  const paymentRequest = paymentRequestOf(row, row.amount_minor - appliedByAll(received), now)
  return row.channels
    .filter((channel) => working.includes(channel))
    .map((channel) => {
      const { payable_minor } = costOf(terms, paymentRequest, channel)
      const feeMinor = payable_minor - paymentRequest.amount_minor
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
 * Returns the URL that the payer returns to, with the outcome of the checkout and the server’s
 * signature. Returns undefined while the checkout is Open, or if no URL was given.
 */
async function redirectOf(
  { db, keyring }: Pick<Deps, 'db' | 'keyring'>,
  { row, tenant, realNow }: OpenedCheckout,
  page: Pick<PayingPage, 'redirect_url'> | undefined,
): Promise<string | undefined> {
  const url = row.callback_url ?? page?.redirect_url ?? null
  if (url === null || row.status === 'Open') return undefined
  const secret = await redirectSecretOf(db, keyring, tenant)
  const status = statusOf(row, await selectRelated(db, tenant, row.id))
  return signedUrl(url, secret, { reference: row.reference, status, at: realNow })
}

/** Returns a value that changes with anything that the payer sees. */
function versionOf(opened: OpenedCheckout, { attempt, received, shown, seen }: PageState): string {
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

/** Returns only the version, which a page requests to check whether to reload. */
export const checkoutVersion = async (db: Db, opened: OpenedCheckout): Promise<string> =>
  versionOf(opened, await pageStateOf(db, opened))

type PdfDeps = Pick<Deps, 'db' | 'keyring' | 'files' | 'providers' | 'printer'>

/**
 * Returns the receipt as a PDF in the payer’s language. Returns undefined unless the checkout is
 * Paid.
 */
async function receiptPdf(
  deps: PdfDeps,
  opened: OpenedCheckout,
  locale: string,
): Promise<{ bytes: Buffer; name: string } | undefined> {
  const view = await checkoutView(deps, opened)
  if (view.status !== 'Paid') return undefined
  const paper = paperOf(view, await brandOf(deps, opened.terms, view.page?.color), opened, locale)
  // The file name should have only one dot, the one before its extension, although references can
  // contain more.
  const name = `receipt-${paper.reference.replaceAll('.', '-')}.pdf`
  return { bytes: await deps.printer.print(paper), name }
}

function paperOf(
  view: CheckoutView,
  brand: Brand,
  { row }: OpenedCheckout,
  locale: string,
): ReceiptPdfView {
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

/**
 * Lists only the names of the files. The links are on the page and in the email, and can expire.
 */
const downloadsOf = ({ downloads }: CheckoutView, locale: string) =>
  downloads.length === 0
    ? []
    : [
        {
          label: textsOf(locale).shop.downloads,
          value: downloads.map(({ name }) => name).join(', '),
        },
      ]
