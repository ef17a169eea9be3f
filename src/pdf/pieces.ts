import { encode } from 'uqr'
import { type Format, siteOf } from '../pages/format.ts'
import { fitSize } from '../pages/layout.tsx'
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

/** Prints a word at an angle in a corner, like a rubber stamp. */
export function stamp(
  paper: PdfDocument,
  word: string,
  below: string,
  color: string,
  y: number,
): void {
  const { doc } = paper
  const width = 132
  const height = below ? 50 : 38
  const isLong = word.length > 12
  const x = PAGE.right - width - 14
  ornament(paper, () => {
    doc.rotate(-9, { origin: [x + width / 2, y + height / 2] })
    doc.roundedRect(x, y, width, height, 7).lineWidth(2.25).strokeOpacity(0.85).stroke(color)
    doc
      .roundedRect(x + 4, y + 4, width - 8, height - 8, 4)
      .lineWidth(0.75)
      .stroke(color)
    doc.fillOpacity(0.9)
    const style = { color, font: 'strong', width, align: 'center' } as const
    write(paper, word, x, y + (isLong ? 13 : 10), { ...style, size: isLong ? 12 : 17 })
    if (below) write(paper, below, x, y + 32, { ...style, size: 7 })
  })
}

/** Prints a faint word across every page, so that none can be mistaken for a genuine document. */
export function watermark(paper: PdfDocument, word: string): void {
  const { doc } = paper
  onEveryPage(paper, () => {
    doc.rotate(-35, { origin: [PAGE.width / 2, PAGE.height / 2] })
    doc.fillOpacity(0.07)
    const style = { size: 150, color: COLORS.test, font: 'strong', align: 'center' } as const
    write(paper, word, -100, PAGE.height / 2 - 90, { ...style, width: PAGE.width + 200 })
  })
}

export function footers(
  paper: PdfDocument,
  left: string,
  pageOf: (n: number, of: number) => string,
) {
  const { doc } = paper
  onEveryPage(paper, (n, of) => {
    const y = PAGE.height - 44
    doc
      .moveTo(PAGE.left, y - 9)
      .lineTo(PAGE.right, y - 9)
      .lineWidth(0.5)
      .stroke(COLORS.line)
    const style = { size: 7.5, color: COLORS.soft, width: 300 } as const
    write(paper, left, PAGE.left, y, style)
    write(paper, pageOf(n, of), PAGE.right - 300, y, { ...style, align: 'right' })
  })
}

function onEveryPage(paper: PdfDocument, draw: (n: number, of: number) => void): void {
  const { doc } = paper
  const { start, count } = doc.bufferedPageRange()
  for (let i = 0; i < count; i++) {
    doc.switchToPage(start + i)
    // Text below the margin would start a new page.
    const { bottom } = doc.page.margins
    doc.page.margins.bottom = 0
    ornament(paper, () => draw(i + 1, count))
    doc.page.margins.bottom = bottom
  }
}

/** Renders a QR code as squares, including its quiet zone. */
export function qrCode(
  paper: PdfDocument,
  parent: StructElement,
  { text, alt, x, y, size }: { text: string; alt: string; x: number; y: number; size: number },
): void {
  const { doc } = paper
  const { data, size: cells } = encode(text, { ecc: 'M', border: 0 })
  const cell = size / cells
  const draw = () => {
    for (const [row, line] of data.entries()) {
      for (let from = 0; from < cells; from++) {
        if (!line[from]) continue
        let to = from
        while (line[to]) to++
        doc.rect(x + from * cell, y + row * cell, (to - from) * cell, cell)
        from = to
      }
    }
    doc.fillColor(COLORS.text).fill()
  }
  part(parent, doc, 'Figure', draw, { alt, bbox: [x, y, x + size, y + size] })
}
