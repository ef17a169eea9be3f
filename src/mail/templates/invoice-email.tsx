import { type Format, formatOf } from '../../pages/format.ts'
import type { EmailContent } from '../email.ts'
import { lineRows, renderCustomerEmail } from './customer-email.tsx'
import type { Row } from './pieces.tsx'
import { texts } from './texts.ts'
import type { InvoiceEmailView } from './views.ts'

interface Props {
  view: InvoiceEmailView
  format: Format
}

export function renderInvoiceEmail(view: InvoiceEmailView): EmailContent {
  const format = formatOf(view.currency, texts.locale, view.timeZone)
  const props = { view, format }
  const preview = standingOf(props)
  return renderCustomerEmail(view, {
    subject: subjectOf(props),
    preview,
    what: texts.invoice(view.number),
    testBanner: texts.testBanner,
    greeting: texts.greeting(view.customerName),
    intro: introOf(view),
    amount: amountOf(props),
    standing: isPaid(view) ? undefined : { text: preview, isBad: isLate(view) },
    act: { text: actOf(props), href: view.hostedUrl },
    sections: [
      manualOf(view),
      {
        heading: texts.details,
        text: view.note,
        items: lineRows(view.lineItems, format),
        rows: sumsOf(props),
      },
      view.purpose === 'reminder' ? { fine: texts.reminderMail.ignore } : undefined,
    ],
  })
}

const isPaid = ({ dueMinor }: InvoiceEmailView) => dueMinor <= 0n

function subjectOf({ view, format }: Props): string {
  const { number, merchant, dueDate, daysLeft } = view
  const amount = format.amount(isPaid(view) ? view.amountMinor : view.dueMinor)
  const day = dueDate && format.calendarDay(dueDate)
  if (view.purpose === 'invoice') {
    return day && !isPaid(view)
      ? texts.invoiceMail.subjectDue(number, merchant.name, amount, day)
      : texts.invoiceMail.subject(number, merchant.name, amount)
  }
  const t = texts.reminderMail
  if (!day || daysLeft === undefined) return t.subject(amount, merchant.name)
  if (daysLeft > 0) return t.subjectSoon(amount, merchant.name, day)
  if (daysLeft === 0) return t.subjectToday(amount, merchant.name)
  return t.subjectLate(amount, merchant.name, day)
}

function introOf(view: InvoiceEmailView): string {
  const { merchant, daysLeft } = view
  if (view.purpose === 'invoice') {
    const t = texts.invoiceMail
    return isPaid(view) ? t.paidIntro(merchant.name) : t.intro(merchant.name)
  }
  const t = texts.reminderMail
  if (daysLeft === undefined) return t.intro(merchant.name)
  if (daysLeft > 0) return t.soon(merchant.name, daysLeft)
  return daysLeft === 0 ? t.today(merchant.name) : t.late(merchant.name, -daysLeft)
}

const isLate = (view: InvoiceEmailView) => !isPaid(view) && (view.daysLeft ?? 0) < 0

function standingOf({ view, format }: Props): string {
  if (isPaid(view)) return texts.amountPaid
  if (!view.dueDate) return texts.noDueDate
  const day = format.calendarDay(view.dueDate)
  return isLate(view) ? texts.wasDueOn(day) : texts.dueOn(day)
}

function amountOf({ view, format }: Props): { label: string; amount: string } {
  if (isPaid(view)) return { label: texts.amountPaid, amount: format.amount(view.paidMinor) }
  const label = view.paidMinor > 0n ? texts.amountLeft : texts.amountDue
  return { label, amount: format.amount(view.dueMinor) }
}

const actOf = ({ view, format }: Props) =>
  isPaid(view) || !view.payableOnline ? texts.see : texts.pay(format.amount(view.dueMinor))

/** Returns the merchant's own bank account if no channel is connected and an amount is due. */
function manualOf({ manual, payableOnline, number, ...view }: InvoiceEmailView) {
  if (!manual || payableOnline || view.dueMinor <= 0n) return undefined
  const t = texts.manual
  return {
    heading: t.heading,
    rows: [
      { name: t.bank, value: manual.bankName },
      { name: t.number, value: manual.accountNumber },
      { name: t.name, value: manual.accountName },
      { name: t.reference, value: number },
    ],
    more: manual.instructions,
  }
}

function sumsOf({ view, format }: Props): Row[] {
  const total = { name: texts.total, value: format.amount(view.amountMinor), strong: true }
  if (view.paidMinor === 0n) return [total]
  return [
    total,
    { name: texts.paidSoFar, value: format.amount(view.paidMinor) },
    { name: texts.amountLeft, value: format.amount(view.dueMinor), strong: true },
  ]
}
