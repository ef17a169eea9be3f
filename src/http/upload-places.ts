import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { unavailable } from '../lib/problem.ts'

/** Each may fill 500 MiB of the disk, so there are only so many at once. */
const AT_ONCE_MAX = 32
/** Of one business, so that slow ones of one key leave places to everybody else. */
const OWN_AT_ONCE_MAX = 8

/** Small ones are soon in, so that more of them at once need not be sent again. */
const WAIT_MS = 3_000
const WAITING_MAX = 256

const underWay = new Map<number, number>()
let taken = 0
let waiting = 0
const places = new EventEmitter().setMaxListeners(WAITING_MAX)

const ownOf = (businessId: number): number => underWay.get(businessId) ?? 0

/** Takes a place if there is one: at once, lest two that waited take the same one. */
function isTaken(businessId: number): boolean {
  const own = ownOf(businessId)
  if (taken >= AT_ONCE_MAX || own >= OWN_AT_ONCE_MAX) return false
  underWay.set(businessId, own + 1)
  taken++
  return true
}

/** Takes a place for files to come in; throws 503. What it answers gives the place back. */
export async function takePlace(businessId: number): Promise<() => void> {
  if (!isTaken(businessId)) await waitForPlace(businessId)
  return () => {
    taken--
    const left = ownOf(businessId) - 1
    if (left > 0) underWay.set(businessId, left)
    else underWay.delete(businessId)
    places.emit('free')
  }
}

async function waitForPlace(businessId: number): Promise<void> {
  if (waiting >= WAITING_MAX) throw busy()
  const signal = AbortSignal.timeout(WAIT_MS)
  waiting++
  try {
    while (!isTaken(businessId)) await once(places, 'free', { signal })
  } catch {
    throw busy()
  } finally {
    waiting--
  }
}

const busy = () => unavailable('uploads_busy', 'Too many files come in at once.')

/** As long as a bad connection may need to get going. */
const GRACE_MS = 30_000
const BYTES_A_SECOND_MIN = 1_000
const LOOK_MS = 5_000

/** Whether so little came in so long that its place is better given to others. */
export const isTooSlow = (bytes: number, ms: number): boolean =>
  ms > GRACE_MS && (bytes * 1_000) / ms < BYTES_A_SECOND_MIN

/** Calls `hangUp` when what comes in is too slow on average. What it answers stops watching. */
export function watchPace(socket: Socket, hangUp: () => void): () => void {
  const before = socket.bytesRead
  const began = performance.now()
  const looking = setInterval(() => {
    if (isTooSlow(socket.bytesRead - before, performance.now() - began)) hangUp()
  }, LOOK_MS)
  return () => clearInterval(looking)
}
