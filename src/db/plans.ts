import pg from 'pg'
import { textsOf } from './pg-arrays.ts'

/**
 * Makes PostgreSQL plan each prepared statement once per connection. By default, it plans many of
 * our statements at every execution, because the plan for known values looks a little cheaper.
 * Planning then costs 3 to 10 times as much as execution (docs/design/plans.md).
 */
export const ONE_PLAN = '-c plan_cache_mode=force_generic_plan'

/**
 * For a distributed database, which can only send a statement to the right machine once it knows
 * the values.
 */
export const PLAN_FOR_VALUES = '-c plan_cache_mode=force_custom_plan'

export function inline(text: string, values: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Buffer.isBuffer(value)) {
    const texts = textsOf(value)
    return texts ? literal(texts) : `'\\x${value.toString('hex')}'`
  }
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(quoted).join()}}`)
  if (typeof value === 'object') return pg.escapeLiteral(JSON.stringify(value))
  return pg.escapeLiteral(String(value))
}

/** Quotes an item of an array literal. */
function quoted(item: unknown): string {
  if (item === null || item === undefined) return 'null'
  if (item instanceof Date) return quoted(item.toISOString())
  if (Buffer.isBuffer(item)) return quoted(`\\x${item.toString('hex')}`)
  if (Array.isArray(item)) return `{${item.map(quoted).join()}}`
  return `"${String(item).replace(/["\\]/g, '\\$&')}"`
}
