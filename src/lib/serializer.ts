import buildSerializer from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialize = (body: unknown) => string

/** By schema: several routes may answer one, and tests have several servers in a process. */
const compiled = new WeakMap<TSchema, Serialize>()

/**
 * Success bodies to JSON. Only what the schema lists leaves, so that no column slips out; compiled
 * at the first use, since all of them together would slow the start.
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
