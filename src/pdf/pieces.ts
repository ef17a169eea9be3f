import type { Format } from '../pages/format.ts'
import { fitSize } from '../pages/frame.tsx'
import { siteOf } from '../pages/safe-url.ts'
import type { Texts } from '../pages/texts.ts'
import type { LineItemView, PaymentMade } from '../pages/views.ts'
import {
  COLORS,
  ensure,
  heightOf,
  ornament,
  PAGE,
  type PdfDocument,
  part,
  rule,
  type StructElement,
  type Style,
  WIDTH,
  write,
} from './document.ts'
import type { PdfMerchant, TotalLine } from './views.ts'

export interface PdfContext {
  paper: PdfDocument
  t: Texts
  format: Format
}

export function writeLetterhead(
  paper: PdfDocument,
  merchant: PdfMerchant,
  { title, number }: { title: string; number: string },
): void {
  const { doc, root } = paper
  const side = 44
  const x = PAGE.left + drawBrand(paper, merchant, side) + 12
  const { email, phone, website, address } = merchant
  const contacts = [email, phone, website && siteOf(website)].filter((one) => one !== undefined)
  // If there is a postal address, each contact detail gets its own line, as in a letter.
  const joined = contacts.length > 0 ? [contacts.join('  ·  ')] : []
  const below = address ? [...address.split('\n'), ...contacts] : joined
  const width = PAGE.right - 170 - 12 - x
  let y = PAGE.top
  part(root, doc, 'P', () => {
    y = write(paper, merchant.name, x, PAGE.top + (below.length > 0 ? 5 : 13), {
      size: 13,
      font: 'strong',
      width,
    })
    for (const line of below) y = write(paper, line, x, y, { size: 8.5, color: COLORS.soft, width })
  })
  part(root, doc, 'H1', () => {
    const style = { width: 170, align: 'right' } as const
    const below = write(paper, title, PAGE.right - 170, PAGE.top + 3, {
      ...style,
      size: 19,
      font: 'strong',
    })
    write(paper, number, PAGE.right - 170, below - 1, { ...style, color: COLORS.soft })
  })
  paper.y = Math.max(y, PAGE.top + side) + 26
}

/** Returns the width of the logo, which can be up to three times as wide as it is high. */
function drawBrand(paper: PdfDocument, { brand, name }: PdfMerchant, side: number): number {
  const { doc } = paper
  const { logo, color } = brand
  if (logo) {
    const { width, height } = fitSize(logo, { width: 3 * side, height: side })
    const y = PAGE.top + (side - height) / 2
    // A Buffer sent from another thread arrives as a plain array of bytes.
    const bytes = Buffer.from(logo.bytes)
    ornament(paper, () => doc.image(bytes, PAGE.left, y, { width, height }))
    return width
  }
  ornament(paper, () => {
    doc.roundedRect(PAGE.left, PAGE.top, side, side, 10).fill(color)
    const initial = name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '•'
    const style = { size: 20, font: 'strong', width: side, align: 'center' } as const
    write(paper, initial, PAGE.left, PAGE.top + 10, { ...style, color: '#ffffff' })
  })
  return side
}

interface Headline {
  label: string
  amount: string
  standing: string
  /** Shows the state in the colour for problems. */
  isBad?: boolean
}

/**
 * Writes the most important amount and the state on a coloured background. Returns the top of the
 * background.
 */
export function writeHeadline(
  paper: PdfDocument,
  { brand }: PdfMerchant,
  { label, amount, standing, isBad = false }: Headline,
): number {
  const { doc, root, y } = paper
  const height = 84
  ornament(paper, () => {
    doc.roundedRect(PAGE.left, y, WIDTH, height, 10).fill(COLORS.wash)
    doc.save().roundedRect(PAGE.left, y, WIDTH, height, 10).clip()
    doc.rect(PAGE.left, y, 5, height).fill(brand.color)
    doc.restore()
  })
  const x = PAGE.left + 22
  part(root, doc, 'P', () => {
    write(paper, label, x, y + 14, { size: 8.5, color: COLORS.soft })
    write(paper, amount, x, y + 26, { size: amount.length > 16 ? 19 : 25, font: 'strong' })
    write(paper, standing, x, y + 60, { size: 9, color: isBad ? COLORS.bad : COLORS.soft })
  })
  paper.y = y + height + 24
  return y
}

/** Writes details side by side, in columns. The first line of the first column is a name. */
export function writeColumns(
  paper: PdfDocument,
  columns: readonly (readonly [head: string, lines: readonly (string | undefined)[]])[],
): void {
  const places = [
    { x: PAGE.left, width: 146 },
    { x: 204, width: 93 },
    { x: 301, width: 93 },
    // A reference has 24 characters, all of which can be wide.
    { x: 398, width: PAGE.right - 398 },
  ]
  const { root, doc, y: top } = paper
  let bottom = top
  for (const [i, [head, lines]] of columns.entries()) {
    const { x, width } = places[i]!
    part(root, doc, 'P', () => {
      let y = write(paper, head, x, top, { size: 8, color: COLORS.soft, width }) + 2
      for (const [n, line] of lines.filter((one) => one !== undefined).entries()) {
        const isName = i === 0 && n === 0
        const size = i === 3 ? 8 : 9
        y = write(paper, line, x, y, { size, width, font: isName ? 'strong' : 'regular' })
      }
      bottom = Math.max(bottom, y)
    })
  }
  paper.y = bottom + 20
}

export function writeTotals({ paper, format }: PdfContext, sums: readonly TotalLine[]): void {
  ensure(paper, sums.length * 20 + 16)
  paper.y += 12
  for (const { label, minor, isStrong } of sums) {
    const { y } = paper
    const style: Style = isStrong ? { size: 11.5, font: 'strong' } : { size: 9.5 }
    let below = y
    part(paper.root, paper.doc, 'P', () => {
      const color = isStrong ? COLORS.text : COLORS.soft
      below = write(paper, label, SUMS.x, y, { ...style, width: SUMS.labelWidth, color })
      write(paper, format.amount(minor), SUMS.amountX, y, { ...style, align: 'right' })
    })
    paper.y = Math.max(y + (isStrong ? 21 : 18), below + 5)
  }
  paper.y += 10
}

/** The largest amount, ₦100,000,000,000.00, fits on one line. */
const SUMS = { x: 270, labelWidth: 138, amountX: 408 }

/** Writes one line per payment, including any amount owed back. */
export function writePayments(writing: PdfContext, payments: readonly PaymentMade[]): void {
  if (payments.length === 0) return
  const { paper, t, format } = writing
  writeHeading(paper, t.paid.several)
  for (const payment of payments) {
    const { paidAt, channel, reference, amountMinor } = payment
    ensure(paper, 32)
    const { y } = paper
    let below = y
    part(paper.root, paper.doc, 'P', () => {
      const what = [`${format.day(paidAt)}, ${t.channel[channel]}`, ...owedBackOf(payment, writing)]
      below = write(paper, what.join('  ·  '), PAGE.left, y, { size: 9, width: 238 })
      write(paper, reference, 296, y, { size: 8, color: COLORS.soft, width: 132 })
      write(paper, format.amount(amountMinor), 430, y, { size: 9, align: 'right' })
    })
    paper.y = Math.max(y + 18, below + 5)
  }
  paper.y += 8
}

function owedBackOf(payment: PaymentMade, { t, format }: PdfContext): string[] {
  const { kind, amountMinor, owedBackMinor = kind === 'Overpayment' ? amountMinor : 0n } = payment
  if (owedBackMinor === 0n) return []
  if (owedBackMinor === amountMinor) return [t.paper.owedBack]
  return [`${format.amount(owedBackMinor)} ${t.paper.owedBack}`]
}

export function writeHeading(paper: PdfDocument, text: string): void {
  ensure(paper, 50)
  const { y } = paper
  part(paper.root, paper.doc, 'H2', () => {
    paper.y = write(paper, text, PAGE.left, y, { size: 10, font: 'strong' }) + 4
  })
}

/** The left edge and width of each column; figures are right-aligned. */
const COLUMNS = [
  { x: PAGE.left, width: 210, align: 'left' },
  { x: 264, width: 50, align: 'right' },
  { x: 318, width: 110, align: 'right' },
  { x: 432, width: PAGE.right - 432, align: 'right' },
] as const

const PADDING = 8

/**
 * Writes an invoice's lines over as many pages as needed, repeating the column headings on each
 * page.
 */
export function writeItems(
  paper: PdfDocument,
  items: readonly LineItemView[],
  { t, format }: { t: Texts; format: Format },
): void {
  const { doc } = paper
  const table = doc.struct('Table')
  paper.root.add(table)
  const heads = [t.items.name, t.items.quantity, t.items.unit, t.items.amount]
  ensure(paper, 60)
  writeHeads(paper, table, heads)
  for (const item of items) {
    const cells = [
      item.name,
      format.count(item.quantity),
      format.amount(item.unitAmountMinor),
      format.amount(item.amountMinor),
    ]
    const heights = cells.map((text, i) => heightOf(paper, text, COLUMNS[i]!.width))
    const height = Math.max(...heights)
    if (ensure(paper, height + 2 * PADDING)) writeHeads(paper, table, heads)
    writeRow(paper, table, 'TD', cells, { size: 9.5, color: COLORS.text })
    paper.y += height + 2 * PADDING
    rule(paper, paper.y)
  }
  table.end()
}

function writeHeads(paper: PdfDocument, table: StructElement, heads: string[]): void {
  writeRow(paper, table, 'TH', heads, { size: 8, color: COLORS.soft })
  paper.y += 12 + 2 * PADDING - 4
  rule(paper, paper.y, COLORS.soft)
}

function writeRow(
  paper: PdfDocument,
  table: StructElement,
  kind: 'TH' | 'TD',
  cells: string[],
  style: { size: number; color: string },
): void {
  const { doc, y } = paper
  const row = doc.struct('TR')
  table.add(row)
  for (const [i, text] of cells.entries()) {
    const { x, ...rest } = COLUMNS[i]!
    const options = kind === 'TH' ? { scope: 'Column' } : {}
    part(row, doc, kind, () => write(paper, text, x, y + PADDING, { ...style, ...rest }), options)
  }
  row.end()
}
