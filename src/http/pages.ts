import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { messageTexts, type PageContext, pageHeaders, renderMessagePage } from '../pages/pages.ts'
import { takesGzip } from './assets.ts'
import { BODY_BYTES_MAX } from './body-limits.ts'
import { toFailure, toProblem } from './errors.ts'
import { chosenLanguage, keptFor, localeOf } from './language.ts'

/** Less is not worth the 0.2 ms. */
const PACKED_FROM = 2_048

/** Most forms post one step below their page. */
const oneStepUp = (url: string) => url.replace(/\/[^/]*$/, '')

/**
 * What the payer-facing slices share: pages with their headers, and errors as pages.
 * `pageOf` answers the page to go back to from the address that a form was posted to.
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
    const words = messageTexts(failure.status, localeOf(request.headers))
    const view = {
      status: failure.status,
      ...words,
      requestId: request.id,
      ...(request.method === 'POST' && { back: pageOf(pathOf(request)) }),
    }
    return page(request, reply, (ctx) => renderMessagePage(view, ctx))
  })

  /** After a form: the page again, by GET, so that a reload posts nothing twice. */
  const back = (reply: FastifyReply, path: string): FastifyReply => reply.redirect(path, 303)

  return { page, back }
}

/** Has pages read the forms of browsers and nothing else: anybody may post to them. */
export async function takeForms(
  pages: FastifyInstance,
  size: keyof typeof BODY_BYTES_MAX,
): Promise<void> {
  pages.removeAllContentTypeParsers()
  await pages.register(formbody, { bodyLimit: BODY_BYTES_MAX[size] })
}

/** Sends a page under a fresh nonce. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  render: (ctx: PageContext) => string,
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
  reply.headers(pageHeaders(nonce))
  if (language) reply.header('set-cookie', keptFor(language))
  // A page holds no secret that whoever could have it fetched does not know from its address, so
  // its packed length tells nothing.
  if (html.length < PACKED_FROM || !takesGzip(request)) return reply.send(html)
  return reply.header('content-encoding', 'gzip').send(gzipSync(html, { level: 5 }))
}

/** A page repeats it in a link for each language, so that a longer one than any of ours is left. */
const QUERY_LENGTH_MAX = 500

function keptOf(query: URLSearchParams): string {
  const text = query.toString()
  return text.length > QUERY_LENGTH_MAX ? '' : text
}

/** Where payers' pages are: their address is typed, copied and cut off by people. */
const PAGE_PATH = /^\/(?:pay|checkout|receipt|i|d)\//

/**
 * Sends the page that there is nothing, for an address of a payer's page that cannot be read, so
 * that no route is asked (`/pay/%ff`); false for every other address, which gets nothing.
 */
export function sendUnreadable(request: FastifyRequest, reply: FastifyReply): boolean {
  if (!PAGE_PATH.test(pathOf(request))) return false
  const words = messageTexts(404, localeOf(request.headers))
  const view = { status: 404, ...words, requestId: request.id }
  sendPage(request, reply.code(404), (ctx) => renderMessagePage(view, ctx))
  return true
}

/** Whether a form is posted to `?lang=`: it is to be shown again in that language, not sent yet. */
export const isSwitch = (request: FastifyRequest): boolean =>
  chosenLanguage(queryOf(request)) !== undefined

/** The address of a page with `?lang=` keeps the language, and leads to the page without it. */
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
 * The path of what was asked for, and nothing of a server: a request line may name another one
 * (`GET http://other.example/i/1`), and so does a path that begins with two slashes.
 */
const pathOf = ({ url }: FastifyRequest): string =>
  url
    .replace(/[?#].*/s, '')
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
    .replace(/^[\\/]*/, '/')

const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
