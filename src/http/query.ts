import type { TSchema } from 'typebox'
import { invalid, Problem } from '../lib/problem.ts'

/**
 * Text from a path or a query as the schema's types. Only the plainest spellings count: Ajv's own
 * coercion takes `0x10` for 16 and ` 5 ` for 5. What does not fit stays text and is refused by the
 * schema, with its name.
 */
export function coerced(values: Record<string, unknown>, schema: TSchema): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) throw invalid({ [name]: ['must be given once'] })
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

/** Refuses a URL whose escapes are not UTF-8, which the query parser would pass on undecoded. */
export function refuseBadUrl(url: string): void {
  if (!url.includes('%')) return
  try {
    if (!decodeURIComponent(url).includes('\0')) return
  } catch {
    // Falls through: the same answer.
  }
  throw new Problem('invalid', 'bad_url', 'The address has escapes that are not valid UTF-8 text.')
}
