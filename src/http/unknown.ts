import type { TSchema } from 'typebox'
import { type Fields, invalid } from '../lib/problem.ts'
import type { Route } from './route.ts'

interface Schema {
  properties?: Record<string, TSchema>
  items?: TSchema
  additionalProperties?: unknown
  contentMediaType?: string
}

/** Every operation knows them: see own-tenant.ts. */
const TENANT = ['businessId', 'isLive']

const propertiesOf = (schema: TSchema | undefined): Record<string, TSchema> =>
  (schema as Schema | undefined)?.properties ?? {}

/** What only lists, their exports and their totals take. */
const OF_LISTS = ['page', 'limit', 'sort', 'cursor', 'startDate']

/** Whether an operation answers a list, or an export or totals of one. */
function isList({ method, query, answer }: Pick<Route, 'method' | 'query' | 'answer'>): boolean {
  if (method !== 'GET') return false
  const { data } = propertiesOf(answer)
  const names = Object.keys(propertiesOf(query))
  return (
    (data as Schema | undefined)?.items !== undefined ||
    OF_LISTS.some((name) => names.includes(name))
  )
}

/**
 * Makes the check of a list's parameters: a filter that was ignored would show what was not asked
 * for. Throws 400 naming those that it does not have, and all that it has.
 */
export function refuserOfUnknown(
  route: Pick<Route, 'method' | 'query' | 'answer'>,
): ((query: unknown) => void) | undefined {
  const { query: schema } = route
  if (!isList(route) || (schema as Schema | undefined)?.additionalProperties) return undefined
  const names = Object.keys(propertiesOf(schema))
  const known = new Set([...names, ...TENANT])
  const takes = names.length > 0 ? names.join(', ') : 'none'
  const says = `is not a parameter of this list: it takes ${takes}`
  return (query) => {
    const unknown = Object.keys(query as object).filter((name) => !known.has(name))
    if (unknown.length === 0) return
    throw invalid(Object.fromEntries(unknown.map((name) => [name, [says]])) satisfies Fields)
  }
}

const NAMES_MAX = 20
const NAME_LENGTH_MAX = 64

type Find = (value: unknown, path: string, found: string[]) => void

/**
 * Makes what finds the fields of a body that its operation does not know and so ignores, as
 * `Tradepost-Ignored-Fields` names them: `lineItems.0.qty`, at most 20.
 */
export function ignoredFields(schema: TSchema | undefined): (body: unknown) => string | undefined {
  const find = schema && finderOf(schema, TENANT)
  return (body) => {
    const found: string[] = []
    find?.(body, '', found)
    if (found.length === 0) return undefined
    return found
      .map((name) => encodeURIComponent(name.slice(0, NAME_LENGTH_MAX).toWellFormed()))
      .join(', ')
  }
}

function finderOf(schema: TSchema, also: readonly string[] = []): Find | undefined {
  const { properties, items } = schema as Schema
  if (items) {
    const find = finderOf(items)
    if (!find) return undefined
    return (value, path, found) => {
      if (!Array.isArray(value)) return
      for (const [i, item] of value.entries()) find(item, `${path}${i}.`, found)
    }
  }
  if (!properties) return undefined
  const known = new Map<string, Find | undefined>([
    ...also.map((name) => [name, undefined] as const),
    ...Object.entries(properties).map(([name, of]) => [name, finderOf(of)] as const),
  ])
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const name of Object.keys(value)) {
      if (found.length >= NAMES_MAX) return
      if (!known.has(name)) found.push(path + name)
      else known.get(name)?.((value as Record<string, unknown>)[name], `${path}${name}.`, found)
    }
  }
}
