/** A number in JSON as it is written, with all its digits. `JSON.stringify` prints it so. */
export interface ExactNumber {
  readonly rawJSON: string
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

// TypeScript does not know these functions yet.
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
}

export const exactNumber = (text: string): ExactNumber => json.rawJSON(text)

export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON(value)

/** Parses JSON, with each number as an ExactNumber. Throws for text that is not JSON. */
export const parseExactly = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' ? exactNumber(source) : value,
  )

/** Returns JSON with sorted keys, so that two spellings of the same request compare equal. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value))

// Sorting first is faster than using a replacer, because a replacer makes JSON.stringify leave its
// fast path.
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
