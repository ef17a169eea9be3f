import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../lib/problem.ts'
import { assets, assetUrls, previewAssets } from '../pages/assets.ts'

/** Style, script and icon of the payer's pages; their names hold their hash, so they keep. */
export function mountAssets(server: FastifyInstance): void {
  // What browsers and bookmark services ask for where no page names an icon.
  server.get('/favicon.ico', async (_request, reply) => {
    const { type, bytes } = assets.get(assetUrls.icon.slice('/assets/'.length))!
    return reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=86400' })
      .send(bytes)
  })
  // Pages say themselves that they are not to be listed; chats may fetch them for a preview.
  server.get('/robots.txt', async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=86400' })
      .type('text/plain; charset=utf-8')
      .send('User-agent: *\nDisallow: /api/\nDisallow: /console/\n'),
  )
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
