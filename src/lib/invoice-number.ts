/** For businesses that have not chosen a prefix, and for invoices whose number is their id. */
export const DEFAULT_PREFIX = 'INV-'

export const DIGITS_MIN = 6

/** The last character is not a digit, so a number's digits always start after its prefix. */
export const PREFIX_PATTERN = '^[A-Za-z](?:[A-Za-z0-9./_-]{0,14}[A-Za-z./_-])?$'

/** Returns the number that people and their bookkeepers use for an invoice: `INV-000123`. */
export const printNumber = (prefix: string, number: number): string =>
  prefix + String(number).padStart(DIGITS_MIN, '0')

/** Invoices created before number series existed use their id as their number. */
export const invoiceNumber = ({
  id,
  number,
  number_prefix,
}: {
  id: number
  number: number | null
  number_prefix: string | null
}): string => printNumber(number_prefix ?? DEFAULT_PREFIX, number ?? id)

/** Reads a prefix and digits, as typed into a search; undefined for anything else. */
export function parseNumber(text: string): { prefix: string; number: number } | undefined {
  const [, prefix, digits] =
    /^([A-Za-z](?:[A-Za-z0-9./_-]{0,14}[A-Za-z./_-])?)(\d{1,15})$/.exec(text) ?? []
  return prefix && digits ? { prefix: prefix.toLowerCase(), number: Number(digits) } : undefined
}
