import type { FastifyRequest } from 'fastify'
import { Problem, unauthenticated } from '../lib/problem.ts'
import type { Caller, Credentials } from '../lib/tenant.ts'

const KEY_IN_URL = /(?:[sp]k|p[st])_(?:test|live)_/

/** Whether an address has a key, or a partner's secret or token. Addresses are logged by many. */
export const isKeyInUrl = (url: string): boolean => KEY_IN_URL.test(url)

/** Reads the credentials, or throws 401. A key in the address is refused. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const sent = valuesOf(request, 'authorization')
  const [, key] = /^Bearer +([^\s]+)$/i.exec(sent[0] ?? '') ?? []
  if (sent.length !== 1 || !key || isKeyInUrl(request.url)) throw unauthenticated()
  // Node joins a repeated one with a comma, which no id has.
  const businessId = request.headers['x-business-id'] as string | undefined
  return { key, businessId, ip: request.ip, origin: request.headers.origin }
}

/** Every value of a header as it came: Node keeps the first or joins them, each hiding a repeat. */
export function valuesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!)
  }
  return values
}

/** Throws 403 when a restricted key lacks what the operation needs. */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (scopes === null || scopes.includes(scope)) return
  const [collection] = scope.split(':')
  if (scope.endsWith(':read') && scopes.includes(`${collection}:write`)) return
  throw new Problem('forbidden', 'insufficient_scope', `This key lacks the scope ${scope}.`)
}
