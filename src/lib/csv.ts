/** What spreadsheets take for UTF-8; without it Excel reads ₦ as three other characters. */
export const CSV_START = '\ufeff'

/** `decimal` is a number that we printed ourselves: its minus begins no formula. */
export type Cell = string | number | boolean | Date | null | { decimal: string }

/**
 * One line by RFC 4180. What a spreadsheet would take for a formula gets an apostrophe in front:
 * names and notes are written by strangers. That includes what follows a semicolon, a tab or a line
 * break within a text, because some spreadsheets begin a cell there.
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
