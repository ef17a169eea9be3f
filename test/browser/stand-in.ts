import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  assets,
  messageTexts,
  pageHeaders,
  renderInvoicePage,
  renderMessagePage,
} from '../../src/pages/pages.ts'
import type { InvoiceView } from '../../src/pages/views.ts'

const CONTEXT = { nonce: 'c3RhbmQtaW4', locale: 'en-NG' }

interface Options {
  /** False: the live stream is missing, as behind a proxy that forbids it. */
  live?: boolean
}

/** Shows one made-up invoice at a time, so that each state of the page can be looked at. */
export async function startStandIn(first: InvoiceView, { live = true }: Options = {}) {
  let view = first
  const listeners = new Set<ServerResponse>()
  const asked: string[] = []

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://stand-in')
    asked.push(`${request.method} ${pathname}`)
    const path = pathname.replace(`/i/${view.token}`, '/i')
    if (path === '/i') send(response, 200, renderInvoicePage(view, CONTEXT))
    else if (path === '/i/state') sendState(response)
    else if (path === '/i/live' && live) listen(response)
    else if (path.startsWith('/assets/')) sendAsset(response, path.slice('/assets/'.length))
    else sendMessage(response, Number(path.slice(1)) || 404)
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
    /** What was asked for, in order. */
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
  response.writeHead(status, pageHeaders(CONTEXT.nonce))
  response.end(html)
}

function sendAsset(response: ServerResponse, name: string): void {
  const asset = assets.get(name)
  if (asset) {
    response.writeHead(200, { 'content-type': asset.type, 'content-encoding': 'gzip' })
    response.end(asset.gzip)
  } else sendMessage(response, 404)
}

function sendMessage(response: ServerResponse, status: number): void {
  const words = messageTexts(status, CONTEXT.locale)
  send(response, status, renderMessagePage({ status, ...words, requestId: 'req_1' }, CONTEXT))
}
