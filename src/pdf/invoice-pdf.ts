import { formatOf } from '../pages/format.ts'
import { printLocaleOf, textsOf } from '../pages/texts.ts'
import {
  COLORS,
  ensure,
  finish,
  heightOf,
  newPdfDocument,
  ornament,
  PAGE,
  part,
  printable,
  rule,
  WIDTH,
  write,
} from './document.ts'
import {
  footers,
  type PdfContext,
  qrCode,
  stamp,
  watermark,
  writeColumns,
  writeHeading,
  writeHeadline,
  writeItems,
  writeLetterhead,
  writePayments,
  writeTotals,
} from './pieces.ts'
import type { InvoicePdfView, TotalLine } from './views.ts'

interface Job extends PdfContext {
  view: InvoicePdfView
}

export async function renderInvoicePdf(view: InvoicePdfView): Promise<Buffer> {
  const { invoice, merchant, locale, timeZone } = view
  const t = textsOf(locale)
  const format = formatOf(invoice.currency, printLocaleOf(locale), timeZone)
  const title = t.invoice(invoice.number)
  const paper = newPdfDocument({
    title: `${title} · ${merchant.name}`,
    author: merchant.name,
    subject: `${title}, ${format.amount(invoice.amountMinor)}`,
    language: printLocaleOf(locale),
    createdAt: invoice.createdAt,
    changedAt: invoice.updatedAt,
  })
  const job = { paper, view, t, format }
  writeLetterhead(paper, merchant, { title: t.paper.title, number: invoice.number })
  writeStanding(job)
  writeParties(job)
  if (invoice.lineItems.length > 0) writeItems(paper, invoice.lineItems, job)
  else rule(paper, paper.y, COLORS.soft)
  writeTotals(job, sumsOf(job))
  writePayments(job, view.payments)
  writeNote(job)
  writeHowToPay(job)
  if (view.test) watermark(paper, t.paper.test)
  footers(paper, `${merchant.name} · ${title}`, t.paper.page)
  return finish(paper)
}

/** Writes the state, and the amount that matters in that state. */
function writeStanding({ paper, view, t, format }: Job): void {
  const { invoice, merchant } = view
  const { status } = invoice
  const [label, minor] = {
    Draft: [t.amountDue, invoice.dueMinor] as const,
    Sent: [t.amountDue, invoice.dueMinor] as const,
    PartiallyPaid: [t.amountLeft, invoice.dueMinor] as const,
    Paid: [t.amountPaid, invoice.paidMinor] as const,
    // A stamp and a line of text say that the invoice is void.
    Void: [t.total, invoice.amountMinor] as const,
  }[status]
  const y = writeHeadline(paper, merchant, {
    label,
    amount: format.amount(minor),
    standing: standingOf({ view, t, format }),
    isBad: invoice.isOverdue,
  })
  const day = (at: Date | undefined) => (at ? format.day(at) : '')
  if (status === 'Paid') stamp(paper, t.paper.paid, day(invoice.paidAt), COLORS.good, y + 17)
  if (status === 'Void') stamp(paper, t.paper.void, day(invoice.voidedAt), COLORS.bad, y + 17)
  if (status === 'Draft') stamp(paper, t.paper.draft, '', COLORS.waiting, y + 23)
}

function standingOf({ view, t, format }: Omit<Job, 'paper'>): string {
  const { status, dueDate, isOverdue, dueMinor, paidMinor, amountMinor } = view.invoice
  if (status === 'Void') return t.void.text(view.merchant.name)
  if (status === 'Paid' || dueMinor === 0n)
    return t.paidOf(format.amount(paidMinor), format.amount(amountMinor))
  const due = dueDate ? t.dueOn(format.calendarDay(dueDate)) : t.noDueDate
  return isOverdue ? `${t.state.overdue} · ${due}` : due
}

function writeParties({ paper, view, t, format }: Job): void {
  const { customer, invoice } = view
  writeColumns(paper, [
    [t.billedTo, [customer.name, customer.email, customer.phone]],
    [t.issued, [format.day(invoice.createdAt)]],
    [t.due, [invoice.dueDate ? format.calendarDay(invoice.dueDate) : t.noDueDate]],
    [t.paid.reference, [invoice.reference]],
  ])
}

function sumsOf({ view, t }: Job): TotalLine[] {
  const { amountMinor, paidMinor, dueMinor, status } = view.invoice
  const isOpen = status !== 'Paid' && status !== 'Void'
  return [
    { label: t.total, minor: amountMinor, isStrong: paidMinor === 0n || !isOpen },
    ...(paidMinor > 0n ? [{ label: t.paidSoFar, minor: paidMinor }] : []),
    ...(paidMinor > 0n && isOpen ? [{ label: t.leftToPay, minor: dueMinor, isStrong: true }] : []),
  ]
}

/** Several blank lines mean no more than one, and take up space. */
const BLANK_LINES = /\n(?:[^\S\n]*\n){2,}/g

function writeNote({ paper, view, t }: Job): void {
  const note = printable(view.invoice.note ?? '')
    .trim()
    .replace(BLANK_LINES, '\n\n')
  if (!note) return
  writeHeading(paper, t.paper.note)
  part(paper.root, paper.doc, 'P', () => {
    paper.y = write(paper, note, PAGE.left, paper.y, { size: 9, width: 400, lineGap: 3 })
  })
  paper.y += 14
}

/** Shows where to pay, as a URL to click or type and as a QR code. */
function writeHowToPay({ paper, view, t }: Job): void {
  const { payAt, merchant } = view
  if (!payAt) return
  const { doc, root } = paper
  const side = 66
  const width = WIDTH - side - 60
  ensure(paper, side + 30)
  const { y } = paper
  ornament(paper, () => {
    doc
      .roundedRect(PAGE.left, y, WIDTH, side + 28, 10)
      .lineWidth(0.75)
      .stroke(COLORS.line)
  })
  qrCode(paper, root, { text: payAt, alt: t.paper.qr, x: PAGE.left + 14, y: y + 14, size: side })
  const x = PAGE.left + side + 34
  const below = heightOf(paper, payAt, width, { size: 8.5 })
  const start = y + 14 + Math.max(0, (side - 34 - below) / 2)
  part(root, doc, 'H2', () => {
    write(paper, t.paper.pay, x, start, { size: 11, font: 'strong', width })
  })
  part(root, doc, 'P', () => {
    write(paper, t.paper.scan, x, start + 17, { size: 8.5, color: COLORS.soft, width })
  })
  part(root, doc, 'Link', () => {
    const color = merchant.brand.color
    write(paper, payAt, x, start + 31, { size: 8.5, color, width, link: payAt })
  })
  paper.y = y + side + 40
}
