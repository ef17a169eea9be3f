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
