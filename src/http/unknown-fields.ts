import type { TSchema } from 'typebox'
import type { ErrorCode } from '../lib/error-codes.ts'
import { type Fields, invalid, Problem } from '../lib/problem.ts'
import { fingerprinter } from './idempotency-key.ts'
import type { Route } from './route.ts'

interface Schema {
  properties?: Record<string, TSchema>
  items?: TSchema
  additionalProperties?: unknown
  contentMediaType?: string
}

/** Every operation accepts these; see `ownTenantCheck` in validation.ts. */
const TENANT = ['businessId', 'isLive']

const propertiesOf = (schema: TSchema | undefined): Record<string, TSchema> =>
  (schema as Schema | undefined)?.properties ?? {}

/** Parameters that only lists, their exports and their totals have. */
const OF_LISTS = ['page', 'limit', 'sort', 'cursor', 'startDate']

/** Returns whether an operation returns a list, or an export of a list or its totals. */
function isList({
  method,
  query,
  response: answer,
}: Pick<Route, 'method' | 'query' | 'response'>): boolean {
  if (method !== 'GET') return false
  const { data } = propertiesOf(answer)
  const names = Object.keys(propertiesOf(query))
  return (
    (data as Schema | undefined)?.items !== undefined ||
    OF_LISTS.some((name) => names.includes(name))
  )
}

/**
 * Returns the check for a list's parameters. An ignored filter would return unwanted records, so
 * the check throws 400, naming the unknown parameters and listing the known ones.
 */
export function unknownParameterCheck(
  route: Pick<Route, 'method' | 'query' | 'response'>,
): ((query: unknown) => void) | undefined {
  const { query: schema } = route
  if (!isList(route) || (schema as Schema | undefined)?.additionalProperties) return undefined
  const names = Object.keys(propertiesOf(schema))
  const known = new Set([...names, ...TENANT])
  const takes = names.length > 0 ? names.join(', ') : 'none'
  const says = `is not a parameter of this list; accepted parameters: ${takes}`
  return (query) => {
    const unknown = Object.keys(query as object).filter((name) => !known.has(name))
    if (unknown.length === 0) return
    throw invalid(Object.fromEntries(unknown.map((name) => [name, [says]])) satisfies Fields)
  }
}

const NAMES_MAX = 20
const NAME_LENGTH_MAX = 64

type Find = (value: unknown, path: string, found: string[]) => void

/**
 * Finds the fields in a body that its operation does not know and therefore ignores, in the form
 * that `Tradepost-Ignored-Fields` uses: `lineItems.0.qty`, at most 20.
 */
export function ignoredFields(schema: TSchema | undefined): (body: unknown) => string | undefined {
  const find = schema && finderOf(schema, TENANT)
  return (body) => {
    const found: string[] = []
    find?.(body, '', found)
    if (found.length === 0) return undefined
    return found
      .map((name) => encodeURIComponent(name.slice(0, NAME_LENGTH_MAX).toWellFormed()))
      .join(', ')
  }
}

function finderOf(schema: TSchema, also: readonly string[] = []): Find | undefined {
  const { properties, items } = schema as Schema
  if (items) {
    const find = finderOf(items)
    if (!find) return undefined
    return (value, path, found) => {
      if (!Array.isArray(value)) return
      for (const [i, item] of value.entries()) find(item, `${path}${i}.`, found)
    }
  }
  if (!properties) return undefined
  const known = new Map<string, Find | undefined>([
    ...also.map((name) => [name, undefined] as const),
    ...Object.entries(properties).map(([name, of]) => [name, finderOf(of)] as const),
  ])
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const name of Object.keys(value)) {
      if (found.length >= NAMES_MAX) return
      if (!known.has(name)) found.push(path + name)
      else known.get(name)?.((value as Record<string, unknown>)[name], `${path}${name}.`, found)
    }
  }
}

/** The fields in a body that name a record, by the error code used if the record does not exist. */
const NAMED_BY: Partial<Record<ErrorCode, readonly string[]>> = {
  product_not_found: ['productId', 'productIds'],
  product_variant_not_found: ['variantId'],
  product_option_not_found: ['optionId'],
  option_variant_not_found: ['optionVariantId'],
  media_not_found: ['mediaId', 'mediaIds'],
  digital_file_not_found: ['digitalDownloadFileId'],
  delivery_fee_not_found: ['deliveryFeeId', 'location'],
  discount_not_found: ['discountId', 'code'],
  payment_page_not_found: ['pageId'],
  split_page_not_found: ['splitPageId'],
  subaccount_not_found: ['subaccountCode', 'sub_account_id', 'subaccount'],
  transaction_not_found: ['transactionId', 'transactionReference'],
  checkout_not_found: ['accessCode', 'reference'],
  partner_not_found: ['clientId'],
}

/**
 * Adds the name of the field to a 404 that was caused by an id in the body. It goes in `errors`, or
 * in the message if the envelope has no `errors`. A problem that already names its fields is
 * returned unchanged.
 */
export function withFieldNamed(error: unknown, body: unknown): unknown {
  if (!(error instanceof Problem) || error.kind !== 'not_found') return error
  if (Object.keys(error.fields).length > 0) return error
  if (body === null || typeof body !== 'object') return error
  const field = NAMED_BY[error.code]?.find(
    (name) => Object.hasOwn(body, name) && (body as Record<string, unknown>)[name] !== undefined,
  )
  if (field === undefined) return error
  return new Problem('not_found', error.code, `${error.message.replace(/\.$/, '')}: ${field}.`, {
    fields: { [field]: ['does not exist'] },
    cause: error,
  })
}

/** Maps the names that handlers use to the names that the caller wrote: `bankCode` to `bank`. */
type Written = ReadonlyMap<string, string>

interface Notes {
  written: Map<string, string>
  faults: Fields
}

/** Returns a copy, because the request log shows the body as it was sent. */
type Fold = (value: unknown, at: string, notes: Notes) => unknown
type Step = (fields: Record<string, unknown>, at: string, notes: Notes) => void

type Field = TSchema & { 'x-spelling-of'?: string }

/**
 * Returns a function that moves each field in a validated body or query to its main name, wherever
 * the schema lists other names for it. It throws 400 if two names for one field have different
 * values.
 */
export function aliasResolver(schema: TSchema | undefined) {
  const fold = schema && foldOf(schema)
  return (value: unknown): { value: unknown; written: Written } => {
    if (!fold) return { value, written: NONE }
    const notes: Notes = { written: new Map(), faults: {} }
    const folded = fold(value, '', notes)
    if (Object.keys(notes.faults).length > 0) throw invalid(notes.faults)
    return { value: folded, written: notes.written }
  }
}

const NONE: Written = new Map()

/** Returns undefined for a schema without other names, so that most requests are not traversed. */
function foldOf(schema: TSchema): Fold | undefined {
  const { properties = {}, items } = schema as {
    properties?: Record<string, Field>
    items?: TSchema
  }
  const each = items && foldOf(items)
  if (each) {
    return (value, at, notes) =>
      Array.isArray(value) ? value.map((item, i) => each(item, `${at}${i}.`, notes)) : value
  }
  const steps = Object.entries(properties).flatMap(([name, field]) => stepOf(name, field) ?? [])
  if (steps.length === 0) return undefined
  return (value, at, notes) => {
    if (value === null || typeof value !== 'object') return value
    const fields = { ...value } as Record<string, unknown>
    for (const step of steps) step(fields, at, notes)
    return fields
  }
}

function stepOf(name: string, field: Field): Step | undefined {
  const first = field['x-spelling-of']
  if (first !== undefined) return renaming(name, first, field)
  const inner = foldOf(field)
  if (!inner) return undefined
  return (fields, at, notes) => {
    if (fields[name] !== undefined) fields[name] = inner(fields[name], `${at}${name}.`, notes)
  }
}

function renaming(name: string, first: string, field: Field): Step {
  const fingerprint = fingerprinter([field])
  return (fields, at, { written, faults }) => {
    const given = fields[name]
    if (given === undefined) return
    delete fields[name]
    if (fields[first] === undefined) {
      fields[first] = given
      written.set(at + first, at + name)
    } else if (!fingerprint([given]).equals(fingerprint([fields[first]]))) {
      const before = written.get(at + first) ?? at + first
      faults[at + name] = [`differs from ${before}; send only one of them`]
    }
  }
}

/** Changes the field names in an error to those that the caller wrote. */
export function withWrittenNames(error: unknown, written: Written): unknown {
  if (!(error instanceof Problem)) return error
  const { kind, code, message, fields, retryAfterSeconds, headers, cause } = error
  if (!Object.keys(fields).some((field) => written.has(field))) return error
  const named = Object.fromEntries(
    Object.entries(fields).map(([field, says]) => [written.get(field) ?? field, says]),
  )
  return new Problem(kind, code, messageOf(message, fields, named), {
    fields: named,
    headers,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/**
 * Renames the fields in a message that repeats them, such as a message from `invalid` or
 * `notFound`.
 */
function messageOf(message: string, fields: Fields, named: Fields): string {
  if (message === invalid(fields).message) return invalid(named).message
  const end = endOf(fields)
  return message.endsWith(end) ? message.slice(0, -end.length) + endOf(named) : message
}

const endOf = (fields: Fields): string => `: ${Object.keys(fields).join(', ')}.`
