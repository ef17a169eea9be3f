import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  accentStyle,
  assets,
  messageTexts,
  pageHeaders,
  renderInvoicePage,
  renderMessagePage,
} from '../../src/pages/pages.ts'
import type { InvoiceView, PageContext } from '../../src/pages/views.ts'

const NONCE = 'c3RhbmQtaW4'

interface Options {
  /** False if there is no live stream, as behind a proxy that blocks it. */
  live?: boolean
  /** The language of the page. */
  locale?: string
}

/** Serves one invented invoice at a time, to check each state of its page. */
export async function startFakePayerServer(first: InvoiceView, options: Options = {}) {
  const { live = true, locale = 'en-NG' } = options
  const context = { nonce: NONCE, locale }
  let view = first
  const listeners = new Set<ServerResponse>()
  const asked: string[] = []

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://stand-in')
    asked.push(`${request.method} ${pathname}`)
    const path = pathname.replace(`/i/${view.token}`, '/i')
    if (path === '/i') send(response, 200, renderInvoicePage(view, context))
    else if (path === '/i/state') sendState(response)
    else if (path === '/i/live' && live) listen(response)
    else if (assets.has(path.slice('/assets/'.length))) sendAsset(response, path)
    else sendMessage(response, Number(path.slice(1)) || 404, locale)
  })

  function sendState(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(stateOf(view))
  }

  function listen(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(eventOf(view))
    listeners.add(response)
    response.on('close', () => listeners.delete(response))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/i/${first.token}`,
    /** All requests, in order. */
    asked,
    listenerCount: () => listeners.size,
    show(next: InvoiceView): void {
      view = next
      for (const listener of listeners) listener.write(eventOf(view))
    },
  }
}

const stateOf = ({ version }: InvoiceView) => JSON.stringify({ version })
const eventOf = (view: InvoiceView) => `event: state\ndata: ${stateOf(view)}\n\n`

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders(NONCE))
  response.end(html)
}

function sendAsset(response: ServerResponse, path: string): void {
  const asset = assets.get(path.slice('/assets/'.length))!
  response.writeHead(200, { 'content-type': asset.type })
  response.end(asset.bytes)
}

function sendMessage(response: ServerResponse, status: number, locale: string): void {
  const view = { status, ...messageTexts(status, locale), requestId: 'req_1' }
  send(response, status, renderMessagePage(view, { nonce: NONCE, locale }))
}

/** Serves one page at every path, with its styles and its script. */
export async function startShowing(html: (context: PageContext) => string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://stand-in')
    const style = accentStyle(pathname.replace('/accent/', ''))
    if (assets.has(pathname.slice('/assets/'.length))) sendAsset(response, pathname)
    else if (style) response.writeHead(200, { 'content-type': 'text/css' }).end(style)
    else send(response, 200, html({ nonce: NONCE, locale: 'en-NG' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
