import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Tenant } from '../lib/caller.ts'
import { type Fields, invalid } from '../lib/problem.ts'
import { toId } from '../lib/schemas.ts'
import type { Route } from './route.ts'

type Fault = (value: unknown, tenant: Tenant, writes: boolean) => string | undefined

/**
 * Returns the check for `businessId` and `isLive` in a body or a query, and for the header
 * `X-Business-Id`: it throws 400 naming a value that differs from the key's. Reads ignore a
 * different `isLive`. An operation that uses such a name for something else defines that field
 * itself.
 */
export function ownTenantCheck({ method, body, query }: Route) {
  const inBody = faultsBeside(body)
  const inQuery = faultsBeside(query)
  const writes = method !== 'GET'

  return (request: FastifyRequest, tenant: Tenant): void => {
    const fields: Fields = {}
    const look = (values: unknown, faults: [string, Fault][]) => {
      if (values === null || typeof values !== 'object') return
      for (const [name, faultOf] of faults) {
        if (!Object.hasOwn(values, name)) continue
        const fault = faultOf((values as Record<string, unknown>)[name], tenant, writes)
        if (fault) fields[name] = [fault]
      }
    }
    const named = request.headers['x-business-id']
    if (named !== undefined) {
      const fault = businessFault(named, tenant)
      if (fault) fields['X-Business-Id'] = [fault]
    }
    look(request.query, inQuery)
    look(request.body, inBody)
    if (Object.keys(fields).length > 0) throw invalid(fields)
  }
}

const FAULTS: Record<string, Fault> = { businessId: businessFault, isLive: modeFault }

function faultsBeside(schema: TSchema | undefined): [string, Fault][] {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  return Object.entries(FAULTS).filter(([name]) => !Object.hasOwn(properties, name))
}

function businessFault(value: unknown, { businessId }: Tenant): string | undefined {
  const isId = (typeof value === 'number' || typeof value === 'string') && /^\d+$/.test(`${value}`)
  if (!isId) return 'must be an id: a whole number or a numeric string'
  return toId(value) === businessId
    ? undefined
    : 'must be the id of the business that the key belongs to'
}

const MODES = new Map<unknown, boolean>([
  ...[true, 1, 'true', '1'].map((spelt) => [spelt, true] as const),
  ...[false, 0, 'false', '0'].map((spelt) => [spelt, false] as const),
])

function modeFault(value: unknown, { live }: Tenant, writes: boolean): string | undefined {
  const asked = MODES.get(value)
  if (asked === undefined) return 'must be true or false'
  if (!writes || asked === live) return undefined
  return `does not match the key, which is a ${live ? 'live' : 'test'} key`
}
