import type { ClaimedRow } from './queries-deliver.ts'

/** The maximum number of requests in progress, to one endpoint and to all of them. */
const ENDPOINT_MAX = 64
const TOTAL_MAX = 256

/**
 * The maximum number of requests in progress to endpoints that did not respond quickly last time.
 */
const SLOW_MAX = 192

/** An endpoint is quick if its last response was a 2xx that took at most this long. */
const QUICK_MS = 1_000

/** How many requests in progress an endpoint can have at first. */
export const STARTING_LIMIT = 2

/** After this many failures in a row, an endpoint starts again with one request in progress. */
export const FAILURES_MANY = 5

/**
 * The number of deliveries claimed for a quick endpoint, as a multiple of the number of requests
 * that it can have in progress.
 */
const CLAIMED_PER_REQUEST = 4

/** The maximum number of claimed deliveries, which limits the memory for their bodies. */
const CLAIMED_MAX = 768

/** The maximum number of endpoints to remember, and of URLs known to have responded. */
const REMEMBERED_MAX = 10_000

interface Endpoint {
  /** Grows by one after each success, and halves after each failure. */
  limit: number
  running: number
  isQuick: boolean
  waiting: Waiting[]
}

interface Waiting {
  claim: ClaimedRow
  /** Only one attempt for each of these is in progress at a time. */
  keys: readonly string[]
  start(slot: Slot | undefined): void
}

/** Permission to make one attempt. */
export interface Slot {
  /** Ends the attempt; `isSuccess` is undefined if it was not made. */
  leave(isSuccess: boolean | undefined): void
}

interface Slots {
  /**
   * Waits until the attempt can start. Returns undefined if the claim should be given back, because
   * its endpoint has started to fail and can't take everything that was claimed, or because the
   * server is stopping.
   */
  enter(claim: ClaimedRow): Promise<Slot | undefined>
  /**
   * Bypasses the limits, for an attempt that a caller waits for. Returns undefined if the URL is
   * busy.
   */
  enterAtOnce(claim: ClaimedRow): Slot | undefined
  /**
   * Returns how many more deliveries to claim: in total (`limit`), for each known endpoint
   * (`rooms`), and for any other endpoint (`room`).
   */
  room(): { limit: number; room: number; rooms: Map<number, number> }
  roomOf(webhookId: number): number
  /** Starts no further attempts. */
  close(): void
  counts(): { running: number; waiting: number }
}

/**
 * Decides when each attempt starts, so that no endpoint slows down another. Each endpoint has a
 * limit, and so do all of them together. Part of the shared limit is reserved for endpoints that
 * respond quickly. Events about the same object go to an endpoint one after another.
 *
 * Creating an endpoint does not prove that its creator owns the URL. Until a URL has responded with
 * 2xx, it therefore gets one delivery at a time, a limit shared by all such URLs of one business at
 * the same host. Otherwise, fifty endpoints would turn one event into fifty requests to a stranger.
 */
export function openSlots(): Slots {
  const endpoints = new Map<number, Endpoint>()
  /** Endpoints with waiting claims. An endpoint goes to the end when one of its claims starts. */
  const queue = new Set<Endpoint>()
  /** The keys of attempts in progress. */
  const busy = new Set<string>()
  /** For each endpoint, the URL that has responded with 2xx since the claim was read. */
  const proved = new Map<number, string>()
  const total = { running: 0, slow: 0, waiting: 0 }
  let isClosed = false

  function endpointOf({ webhook_id, failure_count }: ClaimedRow): Endpoint {
    let endpoint = endpoints.get(webhook_id)
    if (!endpoint) {
      if (endpoints.size >= REMEMBERED_MAX) forgetIdle()
      const limit = failure_count >= FAILURES_MANY ? 1 : STARTING_LIMIT
      endpoint = { limit, running: 0, isQuick: false, waiting: [] }
      endpoints.set(webhook_id, endpoint)
    }
    return endpoint
  }

  function forgetIdle(): void {
    for (const [id, endpoint] of endpoints) if (claimedOf(endpoint) === 0) endpoints.delete(id)
  }

  function startWaiting(endpoint: Endpoint): void {
    for (let i = 0; i < endpoint.waiting.length && hasSlot(endpoint); ) {
      const one = endpoint.waiting[i]!
      const keys = isProved(one.claim) ? one.keys.slice(0, 1) : one.keys
      if (keys.some((key) => busy.has(key))) {
        i++
        continue
      }
      endpoint.waiting.splice(i, 1)
      total.waiting--
      queue.delete(endpoint)
      queue.add(endpoint)
      one.start(slotOf(endpoint, one.claim, keys))
    }
    if (endpoint.waiting.length === 0) queue.delete(endpoint)
  }

  const hasSlot = ({ running, limit, isQuick }: Endpoint): boolean =>
    running < limit && total.running < TOTAL_MAX && (isQuick || total.slow < SLOW_MAX)

  const isProved = ({ url_proved_at, webhook_id, url }: ClaimedRow): boolean =>
    url_proved_at !== null || proved.get(webhook_id) === url

  function slotOf(endpoint: Endpoint, claim: ClaimedRow, keys: readonly string[]): Slot {
    const { isQuick } = endpoint
    const startedAt = performance.now()
    const count = (change: 1 | -1) => {
      endpoint.running += change
      total.running += change
      if (!isQuick) total.slow += change
    }
    count(1)
    for (const key of keys) busy.add(key)
    return {
      leave(isSuccess) {
        count(-1)
        if (isSuccess) {
          endpoint.limit = Math.min(ENDPOINT_MAX, endpoint.limit + 1)
          endpoint.isQuick = performance.now() - startedAt < QUICK_MS
        } else if (isSuccess === false) {
          endpoint.limit = Math.max(1, endpoint.limit >> 1)
          endpoint.isQuick = false
          giveBack(endpoint, Math.max(0, endpoint.limit - endpoint.running))
        }
        free(claim, keys, isSuccess)
      },
    }
  }

  function free({ webhook_id, url }: ClaimedRow, keys: readonly string[], isSuccess = false): void {
    for (const key of keys) busy.delete(key)
    if (isSuccess) {
      if (proved.size >= REMEMBERED_MAX) proved.delete(proved.keys().next().value!)
      proved.set(webhook_id, url)
    }
    for (const endpoint of [...queue]) startWaiting(endpoint)
  }

  /**
   * Keeps `count` waiting claims, and releases the others so that any process with spare capacity
   * can claim them.
   */
  function giveBack(endpoint: Endpoint, count: number): void {
    for (const { start } of endpoint.waiting.splice(count)) {
      total.waiting--
      start(undefined)
    }
  }

  const roomInAll = () => Math.max(0, CLAIMED_MAX - total.running - total.waiting)

  return {
    async enter(claim) {
      if (isClosed) return undefined
      const endpoint = endpointOf(claim)
      const { promise, resolve } = Promise.withResolvers<Slot | undefined>()
      const object = `object ${claim.webhook_id} ${claim.object_id}`
      const keys = isProved(claim) ? [object] : [object, ...urlKeys(claim)]
      endpoint.waiting.push({ claim, keys, start: resolve })
      total.waiting++
      queue.add(endpoint)
      startWaiting(endpoint)
      return promise
    },
    enterAtOnce(claim) {
      const keys = isProved(claim) ? [] : urlKeys(claim)
      if (keys.some((key) => busy.has(key))) return undefined
      for (const key of keys) busy.add(key)
      return { leave: (isSuccess) => free(claim, keys, isSuccess) }
    },
    room() {
      const rooms = new Map<number, number>()
      for (const [id, endpoint] of endpoints) rooms.set(id, roomAt(endpoint))
      return { limit: roomInAll(), room: STARTING_LIMIT, rooms }
    },
    roomOf(webhookId) {
      const endpoint = endpoints.get(webhookId)
      return Math.min(endpoint ? roomAt(endpoint) : STARTING_LIMIT, roomInAll())
    },
    close() {
      isClosed = true
      for (const endpoint of queue) giveBack(endpoint, 0)
    },
    counts: () => ({ running: total.running, waiting: total.waiting }),
  }
}

const claimedOf = ({ running, waiting }: Endpoint) => running + waiting.length

/** Returns 0 if most of the room is taken, because claiming only a few is not worth a query. */
function roomAt(endpoint: Endpoint): number {
  const most = endpoint.limit * (endpoint.isQuick ? CLAIMED_PER_REQUEST : 1)
  const room = most - claimedOf(endpoint)
  return room * 2 >= most ? room : 0
}

function urlKeys({ business_id, live, url }: ClaimedRow): string[] {
  return [`url ${normalisedUrl(url)}`, `host ${business_id} ${live} ${URL.parse(url)?.host}`]
}

/** Normalises a URL for comparison, so that different spellings of the same URL are equal. */
export function normalisedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  url.hash = ''
  return url.href
}
