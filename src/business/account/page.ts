import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { renderCheckoutPage, renderInvoicePage, type Scheme } from '../../pages/pages.ts'
import type { CheckoutView, InvoiceView, LineItemView, MerchantView } from '../../pages/views.ts'
import {
  type BrandingChange,
  brandOf,
  merchantOf,
  type PublicProfile,
  publicProfileOf,
  validBrandingOf,
} from './branding.ts'
import { selectOwnDetails } from './queries.ts'

/*
 * Previews of what payers see: a sample order, rendered with the code for the real pages and PDFs.
 */

export const PREVIEWS = ['checkout', 'invoice'] as const

export interface Preview {
  page: (typeof PREVIEWS)[number]
  scheme: Scheme
  /** The values in the form. Where one is absent or invalid, the preview shows the stored value. */
  change: Omit<BrandingChange, 'logo'>
  /** Replaces the stored logo; null shows no logo, and undefined shows the stored one. */
  logo?: { width: number; height: number } | null | undefined
}

/** Stands for the chosen image, which only the browser has until the form is saved. */
export const UNSAVED_LOGO = 'data:,logo'

export async function previewPage(
  db: Db,
  tenant: Tenant & { now: Date },
  { page, scheme, change, logo }: Preview,
): Promise<string> {
  const terms = await changedTerms(db, tenant, change)
  const { logo: stored, ...merchant } = merchantOf(terms)
  const shown = logo === undefined ? stored : logo && { path: UNSAVED_LOGO, ...logo }
  const from = { ...merchant, ...(shown && { logo: shown }) }
  const ctx = { nonce: '', locale: 'en-NG', preview: scheme }
  const about = { from, now: tenant.now, timeZone: terms.time_zone }
  return page === 'invoice'
    ? renderInvoicePage({ ...sampleInvoice(about), test: !tenant.live }, ctx)
    : renderCheckoutPage({ ...sampleCheckout(about), test: !tenant.live }, ctx)
}

/** Renders an invoice as a PDF, with the stored branding. */
export async function previewPdf(
  deps: Pick<Deps, 'db' | 'files' | 'printer'>,
  tenant: Tenant & { now: Date },
): Promise<Buffer> {
  const terms = await publicProfileOf(deps.db, tenant)
  const { now } = tenant
  const { invoice, timeZone } = sampleInvoice({
    from: merchantOf(terms),
    now,
    timeZone: terms.time_zone,
  })
  return deps.printer.print({
    test: true,
    merchant: { ...merchantOf(terms), brand: await brandOf(deps, terms) },
    invoice: { ...invoice, updatedAt: now },
    customer: { name: CUSTOMER.name, email: CUSTOMER.email },
    payments: [],
    timeZone,
    locale: 'en-NG',
  })
}

async function changedTerms(
  db: Db,
  tenant: Tenant,
  change: Preview['change'],
): Promise<PublicProfile> {
  const [terms, own] = await Promise.all([
    publicProfileOf(db, tenant),
    selectOwnDetails(db, tenant.businessId),
  ])
  const { shown_name, support_email, support_phone, ...rest } = validBrandingOf(change)
  return {
    ...terms,
    ...rest,
    ...(shown_name !== undefined && { name: shown_name ?? own.name }),
    ...(support_email !== undefined && { email: support_email ?? own.email }),
    ...(support_phone !== undefined && { phone: support_phone ?? own.phone }),
  }
}

interface About {
  from: MerchantView
  now: Date
  timeZone: string
}

const CUSTOMER = { name: 'Ngozi Okafor', email: 'ngozi@example.com' }

const LINES: readonly LineItemView[] = [
  { name: 'Ankara shirt', quantity: 2, unitAmountMinor: 7_500_00n, amountMinor: 15_000_00n },
  { name: 'Leather sandals', quantity: 1, unitAmountMinor: 12_500_00n, amountMinor: 12_500_00n },
]
const TOTAL_MINOR = LINES.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
const DAY_MS = 24 * 3_600_000

const sampleInvoice = ({ from, now, timeZone }: About): InvoiceView => ({
  token: 'preview',
  version: '',
  test: true,
  merchant: from,
  invoice: {
    number: 'INV-000042',
    reference: 'INV_3H8P5WNC',
    status: 'Sent',
    customerName: CUSTOMER.name,
    lineItems: LINES,
    amountMinor: TOTAL_MINOR,
    paidMinor: 0n,
    dueMinor: TOTAL_MINOR,
    currency: 'NGN',
    dueDate: addMs(now, 14 * DAY_MS)
      .toISOString()
      .slice(0, 10),
    isOverdue: false,
    createdAt: now,
  },
  channels: ['BANK_TRANSFER', 'USSD', 'CARD'],
  ussdBanks: [],
  payments: [],
  now,
  timeZone,
})

const sampleCheckout = ({ from, now, timeZone }: About): CheckoutView => ({
  accessCode: 'preview',
  version: '',
  test: true,
  merchant: from,
  reference: 'CHK_4F7K2M9Q',
  orderReference: 'ORD_7KD2M4XA',
  status: 'Open',
  isRefunded: false,
  customer: CUSTOMER,
  lines: LINES,
  subtotalMinor: TOTAL_MINOR,
  amountMinor: TOTAL_MINOR,
  feeMinor: 0n,
  currency: 'NGN',
  channels: (['BANK_TRANSFER', 'USSD', 'CARD'] as const).map((channel) => ({
    channel,
    feeMinor: 0n,
    payableMinor: TOTAL_MINOR,
  })),
  ussdBanks: [],
  payments: [],
  answers: [],
  downloads: [],
  expiresAt: addMs(now, DAY_MS),
  createdAt: now,
  now,
  timeZone,
})
