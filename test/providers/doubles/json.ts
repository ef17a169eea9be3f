/** JSON whose numbers keep their digits, which amounts in major units need. */

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown
  rawJSON(text: string): Digits
  isRawJSON(value: unknown): value is Digits
}

/** A number as it is written: `26.875`, `2500.10`. */
export interface Digits {
  rawJSON: string
}

export const digits = (text: string): Digits => rawJSON(text)
export const isDigits = isRawJSON

/** Prints bigints and `Digits` as numbers. */
export const printJson = (value: unknown): string =>
  JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? rawJSON(`${one}`) : one))

/** Returns the text of the number at a path; undefined if there is none. */
export function digitsAt(json: string, path: readonly string[]): string | undefined {
  const exact = parse(json, (_key, value, { source }) =>
    typeof value === 'number' ? rawJSON(source!) : value,
  )
  let node = exact
  for (const key of path) {
    node =
      typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined
  }
  return isRawJSON(node) ? node.rawJSON : undefined
}
