import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Payers whose pages are kept up to date at once; further ones poll. */
const STREAMS_MAX = 1_000

/** Of one network: more of its pages poll, so that one payer cannot hold the streams of all. */
const STREAMS_OF_NETWORK_MAX = 20

/** A stream ends before proxies cut it; the browser opens the next by itself. */
const STREAM_MS = 25_000
const LOOK_MS = 1_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/**
 * Tells an open page at `url` when to fetch itself anew: its version at `/state`, and each new one
 * at `/live`, as server-sent events. `versionOf` throws for an address at which there is no page.
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
    // Once it has begun, a stream cannot answer 404 any more.
    await look(request)
    return stream(request, reply, () => look(request))
  })
}

function streamsOf(pages: FastifyInstance, networkOf: (ip: string) => string) {
  let streams = 0
  const ofNetworks = new Map<string, number>()
  const closing = new AbortController()
  pages.addHook('preClose', async () => closing.abort())

  /** Tells what `look` sees whenever it changes. */
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<object>,
  ): Promise<FastifyReply> => {
    // Who asks for the headers alone would wait for the end of it.
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
