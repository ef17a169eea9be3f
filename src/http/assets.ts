import type { FastifyInstance } from 'fastify'
import { notFound } from '../lib/problem.ts'
import { assets } from '../pages/assets.ts'

/** Style, script and icon of the payer's pages; their names hold their hash, so they keep. */
export function mountAssets(server: FastifyInstance): void {
  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = assets.get(request.params.name)
    if (!asset) throw notFound('asset')
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return reply
      .headers({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(takesGzip && { 'content-encoding': 'gzip' }),
      })
      .send(takesGzip ? asset.gzip : asset.bytes)
  })
}
