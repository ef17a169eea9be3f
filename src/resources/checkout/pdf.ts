import { textsOf } from '../../pages/pages.ts'
import type { CheckoutView } from '../../pages/views-checkout.ts'
import type { Brand, ReceiptPaper } from '../../pdf/views.ts'
import { brandOf } from '../branding/paper.ts'
import type { Deps } from '../deps.ts'
import { checkoutView, type OpenedCheckout } from './page-service.ts'

type PdfDeps = Pick<Deps, 'db' | 'files' | 'providers' | 'printer'>

/** The receipt of a checkout as PDF, in the payer's language; undefined unless it is Paid. */
export async function receiptPdf(
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
