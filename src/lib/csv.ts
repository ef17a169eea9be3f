/** What spreadsheets take for UTF-8; without it Excel reads ₦ as three other characters. */
export const CSV_START = '\ufeff'

/** `decimal` is a number that we printed ourselves: its minus begins no formula. */
export type Cell = string | number | boolean | Date | null | { decimal: string }

/**
 * One line by RFC 4180. A text that a spreadsheet would take for a formula begins with an
 * apostrophe: names and notes are written by strangers.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(printed).join(',')}\r\n`

function printed(cell: Cell): string {
  if (cell === null) return ''
  if (cell instanceof Date) return cell.toISOString()
  if (typeof cell === 'object') return cell.decimal
  if (typeof cell !== 'string') return String(cell)
  const text = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
