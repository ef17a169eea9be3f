import type { Schema } from './openapi.ts'

/** Returns the same text for equal schemas, because it ignores descriptions for people. */
export const canonical = (schema: Schema): string => JSON.stringify(bare(schema))

function bare({ properties, items, ...schema }: Schema & { examples?: unknown }): object {
  const { description: _description, examples: _examples, ...rest } = schema
  const members = Object.entries(properties ?? {}).map(([name, one]) => [name, bare(one)])
  return {
    ...rest,
    ...(items && { items: bare(items) }),
    ...(properties && { properties: Object.fromEntries(members) }),
  }
}

/**
 * Whether values are read from the server or written by a caller, who can omit fields that have
 * defaults.
 */
type Side = 'in' | 'out'

/** Named objects, by their canonical text. */
export type Named = ReadonlyMap<string, string>

/** Returns the TypeScript type of a JSON Schema. */
export function typeOf(schema: Schema, side: Side, named: Named = new Map()): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map((one) => typeOf(one, side, named)).join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one, side, named)})`).join(' & ')
  const types = [schema.type ?? 'unknown'].flat()
  return [...new Set(types.map((type) => plain(type, schema, side, named)))].join(' | ')
}

function plain(type: string, schema: Schema, side: Side, named: Named): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `(${typeOf(schema.items ?? {}, side, named)})[]`
    case 'object':
      return named.get(canonical(schema)) ?? objectType(schema, side, named)
    default:
      return 'unknown'
  }
}

/**
 * Returns `{ … }`, in which each property has its description. The result is also used as the body
 * of an interface.
 */
export function objectType(schema: Schema, side: Side, named: Named = new Map()): string {
  const { properties, required = [], additionalProperties } = schema
  if (!properties || Object.keys(properties).length === 0) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : {}
    return `Record<string, ${typeOf(values, side, named)}>`
  }
  const lines = Object.entries(properties).map(([name, property]) => {
    const isOptional = !required.includes(name) || (side === 'in' && property.default !== undefined)
    const orUndefined = isOptional && side === 'in' ? ' | undefined' : ''
    const type = typeOf(property, side, named) + orUndefined
    return `${docOf(saysOf(property))}${keyOf(name)}${isOptional ? '?' : ''}: ${type}`
  })
  return `{\n${lines.join('\n')}\n}`
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

function saysOf({ description, default: usual }: Schema): string {
  const ends = usual === undefined ? [] : [`Default: ${JSON.stringify(usual)}.`]
  return [...(description ? [description] : []), ...ends].join(' ')
}

/** Returns a docstring, or '' if there is no text. */
export function docOf(text: string): string {
  const safe = text.replaceAll('*/', '*\\/').trim()
  if (!safe) return ''
  if (!safe.includes('\n') && safe.length < 88) return `/** ${safe} */\n`
  return `/**\n${safe
    .split('\n')
    .flatMap(wrapped)
    .map((line) => ` * ${line}`.trimEnd())
    .join('\n')}\n */\n`
}

/** Breaks a line between words, but not inside code. */
function wrapped(line: string): string[] {
  if (/^`[^`]*`$/.test(line)) return [line]
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last && last.length + word.length > 88) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return lines
}
