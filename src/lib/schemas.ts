import { type TSchema, Type } from 'typebox'
import { EMAIL_LENGTH_MAX, EMAIL_PATTERN } from './email.ts'

/** Schemas that many slices share. What a value must be beyond its type is an Ajv keyword. */

/**
 * Money in major units: a JSON number or decimal text, as `parseAmount` reads it. The currency is
 * the object's own `currency`, else the naira.
 */
export const Amount = (options: { zero?: boolean; description?: string } = {}) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    amount: { zero: options.zero ?? false },
    description: options.description ?? 'Major units (naira, not kobo): a number or decimal text.',
    examples: [1500.5],
  })

/** An id where the contract shows both a number and its digits. */
export const RecordId = (description?: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    recordId: true,
    description: description ?? 'A number or its digits.',
  })

/** The number behind a `RecordId`. */
export const toId = (value: number | string): number => Number(value)

export const Email = (options: object = {}) =>
  Type.String({
    maxLength: EMAIL_LENGTH_MAX,
    pattern: EMAIL_PATTERN,
    'x-says': 'must be an e-mail address',
    examples: ['ada@example.com'],
    ...options,
  })

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
  jsonBytesMax: 16 * 1024,
  description: 'Up to 50 properties of your own, 16 KiB as JSON.',
})

/** A date or an instant in a query; `parseMoment` reads it. */
export const MomentText = Type.String({ minLength: 1, maxLength: 40 })

export const Envelope = <T extends TSchema>(data: T) =>
  Type.Object({ status: Type.Literal('success'), message: Type.String(), data })

export const PageOf = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    message: Type.String(),
    data: Type.Array(data),
    meta: Type.Object({
      total: Type.Integer({ description: 'Exact up to 10,000 matches.' }),
      totalIsExact: Type.Boolean(),
      page: Type.Integer(),
      limit: Type.Integer(),
      pageCount: Type.Integer(),
      hasNext: Type.Boolean(),
      hasPrevious: Type.Boolean(),
    }),
  })

/** Lists whose every row is wanted at once: wallets, banks. */
export const WholeList = <T extends TSchema>(data: T) =>
  Type.Object({
    status: Type.Literal('success'),
    message: Type.String(),
    data: Type.Array(data),
  })
