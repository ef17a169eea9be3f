import { formatOf } from '../pages/format.ts'
import { printLocaleOf, textsOf } from '../pages/texts.ts'
import {
  COLORS,
  ensure,
  finish,
  heightOf,
  newPdfDocument,
  PAGE,
  part,
  rule,
  write,
} from './document.ts'
import {
  footers,
  type PdfContext,
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
import type { ReceiptPdfView, TotalLine } from './views.ts'

interface Job extends PdfContext {
  view: ReceiptPdfView
}

export async function renderReceiptPdf(view: ReceiptPdfView): Promise<Buffer> {
  const { merchant, lines, reference, locale, timeZone, currency } = view
  const t = textsOf(locale)
  const format = formatOf(currency, printLocaleOf(locale), timeZone)
  const title = `${t.paper.receipt} ${reference}`
  const paper = newPdfDocument({
    title: `${title} · ${merchant.name}`,
    author: merchant.name,
    subject: `${title}, ${format.amount(paidOf(view))}`,
    language: printLocaleOf(locale),
    createdAt: view.createdAt,
    changedAt: view.updatedAt,
  })
  const job = { paper, view, t, format }
  writeLetterhead(paper, merchant, { title: t.paper.receipt, number: reference })
  writeStanding(job)
  writeParties(job)
  if (lines.length > 0) writeItems(paper, lines, job)
  else rule(paper, paper.y, COLORS.soft)
  writeTotals(job, sumsOf(job))
  writePayments(job, view.payments)
  writeOwed(job)
  writeAnswers(job)
  if (view.test) watermark(paper, t.paper.test)
  footers(paper, `${merchant.name} · ${title}`, t.paper.page)
  return finish(paper)
}

/** Adds up what was paid, including fees added on top but excluding amounts owed back. */
function paidOf({ payments, amountMinor }: ReceiptPdfView): bigint {
  const counted = payments.filter(({ kind }) => kind === 'Payment')
  if (counted.length === 0) return amountMinor
  return counted.reduce((sum, payment) => sum + payment.amountMinor, 0n)
}

function writeStanding({ paper, view, t, format }: Job): void {
  const { merchant, isRefunded, paidAt } = view
  const y = writeHeadline(paper, merchant, {
    label: t.paid.amount,
    amount: format.amount(paidOf(view)),
    standing: isRefunded ? t.shop.refunded(merchant.name) : format.dayAndTime(paidAt),
    isBad: isRefunded,
  })
  const [word, ink] = isRefunded
    ? [t.shop.state.refunded.toLocaleUpperCase(t.locale), COLORS.waiting]
    : [t.paper.paid, COLORS.good]
  stamp(paper, word, format.day(paidAt), ink, y + 17)
}

function writeParties({ paper, view, t, format }: Job): void {
  const { customer, payments, paidAt, reference } = view
  const channels = payments.filter(({ kind }) => kind === 'Payment').map((one) => one.channel)
  const ways = [...new Set(channels)].map((channel) => t.channel[channel])
  writeColumns(paper, [
    [t.paper.customer, [customer.name, customer.email, customer.phone]],
    [t.paid.date, [format.dayAndTime(paidAt)]],
    [t.paid.channel, [ways.join(', ') || undefined]],
    [t.paid.reference, [reference]],
  ])
}

function sumsOf({ view, t }: Job): TotalLine[] {
  const { discount, delivery, subtotalMinor, amountMinor, feeMinor } = view
  const place = delivery?.location
  const isPlain = !discount && !delivery
  return [
    ...(isPlain ? [] : [{ label: t.shop.subtotal, minor: subtotalMinor }]),
    ...(discount ? [{ label: t.shop.discount(discount.code), minor: -discount.amountMinor }] : []),
    ...(delivery
      ? [
          {
            label: place ? t.shop.deliveryTo(place) : t.shop.delivery,
            minor: delivery.feeMinor,
          },
        ]
      : []),
    { label: t.total, minor: amountMinor, isStrong: true },
    ...(feeMinor > 0n ? [{ label: t.shop.fee, minor: feeMinor }] : []),
  ]
}

function writeOwed({ paper, view, t, format }: Job): void {
  const { owed, merchant } = view
  if (!owed) return
  const words = t.shop.owed[owed.state](format.amount(owed.amountMinor), merchant.name)
  ensure(paper, 40)
  part(paper.root, paper.doc, 'P', () => {
    paper.y = write(paper, words, PAGE.left, paper.y, {
      size: 9,
      color: COLORS.waiting,
      width: 400,
    })
  })
  paper.y += 14
}

function writeAnswers({ paper, view, t, format }: Job): void {
  const { title, delivery, answers } = view
  const said = [
    ...(title ? [{ label: t.shop.page.by, value: title }] : []),
    ...(delivery?.address ? [{ label: t.shop.page.address, value: delivery.address }] : []),
    ...answers.map(({ label, value }) => ({ label, value: format.answer(value) })),
  ]
  if (said.length === 0) return
  writeHeading(paper, t.details)
  for (const { label, value } of said) {
    ensure(paper, Math.max(heightOf(paper, label, 160, SAID), heightOf(paper, value, 320, SAID)))
    part(paper.root, paper.doc, 'P', () => {
      const { y } = paper
      const beside = write(paper, label, PAGE.left, y, { ...SAID, color: COLORS.soft, width: 160 })
      const below = write(paper, value, PAGE.left + 172, y, { ...SAID, width: 320 })
      paper.y = Math.max(beside, below) + 4
    })
  }
}

const SAID = { size: 9 }
