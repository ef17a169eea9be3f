import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerOf, requireSession } from '../business/people/sessions.ts'
import type { Log } from '../db/log.ts'
import type { ConsoleDeps } from '../deps.ts'
import { sessionOf } from '../http/auth.ts'
import { SentAs } from '../http/download.ts'
import { type Route, route } from '../http/route.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { type EventMark, selectEventMark } from './queries.ts'

/** How many streams can be open at once. People without one see changes when they reload. */
const STREAMS_MAX = 500
/** Browsers open only a few connections to a server, so this is enough for one person. */
const STREAMS_OF_ONE_MAX = 20
/**
 * Ends a stream before proxies would cut it off. The browser then opens the next one automatically.
 */
const STREAM_MS = 25_000
const LOOK_MS = 1_000
/** How long before its stream a page can have read what it shows. */
const READ_BEFORE_MS = 30_000
/**
 * How long a stream can stay open after its session has ended or its member has left the business.
 */
const PROVE_MS = 5_000

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export interface LiveOptions {
  log: Log
  proveStreamsMs?: number
}

/**
 * Reports that something has happened in a business, but not what. The client then reads the data
 * again through routes that check its permissions. The stream checks the session itself, because an
 * open page does not count as user activity and must not keep the session alive.
 */
export function liveRoutes(server: FastifyInstance, deps: ConsoleDeps & LiveOptions): Route[] {
  const closing = new AbortController()
  server.addHook('preClose', async () => closing.abort())
  const watch = watcher(deps)
  const open = new Map<number, number>()

  return [
    route({
      operation: 'follow_changes',
      method: 'GET',
      path: '/live',
      caller: 'public',
      query: Type.Object({
        business: Type.String({ minLength: 1, maxLength: 20 }),
        mode: Type.Enum(['test', 'live'], { default: 'test' }),
      }),
      response: SentAs('text/event-stream'),
      handle: async ({ request, reply, query }) => {
        const asked = { business: query.business, live: query.mode === 'live' }
        const { tenant, personId } = await prove(deps, request, asked)
        if (request.method === 'HEAD') return reply.headers(HEADERS).send()
        const total = [...open.values()].reduce((sum, one) => sum + one, 0)
        const ofOne = open.get(personId) ?? 0
        if (total >= STREAMS_MAX || ofOne >= STREAMS_OF_ONE_MAX) {
          return reply.code(503).header('retry-after', '30').send()
        }
        open.set(personId, ofOne + 1)
        try {
          await stream(request, reply, closing.signal, {
            proveMs: deps.proveStreamsMs ?? PROVE_MS,
            watch: (tell) => watch(tenant, tell),
            isMissed: (at) => at >= addMs(deps.clock.now(), -READ_BEFORE_MS),
            isProven: () =>
              prove(deps, request, asked).then(
                () => true,
                () => false,
              ),
          })
        } finally {
          const left = open.get(personId)! - 1
          if (left > 0) open.set(personId, left)
          else open.delete(personId)
        }
      },
    }),
  ]
}

async function prove(
  { db, clock, publicUrl }: ConsoleDeps,
  request: FastifyRequest,
  { business, live }: { business: string; live: boolean },
): Promise<{ tenant: Tenant; personId: number }> {
  const shown = request.headers.authorization === undefined ? sessionOf(request) : undefined
  const now = clock.now()
  const cookie = shown && { ...shown, live }
  const signedIn = await requireSession({ db, publicUrl }, cookie, now)
  const tenant = callerOf(signedIn, { businessId: business, session: cookie! }, now)
  return { tenant, personId: signedIn.session.person_id }
}

interface Told {
  /**
   * Reports each new mark, starting with the current one. Returns a function that stops watching.
   */
  watch(tell: (mark: EventMark) => void): () => void
  /** Whether the page may have read what it shows before this time. */
  isMissed(at: Date): boolean
  isProven(): Promise<boolean>
  proveMs: number
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
  { watch, isMissed, isProven, proveMs }: Told,
): Promise<void> {
  const { raw } = reply.hijack()
  const ended = new AbortController()
  raw.on('close', () => ended.abort())
  raw.on('error', () => ended.abort())
  const signal = AbortSignal.any([ended.signal, closing, AbortSignal.timeout(STREAM_MS)])
  raw.writeHead(200, { ...(reply.getHeaders() as object), ...HEADERS })
  raw.write('retry: 1000\n\n')
  // When the browser reconnects, it sends the last mark that it received, so it misses no change.
  let last = request.headers['last-event-id'] as string | undefined
  const stop = watch(({ mark, at }) => {
    const isFirst = last === undefined
    const isNews = isFirst ? at !== null && isMissed(at) : mark !== last
    if (isNews || isFirst) {
      raw.write(`event: ${isNews ? 'changed' : 'begun'}\nid: ${mark}\ndata: {}\n\n`)
    }
    last = mark
  })
  try {
    while (!signal.aborted) {
      await sleep(proveMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted && !(await isProven())) break
    }
  } finally {
    stop()
    raw.end()
  }
}

interface Watched {
  mark: EventMark | undefined
  tell: Set<(mark: EventMark) => void>
}

/**
 * Checks each watched business and mode once a second, regardless of how many people are watching.
 */
function watcher({ db, log }: Pick<ConsoleDeps, 'db'> & { log: Log }) {
  const watched = new Map<string, Watched>()

  async function look(tenant: Tenant, one: Watched): Promise<void> {
    while (one.tell.size > 0) {
      try {
        const mark = await selectEventMark(db, tenant)
        if (mark.mark !== one.mark?.mark) for (const tell of one.tell) tell(mark)
        one.mark = mark
      } catch (err) {
        log.warn({ err }, 'could not check for new events')
      }
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  }

  return ({ businessId, live }: Tenant, tell: (mark: EventMark) => void): (() => void) => {
    const name = `${businessId} ${live}`
    const known = watched.get(name)
    const one = known ?? { mark: undefined, tell: new Set() }
    one.tell.add(tell)
    if (one.mark !== undefined) tell(one.mark)
    if (!known) {
      watched.set(name, one)
      void look({ businessId, live }, one).finally(() => watched.delete(name))
    }
    return () => void one.tell.delete(tell)
  }
}
