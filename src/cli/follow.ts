import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRecord, Tradepost } from '../../sdk/src/index.ts'

const LIMIT = 100
const PAUSE_MS = 700
/** Events that may come again; an event is listed again for a minute. */
const SEEN_MAX = 50_000

/** Events of an account from now on, each once, about in their order, until `signal` ends it. */
export async function* follow(
  tradepost: Tradepost,
  signal: AbortSignal,
): AsyncGenerator<EventRecord> {
  const { data: latest } = await tradepost.events.list({ limit: LIMIT })
  const seen = new Set(latest.map(({ id }) => id))
  // What else happened in the moment of the last one is not new, but what follows is.
  const [newest] = latest
  let position: { after?: string; startDate?: string } = newest
    ? { startDate: newest.timestamp }
    : {}
  while (!signal.aborted) {
    const { data, meta } = await tradepost.events.list(
      { sort: 'ASC', limit: LIMIT, ...position },
      { signal },
    )
    for (const event of data) {
      if (seen.has(event.id)) continue
      seen.add(event.id)
      if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value as string)
      yield event
    }
    if (meta.resume) position = { after: meta.resume }
    if (data.length < LIMIT) await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

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
