import type { ClaimedRow } from './queries-deliver.ts'

/** Requests at once, to one endpoint and to all. */
const LANES_MAX = 64
const ALL_LANES_MAX = 256

/** Of those, at most so many to endpoints that were not seen to answer well just before. */
const UNPROVEN_MAX = 192

/** With how many an endpoint begins of which nothing is known; each success adds one. */
const LANES_AT_FIRST = 2

/** From so many failures one after the other, one request at a time. */
const FAILURES_MANY = 5

/** An endpoint answers well within this. */
const WELL_MS = 1_000

/** What an endpoint that answers well is handed ahead: what it answers in about this time. */
const AHEAD_MS = 500
const AHEAD_MAX = 256

/** Endpoints whose pace is remembered. */
const REMEMBERED_MAX = 10_000

/** What this process knows of an endpoint and has in hand for it. */
interface Lane {
  limit: number
  running: number
  waiting: ClaimedRow[]
  /** Objects with an event under way: theirs go one after the other. */
  objects: Set<number>
  /** The mean of its last attempts; unknown at first and after a failure. */
  paceMs: number | undefined
  /** The last claim got all that it asked for. */
  hasMore: boolean
  /** More is being fetched. */
  isFetching: boolean
  /** It waits for its turn at a URL that has not answered yet. */
  isInLine: boolean
}

interface Lanes {
  /** Room in all, of an endpoint that is not known, and of those that are. */
  room(): { limit: number; room: number; rooms: Map<number, number> }
  /** Takes over what was claimed with that room, and starts what may start. */
  add(claims: readonly ClaimedRow[]): void
  /** Takes out all that waits, and starts nothing more. */
  close(): ClaimedRow[]
  counts(): { running: number; waiting: number }
}

export type Went = 'well' | 'badly' | 'given back'

interface Owner {
  /** Called for each claim in its turn; resolves with how it went, and never rejects. */
  start(claim: ClaimedRow): Promise<Went>
  /** Claims that will not come to their turn soon, since their endpoint began to fail. */
  giveBack(claims: ClaimedRow[]): void
  /** There is room again for an endpoint that has more: takes up to so much of it, if it can. */
  fetch(like: ClaimedRow, room: number): Promise<readonly ClaimedRow[]>
  contacts: FirstContacts
}

/** Decides what is sent when, so that no endpoint slows another. */
export function openLanes({ start, giveBack, fetch, contacts }: Owner): Lanes {
  const lanes = new Map<number, Lane>()
  let running = 0
  let waiting = 0
  let unproven = 0
  let isClosed = false

  function laneOf({ webhook_id, failure_count }: ClaimedRow): Lane {
    const known = lanes.get(webhook_id)
    if (known) return known
    forget()
    const limit = failure_count >= FAILURES_MANY ? 1 : LANES_AT_FIRST
    const lane: Lane = {
      limit,
      running: 0,
      waiting: [],
      objects: new Set(),
      paceMs: undefined,
      hasMore: false,
      isFetching: false,
      isInLine: false,
    }
    lanes.set(webhook_id, lane)
    return lane
  }

  /** Those that have nothing in hand, once there are many. */
  function forget(): void {
    if (lanes.size < REMEMBERED_MAX) return
    for (const [id, lane] of lanes) if (inHand(lane) === 0) lanes.delete(id)
  }

  /** Starts what may start of one endpoint. */
  function startOf(lane: Lane): void {
    let i = 0
    while (i < lane.waiting.length && lane.running < lane.limit && running < ALL_LANES_MAX) {
      const claim = lane.waiting[i]!
      if (!isProven(lane) && unproven >= UNPROVEN_MAX) return
      if (lane.objects.has(claim.object_id)) {
        i++
        continue
      }
      const leave = contacts.enter(claim)
      if (!leave) {
        standInLine(lane, claim)
        return
      }
      lane.waiting.splice(i, 1)
      waiting--
      void run(lane, claim, leave)
    }
  }

  /** Holding none of the places that other endpoints need. */
  function standInLine(lane: Lane, claim: ClaimedRow): void {
    if (lane.isInLine) return
    lane.isInLine = true
    contacts.after(claim, () => {
      lane.isInLine = false
      if (!isClosed) startOf(lane)
    })
  }

  async function run(lane: Lane, claim: ClaimedRow, leave: () => void): Promise<void> {
    const wasProven = isProven(lane)
    lane.objects.add(claim.object_id)
    lane.running++
    running++
    if (!wasProven) unproven++
    const began = performance.now()
    const went = await start(claim)
    learn(lane, went, performance.now() - began)
    if (went === 'well') contacts.answered(claim)
    const wasFull = running >= ALL_LANES_MAX || unproven >= UNPROVEN_MAX
    lane.objects.delete(claim.object_id)
    lane.running--
    running--
    if (!wasProven) unproven--
    if (isClosed) return
    if (went === 'badly') shed(lane)
    leave()
    if (wasFull) for (const other of lanes.values()) startOf(other)
    else startOf(lane)
    if (lane.hasMore) await refill(lane, claim)
  }

  /** Beside the sweeper, which looks at all endpoints: one that is fast would wait for that. */
  async function refill(lane: Lane, like: ClaimedRow): Promise<void> {
    const room = Math.min(roomOf(lane), roomInAll())
    if (lane.isFetching || room <= 0) return
    lane.isFetching = true
    const claims = await fetch(like, room)
    lane.isFetching = false
    take(lane, claims, room)
  }

  function take(lane: Lane, claims: readonly ClaimedRow[], room: number): void {
    lane.hasMore = claims.length >= room
    lane.waiting.push(...claims)
    waiting += claims.length
    startOf(lane)
  }

  const roomInAll = () => Math.max(0, 2 * ALL_LANES_MAX + AHEAD_MAX - running - waiting)

  /** What waits for an endpoint that slowed down is for whoever has time. */
  function shed(lane: Lane): void {
    const surplus = lane.waiting.splice(Math.max(0, wanted(lane) - lane.running))
    if (surplus.length === 0) return
    waiting -= surplus.length
    lane.hasMore = true
    giveBack(surplus)
  }

  return {
    room() {
      const rooms = new Map<number, number>()
      for (const [id, lane] of lanes) rooms.set(id, lane.isFetching ? 0 : roomOf(lane))
      return { limit: roomInAll(), room: LANES_AT_FIRST, rooms }
    },
    add(claims) {
      for (const [, own] of Map.groupBy(claims, ({ webhook_id }) => webhook_id)) {
        const lane = laneOf(own[0]!)
        take(lane, own, roomOf(lane))
      }
    },
    close() {
      isClosed = true
      waiting = 0
      return [...lanes.values()].flatMap((lane) => lane.waiting.splice(0))
    },
    counts: () => ({ running, waiting }),
  }
}

const inHand = ({ running, waiting }: Lane) => running + waiting.length

const isProven = ({ paceMs }: Lane) => paceMs !== undefined && paceMs < WELL_MS

/** How many it should have in hand: what it answers in a moment, if it answers well. */
function wanted(lane: Lane): number {
  if (!isProven(lane)) return lane.limit
  const ahead = Math.ceil((lane.limit * AHEAD_MS) / Math.max(1, lane.paceMs!))
  return Math.max(lane.limit, Math.min(ahead, AHEAD_MAX))
}

/** What it may be handed now. A few at a time are not worth a statement. */
function roomOf(lane: Lane): number {
  const most = wanted(lane)
  const room = most - inHand(lane)
  return room * 2 >= most ? room : 0
}

function learn(lane: Lane, went: Went, tookMs: number): void {
  if (went === 'given back') return
  if (went === 'badly') {
    lane.limit = Math.max(1, lane.limit >> 1)
    lane.paceMs = undefined
    return
  }
  lane.limit = Math.min(LANES_MAX, lane.limit + 1)
  lane.paceMs = lane.paceMs === undefined ? tookMs : lane.paceMs * 0.8 + tookMs * 0.2
}

/** What a claim is for, and whether its URL has answered 2xx before. */
type Contact = Pick<ClaimedRow, 'business_id' | 'live' | 'webhook_id' | 'url' | 'url_proved_at'>

interface FirstContacts {
  /**
   * Takes the turn at a URL that has never answered 2xx; undefined while somebody else has it. The
   * answer gives the turn back, to those who wait in `after`.
   */
  enter(contact: Contact): (() => void) | undefined
  /** Calls back once, in turn, when `enter` is worth another try. */
  after(contact: Contact, again: () => void): void
  /** The URL answered 2xx: from now on the endpoint goes at its own pace. */
  answered(contact: Contact): void
}

/**
 * Nobody proves to own the URL of an endpoint, so a URL gets one delivery at a time until its first
 * 2xx, and so do all unproven URLs that a business has at one host: otherwise fifty endpoints would
 * make one event fifty requests to a stranger.
 */
export function openFirstContacts(): FirstContacts {
  const waiting = new Map<string, (() => void)[]>()
  const proved = new Map<number, string>()

  const isProved = ({ url_proved_at, webhook_id, url }: Contact) =>
    url_proved_at !== null || proved.get(webhook_id) === url

  function leave(keys: readonly string[]): void {
    const next = keys.flatMap((key) => waiting.get(key) ?? [])
    for (const key of keys) waiting.delete(key)
    for (const again of next) again()
  }

  return {
    enter(contact) {
      if (isProved(contact)) return () => {}
      const keys = keysOf(contact)
      if (keys.some((key) => waiting.has(key))) return undefined
      for (const key of keys) waiting.set(key, [])
      return () => leave(keys)
    },
    after(contact, again) {
      const busy = keysOf(contact).find((key) => waiting.has(key))
      waiting.get(busy ?? '')?.push(again)
    },
    answered({ webhook_id, url }) {
      if (proved.size >= REMEMBERED_MAX) proved.delete(proved.keys().next().value!)
      proved.set(webhook_id, url)
    },
  }
}

function keysOf({ business_id, live, url: text }: Contact): string[] {
  const url = URL.parse(text)
  return [`url ${comparable(text)}`, `host ${business_id} ${live} ${url?.host}`]
}

/** A URL as it is compared: what it is sent to, however it is spelt. */
export function comparable(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  url.hash = ''
  return url.href
}
