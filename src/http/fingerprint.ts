import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { canonical } from '../lib/canonical.ts'
import { isCurrency, parseAmount } from '../lib/money.ts'

/**
 * SHA-256 of what a request asks for: its validated values. Order of keys, white space, spelt-out
 * defaults, unknown fields and the two spellings of an amount make no difference.
 */
export function fingerprintOf(request: unknown, schema: TSchema | undefined): Buffer {
  const known = schema ? knownPart(request, schema) : {}
  return createHash('sha256').update(canonical(known)).digest()
}

interface Shape {
  properties?: Record<string, TSchema>
  items?: TSchema
  amount?: unknown
  recordId?: boolean
}

/** The value without what the schema does not name, its amounts and ids in one spelling. */
function knownPart(value: unknown, schema: TSchema, currency = 'NGN'): unknown {
  const { properties, items, amount, recordId } = schema as Shape
  if (value === null) return null
  if (amount) return parseAmount(value as number | string, currency, { zero: true }).toString()
  if (recordId) return String(value)
  if (Array.isArray(value))
    return items ? value.map((item) => knownPart(item, items, currency)) : value
  if (!properties || typeof value !== 'object') return value

  const own = value as Record<string, unknown>
  const spoken = own.currency
  const inner = typeof spoken === 'string' && isCurrency(spoken) ? spoken : currency
  const result: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(own, name)) result[name] = knownPart(own[name], property, inner)
  }
  return result
}
