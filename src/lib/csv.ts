/** The UTF-8 byte order mark. Without it, Excel shows ₦ as three other characters. */
export const CSV_START = '\ufeff'

/** `decimal` is a number that we formatted, so its minus sign cannot start a formula. */
export type Cell = string | number | boolean | Date | null | { decimal: string }

/**
 * Formats one line as in RFC 4180. Strangers can write names and notes, so anything that a
 * spreadsheet would read as a formula gets a leading apostrophe. This includes formulas after a
 * semicolon, tab or line break inside a value, because some spreadsheets start a new cell there.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(printed).join(',')}\r\n`

const SIGN = '[=+\\-@＝＋－＠]'
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|\\s*${SIGN})`)
const FORMULA_WITHIN = new RegExp(`([;\\t\\r\\n])(?=[^\\S\\t\\r\\n]*${SIGN})`, 'g')

function printed(cell: Cell): string {
  if (cell === null) return ''
  if (cell instanceof Date) return cell.toISOString()
  if (typeof cell === 'object') return cell.decimal
  if (typeof cell !== 'string') return String(cell)
  const text = (FORMULA.test(cell) ? "'" : '') + withinHarmless(cell)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function withinHarmless(cell: string): string {
  const words = cell.trimStart()
  const spaces = cell.slice(0, cell.length - words.length)
  return spaces + words.replace(FORMULA_WITHIN, "$1'")
}
