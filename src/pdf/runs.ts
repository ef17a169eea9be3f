/** The width of a few characters that are not to be parted, in parts of the letters' size. */
export type WidthOf = (cluster: string) => number

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
