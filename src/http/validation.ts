import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { isCurrency, parseAmount } from '../lib/money.ts'
import { Problem } from '../lib/problem.ts'
import { type SchemaFault, schemaProblem } from './errors.ts'
import { type Leniency, settler } from './lenient.ts'
import { cutter } from './outline.ts'

const RECORD_ID = /^\d{1,16}$/

/**
 * A value becomes its validated self, as the schema spells it, with defaults filled in. Throws 400
 * naming the fields.
 */
export type Validate = (value: unknown) => void

type KeywordValidate = {
  (options: unknown, value: unknown, schema: unknown, context?: { parentData?: unknown }): boolean
  errors?: { keyword: string; message: string; params: object }[]
}

const fault = (keyword: string, message: string) => [{ keyword, message, params: {} }]

const amountIsRight: KeywordValidate = (options, value, _schema, context) => {
  if (typeof value !== 'number' && typeof value !== 'string') return true
  const { currency } = (context?.parentData ?? {}) as { currency?: unknown }
  const known = typeof currency === 'string' && isCurrency(currency) ? currency : 'NGN'
  try {
    parseAmount(value, known, { zero: (options as { zero: boolean }).zero })
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    amountIsRight.errors = fault('x-amount', error.fields.amount?.[0] ?? error.message)
    return false
  }
}

const recordIdIsRight: KeywordValidate = (_options, value) => {
  // Whether there may be none, the type says.
  if (value === null) return true
  const text = String(value)
  if (RECORD_ID.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER) return true
  recordIdIsRight.errors = fault('x-record-id', 'must be an id: a whole number or its digits')
  return false
}

/** A body may be 256 KiB; what is stored several times over and told in events may not. */
const jsonBytesAreFew: KeywordValidate = (most, value) => {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') <= (most as number)) return true
  jsonBytesAreFew.errors = fault('x-json-bytes-max', `must be at most ${most} bytes as JSON`)
  return false
}

/** Fields with several names, and fields of which one is needed. */
const oneOfEachIsThere: KeywordValidate = (needs, value) => {
  if (value === null || typeof value !== 'object') return true
  const missing = (needs as Need[]).filter(({ oneOf }) =>
    oneOf.every((name) => (value as Record<string, unknown>)[name] === undefined),
  )
  if (missing.length === 0) return true
  oneOfEachIsThere.errors = missing.map(({ oneOf, says = 'is required' }) => ({
    keyword: 'x-needs',
    message: says,
    params: { missingProperty: oneOf[0] },
  }))
  return false
}

interface Need {
  oneOf: string[]
  says?: string
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  coerceTypes: false,
  removeAdditional: false,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  keywords: ['x-decimal', 'x-says', 'x-spelling-of'],
})
formats.default(ajv)
ajv.addKeyword({ keyword: 'x-amount', errors: 'full', validate: amountIsRight as never })
ajv.addKeyword({ keyword: 'x-json-bytes-max', errors: 'full', validate: jsonBytesAreFew as never })
ajv.addKeyword({ keyword: 'x-needs', errors: 'full', validate: oneOfEachIsThere as never })
ajv.addKeyword({ keyword: 'x-record-id', errors: 'full', validate: recordIdIsRight as never })

/** Compiled at its first use: a hundred routes at start would cost half a second. */
export function validator(
  schema: TSchema,
  part: 'body' | 'query' | 'path',
  { nullIsAbsent = false }: Partial<Leniency> = {},
): Validate {
  let compiled: ReturnType<typeof ajv.compile> | undefined
  const cut = cutter(schema)
  const settle = settler(schema, { nullIsAbsent, codesInAnyCase: part === 'query' })
  return (value) => {
    compiled ??= ajv.compile(schema)
    const bounded = cut ? cut(value) : value
    settle?.(bounded)
    if (compiled(bounded)) return
    throw schemaProblem((compiled.errors ?? []) as SchemaFault[], part)
  }
}
