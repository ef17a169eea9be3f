import { type Format, formatOf } from '../pages/format.ts'
import { printLocaleOf, type Texts, textsOf } from '../pages/texts.ts'
import { writeItems } from './items.ts'
import { footers, qrCode, stamp, watermark } from './marks.ts'
import {
  ensure,
  finish,
  heightOf,
  INK,
  newPaper,
  ornament,
  PAGE,
  type Paper,
  part,
  printable,
  rule,
  type Style,
  WIDTH,
  write,
} from './paper.ts'
import type { InvoicePaper, Sum } from './views.ts'

interface Job {
  paper: Paper
  view: InvoicePaper
  t: Texts
  format: Format
}

/** An invoice to print and to keep. What is equal in the view is equal in every byte. */
export async function renderInvoicePdf(view: InvoicePaper): Promise<Buffer> {
  const { invoice, merchant, locale, timeZone } = view
  const t = textsOf(locale)
  const format = formatOf(invoice.currency, printLocaleOf(locale), timeZone)
  const title = t.invoice(invoice.number)
  const paper = newPaper({
    title: `${title} · ${merchant.name}`,
    author: merchant.name,
    subject: `${title}, ${format.amount(invoice.amountMinor)}`,
    language: printLocaleOf(locale),
    createdAt: invoice.createdAt,
    changedAt: invoice.updatedAt,
  })
  const job = { paper, view, t, format }
  writeLetterhead(job)
  writeParties(job)
  if (invoice.lineItems.length > 0) writeItems(paper, invoice.lineItems, job)
  else rule(paper, paper.y, INK.soft)
  writeSums(job)
  writePayments(job)
  writeNote(job)
  writeHowToPay(job)
  if (view.test) watermark(paper, t.paper.test)
  footers(paper, `${merchant.name} · ${title}`, t.paper.page)
  return finish(paper)
}

/** Who asks, what this is, how much, until when. */
function writeLetterhead({ paper, view, t, format }: Job): void {
  const { doc, root } = paper
  const { merchant, invoice } = view
  const side = 44
  drawBrand(paper, merchant, side)
  const x = PAGE.left + side + 12
  const contacts = [merchant.email, merchant.phone, merchant.website].filter(Boolean).join('  ·  ')
  const half = WIDTH / 2
  let y = PAGE.top
  part(root, doc, 'P', () => {
    y = write(paper, merchant.name, x, PAGE.top + (contacts ? 5 : 13), {
      size: 13,
      font: 'strong',
      width: half,
    })
    if (contacts) y = write(paper, contacts, x, y, { size: 8.5, color: INK.soft, width: half })
  })
  part(root, doc, 'H1', () => {
    const style = { width: 170, align: 'right' } as const
    const below = write(paper, t.paper.title, PAGE.right - 170, PAGE.top + 3, {
      ...style,
      size: 19,
      font: 'strong',
    })
    write(paper, invoice.number, PAGE.right - 170, below - 1, { ...style, color: INK.soft })
  })
  paper.y = Math.max(y, PAGE.top + side) + 26
  writeHeadline({ paper, view, t, format })
}

function drawBrand(paper: Paper, { brand, name }: InvoicePaper['merchant'], side: number): void {
  const { doc } = paper
  ornament(paper, () => {
    doc.roundedRect(PAGE.left, PAGE.top, side, side, 10)
    if (brand.logo) {
      doc.clip()
      const align = { align: 'center', valign: 'center' } as const
      doc.image(brand.logo, PAGE.left, PAGE.top, { cover: [side, side], ...align })
      return
    }
    doc.fill(brand.color)
    const initial = name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '•'
    const style = { size: 20, font: 'strong', width: side, align: 'center' } as const
    write(paper, initial, PAGE.left, PAGE.top + 10, { ...style, color: '#ffffff' })
  })
}

/** The amount that matters now, on a ground of its own, with how it stands. */
function writeHeadline({ paper, view, t, format }: Job): void {
  const { doc, root, y } = paper
  const { invoice, merchant } = view
  const { status } = invoice
  const [label, minor] = {
    Draft: [t.amountDue, invoice.dueMinor] as const,
    Sent: [t.amountDue, invoice.dueMinor] as const,
    PartiallyPaid: [t.amountLeft, invoice.dueMinor] as const,
    Paid: [t.amountPaid, invoice.paidMinor] as const,
    Void: [t.amountVoid, invoice.amountMinor] as const,
  }[status]
  const height = 84
  ornament(paper, () => {
    doc.roundedRect(PAGE.left, y, WIDTH, height, 10).fill(INK.wash)
    doc.save().roundedRect(PAGE.left, y, WIDTH, height, 10).clip()
    doc.rect(PAGE.left, y, 5, height).fill(merchant.brand.color)
    doc.restore()
  })
  const x = PAGE.left + 22
  part(root, doc, 'P', () => {
    write(paper, label, x, y + 14, { size: 8.5, color: INK.soft })
    const amount = format.amount(minor)
    write(paper, amount, x, y + 26, { size: amount.length > 16 ? 19 : 25, font: 'strong' })
    const isLate = invoice.isOverdue
    const standing = standingOf({ view, t, format })
    write(paper, standing, x, y + 60, { size: 9, color: isLate ? INK.bad : INK.soft })
  })
  const day = (at: Date | undefined) => (at ? format.day(at) : '')
  if (status === 'Paid') stamp(paper, t.paper.paid, day(invoice.paidAt), INK.good, y + 17)
  if (status === 'Void') stamp(paper, t.paper.void, day(invoice.voidedAt), INK.bad, y + 17)
  if (status === 'Draft') stamp(paper, t.paper.draft, '', INK.waiting, y + 23)
  paper.y = y + height + 24
}

function standingOf({ view, t, format }: Omit<Job, 'paper'>): string {
  const { status, dueDate, isOverdue, dueMinor, paidMinor, amountMinor } = view.invoice
  if (status === 'Void') return t.void.text(view.merchant.name)
  if (status === 'Paid' || dueMinor === 0n)
    return t.paidOf(format.amount(paidMinor), format.amount(amountMinor))
  const due = dueDate ? t.dueOn(format.calendarDay(dueDate)) : t.noDueDate
  return isOverdue ? `${t.state.overdue} · ${due}` : due
}

/** Who it is for, and the dates and names that people look for. */
function writeParties({ paper, view, t, format }: Job): void {
  const { customer, invoice } = view
  const columns: [head: string, lines: (string | undefined)[]][] = [
    [t.billedTo, [customer.name, customer.email, customer.phone]],
    [t.issued, [format.day(invoice.createdAt)]],
    [t.due, [invoice.dueDate ? format.calendarDay(invoice.dueDate) : t.noDueDate]],
    [t.paid.reference, [invoice.reference]],
  ]
  const places = [
    { x: PAGE.left, width: 150 },
    { x: 216, width: 90 },
    { x: 312, width: 90 },
    { x: 408, width: PAGE.right - 408 },
  ]
  const top = paper.y
  let bottom = top
  for (const [i, [head, lines]] of columns.entries()) {
    const { x, width } = places[i]!
    part(paper.root, paper.doc, 'P', () => {
      let y = write(paper, head, x, top, { size: 8, color: INK.soft, width }) + 2
      for (const [n, line] of lines.filter((one) => one !== undefined).entries()) {
        const isName = i === 0 && n === 0
        y = write(paper, line, x, y, { size: 9, width, font: isName ? 'strong' : 'regular' })
      }
      bottom = Math.max(bottom, y)
    })
  }
  paper.y = bottom + 20
}

/** The total, what was paid of it and what is left, at the right. */
function writeSums({ paper, view, t, format }: Job): void {
  const { amountMinor, paidMinor, dueMinor, status } = view.invoice
  const isOpen = status !== 'Paid' && status !== 'Void'
  const sums: Sum[] = [
    { label: t.total, minor: amountMinor, isStrong: paidMinor === 0n || !isOpen },
    ...(paidMinor > 0n ? [{ label: t.paidSoFar, minor: paidMinor }] : []),
    ...(paidMinor > 0n && isOpen ? [{ label: t.leftToPay, minor: dueMinor, isStrong: true }] : []),
  ]
  ensure(paper, sums.length * 20 + 16)
  paper.y += 12
  for (const { label, minor, isStrong } of sums) {
    const { y } = paper
    const style: Style = isStrong ? { size: 11.5, font: 'strong' } : { size: 9.5 }
    part(paper.root, paper.doc, 'P', () => {
      write(paper, label, 300, y, { ...style, width: 110, color: isStrong ? INK.text : INK.soft })
      write(paper, format.amount(minor), 400, y, { ...style, align: 'right' })
    })
    paper.y += isStrong ? 21 : 18
  }
  paper.y += 10
}

/** Each payment in a line. Those that are owed back say so. */
function writePayments({ paper, view, t, format }: Job): void {
  if (view.payments.length === 0) return
  writeHeading(paper, t.paid.several)
  for (const { paidAt, channel, reference, amountMinor, kind } of view.payments) {
    ensure(paper, 20)
    const { y } = paper
    const over = kind === 'Overpayment' ? `  ·  ${t.paper.owedBack}` : ''
    part(paper.root, paper.doc, 'P', () => {
      write(paper, `${format.day(paidAt)}, ${t.channel[channel]}${over}`, PAGE.left, y, {
        size: 9,
        width: 240,
      })
      write(paper, reference, 300, y, { size: 8, color: INK.soft, width: 150 })
      write(paper, format.amount(amountMinor), 450, y, { size: 9, align: 'right' })
    })
    paper.y += 18
  }
  paper.y += 8
}

/** Several blank lines tell no more than one, and take paper. */
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

function writeHeading(paper: Paper, text: string): void {
  ensure(paper, 50)
  const { y } = paper
  part(paper.root, paper.doc, 'H2', () => {
    paper.y = write(paper, text, PAGE.left, y, { size: 10, font: 'strong' }) + 4
  })
}

/** Where it can be paid: an address to press, to type, and to scan. */
function writeHowToPay({ paper, view, t }: Job): void {
  const { payAt } = view
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
      .stroke(INK.line)
  })
  qrCode(paper, root, { text: payAt, alt: t.paper.qr, x: PAGE.left + 14, y: y + 14, size: side })
  const x = PAGE.left + side + 34
  const below = heightOf(paper, payAt, width, { size: 8.5 })
  const start = y + 14 + Math.max(0, (side - 34 - below) / 2)
  part(root, doc, 'H2', () => {
    write(paper, t.paper.pay, x, start, { size: 11, font: 'strong', width })
  })
  part(root, doc, 'P', () => {
    write(paper, t.paper.scan, x, start + 17, { size: 8.5, color: INK.soft, width })
  })
  part(root, doc, 'Link', () => {
    write(paper, payAt, x, start + 31, { size: 8.5, color: INK.good, width, link: payAt })
  })
  paper.y = y + side + 40
}
