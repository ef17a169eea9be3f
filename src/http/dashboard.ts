import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, unavailable } from '../lib/problem.ts'
import { assets, assetUrls, otherAssets } from '../pages/assets.ts'

/** What set-up built (scripts/dashboard.mjs). */
const BUILT = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** Where the application decides itself what is shown; all the same document. */
const SCREENS = [
  '/',
  '/sign-in',
  '/sign-up',
  '/forgot-password',
  '/reset-password',
  '/invitation',
  '/confirm-email',
  '/remove-passkeys',
  '/test',
  '/test/*',
  '/live',
  '/live/*',
]

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

let page: Promise<string> | undefined

/** Sends the application, which looks at its address and decides what to show. */
export async function showDashboard(reply: FastifyReply): Promise<FastifyReply> {
  page ??= readFile(join(BUILT, 'index.html'), 'utf8')
  const html = await page.catch(() => {
    page = undefined
    throw unavailable('dashboard_not_built', 'The dashboard is not built: run npm start once.')
  })
  const nonce = randomBytes(16).toString('base64url')
  return reply.headers(headersWith(nonce)).send(html.replace('%NONCE%', nonce))
}

/** Addresses that only programs use: they get the JSON that they expect, in a browser too. */
const OF_PROGRAMS = /^\/(?:api|console|dashboard-assets|media)(?:\/|$)/

/**
 * Whether somebody typed this address into a browser, such as /invoices or /login. The application
 * leads them to the screen they meant, or says that there is none. Programs send no `text/html`.
 */
export function isTyped({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    Boolean(headers.accept?.includes('text/html')) &&
    !OF_PROGRAMS.test(url.replace(/[?#].*/s, ''))
  )
}

/** The merchant's application: one document, and files whose names hold their hash. */
export function mountDashboard(server: FastifyInstance): void {
  const files = new Map<string, Promise<Buffer>>()
  for (const url of SCREENS) server.get(url, (_request, reply) => showDashboard(reply))

  server.get<{ Params: { name: string } }>('/dashboard-assets/:name', async (request, reply) => {
    const { name } = request.params
    const type = TYPES[extname(name)]
    if (!type || !/^[\w.-]+$/.test(name)) throw notFound('asset')
    let file = files.get(name)
    if (!file) {
      file = readFile(join(BUILT, 'dashboard-assets', name)).then((bytes) =>
        compressed(bytes, { level: 9 }),
      )
      files.set(name, file)
    }
    const bytes = await file.catch(() => {
      files.delete(name)
      throw notFound('asset')
    })
    return reply
      .headers({
        'content-type': type,
        // Every browser that runs the application takes it.
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      .send(bytes)
  })
}

const compressed = promisify<Buffer, { level: number }, Buffer>(gzip)

/** Scripts from here alone, and styles that carry the nonce; pictures may be of the merchant's. */
const headersWith = (nonce: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // Letters, which bring a policy of their own.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
})

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
    const asset = assets.get(name) ?? otherAssets.get(name)
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
