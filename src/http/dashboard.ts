import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, unavailable } from '../lib/problem.ts'
import { assets, assetUrls, otherAssets } from '../pages/assets.ts'
import { fromRoot } from '../root.ts'
import { compressedFully, type Encoding, encodingFor } from './compression.ts'

/** The output of the dashboard build (scripts/dashboard.mjs). */
const BUILT = fromRoot('dashboard/dist')

/** The single-page application's URLs, which all return the same document. */
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

/** Sends the application, which reads its URL to decide what to show. */
export async function sendDashboard(reply: FastifyReply): Promise<FastifyReply> {
  page ??= readFile(join(BUILT, 'index.html'), 'utf8')
  const html = await page.catch(() => {
    page = undefined
    throw unavailable('dashboard_not_built', 'The dashboard is not built. Run npm start once.')
  })
  const nonce = randomBytes(16).toString('base64url')
  return reply.headers(headersWith(nonce)).send(html.replace('%NONCE%', nonce))
}

/** URLs that only programs use: their responses are JSON, even in a browser. */
const OF_PROGRAMS = /^\/(?:api|console|dashboard-assets|media)(?:\/|$)/

/**
 * Returns whether a person typed this URL, such as /invoices or /login, into a browser. The
 * application redirects to the requested screen, or says that there is no such screen. Unlike
 * browsers, programs do not accept `text/html`.
 */
export function isBrowserNavigation({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    Boolean(headers.accept?.includes('text/html')) &&
    !OF_PROGRAMS.test(url.replace(/[?#].*/s, ''))
  )
}

export function mountDashboard(server: FastifyInstance): void {
  const files = new Map<string, Promise<Buffer>>()
  for (const url of SCREENS) server.get(url, (_request, reply) => sendDashboard(reply))

  server.get<{ Params: { name: string } }>('/dashboard-assets/:name', async (request, reply) => {
    const { name } = request.params
    const type = TYPES[extname(name)]
    if (!type || !/^[\w.-]+$/.test(name)) throw notFound('asset')
    let file = files.get(name)
    if (!file) {
      file = readFile(join(BUILT, 'dashboard-assets', name)).then((bytes) =>
        compressedFully(bytes, 'gzip'),
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
        // Every browser that can run the application accepts gzip.
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      .send(bytes)
  })
}

/** Allows only our own scripts and styles, and inline styles that have the nonce. */
const headersWith = (nonce: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // For previews of emails, which have their own policy.
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

/**
 * Mounts the style, script and icon for payer pages. They are cached for ever, because their names
 * contain a hash.
 */
export function mountAssets(server: FastifyInstance): void {
  // Browsers and bookmark services request this if a page doesn't name an icon.
  server.get('/favicon.ico', async (_request, reply) => {
    const { type, bytes } = assets.get(assetUrls.icon.slice('/assets/'.length))!
    return reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=86400' })
      .send(bytes)
  })
  // The pages themselves ask not to be indexed; chat apps can fetch them for a preview.
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
    const encoding = encodingFor(request)
    return reply
      .headers({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding }),
      })
      .send(encoding ? await packed(name, asset.bytes, encoding) : asset.bytes)
  })
}

const allPacked = new Map<string, Promise<Buffer>>()

/** Compresses a file on its first use, because compressing them all would slow down startup. */
function packed(name: string, bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const key = `${encoding} ${name}`
  const file = allPacked.get(key) ?? compressedFully(bytes, encoding)
  allPacked.set(key, file)
  return file
}
