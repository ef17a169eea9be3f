import type { TSchema } from 'typebox'

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
}

export interface Leniency {
  /** In what creates, `null` for a field that may be absent means that it is. */
  nullIsAbsent: boolean
  /** In filters, codes of currencies and countries may be in small letters. */
  codesInAnyCase: boolean
}

type Settle = (value: unknown) => unknown

const ABSENT = Symbol('absent')

/**
 * Makes what rewrites a value in place, before it is validated, as the schema spells it: a word of
 * an enumeration in any case becomes that word. Undefined where there is nothing to rewrite.
 */
export function settler(schema: TSchema, leniency: Leniency): Settle | undefined {
  const { properties, items } = schema as Schema
  if (properties) return objectSettler(schema, leniency)
  if (items) return listSettler(items, leniency)
  return wordSettler(schema as Schema, leniency)
}

function objectSettler(schema: TSchema, leniency: Leniency): Settle | undefined {
  const { properties = {}, required = [] } = schema as Schema
  const fields = Object.entries(properties).flatMap(([name, of]) => {
    const settle = settler(of, leniency)
    const isOptional = !required.includes(name) || (of as Schema).default !== undefined
    const mayDrop = leniency.nullIsAbsent && isOptional && !takesNull(of as Schema)
    return settle || mayDrop ? [{ name, settle, mayDrop }] : []
  })
  if (fields.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const object = value as Record<string, unknown>
    for (const { name, settle, mayDrop } of fields) {
      if (!Object.hasOwn(object, name)) continue
      const part = object[name]
      const settled = part === null && mayDrop ? ABSENT : settle ? settle(part) : part
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

const CODE = /^\^\[A-Z\]\{\d\}\$$/

function wordSettler(schema: Schema, { codesInAnyCase }: Leniency): Settle | undefined {
  const words = wordsOf(schema).filter((word) => typeof word === 'string')
  if (words.length > 0) {
    const spelt = new Map(words.map((word) => [word.toLowerCase(), word]))
    return (value) =>
      typeof value === 'string' && !words.includes(value)
        ? (spelt.get(value.toLowerCase()) ?? value)
        : value
  }
  if (!codesInAnyCase || !CODE.test(schema.pattern ?? '')) return undefined
  return (value) => (typeof value === 'string' ? value.toUpperCase() : value)
}

/** All values of an enumeration; none where it is not one. */
const wordsOf = (schema: Schema): unknown[] =>
  schema.enum ??
  (schema.const === undefined ? (schema.anyOf ?? []).flatMap(wordsOf) : [schema.const])

/** Whether null is a value of its own; true where the schema does not say what there may be. */
function takesNull(schema: Schema): boolean {
  const { type, anyOf } = schema
  if (anyOf) return anyOf.some(takesNull)
  if (type) return [type].flat().includes('null')
  const words = wordsOf(schema)
  return words.length === 0 || words.includes(null)
}
