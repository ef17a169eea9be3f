import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Claim } from '../db/idempotency.ts'
import type { Caller } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { canonical } from '../lib/json.ts'
import { isCurrency, parseAmount } from '../lib/money.ts'
import { invalid } from '../lib/problem.ts'
import { NORMALISE } from '../lib/text.ts'
import { valuesOf } from './auth.ts'
import type { Route, Service } from './route.ts'
import type { Upload } from './uploads.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
/** A bare path is the short URL for an operation of this service. */
const BARE: Service = 'transaction-service'
const FAMILY = /^\/api\/([a-z-]+)\/(?:external\/)?v1/

/** Reads the Idempotency-Key; throws 400 if it is malformed. Read operations do not use one. */
export function claimReader(
  { method, reads, service, path, sameAs, params, body, query, uploads }: Route,
  keptMs: number,
) {
  const isRead = method === 'GET' || reads === true
  const schemas = uploads ? [body, query, Uploaded] : [body, query]
  const fingerprint = fingerprinter(schemas)
  const asSent = fingerprinter(schemas, true)
  // The URL without the family and the trailing slash. It is constant unless the route has
  // parameters. If an operation has two URLs, claims always use the same one, whichever was
  // requested.
  const address = sameAs ?? `${service ?? BARE}${path.replace(/\/$/, '')}`
  const scope = params ? undefined : `${method} ${address}`

  return (
    request: FastifyRequest,
    input: { caller: Caller; body: unknown; query: unknown; files: readonly Upload[] },
  ): Claim | undefined => {
    if (isRead || request.headers['idempotency-key'] === undefined) return undefined
    const sent = valuesOf(request, 'idempotency-key')
    const [key = ''] = sent
    if (sent.length !== 1 || !KEY.test(key)) throw badKey()

    const { businessId, live, partner, person, now } = input.caller
    const asked = scope ?? scopeOf(method, request.url)
    const parts = [input.body, input.query, input.files.map(contentOf)]
    return {
      businessId,
      live,
      // Other callers who happen to choose the same key must not get this caller's response.
      scope: `${partner ?? (person ? `person ${person.id}` : '')} ${asked}`.trimStart(),
      key,
      fingerprint: fingerprint(parts),
      fingerprintAsSent: () => asSent(parts),
      now,
      expiresAt: addMs(now, keptMs),
    }
  }
}

/** Two files count as the same if their bytes are the same. */
const Uploaded = Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() }))

const contentOf = ({ name, sha256 }: Upload) => ({ name, sha256: sha256.toString('hex') })

/** URLs that differ only in which characters are escaped count as the same. */
function scopeOf(method: string, url: string): string {
  const [path = ''] = url.split('?', 1)
  const steps = path.replace(FAMILY, '$1').replace(/\/$/, '').split('/')
  return `${method} ${steps.map((step) => encodeURIComponent(decodeURIComponent(step))).join('/')}`
}

const badKey = () =>
  invalid({ 'Idempotency-Key': ['must be sent only once, with 1 to 255 visible ASCII characters'] })

/**
 * Returns the significant part of a value, in canonical form. `currency` comes from the enclosing
 * object.
 */
type Spell = (value: unknown, currency: string) => string

interface Shape {
  [NORMALISE]?: (value: unknown) => unknown
  properties?: Record<string, TSchema>
  items?: TSchema
  'x-amount'?: unknown
  'x-record-id'?: boolean
  'x-decimal'?: boolean
  'x-spelling-of'?: string
}

/**
 * Returns a function that hashes a request's validated values with SHA-256. Key order, white space,
 * explicit defaults, unknown fields and the two spellings of an amount, or of another decimal
 * number (`x-decimal`), make no difference. With `asSent`, different forms of the same value do
 * make a difference (58 and "058" for a bank).
 */
export function fingerprinter(
  schemas: (TSchema | undefined)[],
  asSent = false,
): (parts: unknown[]) => Buffer {
  const spells = schemas.map((schema) => schema && spellerOf(schema, asSent))
  return (parts) => {
    const text = spells.map((spell, i) => spell?.(parts[i], 'NGN') ?? '').join('\n')
    return hash('sha256', text, 'buffer')
  }
}

/** Reads the schema only once, so that a request only has to serialise its values. */
function spellerOf(schema: TSchema, asSent: boolean): Spell {
  const { properties, items, 'x-decimal': decimal } = schema as Shape
  const same = (schema as Shape)[NORMALISE]
  if (same && !asSent) return (value) => canonical(same(value))
  const { 'x-amount': amount, 'x-record-id': recordId } = schema as Shape
  if (amount) return (value, currency) => spellAmount(value as number | string, currency)
  if (decimal) return spellDecimal
  if (recordId) return (value) => JSON.stringify(String(Number(value)))
  if (items) {
    const spell = spellerOf(items, asSent)
    return (value, currency) =>
      Array.isArray(value) ? `[${value.map((item) => spell(item, currency)).join()}]` : 'null'
  }
  return properties ? objectSpeller(properties, asSent) : (value) => canonical(value)
}

const spellAmount = (value: number | string, currency: string): string =>
  parseAmount(value, currency, { zero: true }).toString()

/**
 * For decimals whose currency is known only from the row: 12.5, "12.50" and "012.5" are the same
 * number.
 */
function spellDecimal(value: unknown): string {
  const [, whole, fraction] = /^0*(\d+)(?:\.(\d*?)0*)?$/.exec(String(value)) ?? []
  if (whole === undefined) return canonical(value)
  return fraction ? `${whole}.${fraction}` : whole
}

function objectSpeller(properties: Record<string, TSchema>, asSent: boolean): Spell {
  const fields = Object.entries(properties)
    .map(([own, schema]) => ({
      own,
      name: (schema as Shape)['x-spelling-of'] ?? own,
      spell: spellerOf(schema, asSent),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
  return (value, currency) => {
    if (value === null || typeof value !== 'object') return 'null'
    const given = value as Record<string, unknown>
    const spoken = given.currency
    const inner = typeof spoken === 'string' && isCurrency(spoken) ? spoken : currency
    let text = '{'
    let last = ''
    for (const { own, name, spell } of fields) {
      const part = given[own]
      if (part === undefined) continue
      const spelt = `${name}:${part === null ? 'null' : spell(part, inner)},`
      // The same value was repeated under its other name.
      if (spelt === last) continue
      text += spelt
      last = spelt
    }
    return `${text}}`
  }
}
