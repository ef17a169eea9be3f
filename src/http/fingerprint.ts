import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { canonical } from '../lib/canonical.ts'
import { isCurrency, parseAmount } from '../lib/money.ts'

/** The part of a value that counts, in its one spelling. `currency` is the object's around it. */
type Spell = (value: unknown, currency: string) => string

interface Shape {
  properties?: Record<string, TSchema>
  items?: TSchema
  amount?: unknown
  recordId?: boolean
}

/**
 * Makes the SHA-256 of what a request asks for: of its validated values. Order of keys, white
 * space, spelt-out defaults, unknown fields and the two spellings of an amount make no difference.
 */
export function fingerprinter(schemas: (TSchema | undefined)[]): (parts: unknown[]) => Buffer {
  const spells = schemas.map((schema) => schema && spellerOf(schema))
  return (parts) => {
    const text = spells.map((spell, i) => spell?.(parts[i], 'NGN') ?? '').join('\n')
    return hash('sha256', text, 'buffer')
  }
}

/** Looks at the schema once, so that each request only spells its values. */
function spellerOf(schema: TSchema): Spell {
  const { properties, items, amount, recordId } = schema as Shape
  if (amount) return (value, currency) => spellAmount(value as number | string, currency)
  if (recordId) return (value) => JSON.stringify(String(value))
  if (items) {
    const spell = spellerOf(items)
    return (value, currency) =>
      Array.isArray(value) ? `[${value.map((item) => spell(item, currency)).join()}]` : 'null'
  }
  return properties ? objectSpeller(properties) : (value) => canonical(value)
}

const spellAmount = (value: number | string, currency: string): string =>
  parseAmount(value, currency, { zero: true }).toString()

function objectSpeller(properties: Record<string, TSchema>): Spell {
  const names = Object.keys(properties).sort()
  const fields = names.map((name) => [name, spellerOf(properties[name]!)] as const)
  return (value, currency) => {
    if (value === null || typeof value !== 'object') return 'null'
    const own = value as Record<string, unknown>
    const spoken = own.currency
    const inner = typeof spoken === 'string' && isCurrency(spoken) ? spoken : currency
    let text = '{'
    for (const [name, spell] of fields) {
      const part = own[name]
      if (part !== undefined) text += `${name}:${part === null ? 'null' : spell(part, inner)},`
    }
    return `${text}}`
  }
}
