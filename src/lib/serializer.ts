import buildSerializer from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialize = (body: unknown) => string

/** Cached by schema: several routes can share one, and tests run several servers in one process. */
const compiled = new WeakMap<TSchema, Serialize>()

/**
 * Serialises response bodies to JSON. Only the properties in the schema are sent, so that no column
 * leaks. Compiled on first use, because compiling all the schemas at once would slow down startup.
 */
export function serializer(schema: TSchema): Serialize {
  let serialize: Serialize | undefined
  return (body) => {
    serialize ??= compiled.get(schema) ?? compile(schema)
    return serialize(body)
  }
}

function compile(schema: TSchema): Serialize {
  const made = buildSerializer(schema as object as Parameters<typeof buildSerializer>[0])
  compiled.set(schema, made)
  return made
}
