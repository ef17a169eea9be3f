import { type Format, formatOf } from '../../pages/format.ts'
import type { EmailContent } from '../email.ts'
import { lineRows, renderCustomerEmail } from './customer-email.tsx'
import type { Row } from './pieces.tsx'
import { texts } from './texts.ts'
import type { OrderEmailView } from './views.ts'

interface Props {
  view: OrderEmailView
  format: Format
}

const t = texts.orderMail

/** Confirms what a customer has bought and paid for, and links to their downloads. */
export function renderOrderEmail(view: OrderEmailView): EmailContent {
  const format = formatOf(view.currency, texts.locale, view.timeZone)
  const props = { view, format }
  const amount = format.amount(view.paidMinor)
  return renderCustomerEmail(view, {
    subject: isFree(view)
      ? t.subjectFree(view.merchant.name)
      : t.subject(amount, view.merchant.name),
    preview: introOf(view),
    what: t.order(view.reference),
    testBanner: texts.testReceipt,
    greeting: texts.greeting(view.customerName),
    intro: introOf(view),
    amount: { label: texts.receiptMail.amount, amount },
    act: { text: t.see, href: view.receiptUrl },
    links: [{ lead: t.pdf, href: view.pdfUrl }],
    sections: [
      downloadsOf(props),
      {
        heading: view.lines.length > 0 ? t.lines : undefined,
        items: lineRows(view.lines, format),
        rows: sumsOf(props),
      },
      { rows: factsOf(props) },
    ],
  })
}

const isFree = ({ paidMinor }: OrderEmailView) => paidMinor === 0n

const introOf = (view: OrderEmailView) =>
  isFree(view) ? t.free(view.merchant.name) : t.paid(view.merchant.name)

function sumsOf({ view, format }: Props): Row[] {
  const { subtotalMinor, discount, delivery, amountMinor, feeMinor } = view
  const isSummed = subtotalMinor !== amountMinor
  return [
    ...(isSummed ? [{ name: t.subtotal, value: format.amount(subtotalMinor) }] : []),
    ...(discount
      ? [{ name: t.discount(discount.code), value: format.amount(-discount.amountMinor) }]
      : []),
    ...(delivery
      ? [{ name: t.delivery(delivery.location), value: format.amount(delivery.feeMinor) }]
      : []),
    { name: texts.total, value: format.amount(amountMinor), strong: true },
    ...(feeMinor > 0n ? [{ name: t.fee, value: format.amount(feeMinor) }] : []),
  ]
}

function factsOf({ view, format }: Props): Row[] {
  const { delivery, channel, paidAt, reference, merchant } = view
  return [
    { name: texts.receiptMail.date, value: format.dayAndTime(paidAt) },
    ...(channel ? [{ name: texts.receiptMail.channel, value: texts.channel[channel] }] : []),
    { name: texts.receiptMail.reference, value: reference },
    { name: texts.receiptMail.to, value: merchant.name },
    ...(delivery?.address ? [{ name: t.to, value: delivery.address }] : []),
  ]
}

function downloadsOf({ view: { downloads }, format }: Props) {
  if (downloads.length === 0) return undefined
  return {
    heading: t.downloads,
    links: downloads.map(({ name, href, expiresAt }) => ({
      lead: t.download(name),
      href,
      until: expiresAt && t.until(format.dayAndTime(expiresAt)),
    })),
    fine: t.keep,
  }
}
