import { notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import type { InvoicePaper } from '../../pdf/views.ts'
import { brandOf } from '../branding/paper.ts'
import { merchantOf, type ShownTerms, shownTermsOf } from '../branding/shown.ts'
import type { Deps } from '../deps.ts'
import { receivedFor } from '../transactions/service.ts'
import { factsOf, paymentsOf } from './facts.ts'
import { invoiceNumber } from './number.ts'
import type { Opened } from './page-service.ts'
import { type InvoiceRow, selectInvoice } from './queries.ts'
import { tokenOf } from './record.ts'
import { INVOICE_PURPOSE } from './service.ts'

type PdfDeps = Pick<Deps, 'db' | 'files' | 'publicUrl' | 'printer'>

export interface InvoiceFile {
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
export const openedPdf = (deps: PdfDeps, { row, tenant, terms, now }: Opened) =>
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
