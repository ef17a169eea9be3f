import { type TSchema, Type } from 'typebox'

/** Schemas that many slices share. What a value must be beyond its type is an Ajv keyword. */

/**
 * Money in major units: a JSON number or decimal text, as `parseAmount` reads it. The currency is
 * the object's own `currency`, else the naira.
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

/** The description of an amount that somebody sends, which must not be taken for minor units. */
export const inMajorUnits = (description?: string): string =>
  [description, 'Major units (naira, not kobo): a number or decimal text.']
    .filter(Boolean)
    .join(' ')

/** An id where the contract shows both a number and its digits. */
export const RecordId = (description?: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    'x-record-id': true,
    description: description ?? 'A number or its digits.',
  })

/** An id in a path: any whole number names a record or none, so that it is 404, never 400. */
export const PathId = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    pattern: '^-?\\d+$',
    'x-says': 'must be a whole number',
    description,
  })

/** The number behind a `RecordId` or `PathId`; 0, which no record has, for one beyond 2^53. */
export function toId(value: number | string): number {
  const id = Number(value)
  return Number.isSafeInteger(id) ? id : 0
}

export const Email = (options: object = {}) =>
  Type.String({
    maxLength: EMAIL_LENGTH_MAX,
    pattern: EMAIL_PATTERN,
    'x-says': 'must be an e-mail address',
    examples: ['ada@example.com'],
    ...options,
  })

/** Nothing but what is not seen: spaces, formats, fillers such as U+200B and U+3164. */
const UNSEEN = '[\\s\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]'

/** The beginning of the pattern of a text of which something is to be seen. */
export const SEEN = `^(?!${UNSEEN}+$)`

// Controls, the separators that Unicode has for lines and paragraphs, and what turns the direction
// of all that follows: with it a name could have the text around it read backwards. The marks that
// belong to writing from the right, U+200E and U+200F, turn nothing and may stand.
const ONE_LINE = `${SEEN}[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$`

/** A name, title or label: it ends up in heads of mails, in table cells and on paper. */
export const OneLine = (lengthMax: number, options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: ONE_LINE,
    'x-says': 'must be one line of text, not blank, without control or direction characters',
    ...options,
  })

/** Text of several lines that people read, such as an address. */
export const Prose = (lengthMax: number, options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: SEEN,
    'x-says': 'must not be blank',
    ...options,
  })

const VISIBLE = new RegExp(SEEN, 'u')

/** Nobody types these: controls, except tabs and line breaks, and characters that reverse text. */
const UNTYPED = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu

/** Text typed into a form, trimmed; '' if it is not a single text or nothing in it is visible. */
export function typedText(given: unknown): string {
  const text = typeof given === 'string' ? given.replace(UNTYPED, '').trim() : ''
  return VISIBLE.test(text) ? text : ''
}

const LINE = new RegExp(ONE_LINE, 'u')

/** Whether a text that no schema saw is such a line. */
export const isOneLine = (text: string, lengthMax: number): boolean =>
  text !== '' && text.length <= lengthMax && text.isWellFormed() && LINE.test(text)

/** A value or null, in the form that serialises fast: a list of types, not an `anyOf`. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as T & { type: string | string[] }
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, 'null'].flat() })
}
type Static<T extends TSchema> = import('typebox').Static<T>

/** A moment in an answer: ISO 8601, UTC, milliseconds. */
export const Moment = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

export const NullableMoment = Type.Unsafe<Date | null>({
  type: ['string', 'null'],
  format: 'date-time',
})

/** Free data of the caller's own: kept and given back, never looked into. */
export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 50,
  propertyNames: { type: 'string', maxLength: 100 },
  'x-json-bytes-max': 16 * 1024,
  description: 'Up to 50 properties of your own, 16 KiB as JSON.',
})

/** What was stored of it, as it came. */
export const StoredMetadata = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
})

/** A date or an instant in a query; `parseMoment` reads it. */
/** Some words, at most so many characters. */
export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const MomentText = Type.String({ minLength: 1, maxLength: 40 })

export const Envelope = <T extends TSchema>(data: T) =>
  Type.Object({ status: Type.Literal('success'), message: Type.String(), data })

/** Of what only says that it is done. */
export const NoData = Envelope(Type.Null())

/** The position of a page in its list. */
export const PageMeta = Type.Object({
  total: Type.Integer({ description: 'Exact up to 10,000 matches.' }),
  totalIsExact: Type.Boolean(),
  page: Type.Integer(),
  limit: Type.Integer(),
  pageCount: Type.Integer({
    description: 'Beyond 10,000 matches it grows with the page; then follow `hasNext`.',
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

/** Lists that are whole, without `meta`, unless a page is asked for: banks, categories. */
export const ReferenceList = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    message: Type.String(),
    data: Type.Array(data),
    meta: Type.Optional(PageMeta),
  })

/** At most this long (RFC 5321). */
const EMAIL_LENGTH_MAX = 254

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * One plain address. Whatever a header or a list of addresses could be broken with (CR, LF, comma,
 * angle brackets, quotes) is not in it.
 */
const EMAIL_PATTERN = `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL}){1,8}$`

const PATTERN = new RegExp(EMAIL_PATTERN)

/** Whether a text is exactly one plain address. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && PATTERN.test(text)
