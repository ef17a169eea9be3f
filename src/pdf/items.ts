import type { Format } from '../pages/format.ts'
import type { Texts } from '../pages/texts.ts'
import type { LineItemView } from '../pages/views.ts'
import { ensure, heightOf, INK, PAGE, type Paper, part, rule, type Struct, write } from './paper.ts'

/** Left edge and width of each column; figures stand at the right of theirs. */
const COLUMNS = [
  { x: PAGE.left, width: 210, align: 'left' },
  { x: 264, width: 50, align: 'right' },
  { x: 318, width: 110, align: 'right' },
  { x: 432, width: PAGE.right - 432, align: 'right' },
] as const

const PADDING = 8

/** The lines of an invoice, over as many pages as they take; each page begins with the heads. */
export function writeItems(
  paper: Paper,
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
    writeRow(paper, table, 'TD', cells, { size: 9.5, color: INK.text })
    paper.y += height + 2 * PADDING
    rule(paper, paper.y)
  }
  table.end()
}

function writeHeads(paper: Paper, table: Struct, heads: string[]): void {
  writeRow(paper, table, 'TH', heads, { size: 8, color: INK.soft })
  paper.y += 12 + 2 * PADDING - 4
  rule(paper, paper.y, INK.soft)
}

function writeRow(
  paper: Paper,
  table: Struct,
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
