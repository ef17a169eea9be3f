import pg from 'pg'

/**
 * Makes PostgreSQL plan each prepared statement once per connection. By default, it plans many of
 * our statements at every execution, because the plan for known values looks a little cheaper.
 * Planning then costs 3 to 10 times as much as execution (docs/design/plans.md).
 */
export const ONE_PLAN = '-c plan_cache_mode=force_generic_plan'

export function inline(text: string, values: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(quoted).join()}}`)
  return pg.escapeLiteral(String(value))
}

/** Quotes an item of an array literal. */
const quoted = (item: unknown): string => `"${String(item).replace(/["\\]/g, '\\$&')}"`
