import buildSerializer from 'fast-json-stringify'
import type { TSchema } from 'typebox'

/**
 * Success bodies to JSON. Only what the schema lists leaves, so that no column slips out; compiled
 * at the first use, since all of them together would slow the start.
 */
export function serializer(schema: TSchema): (body: object) => string {
  let compiled: ((body: object) => string) | undefined
  return (body) => {
    compiled ??= buildSerializer(schema as object as Parameters<typeof buildSerializer>[0])
    return compiled(body)
  }
}
