import type { TSchema } from 'typebox'

/** The parts of a schema that say how large a value may be. */
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
 * Answers the value, or a copy of it that is cut just so far that the schema still refuses it: a
 * list one entry over its maximum, an object one property over, a text one character over. So
 * validation names every fault of an honest request, and a hostile one costs no more than the
 * largest honest one.
 */
type Cut = (value: unknown) => unknown

/** Undefined for a schema in which there is nothing to cut. Throws for a list without a maximum. */
export function cutter(schema: TSchema): Cut | undefined {
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

/** A character is two units at most, so that what is left still has one too many. */
function textCutter(maxLength: number): Cut {
  const unitsMax = 2 * (maxLength + 1)
  return (value) =>
    typeof value === 'string' && value.length > unitsMax ? value.slice(0, unitsMax) : value
}

function listCutter(schema: TSchema): Cut {
  const { items, maxItems } = schema as Outline
  if (maxItems === undefined) throw new Error('A list in a request needs maxItems.')
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

/** Of an object whose names are the caller's. */
function recordCutter(schema: TSchema): Cut {
  const { maxProperties, patternProperties = {}, additionalProperties } = schema as Outline
  if (maxProperties === undefined) throw new Error('An object of any names needs maxProperties.')
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
