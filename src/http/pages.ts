import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  isLanguage,
  type Language,
  messageTexts,
  type PageContext,
  pageHeaders,
  renderMessagePage,
  textsOf,
} from '../pages/pages.ts'
import { BODY_BYTES_MAX } from './bodies.ts'
import { compressed, encodingFor } from './compression.ts'
import { toFailure, toProblem } from './errors.ts'

/** Smaller pages are not worth the 0.2 ms that compression takes. */
const PACKED_FROM = 2_048

/** Most forms post to a URL one level below their page. */
const oneStepUp = (url: string) => url.replace(/\/[^/]*$/, '')

/**
 * Sets up what all payer-facing features need: pages with their headers, and errors shown as pages.
 * `pageOf` maps the URL that a form posts to onto the URL of its page.
 */
export function servePages(
  pages: FastifyInstance,
  takeToken: (ip: string) => void,
  pageOf = oneStepUp,
) {
  const page = sendPage
  pages.addHook('onRequest', async (request) => takeToken(request.ip))
  pages.addHook('onRequest', async (request, reply) => switchLanguage(request, reply))
  pages.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error, request)
    if (failure.status >= 500)
      request.log.error(
        { requestId: request.id, err: toProblem(error, request).cause ?? error },
        'page',
      )
    reply.code(failure.status).headers(failure.headers)
    const words = messageTexts(
      failure.code === 'business_paused' ? 'closed' : failure.status,
      localeOf(request.headers),
    )
    const view = {
      status: failure.status,
      ...words,
      requestId: request.id,
      ...(request.method === 'POST' && { back: pageOf(pathOf(request)) }),
    }
    return page(request, reply, (ctx) => renderMessagePage(view, ctx))
  })

  /**
   * Redirects to the page with GET after a form is posted, so that a reload does not post it twice.
   */
  const back = (reply: FastifyReply, path: string): FastifyReply => reply.redirect(path, 303)

  return { page, back }
}

/** Restricts posts to forms of a limited size, because anyone can post to a payer page. */
export async function takeForms(
  pages: FastifyInstance,
  size: keyof typeof BODY_BYTES_MAX,
): Promise<void> {
  pages.removeAllContentTypeParsers()
  await pages.register(formbody, { bodyLimit: BODY_BYTES_MAX[size] })
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  render: (ctx: PageContext) => string,
  formTargets?: readonly string[],
): FastifyReply {
  const nonce = randomBytes(16).toString('base64url')
  const query = queryOf(request)
  const language = chosenLanguage(query)
  query.delete('lang')
  const html = render({
    nonce,
    locale: localeOf(request.headers, language),
    query: keptOf(query),
  })
  reply.headers(pageHeaders(nonce, formTargets))
  if (language) reply.header('set-cookie', keptFor(language))
  // A page contains no secret other than its own URL, so its compressed length reveals nothing.
  const encoding = html.length < PACKED_FROM ? undefined : encodingFor(request)
  if (!encoding) return reply.send(html)
  return reply.header('content-encoding', encoding).send(compressed(html, encoding))
}

/** A page repeats its query in the language links, so a longer query is dropped. */
const QUERY_LENGTH_MAX = 500

function keptOf(query: URLSearchParams): string {
  const text = query.toString()
  return text.length > QUERY_LENGTH_MAX ? '' : text
}

/** The URLs of payer pages, which people type, copy and truncate. */
const PAGE_PATH = /^\/(?:pay|checkout|receipt|i|d|simulator)\//

/**
 * Sends the "not found" page for a payer URL that cannot be decoded and therefore reaches no route
 * (`/pay/%ff`); for any other URL, sends nothing and returns false.
 */
export function sendUnreadable(request: FastifyRequest, reply: FastifyReply): boolean {
  if (!PAGE_PATH.test(pathOf(request))) return false
  const words = messageTexts(404, localeOf(request.headers))
  const view = { status: 404, ...words, requestId: request.id }
  sendPage(request, reply.code(404), (ctx) => renderMessagePage(view, ctx))
  return true
}

/**
 * Returns whether a form was posted to `?lang=`. If so, the form is shown again in that language
 * instead of being submitted.
 */
export const isLanguageSwitch = (request: FastifyRequest): boolean =>
  chosenLanguage(queryOf(request)) !== undefined

/** Stores the language from `?lang=` and redirects to the page without it. */
function switchLanguage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const query = queryOf(request)
  const language = chosenLanguage(query)
  if (!language || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined
  query.delete('lang')
  const path = pathOf(request)
  return reply
    .headers({ 'set-cookie': keptFor(language), 'cache-control': 'no-store' })
    .redirect(query.size > 0 ? `${path}?${query}` : path, 303)
}

/**
 * Returns the request's path without a host: a request line can name another server (`GET
 * http://other.example/i/1`), and so can a path that starts with two slashes.
 */
const pathOf = ({ url }: FastifyRequest): string =>
  url
    .replace(/[?#].*/s, '')
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
    .replace(/^[\\/]*/, '/')

const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/**
 * An email's HTML comes partly from other people, so scripts and forms are blocked, and links open
 * in new windows.
 */
export const EMAIL_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    // For the merchant's logo, which is on this server.
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const COOKIE = 'lang'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Browsers send only a few languages, so longer headers are cut off. */
const HEADER_MAX = 1_000

/** Returns the supported language that a URL asks to switch to: `?lang=fr`. */
function chosenLanguage(query: URLSearchParams): Language | undefined {
  const code = query.get(COOKIE) ?? ''
  return isLanguage(code) ? code : undefined
}

/** Returns the cookie that stores the choice for a year. It does not identify the visitor. */
const keptFor = (language: Language): string =>
  `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`

/**
 * Returns the locale for a page: the language chosen now or previously, or otherwise the browser's
 * first supported language, with the browser's region if given (`fr-SN`), or otherwise English.
 */
export function localeOf(headers: IncomingHttpHeaders, chosen?: Language): string {
  const asked = localesAsked(headers['accept-language'])
  const kept = chosen ?? languageKept(headers.cookie)
  const isWanted = (language: string) => (kept ? language === kept : isLanguage(language))
  const found = asked.find((locale) => isWanted(languageOf(locale)))
  return found?.includes('-') ? found : textsOf(found ?? kept ?? 'en').locale
}

const languageOf = (locale: string) => locale.split('-')[0] ?? ''

function languageKept(cookie = ''): Language | undefined {
  const code = /(?:^|;)\s*lang=([a-z]+)\s*(?:;|$)/.exec(cookie)?.[1] ?? ''
  return isLanguage(code) ? code : undefined
}

/**
 * Returns the locales in an `Accept-Language` header, best first, spelt as Intl spells them, and
 * without invalid ones.
 */
function localesAsked(header = ''): string[] {
  return header
    .slice(0, HEADER_MAX)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const q = parameters.find((one) => /^q=/i.test(one))
      return { locale: canonical(tag), q: q ? Number(q.slice(2)) : 1 }
    })
    .filter(({ locale, q }) => locale && q > 0 && q <= 1)
    .sort((a, b) => b.q - a.q)
    .map(({ locale }) => locale)
}

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? ''
  } catch {
    return ''
  }
}

/** How many payer pages can be updated by streams at once; any other pages poll. */
const STREAMS_MAX = 1_000

/** The same limit per network, so that one payer cannot take all streams. */
const STREAMS_OF_NETWORK_MAX = 20

/**
 * Ends a stream before proxies would cut it off. The browser then opens the next one automatically.
 */
const STREAM_MS = 25_000
const LOOK_MS = 1_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/**
 * Lets an open page at `url` find out when to reload its content: `/state` returns its version, and
 * `/live` sends each new version as a server-sent event. `versionOf` throws if there is no page at
 * the URL.
 */
export function mountVersion<Params>(
  pages: FastifyInstance,
  url: string,
  versionOf: (params: Params) => Promise<string>,
  networkOf: (ip: string) => string,
): void {
  const stream = streamsOf(pages, networkOf)
  const look = async ({ params }: FastifyRequest) => ({
    version: await versionOf(params as Params),
  })
  pages.get(`${url}/state`, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return reply.send(await look(request))
  })
  pages.get(`${url}/live`, async (request, reply) => {
    // This check comes first, because a stream that has started can no longer respond with 404.
    await look(request)
    return stream(request, reply, () => look(request))
  })
}

function streamsOf(pages: FastifyInstance, networkOf: (ip: string) => string) {
  let streams = 0
  const ofNetworks = new Map<string, number>()
  const closing = new AbortController()
  pages.addHook('preClose', async () => closing.abort())

  /** Sends what `look` returns whenever it changes. */
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<object>,
  ): Promise<FastifyReply> => {
    // Otherwise, a HEAD request would have to wait for the stream to end.
    if (request.method === 'HEAD') return reply.headers(STREAM_HEADERS).send()
    const network = networkOf(request.ip)
    const own = ofNetworks.get(network) ?? 0
    if (streams >= STREAMS_MAX || own >= STREAMS_OF_NETWORK_MAX) {
      return reply.code(503).header('retry-after', '5').send()
    }
    streams++
    ofNetworks.set(network, own + 1)
    const { raw } = reply.hijack()
    const ended = new AbortController()
    raw.on('close', () => ended.abort())
    const signal = AbortSignal.any([ended.signal, closing.signal, AbortSignal.timeout(STREAM_MS)])
    try {
      raw.writeHead(200, { ...(reply.getHeaders() as object), ...STREAM_HEADERS })
      await follow(look, signal, (data) => raw.write(`event: state\ndata: ${data}\n\n`))
    } catch (error) {
      request.log.debug({ err: error }, 'stream ended')
    } finally {
      streams--
      const left = ofNetworks.get(network)! - 1
      if (left > 0) ofNetworks.set(network, left)
      else ofNetworks.delete(network)
      raw.end()
    }
    return reply
  }
}

async function follow(
  look: () => Promise<object>,
  signal: AbortSignal,
  tell: (data: string) => void,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    const data = JSON.stringify(await look())
    if (data !== last) tell(data)
    last = data
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}
