import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRecord, Tradepost } from '../../sdk/src/index.ts'

const LIMIT = 100
const PAUSE_MS = 700

/** How long after its own time an event may still come to be seen. */
const SETTLED_MS = 60_000

/** Events that may come again: those of about a minute. */
const SEEN_MAX = 50_000

/**
 * Events of an account from now on, each once, about in their order, until `signal` ends it: what
 * happens once this has resolved is among them. Each look goes over all that may not have been seen
 * yet, however many pages that is.
 */
export async function follow(
  tradepost: Tradepost,
  signal: AbortSignal,
): Promise<AsyncGenerator<EventRecord>> {
  const { data: latest } = await tradepost.events.list({ limit: LIMIT }, { signal })
  const [newest, oldest] = [latest[0], latest.at(-1)]
  if (!newest || !oldest) return news(tradepost, {}, new Set(), signal)
  // What happened before is not new; what only comes to be seen now is.
  const seen = new Set(latest.map(({ id }) => id))
  const startDate = settledBefore(newest)
  if (oldest.timestamp >= startDate && latest.length === LIMIT) {
    const before = { startDate, endDate: newest.timestamp }
    for await (const { id } of look(tradepost, before, signal)) seen.add(id)
  }
  return news(tradepost, { startDate }, seen, signal)
}

async function* news(
  tradepost: Tradepost,
  from: Position,
  seen: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<EventRecord> {
  let position = from
  try {
    while (!signal.aborted) {
      let resume: string | null = null
      const events = look(tradepost, position, signal, (said) => {
        resume = said
      })
      for await (const event of events) {
        if (seen.has(event.id)) continue
        seen.add(event.id)
        if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value as string)
        yield event
      }
      if (resume) position = { after: resume }
      await pause(PAUSE_MS, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

type Position = { after?: string; startDate?: string; endDate?: string }

/** All events from a position on. `resume` is told where the next look may begin, if anywhere. */
async function* look(
  tradepost: Tradepost,
  position: Position,
  signal: AbortSignal,
  resume: (from: string | null) => void = () => {},
): AsyncGenerator<EventRecord> {
  for (let page = 1; ; page++) {
    const query = { sort: 'ASC', limit: LIMIT, page, ...position } as const
    const { data, meta } = await tradepost.events.list(query, { signal })
    if (page === 1) resume(meta.resume)
    yield* data
    if (!meta.hasNext) return
  }
}

const settledBefore = ({ timestamp }: EventRecord): string =>
  new Date(Date.parse(timestamp) - SETTLED_MS).toISOString()

/** Ends early when `signal` does. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** Ends when ctrl-C is pressed. */
export function untilStopped(): AbortSignal {
  const stopped = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort())
  return stopped.signal
}

/** Whether a type is wanted: `invoice.paid`, or all of a noun by `invoice.*`. */
export const isWanted = (type: string, wanted: readonly string[] | undefined): boolean =>
  !wanted?.length ||
  wanted.some((one) => one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))))
