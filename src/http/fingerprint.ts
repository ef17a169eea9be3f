import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { canonical } from '../lib/canonical.ts'
import { isCurrency, parseAmount } from '../lib/money.ts'
import { SAME } from '../lib/spellings.ts'

/** The part of a value that counts, in its one spelling. `currency` is the object's around it. */
type Spell = (value: unknown, currency: string) => string

interface Shape {
  [SAME]?: (value: unknown) => unknown
  properties?: Record<string, TSchema>
  items?: TSchema
  'x-amount'?: unknown
  'x-record-id'?: boolean
  'x-decimal'?: boolean
  'x-spelling-of'?: string
}

/**
 * Makes the SHA-256 of what a request asks for: of its validated values. Order of keys, white
 * space, spelt-out defaults, unknown fields and the two spellings of an amount, or of another
 * decimal number (`x-decimal`), make no difference. With `asSent`, the forms of one value do make a
 * difference (58 and "058" for a bank).
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

/** Looks at the schema once, so that each request only spells its values. */
function spellerOf(schema: TSchema, asSent: boolean): Spell {
  const { properties, items, 'x-decimal': decimal } = schema as Shape
  const same = (schema as Shape)[SAME]
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

/** For decimals whose currency only a row tells: 12.5, "12.50" and "012.5" are one number. */
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
      // Said again in its other spelling.
      if (spelt === last) continue
      text += spelt
      last = spelt
    }
    return `${text}}`
  }
}
