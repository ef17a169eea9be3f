import { encode } from 'uqr'
import {
  COLORS,
  ornament,
  PAGE,
  type PdfDocument,
  part,
  type StructElement,
  write,
} from './document.ts'

/** Prints a word at an angle in a corner, like a rubber stamp. */
export function stamp(
  paper: PdfDocument,
  word: string,
  below: string,
  color: string,
  y: number,
): void {
  const { doc } = paper
  const [width, height] = [132, below ? 50 : 38]
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
