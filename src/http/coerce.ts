import type { TSchema } from 'typebox'
import { invalid, Problem } from '../lib/problem.ts'

/**
 * Converts strings from a path or a query to the types in the schema. Accepts only plain spellings,
 * whereas Ajv's own coercion reads `0x10` as 16 and ` 5 ` as 5. Leaves any other string as it is,
 * so that validation refuses it and names the parameter.
 */
export function coerceStrings(
  values: Record<string, unknown>,
  schema: TSchema,
): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) throw invalid({ [name]: ['must be sent only once'] })
    result[name] = fromText(String(value), properties[name]?.type)
  }
  return result
}

function fromText(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(?:true|1)$/i.test(text)) return true
  if (type === 'boolean' && /^(?:false|0)$/i.test(text)) return false
  return text
}

interface Address {
  url: string
  params: unknown
  query: unknown
}

/**
 * Refuses a URL that contains NUL, or whose escapes are not UTF-8, which the query parser would
 * leave undecoded. Names the parameter.
 */
export function refuseBadUrl({ url, params, query }: Address): void {
  if (!url.includes('%') || !decoded(url).includes('\0')) return
  const values = Object.entries({ ...(params as object), ...(query as object) })
  const named = values.filter(([, value]) => String(value).includes('\0'))
  const faults = named.map(([name]) => [name, ['must not contain a NUL character']])
  throw faults.length > 0 ? invalid(Object.fromEntries(faults), 'invalid_text') : badUrl()
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    throw badUrl()
  }
}

const badUrl = () =>
  new Problem('invalid', 'bad_url', 'The URL has escapes that are not valid UTF-8.')
