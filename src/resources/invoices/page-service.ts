import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { parseToken } from '../../lib/page-token.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { InvoiceView } from '../../pages/views.ts'
import { bankOf } from '../../providers/banks.ts'
import type { Channel } from '../../providers/provider.ts'
import { merchantOf, type ShownTerms, shownTermsOf } from '../branding/shown.ts'
import { clockOffsetMs } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { attemptView, pageVersionOf, USSD_BANKS } from '../transactions/attempt-view.ts'
import { type Attempt, dismissOpen, latestAttempt, receivedFor } from '../transactions/service.ts'
import { startTransaction } from '../transactions/start.ts'
import { factsOf, paymentsOf } from './facts.ts'
import { keptPart, partView, type Typed } from './part.ts'
import { type InvoiceRow, lockPayable, selectInvoiceById, updateViewed } from './queries.ts'
import { tokenOf } from './record.ts'
import { changedEvent, INVOICE_PURPOSE } from './service.ts'

/** A payer's look at one invoice. */
export interface Opened {
  row: InvoiceRow
  tenant: Tenant
  terms: ShownTerms
  /** The moment that decides: the test clock's for a test invoice. */
  now: Date
}

/** Finds the invoice of a page's address. A Draft is not for its payer yet: 404 as for none. */
export async function openPage({ db, clock }: Deps, token: string): Promise<Opened> {
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
export async function recordView(
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
export async function invoiceView(deps: Deps, opened: Opened, typed?: Typed): Promise<InvoiceView> {
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
export async function pageVersion(deps: Deps, token: string): Promise<string> {
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
export async function payInvoice(
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
export async function putAside(db: Db, { row, tenant, now }: Opened): Promise<string> {
  const open = await latestAttempt(db, tenant, INVOICE_PURPOSE, row.id)
  await dismissOpen(db, tenant, INVOICE_PURPOSE, row.id, now)
  return keptPart(row, open?.transaction.amount_minor)
}

/** The open attempt, for the simulator's buttons. */
export const openAttempt = (db: Db, { row, tenant }: Opened) =>
  latestAttempt(db, tenant, INVOICE_PURPOSE, row.id)
