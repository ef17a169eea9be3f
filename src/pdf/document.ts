import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'

type Pdf = PDFKit.PDFDocument
export type StructElement = PDFKit.PDFStructureElement

/** A4 in points, and the area for content. */
export const PAGE = { width: 595.28, height: 841.89, left: 50, right: 545.28, top: 50, bottom: 762 }
export const WIDTH = PAGE.right - PAGE.left

/** The colours of the payer pages (src/pages/styles/tokens.css), on white. */
export const COLORS = {
  text: '#1e1b15',
  soft: '#5e584b',
  line: '#e2dbcc',
  wash: '#f8f5ee',
  good: '#0b5f45',
  bad: '#9c2a1b',
  waiting: '#7a4b00',
  test: '#43369b',
}

// Inter has the naira sign and the letters of our languages; PDF's built-in fonts lack both.
const fontFile = (name: string) =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${name}`))
const FONTS = {
  regular: '400Regular/Inter_400Regular.ttf',
  strong: '600SemiBold/Inter_600SemiBold.ttf',
}

/** A page that is filled from top to bottom, with structure elements for screen readers. */
export interface PdfDocument {
  doc: Pdf
  root: StructElement
  y: number
}

interface Describing {
  title: string
  author: string
  subject: string
  language: string
  createdAt: Date
  changedAt: Date
}

/** Creates a document. Equal input gives equal bytes, because nothing depends on the clock. */
export function newPdfDocument({
  createdAt,
  changedAt,
  language,
  ...words
}: Describing): PdfDocument {
  const doc = new PDFDocument({
    size: 'A4',
    margins: {
      top: PAGE.top,
      left: PAGE.left,
      right: PAGE.width - PAGE.right,
      bottom: PAGE.height - PAGE.bottom,
    },
    bufferPages: true,
    pdfVersion: '1.7',
    tagged: true,
    lang: language,
    displayTitle: true,
    font: null as never,
    info: {
      Title: words.title,
      Author: words.author,
      Subject: words.subject,
      Creator: 'Tradepost',
      Producer: 'Tradepost',
      CreationDate: createdAt,
      ModDate: changedAt,
    },
  })
  for (const [name, file] of Object.entries(FONTS)) takeFont(doc, name, fontFile(file))
  const root = doc.struct('Document')
  doc.addStructure(root)
  return { doc, root, y: PAGE.top }
}

interface Font {
  hasGlyphForCodePoint(point: number): boolean
  /** Each glyph used so far, with the characters that it represented when it was first used. */
  _glyphs: object
}

// Reading a font's tables takes 100 ms, and the result can be used for every document. pdfkit
// accepts a font that has been read, but has no public way to get one.
const known = new Map<string, Font>()

function takeFont(doc: Pdf, name: string, file: string): void {
  const font = known.get(name)
  // When a document ends, the font keeps parts of composite glyphs without their characters. If
  // such a part were reused, it would be visible in the next document, but could not be copied or
  // read aloud.
  if (font) font._glyphs = {}
  doc.registerFont(name, (font ?? file) as string)
  doc.font(name)
  known.set(name, (doc as unknown as { _font: { font: Font } })._font.font)
}

export function finish({ doc, root }: PdfDocument): Promise<Buffer> {
  const pieces: Buffer[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  doc.on('data', (piece: Buffer) => pieces.push(piece))
  doc.on('end', () => resolve(Buffer.concat(pieces)))
  doc.on('error', reject)
  root.end()
  doc.end()
  return promise
}

export interface Style {
  size?: number
  color?: string
  font?: keyof typeof FONTS
  width?: number
  align?: 'left' | 'right' | 'center'
  lineGap?: number
  link?: string
}

// Tabular figures line up in columns. Contextual alternates, such as arrows, are off because they
// would take two thirds of the time. fontkit accepts features by name; pdfkit’s types only allow a
// list.
const FIGURES = { tnum: true, calt: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[]

/** Writes text starting at a point; returns the y below it. */
export function write(
  { doc }: PdfDocument,
  text: string,
  x: number,
  y: number,
  { size = 9.5, color = COLORS.text, font = 'regular', lineGap = 2.5, ...style }: Style = {},
): number {
  const { width = PAGE.right - x, ...rest } = style
  doc.font(font).fontSize(size).fillColor(color)
  const fitted = fitTo(doc, text, { size, font, width })
  doc.text(fitted, x, y, { width, lineGap, features: FIGURES, ...rest })
  return doc.y
}

/** Returns the height in points that `write` would need with the same style. */
export function heightOf(
  { doc }: PdfDocument,
  text: string,
  width: number,
  style: Style = {},
): number {
  const { size = 9.5, font = 'regular', lineGap = 2.5 } = style
  doc.font(font).fontSize(size)
  const fitted = fitTo(doc, text, { size, font, width })
  return doc.heightOfString(fitted, { width, lineGap, features: FIGURES })
}

type Fitting = Required<Pick<Style, 'size' | 'font' | 'width'>>

/**
 * Breaks words that are wider than a line. The caller must already have set the document's font and
 * size.
 */
function fitTo(doc: Pdf, text: string, { size, font, width }: Fitting): string {
  const known = widths[font]
  if (known.size > WIDTHS_MAX) known.clear()
  const widthOf = (cluster: string) => {
    let wide = known.get(cluster)
    if (wide === undefined) {
      wide = doc.widthOfString(cluster, { features: FIGURES }) / size
      known.set(cluster, wide)
    }
    return wide
  }
  // pdfkit measures a line including the space or break that ends it.
  const end = Math.max(widthOf('\n'), widthOf(' '))
  return breakLongWords(printable(text), width / size - end, widthOf)
}

/**
 * The number of cached letter widths for each font. It is limited because the strings come from
 * callers.
 */
const WIDTHS_MAX = 5_000
const widths = { regular: new Map<string, number>(), strong: new Map<string, number>() }

/**
 * Removes invisible characters, such as controls and direction marks, and replaces characters that
 * our font lacks with something legible.
 */
export const printable = (text: string): string =>
  shaped(
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(/\t/g, '    ')
      .replace(/[^\n\P{C}]|\p{Variation_Selector}/gu, ''),
  )

/**
 * Replaces letters missing from our font. pdfkit has its own box, but assumes twice its real width.
 */
const BOX = '□'

/** Removes emoji and the space before them; a string of only emoji becomes a box. */
function shaped(text: string): string {
  const seen = text.replace(/ ?([^\0-\u024f])/gu, (found, character: string) => {
    if (hasShape(character)) return found
    return /[\p{So}\p{Sk}\p{M}]/u.test(character) ? '' : found.replace(character, BOX)
  })
  return seen.trim() === '' && text.trim() !== '' ? BOX : seen
}

const shapes = new Map<string, boolean>()

function hasShape(character: string): boolean {
  let has = shapes.get(character)
  if (has === undefined) {
    has = known.get('regular')?.hasGlyphForCodePoint(character.codePointAt(0)!) ?? true
    if (shapes.size > SHAPES_MAX) shapes.clear()
    shapes.set(character, has)
  }
  return has
}

/** Limited because the strings come from callers. */
const SHAPES_MAX = 5_000

/** Adds a structure element for screen readers, of a type that PDF defines: P, H1, TD. */
export function part(
  parent: StructElement,
  doc: Pdf,
  kind: string,
  draw: () => void,
  options = {},
): void {
  parent.add(doc.struct(kind, options, draw))
}

/** Draws something purely decorative. */
export function ornament({ doc }: PdfDocument, draw: () => void): void {
  doc.markContent('Artifact', { type: 'Layout' })
  doc.save()
  draw()
  doc.restore()
  doc.endMarkedContent()
}

export const rule = (paper: PdfDocument, y: number, color = COLORS.line, weight = 0.75): void =>
  ornament(paper, () => {
    paper.doc.moveTo(PAGE.left, y).lineTo(PAGE.right, y).lineWidth(weight).stroke(color)
  })

/** Starts a new page unless there is still room for this height. Returns whether it started one. */
export function ensure(paper: PdfDocument, height: number): boolean {
  if (paper.y + height <= PAGE.bottom) return false
  paper.doc.addPage()
  paper.y = PAGE.top
  return true
}

/** Returns the width of a few characters that cannot be separated, relative to the font size. */
type WidthOf = (cluster: string) => number

/**
 * Adds line breaks to words that are wider than their column, which is `widthMax` times the font
 * size.
 *
 * pdfkit breaks long words too, but measures the rest of the word again for every line. A hundred
 * words of 200 letters took three times as long as the same text in ordinary words. With these
 * breaks, they take no longer.
 */
export function breakLongWords(text: string, widthMax: number, widthOf: WidthOf): string {
  const lettersSafe = widthMax / WIDEST
  if (text.length <= lettersSafe) return text
  return text.replace(WORDS, (word, at: number) => {
    if (word.length <= lettersSafe) return word
    const pieces = piecesOf(word, widthMax, widthOf)
    if (pieces.length === 1) return word
    // Starts a new line, so that pdfkit doesn't measure the text before it again.
    const isFirst = at === 0 || text[at - 1] === '\n'
    return (isFirst ? '' : '\n') + pieces.join('\n')
  })
}

/** No letter in our font is wider, so most words need not be measured. */
const WIDEST = 1.5

/** Lines never break at a no-break space, so only a plain space ends a word. */
const WORDS = /[^ \n]+/g

/** A letter and its marks. Marks beyond the number that any language uses are split off. */
const CLUSTERS = /\P{M}?\p{M}{0,8}/gu

/** URLs are broken after one of these characters if it is near the end of the line. */
const JOINT = /[-/_.,:;?&=+]$/

function piecesOf(word: string, widthMax: number, widthOf: WidthOf): string[] {
  const pieces: string[] = []
  let [piece, width] = ['', 0]
  let joint = { length: 0, width: 0 }
  for (const cluster of word.match(CLUSTERS) ?? []) {
    const more = widthOf(cluster)
    if (piece && width + more > widthMax) {
      const cut = joint.width > widthMax / 2 ? joint : { length: piece.length, width }
      pieces.push(piece.slice(0, cut.length))
      piece = piece.slice(cut.length)
      width -= cut.width
      joint = { length: 0, width: 0 }
    }
    piece += cluster
    width += more
    if (JOINT.test(cluster)) joint = { length: piece.length, width }
  }
  return [...pieces, piece]
}
