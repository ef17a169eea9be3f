import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { clockOffsetMs } from '../../business/account/payment-settings.ts'
import {
  brandOf,
  merchantOf,
  type ShownTerms,
  shownTermsOf,
} from '../../business/account/public-profile.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { Download, sendDownload } from '../../http/download.ts'
import { localeOf, mountVersion, servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/rate-limit.ts'
import type { Mounted } from '../../http/route.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { dayIn, isDay } from '../../lib/dates.ts'
import { invoiceNumber } from '../../lib/invoice-number.ts'
import { AMOUNT_MINOR_MAX, isCurrency, type Minor } from '../../lib/money.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { parseToken } from '../../lib/tokens.ts'
import { renderInvoicePage } from '../../pages/pages.ts'
import type { InvoiceView, LineItemView } from '../../pages/views.ts'
import { startTransaction } from '../../payments/attempts/attempt.ts'
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
  latestAttempt,
  receivedFor,
} from '../../payments/attempts/read.ts'
import type { InvoicePaper } from '../../pdf/views.ts'
import { bankOf } from '../../provider-orders/banks.ts'
import type { Channel } from '../../provider-orders/provider.ts'
import {
  type InvoiceRow,
  lockPayable,
  selectInvoice,
  selectInvoiceById,
  updateViewed,
} from './queries.ts'
import { factsOf, paymentsOf, tokenOf } from './record.ts'
import { changedEvent, INVOICE_PURPOSE } from './service.ts'
import { chosenPart, keptPart, partView, readAmount, type Typed, typedAmount } from './settle.ts'

type Form = Record<string, unknown>
interface Params {
  token: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/i/:token',
  operation: 'show_invoice_page',
  status: 200,
  errors: 'fields',
}

const PDF: Mounted = { ...SHOW, url: `${SHOW.url}/pdf`, operation: 'show_invoice_pdf' }

/** The hosted page of an invoice and its forms; every failure is a page in the same look. */
export function mountInvoicePage(
  server: FastifyInstance,
  deps: Deps & { simulateAttempt: SimulateAttempt },
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const { page, back } = servePages(pages, limits.take)

    pages.get<{ Params: Params; Querystring: Form }>(SHOW.url, async (request, reply) => {
      const opened = await openPage(deps, request.params.token)
      if (request.method === 'GET') await recordView(deps, opened)
      const view = await invoiceView(deps, opened, typedAmount(request.query))
      return page(request, reply, (ctx) => renderInvoicePage(view, ctx))
    })

    mountVersion(pages, SHOW.url, ({ token }: Params) => pageVersion(deps, token), limits.networkOf)

    pages.get<{ Params: Params }>(PDF.url, async (request, reply) => {
      const opened = await openPage(deps, request.params.token)
      const { bytes, name } = await openedPdf(deps, opened)
      const file = { type: 'application/pdf', name, disposition: 'inline' } as const
      return sendDownload(request, reply, new Download(bytes, file))
    })

    // What an act answers is added to the address of the page that the payer is led back to, or it
    // is the page itself for a form that no page of ours sends.
    const form = (
      path: string,
      act: (
        request: FastifyRequest<{ Params: Params }>,
        form: Form,
      ) => Promise<string | InvoiceView>,
    ) => {
      const url = `${SHOW.url}/${path}`
      pages.post<{ Params: Params }>(url, async (request, reply: FastifyReply) => {
        limits.takeOfLink(request.params.token)
        const done = await act(request, (request.body ?? {}) as Form)
        if (typeof done === 'string') return back(reply, pathOf(request.params) + done)
        return page(request, reply.code(400), (ctx) => renderInvoicePage(done, ctx))
      })
      // Whoever reloads or shares the address of a form is led to the page.
      pages.get<{ Params: Params }>(url, async ({ params }, reply) => back(reply, pathOf(params)))
    }

    form('pay', async ({ params, headers }, sent) => {
      const opened = await openPage(deps, params.token)
      const typed = typedAmount(sent)
      const chosen = chosenPart(opened.row, typed)
      if (chosen === 'unclear') return invoiceView(deps, opened, typed)
      // The page then says what is wrong, beside the field, and a reload posts nothing.
      if (typeof chosen !== 'bigint') return `?${new URLSearchParams({ amount: typed ?? '' })}#part`
      await payInvoice(deps, opened, {
        amount_minor: chosen,
        channel: chosenChannel(sent.channel),
        bankCode: textOf(sent.bankCode) ?? null,
      })
      const paidFor = { purpose: INVOICE_PURPOSE, purposeId: opened.row.id }
      await keepLanguage(deps.db, opened.tenant, paidFor, localeOf(headers))
      return ''
    })

    form('cancel-payment', async ({ params }) =>
      putAside(deps.db, await openPage(deps, params.token)),
    )

    form('simulate', async ({ params }, { outcome }) => {
      const opened = await openPage(deps, params.token)
      const { tenant, now } = opened
      const attempt = await openAttempt(deps.db, opened)
      const ending = outcome === 'failed' ? 'failed' : 'success'
      await deps.simulateAttempt({ ...tenant, now }, attempt, ending)
      return ''
    })
  })
  return [SHOW, PDF]
}

/** A router has taken the escapes out of it. */
const pathOf = ({ token }: Params): string => `/i/${encodeURIComponent(token)}`

const TYPED_MAX = 40

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, TYPED_MAX) : undefined

/** A payer's look at one invoice. */
interface Opened {
  row: InvoiceRow
  tenant: Tenant
  terms: ShownTerms
  /** The moment that decides: the test clock's for a test invoice. */
  now: Date
}

/** Finds the invoice of a page's address. A Draft is not for its payer yet: 404 as for none. */
async function openPage({ db, clock }: Deps, token: string): Promise<Opened> {
  const parsed = parseToken(token)
  const row = parsed && (await selectInvoiceById(db, parsed, parsed.id))
  if (!parsed || !row || row.status === 'Draft' || !isSame(row.token, parsed.secret)) {
    throw notFound('invoice')
  }
  const tenant = { businessId: parsed.businessId, live: parsed.live }
  const [terms, offsetMs] = await Promise.all([shownTermsOf(db, tenant), clockOffsetMs(db, tenant)])
  return { row, tenant, terms, now: addMs(clock.now(), offsetMs) }
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Records the payer's first look. */
async function recordView(
  { db, ids, publicUrl, providers }: Deps,
  { row, tenant, terms, now }: Opened,
): Promise<void> {
  if (row.viewed_at) return
  await db.transaction(async (tx) => {
    const viewed = await updateViewed(tx, tenant, row.id, now)
    if (!viewed) return
    const shown = { publicUrl, providers, timeZone: terms.time_zone }
    await appendEvents(tx, ids, [await changedEvent(tx, shown, 'invoice.viewed', viewed, now)])
  })
}

/** Everything that the payer may see. */
async function invoiceView(deps: Deps, opened: Opened, typed?: Typed): Promise<InvoiceView> {
  const { row, tenant, terms, now } = opened
  const [attempt, received] = await Promise.all([
    latestAttempt(deps.db, tenant, INVOICE_PURPOSE, row.id),
    receivedFor(deps.db, tenant, INVOICE_PURPOSE, [row.id]),
  ])
  const channels = channelsOf(deps, opened)
  const payment = attempt && attemptView(attempt)
  const tried_minor = payment && attempt.transaction.amount_minor
  const part = channels.length > 0 ? partView(row, typed, tried_minor) : undefined
  return {
    token: tokenOf(row),
    publicUrl: deps.publicUrl,
    version: versionOf(row, attempt),
    test: !tenant.live,
    merchant: merchantOf(terms),
    invoice: { ...factsOf(opened), status: row.status as InvoiceView['invoice']['status'] },
    channels,
    ussdBanks: channels.includes('USSD') ? USSD_BANKS : [],
    ...(part && { part }),
    ...(channels.length === 0 && terms.manualPayment && { manual: terms.manualPayment }),
    ...(payment && { payment }),
    payments: paymentsOf(received.get(row.id), now),
    now,
    timeZone: terms.time_zone,
  }
}

/** The rails we know move naira only. */
function channelsOf({ providers }: Deps, { row, tenant }: Opened): Channel[] {
  const isPayable = row.status === 'Sent' || row.status === 'PartiallyPaid'
  return isPayable && row.currency === 'NGN' ? providers.channels(tenant.live) : []
}

/** Changes whenever anything that the payer sees changes. */
const versionOf = (row: InvoiceRow, attempt: Attempt | undefined): string =>
  pageVersionOf(attempt, [row.status, row.paid_minor, row.updated_at.getTime()])

/** The version alone, for a page that asks whether to look again. */
async function pageVersion(deps: Deps, token: string): Promise<string> {
  const { row, tenant } = await openPage(deps, token)
  return versionOf(row, await latestAttempt(deps.db, tenant, INVOICE_PURPOSE, row.id))
}

/** How much, and how: what a payer chooses. */
interface Way {
  amount_minor: Minor
  channel: Channel
  bankCode: string | null
}

/** Opens a way to pay what is due, or shows again the one that is open. */
async function payInvoice(
  deps: Deps,
  { row, tenant, now }: Opened,
  { amount_minor, channel, bankCode }: Way,
): Promise<void> {
  await startTransaction(
    deps,
    {
      tenant,
      purpose: INVOICE_PURPOSE,
      purposeId: row.id,
      invoiceReference: row.reference,
      amount_minor,
      currency: row.currency,
      channel,
      bankCode: bankCode && bankOf(bankCode)?.ussdTemplate ? bankCode : null,
      customer: {
        email: row.customer_email,
        name: row.customer_name,
        phone: row.customer_phone,
      },
      now,
    },
    async (tx) => {
      const payable = await lockPayable(tx, tenant, row.id, row.paid_minor)
      if (!payable) throw conflict('invoice_not_payable', 'This invoice is not open any more.')
    },
  )
}

/**
 * Puts the attempt aside, so that the payer can choose another way; it stays good meanwhile.
 * Answers what the address of the page keeps of the choice.
 */
async function putAside(db: Db, { row, tenant, now }: Opened): Promise<string> {
  const open = await latestAttempt(db, tenant, INVOICE_PURPOSE, row.id)
  await dismissOpen(db, tenant, INVOICE_PURPOSE, row.id, now)
  return keptPart(row, open?.transaction.amount_minor)
}

/** The open attempt, for the simulator's buttons. */
const openAttempt = (db: Db, { row, tenant }: Opened) =>
  latestAttempt(db, tenant, INVOICE_PURPOSE, row.id)

type PdfDeps = Pick<Deps, 'db' | 'files' | 'publicUrl' | 'printer'>

interface InvoiceFile {
  bytes: Buffer
  /** `INV-000123.pdf` */
  name: string
}

/** An invoice as PDF, by its reference. */
export async function invoicePdf(
  deps: PdfDeps,
  caller: Caller,
  reference: string,
): Promise<InvoiceFile> {
  const row = await selectInvoice(deps.db, caller, reference)
  if (!row) throw notFound('invoice')
  return print(deps, row, caller, await shownTermsOf(deps.db, caller))
}

/** The same for the payer, who has its page open. */
const openedPdf = (deps: PdfDeps, { row, tenant, terms, now }: Opened) =>
  print(deps, row, { ...tenant, now }, terms)

async function print(
  deps: PdfDeps,
  row: InvoiceRow,
  seen: Tenant & { now: Date },
  terms: ShownTerms,
): Promise<InvoiceFile> {
  const bytes = await deps.printer.print(await paperOf(deps, row, seen, terms))
  // No file can have a slash in its name.
  return { bytes, name: `${invoiceNumber(row).replaceAll('/', '-')}.pdf` }
}

async function paperOf(
  deps: PdfDeps,
  row: InvoiceRow,
  { businessId, live, now }: Tenant & { now: Date },
  terms: ShownTerms,
): Promise<InvoicePaper> {
  const received = await receivedFor(deps.db, { businessId, live }, INVOICE_PURPOSE, [row.id])
  const isOpen = row.status === 'Sent' || row.status === 'PartiallyPaid'
  return {
    test: !live,
    merchant: { ...merchantOf(terms), brand: await brandOf(deps, terms) },
    invoice: {
      ...factsOf({ row, terms, now }),
      ...(row.voided_at && { voidedAt: row.voided_at }),
      updatedAt: row.updated_at,
    },
    customer: {
      email: row.customer_email,
      ...(row.customer_name && { name: row.customer_name }),
      ...(row.customer_phone && { phone: row.customer_phone }),
    },
    payments: paymentsOf(received.get(row.id), now),
    ...(isOpen && { payAt: `${deps.publicUrl}/i/${tokenOf(row)}` }),
    timeZone: terms.time_zone,
    locale: 'en-NG',
  }
}

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** What somebody has typed of an invoice so far, whether or not it could be saved like that. */
export const InvoiceDraft = Type.Object({
  number: text(40),
  customerEmail: text(500),
  customerName: text(500),
  note: text(5_000),
  dueDate: text(10),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amount: text(40),
  lineItems: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 500 }),
        quantity: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
        unitAmount: Type.String({ maxLength: 40 }),
      }),
      { maxItems: 100 },
    ),
  ),
  allowPartialPayment: Type.Optional(Type.Boolean()),
})
export type InvoiceDraft = Static<typeof InvoiceDraft>

/** The page as the customer will see it, as HTML. What cannot be read yet is left out. */
export async function previewInvoice(
  { db, providers }: Pick<Deps, 'db' | 'providers'>,
  caller: Caller,
  draft: InvoiceDraft,
  locale: string,
): Promise<string> {
  const { businessId, live, now } = caller
  const currency = draft.currency && isCurrency(draft.currency) ? draft.currency : 'NGN'
  const terms = await shownTermsOf(db, { businessId, live })
  const lineItems = linesOf(draft, currency)
  const amount_minor =
    lineItems.length > 0
      ? atMost(lineItems.reduce((sum, { amountMinor }) => sum + amountMinor, 0n))
      : read(draft.amount, currency)
  const { note, customerName, customerEmail } = draft
  const dueDate = draft.dueDate && isDay(draft.dueDate) ? draft.dueDate : undefined
  const channels = currency === 'NGN' ? providers.channels(live) : []
  const part = partView(
    {
      amount_minor,
      paid_minor: 0n,
      currency,
      allow_partial_payment: draft.allowPartialPayment ?? false,
    },
    undefined,
  )
  return renderInvoicePage(
    {
      token: 'preview',
      version: '',
      test: !live,
      merchant: merchantOf(terms),
      invoice: {
        number: draft.number || 'INV-…',
        reference: '',
        status: 'Sent',
        ...(note && { note }),
        ...((customerName || customerEmail) && { customerName: customerName || customerEmail! }),
        lineItems,
        amountMinor: amount_minor,
        paidMinor: 0n,
        dueMinor: amount_minor,
        currency,
        ...(dueDate && { dueDate }),
        isOverdue: dueDate !== undefined && dueDate < dayIn(terms.time_zone, now),
        createdAt: now,
      },
      channels,
      ussdBanks: channels.includes('USSD') ? USSD_BANKS : [],
      ...(part && { part }),
      payments: [],
      now,
      timeZone: terms.time_zone,
    },
    { nonce: '', locale, preview: 'light' },
  )
}

const linesOf = (draft: InvoiceDraft, currency: string): LineItemView[] =>
  (draft.lineItems ?? []).map(({ name, quantity, unitAmount }) => {
    const unitAmountMinor = read(unitAmount, currency)
    const amountMinor = atMost(unitAmountMinor * BigInt(quantity))
    return { name: name || '…', quantity, unitAmountMinor, amountMinor }
  })

const read = (amount: string | undefined, currency: string): Minor =>
  atMost(readAmount(amount ?? '', currency) ?? 0n)

const atMost = (minor: Minor): Minor => (minor > AMOUNT_MINOR_MAX ? AMOUNT_MINOR_MAX : minor)
