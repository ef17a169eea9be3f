import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Tenant } from '../lib/caller.ts'
import { isCurrency, parseAmount } from '../lib/money.ts'
import { type Fields, invalid, Problem } from '../lib/problem.ts'
import { toId } from '../lib/schemas.ts'
import { type SchemaError, schemaProblem } from './errors.ts'
import type { Route } from './route.ts'

const RECORD_ID = /^\d{1,16}$/

/**
 * Validates a value in place, normalising it to the schema's spelling and filling in defaults.
 * Throws 400 naming the fields.
 */
type Validate = (value: unknown) => void

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
  // The schema's type decides about everything else. An object may not even have a text.
  if (typeof value !== 'number' && typeof value !== 'string') return true
  const text = String(value)
  if (RECORD_ID.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER) return true
  recordIdIsRight.errors = fault('x-record-id', 'must be an id: a whole number or a numeric string')
  return false
}

/**
 * A body can be 256 KiB, but a value that is stored several times and sent in events must be
 * smaller.
 */
const jsonBytesAreFew: KeywordValidate = (most, value) => {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') <= (most as number)) return true
  jsonBytesAreFew.errors = fault('x-json-bytes-max', `must be at most ${most} bytes as JSON`)
  return false
}

/**
 * Checks that each field is present under one of its names, and that a group has the one field it
 * requires.
 */
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
  keywords: ['x-decimal', 'x-never-empty', 'x-says', 'x-spelling-of'],
})
formats.default(ajv)
ajv.addKeyword({ keyword: 'x-amount', errors: 'full', validate: amountIsRight as never })
ajv.addKeyword({ keyword: 'x-json-bytes-max', errors: 'full', validate: jsonBytesAreFew as never })
ajv.addKeyword({ keyword: 'x-needs', errors: 'full', validate: oneOfEachIsThere as never })
ajv.addKeyword({ keyword: 'x-record-id', errors: 'full', validate: recordIdIsRight as never })

/**
 * Compiled on first use, because compiling a hundred routes at startup would take half a second.
 */
export function validator(
  schema: TSchema,
  part: 'body' | 'query' | 'path',
  { nothingIsAbsent = false }: Leniency = {},
): Validate {
  let compiled: ReturnType<typeof ajv.compile> | undefined
  const cut = cutter(schema)
  const settle = settler(schema, { nothingIsAbsent })
  return (value) => {
    compiled ??= ajv.compile(schema)
    const bounded = cut ? cut(value) : value
    settle?.(bounded)
    if (compiled(bounded)) return
    throw schemaProblem((compiled.errors ?? []) as SchemaError[], part)
  }
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  default?: unknown
  pattern?: string
  required?: string[]
  properties?: Record<string, TSchema>
  items?: TSchema
  'x-needs'?: Need[]
  'x-never-empty'?: boolean
}

interface Leniency {
  /** When creating a record, `null` or an empty string for an optional field means absent. */
  nothingIsAbsent?: boolean
}

type Settle = (value: unknown) => unknown

const ABSENT = Symbol('absent')

/**
 * Returns a function that rewrites a value in place before validation, using the schema's spelling:
 * an enum value in any letter case is spelt as in the enum. Returns undefined if there is nothing
 * to rewrite.
 */
function settler(schema: TSchema, leniency: Leniency): Settle | undefined {
  const { properties, items } = schema as Schema
  if (properties) return objectSettler(schema, leniency)
  if (items) return listSettler(items, leniency)
  return wordSettler(schema as Schema)
}

function objectSettler(schema: TSchema, leniency: Leniency): Settle | undefined {
  const { properties = {}, required = [], 'x-needs': needs = [] } = schema as Schema
  const fields = Object.entries(properties).flatMap(([name, of]) => {
    const settle = settler(of, leniency)
    const isOptional = !required.includes(name) || (of as Schema).default !== undefined
    const isLenient = leniency.nothingIsAbsent && isOptional
    const isNeeded = needs.some(({ oneOf }) => oneOf.includes(name))
    const dropped: unknown[] = []
    if (isLenient && !takesNull(of as Schema)) dropped.push(null)
    if (isLenient && !isNeeded && isText(of as Schema)) dropped.push('')
    return settle || dropped.length > 0 ? [{ name, settle, dropped }] : []
  })
  if (fields.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const object = value as Record<string, unknown>
    for (const { name, settle, dropped } of fields) {
      if (!Object.hasOwn(object, name)) continue
      const part = object[name]
      const settled = dropped.includes(part) ? ABSENT : settle ? settle(part) : part
      if (settled === ABSENT) delete object[name]
      else if (settled !== part) object[name] = settled
    }
    return value
  }
}

function listSettler(items: TSchema, leniency: Leniency): Settle | undefined {
  const settle = settler(items, leniency)
  if (!settle) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    for (const [i, item] of value.entries()) {
      const settled = settle(item)
      if (settled !== item) value[i] = settled
    }
    return value
  }
}

/** The pattern for a currency or a country, which callers can send in lower case. */
const CODE = /^\^\[A-Z\]\{\d\}\$$/

function wordSettler(schema: Schema): Settle | undefined {
  const words = wordsOf(schema).filter((word) => typeof word === 'string')
  if (words.length > 0) {
    const spelt = new Map(words.map((word) => [word.toLowerCase(), word]))
    return (value) =>
      typeof value === 'string' && !words.includes(value)
        ? (spelt.get(value.toLowerCase()) ?? value)
        : value
  }
  if (!CODE.test(schema.pattern ?? '')) return undefined
  return (value) => (typeof value === 'string' ? value.toUpperCase() : value)
}

/** Returns all values of an enum; none for any other schema. */
const wordsOf = (schema: Schema): unknown[] =>
  schema.enum ??
  (schema.const === undefined ? (schema.anyOf ?? []).flatMap(wordsOf) : [schema.const])

/** Returns whether null is a valid value; true if the schema does not list valid values. */
function takesNull(schema: Schema): boolean {
  const { type, anyOf } = schema
  if (anyOf) return anyOf.some(takesNull)
  if (type) return [type].flat().includes('null')
  const words = wordsOf(schema)
  return words.length === 0 || words.includes(null)
}

/**
 * Returns whether a field is free text that can be left empty. An enum value can't be empty, nor
 * can a reference that prevents a repeat from running twice, nor a scope, where empty would mean
 * full access.
 */
function isText(schema: Schema): boolean {
  const types = [schema.type].flat().filter((type) => type !== 'null')
  const isOneText = types.length === 1 && types[0] === 'string'
  return isOneText && wordsOf(schema).length === 0 && !schema['x-never-empty']
}

/** The parts of a schema that limit how large a value can be. */
interface Outline {
  type?: string | string[]
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  items?: TSchema
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: TSchema | boolean
}

/**
 * Returns the value, or a copy that is cut just short enough that the schema still refuses it: an
 * array one item over its maximum, an object one property over, or a string one character over.
 * Validation can then name every error in a valid client's request, while a hostile request costs
 * no more than the largest valid one.
 */
type Cut = (value: unknown) => unknown

/** Returns undefined for a schema with nothing to cut. Throws for an array without a maximum. */
function cutter(schema: TSchema): Cut | undefined {
  const { maxLength, properties, items, ...rest } = schema as Outline
  const cuts = [
    maxLength === undefined ? undefined : textCutter(maxLength),
    items || isOf(schema, 'array') ? listCutter(schema) : undefined,
    properties && objectCutter(properties),
    rest.patternProperties || isSchema(rest.additionalProperties)
      ? recordCutter(schema)
      : undefined,
  ].filter((cut) => cut !== undefined)
  if (cuts.length === 0) return undefined
  return (value) => cuts.reduce((part, cut) => cut(part), value)
}

const isOf = (schema: TSchema, type: string): boolean =>
  [(schema as Outline).type].flat().includes(type)

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null

/** A character has at most two code units, so the cut string is still one too long. */
function textCutter(maxLength: number): Cut {
  const unitsMax = 2 * (maxLength + 1)
  return (value) =>
    typeof value === 'string' && value.length > unitsMax ? value.slice(0, unitsMax) : value
}

function listCutter(schema: TSchema): Cut {
  const { items, maxItems } = schema as Outline
  if (maxItems === undefined) throw new Error('An array in a request needs maxItems.')
  const cut = items && cutter(items)
  return (value) => {
    if (!Array.isArray(value)) return value
    const list = value.length > maxItems ? value.slice(0, maxItems + 1) : value
    if (!cut) return list
    let copy = list
    for (const [i, item] of list.entries()) {
      const part = cut(item)
      if (part === item) continue
      if (copy === value) copy = [...list]
      copy[i] = part
    }
    return copy
  }
}

function objectCutter(properties: Record<string, TSchema>): Cut | undefined {
  const cuts = Object.entries(properties).flatMap(([name, schema]) => {
    const cut = cutter(schema)
    return cut ? [[name, cut] as const] : []
  })
  if (cuts.length === 0) return undefined
  return (value) => {
    if (!isRecord(value)) return value
    let copy = value
    for (const [name, cut] of cuts) {
      if (!Object.hasOwn(value, name)) continue
      const part = cut(value[name])
      if (part === value[name]) continue
      if (copy === value) copy = { ...value }
      copy[name] = part
    }
    return copy
  }
}

/** For an object with arbitrary property names. */
function recordCutter(schema: TSchema): Cut {
  const { maxProperties, patternProperties = {}, additionalProperties } = schema as Outline
  if (maxProperties === undefined)
    throw new Error('An object with arbitrary property names needs maxProperties.')
  const [of = additionalProperties] = Object.values(patternProperties)
  const cut = isSchema(of) ? cutter(of) : undefined
  return (value) => {
    if (!isRecord(value)) return value
    const names = Object.keys(value)
    const isOver = names.length > maxProperties
    if (!isOver && !cut) return value
    const kept = isOver ? names.slice(0, maxProperties + 1) : names
    const parts = kept.map((name) => [name, cut ? cut(value[name]) : value[name]] as const)
    const isSame = !isOver && parts.every(([name, part]) => part === value[name])
    return isSame ? value : Object.fromEntries(parts)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts strings from a path or a query to the types in the schema. Accepts only plain spellings,
 * whereas Ajv's own coercion reads `0x10` as 16 and ` 5 ` as 5. Leaves any other string as it is,
 * so that validation refuses it and names the parameter.
 */
export function coerceStrings(
  values: Record<string, unknown>,
  schema: TSchema,
): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) throw invalid({ [name]: ['must be sent only once'] })
    result[name] = fromText(String(value), properties[name]?.type)
  }
  return result
}

function fromText(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(?:true|1)$/i.test(text)) return true
  if (type === 'boolean' && /^(?:false|0)$/i.test(text)) return false
  return text
}

interface Address {
  url: string
  params: unknown
  query: unknown
}

/**
 * Refuses a URL that contains NUL, or whose escapes are not UTF-8, which the query parser would
 * leave undecoded. Names the parameter.
 */
export function refuseBadUrl({ url, params, query }: Address): void {
  if (!url.includes('%') || !decoded(url).includes('\0')) return
  const values = Object.entries({ ...(params as object), ...(query as object) })
  const named = values.filter(([, value]) => String(value).includes('\0'))
  const faults = named.map(([name]) => [name, ['must not contain a NUL character']])
  throw faults.length > 0 ? invalid(Object.fromEntries(faults), 'invalid_text') : badUrl()
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    throw badUrl()
  }
}

const badUrl = () =>
  new Problem('invalid', 'bad_url', 'The URL has escapes that are not valid UTF-8.')

type Fault = (value: unknown, tenant: Tenant, writes: boolean) => string | undefined

/**
 * Returns the check for `businessId` and `isLive` in a body or a query, and for the header
 * `X-Business-Id`: it throws 400 naming a value that differs from the key's. Reads ignore a
 * different `isLive`. An operation that uses such a name for something else defines that field
 * itself.
 */
export function ownTenantCheck({ method, body, query }: Route) {
  const inBody = faultsBeside(body)
  const inQuery = faultsBeside(query)
  const writes = method !== 'GET'

  return (request: FastifyRequest, tenant: Tenant): void => {
    const fields: Fields = {}
    const look = (values: unknown, faults: [string, Fault][]) => {
      if (values === null || typeof values !== 'object') return
      for (const [name, faultOf] of faults) {
        if (!Object.hasOwn(values, name)) continue
        const fault = faultOf((values as Record<string, unknown>)[name], tenant, writes)
        if (fault) fields[name] = [fault]
      }
    }
    const named = request.headers['x-business-id']
    if (named !== undefined) {
      const fault = businessFault(named, tenant)
      if (fault) fields['X-Business-Id'] = [fault]
    }
    look(request.query, inQuery)
    look(request.body, inBody)
    if (Object.keys(fields).length > 0) throw invalid(fields)
  }
}

const FAULTS: Record<string, Fault> = { businessId: businessFault, isLive: modeFault }

function faultsBeside(schema: TSchema | undefined): [string, Fault][] {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  return Object.entries(FAULTS).filter(([name]) => !Object.hasOwn(properties, name))
}

function businessFault(value: unknown, { businessId }: Tenant): string | undefined {
  const isId = (typeof value === 'number' || typeof value === 'string') && /^\d+$/.test(`${value}`)
  if (!isId) return 'must be an id: a whole number or a numeric string'
  return toId(value) === businessId
    ? undefined
    : 'must be the id of the business that the key belongs to'
}

const MODES = new Map<unknown, boolean>([
  ...[true, 1, 'true', '1'].map((spelt) => [spelt, true] as const),
  ...[false, 0, 'false', '0'].map((spelt) => [spelt, false] as const),
])

function modeFault(value: unknown, { live }: Tenant, writes: boolean): string | undefined {
  const asked = MODES.get(value)
  if (asked === undefined) return 'must be true or false'
  if (!writes || asked === live) return undefined
  return `does not match the key, which is a ${live ? 'live' : 'test'} key`
}
