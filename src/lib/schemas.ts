import { type TSchema, Type } from 'typebox'

/** Schemas that many features share. Rules beyond the type are Ajv keywords. */

/**
 * Money in major units: a JSON number or decimal string, as `parseAmount` reads it. The currency is
 * the object's own `currency` or, if it has none, naira.
 */
export const Amount = ({
  zero = false,
  description,
}: {
  zero?: boolean
  description?: string
} = {}) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-amount': { zero },
    description: inMajorUnits(description),
    examples: [1500.5],
  })

/** Describes an amount in a request, so that callers do not send minor units. */
export const inMajorUnits = (description?: string): string =>
  [description, 'Major units (naira, not kobo): a number or a decimal string.']
    .filter(Boolean)
    .join(' ')

/** An id in places where the contract shows both a number and a numeric string. */
export const RecordId = (description?: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    'x-record-id': true,
    description: description ?? 'A number or a numeric string.',
  })

/**
 * An id in a path. Any whole number is valid, so that an unknown id results in 404 and never in
 * 400.
 */
export const PathId = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    pattern: '^-?\\d+$',
    'x-says': 'must be a whole number',
    description,
  })

/**
 * Returns the number in a `RecordId` or `PathId`. For ids beyond 2^53, returns 0, which no record
 * has.
 */
export function toId(value: number | string): number {
  const id = Number(value)
  return Number.isSafeInteger(id) ? id : 0
}

export const Email = (options: object = {}) =>
  Type.String({
    maxLength: EMAIL_LENGTH_MAX,
    pattern: EMAIL_PATTERN,
    'x-says': 'must be an email address',
    examples: ['ada@example.com'],
    ...options,
  })

/** Invisible characters: spaces, format characters, and fillers such as U+200B and U+3164. */
const UNSEEN = '[\\s\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]'

/** The start of a pattern for strings with at least one visible character. */
export const VISIBLE_START = `^(?!${UNSEEN}+$)`

// Excludes control characters, Unicode's line and paragraph separators, and the characters that
// change the direction of all following text: with those, a name could make the text around it read
// backwards. The marks used in right-to-left writing, U+200E and U+200F, do not do that and are
// allowed.
const ONE_LINE = `${VISIBLE_START}[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$`

/** A name, title or label that appears in email headers, table cells and PDFs. */
export const OneLine = (lengthMax: number, options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: ONE_LINE,
    'x-says':
      'must be a single line that is not blank, without control or bidirectional formatting characters',
    ...options,
  })

/** Text with several lines, such as a postal address. */
export const MultilineText = (lengthMax: number, options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: VISIBLE_START,
    'x-says': 'must not be blank',
    ...options,
  })

const VISIBLE = new RegExp(VISIBLE_START, 'u')

/**
 * Characters that people don't type: control characters, except tabs and line breaks, and
 * characters that reverse text.
 */
const UNTYPED = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns text typed into a form, trimmed; '' if it is not a single string or has nothing visible.
 */
export function formText(given: unknown): string {
  const text = typeof given === 'string' ? given.replace(UNTYPED, '').trim() : ''
  return VISIBLE.test(text) ? text : ''
}

const LINE = new RegExp(ONE_LINE, 'u')

/** Returns whether a string that no schema has checked is a valid `OneLine`. */
export const isOneLine = (text: string, lengthMax: number): boolean =>
  text !== '' && text.length <= lengthMax && text.isWellFormed() && LINE.test(text)

/** A value or null, in the form that serialises fastest: a list of types rather than an `anyOf`. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as T & { type: string | string[] }
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, 'null'].flat() })
}
type Static<T extends TSchema> = import('typebox').Static<T>

/** A timestamp in a response: ISO 8601, in UTC, with milliseconds. */
export const Timestamp = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

export const NullableTimestamp = Type.Unsafe<Date | null>({
  type: ['string', 'null'],
  format: 'date-time',
})

/** The caller's own data, which is stored and returned without being interpreted. */
export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 50,
  propertyNames: { type: 'string', maxLength: 100 },
  'x-json-bytes-max': 16 * 1024,
  description: 'Your own data: up to 50 properties, 16 KiB as JSON.',
})

/** Metadata in a response, exactly as it was sent. */
export const StoredMetadata = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
})

export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

/** A date or an instant in a query; `parseTimestamp` reads it. */
export const TimestampText = Type.String({ minLength: 1, maxLength: 40 })

export const Envelope = <T extends TSchema>(data: T) =>
  Type.Object({ status: Type.Literal('success'), message: Type.String(), data })

export const NoData = Envelope(Type.Null())

/** A page's position in its list. */
export const PageMeta = Type.Object({
  total: Type.Integer({ description: 'Exact up to 10,000 matches.' }),
  totalIsExact: Type.Boolean(),
  page: Type.Integer(),
  limit: Type.Integer(),
  pageCount: Type.Integer({
    description:
      'Beyond 10,000 matches, it grows as you page through them; follow `hasNext` instead.',
  }),
  hasNext: Type.Boolean(),
  hasPrevious: Type.Boolean(),
})

export const PageOf = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    message: Type.String(),
    data: Type.Array(data),
    meta: PageMeta,
  })

/** Lists that return everything, without `meta`, unless a page is requested: banks, categories. */
export const ReferenceList = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    message: Type.String(),
    data: Type.Array(data),
    meta: Type.Optional(PageMeta),
  })

/** The maximum length (RFC 5321). */
const EMAIL_LENGTH_MAX = 254

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * A single plain email address. Excludes every character that could break a header or an address
 * list (CR, LF, comma, angle brackets, quotes).
 */
const EMAIL_PATTERN = `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL}){1,8}$`

const PATTERN = new RegExp(EMAIL_PATTERN)

/** Returns whether a string is exactly one plain email address. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && PATTERN.test(text)
