import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../lib/problem.ts'
import { assets, previewAssets } from '../pages/assets.ts'

/** Style, script and icon of the payer's pages; their names hold their hash, so they keep. */
export function mountAssets(server: FastifyInstance): void {
  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params
    const asset = assets.get(name) ?? previewAssets.get(name)
    if (!asset) throw notFound('asset')
    const isPacked = takesGzip(request)
    return reply
      .headers({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(isPacked && { 'content-encoding': 'gzip' }),
      })
      .send(isPacked ? asset.gzip : asset.bytes)
  })
}

export const takesGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers['accept-encoding'] ?? '')
