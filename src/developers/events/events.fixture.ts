import type { TSchema } from 'typebox'

/** Returns a copy of a schema that forbids unlisted fields, at any depth. */
export function closed(schema: TSchema): object {
  return close(JSON.parse(JSON.stringify(schema))) as object
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, close(inner)] as const)
  const copy = Object.fromEntries(entries)
  if ('properties' in copy && copy.additionalProperties === undefined) {
    copy.additionalProperties = false
  }
  return copy
}
