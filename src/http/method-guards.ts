import type { FastifyInstance } from 'fastify'
import { Problem } from '../lib/problem.ts'
import type { Mounted } from './route.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Makes every known URL respond to unsupported methods with a 405 that lists the supported ones.
 */
export function mountMethodGuards(server: FastifyInstance, mounted: readonly Mounted[]): void {
  const byUrl = Map.groupBy(mounted, ({ url }) => url.replace(/:\w+/g, ':x'))
  for (const group of byUrl.values()) {
    const allowed = new Set(group.map(({ method }) => method))
    if (allowed.has('GET')) allowed.add('HEAD')
    const [{ url, errors }] = group as [Mounted]
    server.route({
      method: METHODS.filter((method) => !allowed.has(method)),
      url,
      config: { errors },
      onRequest: async ({ method }) => {
        throw notAllowed(method, [...allowed].join(', '))
      },
      handler: async () => {},
    })
  }
}

const notAllowed = (method: string, allow: string) =>
  new Problem(
    'method_not_allowed',
    'method_not_allowed',
    `${method} is not allowed here. Allowed: ${allow}.`,
    { headers: { allow } },
  )
