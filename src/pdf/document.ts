import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'

type Pdf = PDFKit.PDFDocument
export type Struct = PDFKit.PDFStructureElement

/** A4 in points, and the part of it that is written on. */
export const PAGE = { width: 595.28, height: 841.89, left: 50, right: 545.28, top: 50, bottom: 762 }
export const WIDTH = PAGE.right - PAGE.left

/** The inks of the payer's pages (src/pages/styles/tokens.css), on white. */
export const INK = {
  text: '#1e1b15',
  soft: '#5e584b',
  line: '#e2dbcc',
  wash: '#f8f5ee',
  good: '#0b5f45',
  bad: '#9c2a1b',
  waiting: '#7a4b00',
  test: '#43369b',
}

// Inter has the naira sign and the letters of our languages; the fonts built into PDF have neither.
const fontFile = (name: string) =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${name}`))
const FONTS = {
  regular: '400Regular/Inter_400Regular.ttf',
  strong: '600SemiBold/Inter_600SemiBold.ttf',
}

/** A sheet of paper that is written from the top down, in structure elements for screen readers. */
export interface Paper {
  doc: Pdf
  root: Struct
  /** Where the next thing goes. */
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

/** The same words make the same bytes: nothing in it is taken from the clock. */
export function newPaper({ createdAt, changedAt, language, ...words }: Describing): Paper {
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

// Reading the tables of a font takes 100 ms, and what was read of it serves every document. pdfkit
// takes a font that is read already, but has no public way to get at one.
const known = new Map<string, unknown>()

function takeFont(doc: Pdf, name: string, file: string): void {
  doc.registerFont(name, (known.get(name) ?? file) as string)
  doc.font(name)
  known.set(name, (doc as unknown as { _font?: { font?: unknown } })._font?.font)
}

/** The finished bytes. */
export function finish({ doc, root }: Paper): Promise<Buffer> {
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

// Figures of one width stand below each other. The contextual alternates of Inter, such as arrows,
// take two thirds of the time. fontkit takes switches by name; pdfkit's types know a list only.
const FIGURES = { tnum: true, calt: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[]

/** Writes text from a point on; answers the y below it. */
export function write(
  { doc }: Paper,
  text: string,
  x: number,
  y: number,
  { size = 9.5, color = INK.text, font = 'regular', lineGap = 2.5, ...style }: Style = {},
): number {
  const { width = PAGE.right - x, ...rest } = style
  doc.font(font).fontSize(size).fillColor(color)
  const fitted = fitTo(doc, text, { size, font, width })
  doc.text(fitted, x, y, { width, lineGap, features: FIGURES, ...rest })
  return doc.y
}

/** In points: what `write` would take of the page, in the same style. */
export function heightOf({ doc }: Paper, text: string, width: number, style: Style = {}): number {
  const { size = 9.5, font = 'regular', lineGap = 2.5 } = style
  doc.font(font).fontSize(size)
  const fitted = fitTo(doc, text, { size, font, width })
  return doc.heightOfString(fitted, { width, lineGap, features: FIGURES })
}

type Fitting = Required<Pick<Style, 'size' | 'font' | 'width'>>

/** With breaks in words that no line takes. The document has the font and the size already. */
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
  // pdfkit measures a line together with the space or break that ends it.
  const end = Math.max(widthOf('\n'), widthOf(' '))
  return breakLongWords(printable(text), width / size - end, widthOf)
}

/** What letters are wide, per font. Texts come from callers, hence the bound. */
const WIDTHS_MAX = 5_000
const widths = { regular: new Map<string, number>(), strong: new Map<string, number>() }

/**
 * Without what is not to be seen, such as controls and marks of direction, and with something
 * legible for what our font has no shape of.
 */
export const printable = (text: string): string =>
  shaped(
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(/\t/g, '    ')
      .replace(/[^\n\P{C}]|\p{Variation_Selector}/gu, ''),
  )

/** For a letter that is not in our font: pdfkit takes its own box for twice as wide as it is. */
const BOX = '□'

/** Emoji go, with the space before them; a text of nothing else leaves a box. */
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
    const font = known.get('regular') as
      | { hasGlyphForCodePoint(point: number): boolean }
      | undefined
    has = font?.hasGlyphForCodePoint(character.codePointAt(0)!) ?? true
    if (shapes.size > SHAPES_MAX) shapes.clear()
    shapes.set(character, has)
  }
  return has
}

/** Texts come from callers. */
const SHAPES_MAX = 5_000

/** Adds something that is read out, of a kind that PDF knows: P, H1, TD. */
export function part(parent: Struct, doc: Pdf, kind: string, draw: () => void, options = {}): void {
  parent.add(doc.struct(kind, options, draw))
}

/** Draws what is only there for the eye. */
export function ornament({ doc }: Paper, draw: () => void): void {
  doc.markContent('Artifact', { type: 'Layout' })
  doc.save()
  draw()
  doc.restore()
  doc.endMarkedContent()
}

export const rule = (paper: Paper, y: number, color = INK.line, weight = 0.75): void =>
  ornament(paper, () => {
    paper.doc.moveTo(PAGE.left, y).lineTo(PAGE.right, y).lineWidth(weight).stroke(color)
  })

/** Begins a new page unless so much still fits. Answers whether it did. */
export function ensure(paper: Paper, height: number): boolean {
  if (paper.y + height <= PAGE.bottom) return false
  paper.doc.addPage()
  paper.y = PAGE.top
  return true
}

/** The width of a few characters that are not to be parted, in parts of the letters' size. */
type WidthOf = (cluster: string) => number

/**
 * Puts line breaks into words that are wider than their column, which is `widthMax` of that size.
 *
 * pdfkit breaks them too, but measures what is left of the word anew for every line, and then some
 * pieces of it: a hundred words of 200 letters took it three times as long as the same in ordinary
 * words, and take no longer like this.
 */
export function breakLongWords(text: string, widthMax: number, widthOf: WidthOf): string {
  const lettersSafe = widthMax / WIDEST
  if (text.length <= lettersSafe) return text
  return text.replace(WORDS, (word, at: number) => {
    if (word.length <= lettersSafe) return word
    const pieces = piecesOf(word, widthMax, widthOf)
    if (pieces.length === 1) return word
    // On a line of its own, so that what stands before it need not be measured.
    const isFirst = at === 0 || text[at - 1] === '\n'
    return (isFirst ? '' : '\n') + pieces.join('\n')
  })
}

/** No letter of our font is wider, so that most words need no measuring. */
const WIDEST = 1.5

/** Between no-break spaces there is no place to break, so only the plain one ends a word. */
const WORDS = /[^ \n]+/g

/** A letter with its marks. What has more than any language puts on one is parted. */
const CLUSTERS = /\P{M}?\p{M}{0,8}/gu

/** Addresses are parted where they have joints, if a joint is near the end of the line. */
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
