import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  brandOf,
  merchantOf,
  type PublicProfile,
  publicProfileOf,
} from '../../business/account/branding.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { Download, sendDownload } from '../../http/download.ts'
import type { PayerLimits } from '../../http/rate-limit.ts'
import type { Mounted } from '../../http/route.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { dayIn, isDay } from '../../lib/dates.ts'
import { invoiceNumber } from '../../lib/invoice-number.ts'
import { AMOUNT_MINOR_MAX, isCurrency, type Minor } from '../../lib/money.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { isSameSecret, parseToken } from '../../lib/tokens.ts'
import { type PageContext, renderInvoicePage } from '../../pages/pages.ts'
import type { InvoiceView, LineItemView } from '../../pages/views.ts'
import {
  chooseMethod,
  type MethodChoice,
  requestFromProvider,
} from '../../payments/attempts/attempt.ts'
import {
  formTargetsOf,
  type HostedDeps,
  type HostedPage,
  type HostedRecord,
  hostedContext,
  hostedView,
  methodChoiceOf,
  mountHosted,
  pageVersionOf,
  paymentsOf,
  ussdBanksFor,
} from '../../payments/attempts/hosted.ts'
import { type Attempt, latestAttempt, paymentsReceivedFor } from '../../payments/attempts/read.ts'
import type { InvoicePdfView } from '../../pdf/views.ts'
import type { Channel } from '../../providers/connector/types.ts'
import {
  type InvoiceRow,
  lockPayable,
  selectInvoice,
  selectInvoiceById,
  updateViewed,
} from './queries.ts'
import { pageUrlOf, summaryOf, tokenOf } from './record.ts'
import { changedEvent, INVOICE_PURPOSE } from './service.ts'
import {
  type AmountInput,
  amountInputOf,
  chosenAmount,
  partQuery,
  partView,
  paymentRequestOf,
  readAmount,
} from './settle.ts'

const SHOW: Mounted = {
  method: 'GET',
  url: '/i/:token',
  operation: 'show_invoice_page',
  status: 200,
  errors: 'fields',
}

const PDF: Mounted = { ...SHOW, url: `${SHOW.url}/pdf`, operation: 'show_invoice_pdf' }

/** Mounts an invoice’s hosted page, its forms and its PDF. */
export function mountInvoicePage(
  server: FastifyInstance,
  deps: HostedDeps,
  limits: PayerLimits,
): Mounted[] {
  const html = async (opened: HostedRecord<InvoiceRow>, typed: AmountInput) => {
    const view = await invoiceView(deps, opened, typed)
    const formTargets = await formTargetsOf(deps, opened.tenant, view.channels)
    return { formTargets, render: (ctx: PageContext) => renderInvoicePage(view, ctx) }
  }
  const page: HostedPage<InvoiceRow> = {
    url: SHOW.url,
    purpose: INVOICE_PURPOSE,
    open: (token) => openPage(deps, token),
    viewed: (opened) => recordView(deps, opened),
    show: (opened, query) => html(opened, amountInputOf(query)),
    version: ({ row, tenant }) => pageVersion(deps.db, tenant, row),
    async pay(opened, form) {
      const typed = amountInputOf(form)
      const chosen = chosenAmount(opened.row, typed)
      // The server’s own pages never submit such a form.
      if (chosen === 'unclear') return { status: 400, ...(await html(opened, typed)) }
      // After a redirect, the page shows the problem beside the field, and reloading the page
      // submits nothing.
      if (typeof chosen !== 'bigint') return `?${new URLSearchParams({ amount: typed ?? '' })}#part`
      return { payUrl: await payInvoice(deps, opened, chosen, methodChoiceOf(form)) }
    },
    choiceIn: (row, attempt) => partQuery(row, attempt?.transaction.amount_minor),
  }
  mountHosted(server, deps, limits, page, (pages) => {
    pages.get<{ Params: { token: string } }>(PDF.url, async (request, reply) => {
      const { row, tenant, terms, now } = await openPage(deps, request.params.token)
      const { bytes, name } = await print(deps, row, { ...tenant, now }, terms)
      const file = { type: 'application/pdf', name, disposition: 'inline' } as const
      return sendDownload(request, reply, new Download(bytes, file))
    })
  })
  return [SHOW, PDF]
}

/**
 * Finds the invoice for a page’s URL. Throws 404, including for a Draft, which isn’t public yet.
 */
async function openPage(deps: Deps, token: string): Promise<HostedRecord<InvoiceRow>> {
  const parsed = parseToken(token)
  const row = parsed && (await selectInvoiceById(deps.db, parsed, parsed.id))
  if (!parsed || !row || row.status === 'Draft' || !isSameSecret(row.token, parsed.secret)) {
    throw notFound('invoice')
  }
  const tenant = { businessId: parsed.businessId, live: parsed.live }
  return { row, ...(await hostedContext(deps, tenant)) }
}

async function recordView(
  { db, ids, publicUrl, providers }: Deps,
  { row, tenant, terms, now }: HostedRecord<InvoiceRow>,
): Promise<void> {
  if (row.viewed_at) return
  await db.transaction(async (tx) => {
    const viewed = await updateViewed(tx, tenant, row.id, now)
    if (!viewed) return
    const shown = { publicUrl, providers, timeZone: terms.time_zone }
    await appendEvents(tx, ids, [await changedEvent(tx, shown, 'invoice.viewed', viewed, now)])
  })
}

async function invoiceView(
  deps: Deps,
  opened: HostedRecord<InvoiceRow>,
  typed: AmountInput,
): Promise<InvoiceView> {
  const { row, tenant, terms } = opened
  const [attempt, received] = await Promise.all([
    latestAttempt(deps.db, tenant, INVOICE_PURPOSE, row.id),
    paymentsReceivedFor(deps.db, tenant, INVOICE_PURPOSE, [row.id]),
  ])
  const channels = await channelsOf(deps, opened)
  const banks = await ussdBanksFor(deps, tenant, channels)
  const view = hostedView(opened, banks, attempt, received.get(row.id))
  const tried_minor = view.payment && attempt?.transaction.amount_minor
  const part = channels.length > 0 ? partView(row, typed, tried_minor) : undefined
  return {
    ...view,
    token: tokenOf(row),
    publicUrl: deps.publicUrl,
    version: versionOf(row, attempt),
    invoice: { ...summaryOf(opened), status: row.status as InvoiceView['invoice']['status'] },
    channels,
    ...(part && { part }),
    ...(channels.length === 0 && terms.manualPayment && { manual: terms.manualPayment }),
  }
}

/** All known channels only support naira. */
async function channelsOf(
  { providers }: Deps,
  { row, tenant }: HostedRecord<InvoiceRow>,
): Promise<readonly Channel[]> {
  const isPayable = row.status === 'Sent' || row.status === 'PartiallyPaid'
  return isPayable && row.currency === 'NGN' ? providers.channels(tenant) : []
}

/** Returns a value that changes with anything that the payer sees. */
const versionOf = (row: InvoiceRow, attempt: Attempt | undefined): string =>
  pageVersionOf(attempt, [row.status, row.paid_minor, row.updated_at.getTime()])

/** Returns only the version, which a page requests to check whether to reload. */
const pageVersion = async (db: Db, tenant: Tenant, row: InvoiceRow): Promise<string> =>
  versionOf(row, await latestAttempt(db, tenant, INVOICE_PURPOSE, row.id))

/**
 * Starts a payment attempt for all or part of an invoice, unless there is an open one. Returns the
 * URL of the provider's page, if the payer continues there.
 */
async function payInvoice(
  deps: HostedDeps,
  { row, tenant, terms, now }: HostedRecord<InvoiceRow>,
  amount_minor: Minor,
  choice: MethodChoice,
): Promise<string | undefined> {
  const attempt = await deps.db.transaction(async (tx) => {
    if (!(await lockPayable(tx, tenant, row.id, row.paid_minor))) {
      throw conflict('invoice_not_payable', 'This invoice can no longer be paid.')
    }
    const { fee_bearer } = terms
    const request = { ...paymentRequestOf(row, tenant, now), amount_minor, fee_bearer }
    return chooseMethod(tx, deps, terms, request, choice)
  })
  return requestFromProvider(deps, tenant, attempt, now)
}

type PdfDeps = Pick<Deps, 'db' | 'files' | 'publicUrl' | 'printer'>

interface InvoiceFile {
  bytes: Buffer
  /** `INV-000123.pdf` */
  name: string
}

/** Returns an invoice as a PDF. Throws 404. */
export async function invoicePdf(
  deps: PdfDeps,
  caller: Caller,
  reference: string,
): Promise<InvoiceFile> {
  const row = await selectInvoice(deps.db, caller, reference)
  if (!row) throw notFound('invoice')
  return print(deps, row, caller, await publicProfileOf(deps.db, caller))
}

async function print(
  deps: PdfDeps,
  row: InvoiceRow,
  seen: Tenant & { now: Date },
  terms: PublicProfile,
): Promise<InvoiceFile> {
  const bytes = await deps.printer.print(await paperOf(deps, row, seen, terms))
  // A file name can’t contain a slash.
  return { bytes, name: `${invoiceNumber(row).replaceAll('/', '-')}.pdf` }
}

async function paperOf(
  deps: PdfDeps,
  row: InvoiceRow,
  { businessId, live, now }: Tenant & { now: Date },
  terms: PublicProfile,
): Promise<InvoicePdfView> {
  const received = await paymentsReceivedFor(deps.db, { businessId, live }, INVOICE_PURPOSE, [
    row.id,
  ])
  const isOpen = row.status === 'Sent' || row.status === 'PartiallyPaid'
  return {
    test: !live,
    merchant: { ...merchantOf(terms), brand: await brandOf(deps, terms) },
    invoice: {
      ...summaryOf({ row, terms, now }),
      ...(row.voided_at && { voidedAt: row.voided_at }),
      updatedAt: row.updated_at,
    },
    customer: {
      email: row.customer_email,
      ...(row.customer_name && { name: row.customer_name }),
      ...(row.customer_phone && { phone: row.customer_phone }),
    },
    payments: paymentsOf(received.get(row.id) ?? [], now),
    ...(isOpen && { payAt: pageUrlOf(deps, row) }),
    timeZone: terms.time_zone,
    locale: 'en-NG',
  }
}

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** An unsaved invoice, which may be incomplete or invalid. */
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

/** Renders the page as the customer will see it, as HTML. Omits fields that cannot be read yet. */
export async function previewInvoice(
  { db, providers }: Pick<Deps, 'db' | 'providers'>,
  caller: Caller,
  draft: InvoiceDraft,
  locale: string,
): Promise<string> {
  const { businessId, live, now } = caller
  const currency = draft.currency && isCurrency(draft.currency) ? draft.currency : 'NGN'
  const terms = await publicProfileOf(db, { businessId, live })
  const lineItems = linesOf(draft, currency)
  const amount_minor =
    lineItems.length > 0
      ? atMost(lineItems.reduce((sum, { amountMinor }) => sum + amountMinor, 0n))
      : read(draft.amount, currency)
  const { note, customerName, customerEmail } = draft
  const dueDate = draft.dueDate && isDay(draft.dueDate) ? draft.dueDate : undefined
  const channels = currency === 'NGN' ? await providers.channels({ businessId, live }) : []
  const banks = await ussdBanksFor({ providers }, { businessId, live }, channels)
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
      ...hostedView({ tenant: { businessId, live }, terms, now }, banks),
      token: 'preview',
      version: '',
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
      ...(part && { part }),
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
