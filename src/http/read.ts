import type { FastifyRequest } from 'fastify'
import { refuseBadText } from './json.ts'
import { ownTenantCheck } from './own-tenant.ts'
import { coerced, refuseBadUrl } from './query.ts'
import type { Route } from './route.ts'
import { folder } from './spellings.ts'
import { refuserOfUnknown } from './unknown.ts'
import { validator } from './validation.ts'

/** Validates path, query and body once, in that order. */
export function readerOf(spec: Route) {
  const params = spec.params && { schema: spec.params, check: validator(spec.params, 'path') }
  const query = spec.query && { schema: spec.query, check: validator(spec.query, 'query') }
  // What changes a record says by null that a field is to be empty.
  const nullIsAbsent = spec.method === 'POST'
  const checkBody = spec.body && validator(spec.body, 'body', { nullIsAbsent })
  const refuseUnknown = refuserOfUnknown(spec)
  const checkTenant = ownTenantCheck(spec)
  const foldQuery = folder(spec.query)
  const foldBody = folder(spec.body)

  return (request: FastifyRequest) => {
    refuseBadUrl(request)
    refuseUnknown?.(request.query)
    const read = (part: typeof params, values: unknown) => {
      if (!part) return {}
      const typed = coerced(values as Record<string, unknown>, part.schema)
      refuseBadText(typed)
      part.check(typed)
      return typed
    }
    const body = request.body === undefined ? {} : request.body
    checkBody?.(body)
    const typed = { params: read(params, request.params), query: read(query, request.query) }
    checkTenant(request, request.caller!)
    const inQuery = foldQuery(typed.query)
    const inBody = foldBody(body)
    return {
      caller: request.caller!,
      params: typed.params,
      query: inQuery.value,
      body: inBody.value,
      written: inBody.written.size > 0 ? inBody.written : inQuery.written,
    }
  }
}
