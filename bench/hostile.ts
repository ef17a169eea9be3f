import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { createLink } from '../src/business/people/one-time-links.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { systemClock } from '../src/lib/clock.ts'
import { hostileTo, type Target, targetsOf } from '../test/hostile-bodies.ts'
import { throwAwayCluster } from './cluster.ts'
import { type Figure, report } from './figures.ts'

/**
 * Measures how long a refused request blocks all others: every hostile body at every API operation,
 * dashboard route and payer form, at the maximum size of the route, compared with a plain refused
 * body of that size. Another process sends them one at a time.
 *
 * The blocked time is the smaller of two measures: other programs on the machine inflate the time
 * for which nothing ran, and other threads of the process inflate its CPU time.
 */
const BLOCKED_MS_MAX = 250
const FILE = fileURLToPath(import.meta.url)

/** A request as the other process sends it. */
interface Sent {
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
}

interface Measured {
  name: string
  what: string
  kib: number
  status: number
  blockedMs: number
  cpuMs: number
}

if (process.argv[1] === FILE && process.send) {
  process.on('message', (sent: Sent) => void send(sent))
}

async function send({ url, method, headers, body }: Sent): Promise<void> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers,
    ...(body !== undefined && { body }),
  })
  if (response.headers.get('content-type')?.includes('event-stream')) {
    await response.body?.cancel()
  } else await response.arrayBuffer()
  process.send?.(response.status)
}

export async function measureHostile(): Promise<Figure[]> {
  const server = await startHere()
  const child = fork(FILE)
  const answered = () => new Promise<number>((resolve) => child.once('message', resolve as never))
  const origin = `http://127.0.0.1:${server.port}`
  const measured: Measured[] = []
  const credentials: Record<Target['sender'], Record<string, string>> = {
    key: { authorization: `Bearer ${server.key}` },
    person: await signUp(origin, server),
    anybody: {},
  }

  async function measure(target: Target, what: string, query: string, type: string, body?: string) {
    const { name, url, method, sender } = target
    const request = {
      url: origin + url + query,
      method,
      headers: {
        ...credentials[sender],
        ...(body !== undefined && { 'content-type': type }),
      },
      body,
    }
    const before = process.cpuUsage()
    const longest = watchLoop()
    child.send(request satisfies Sent)
    const status = await answered()
    const blockedMs = longest()
    const { user, system } = process.cpuUsage(before)
    const kib = (body ?? query).length / 1024
    const cpuMs = (user + system) / 1000
    return { name, what, kib, status, blockedMs: Math.min(blockedMs, cpuMs), cpuMs }
  }

  try {
    const targets = targetsOf(server.app.server)
    const json = targets.find(({ takes }) => takes === 'json')!
    // The first request is slower, because the server initialises some things on first use.
    measured.push(await measure(json, 'first of all', '', 'application/json', '{}'))
    const plain: Measured[] = []
    for (const bytesMax of new Set(targets.map((target) => target.bytesMax))) {
      const target = targets.find((one) => one.bytesMax === bytesMax && one.takes === 'json')
      if (!target) continue
      const body = JSON.stringify({ x: 'a'.repeat(bytesMax - 100) })
      plain.push(await measure(target, 'plain', '', 'application/json', body))
    }
    for (const target of targets) {
      for (const { what, query, type, body } of hostileTo(target, target.bytesMax - 200)) {
        measured.push(await measure(target, what, query, type, body))
      }
    }
    return report(figuresOf(measured, plain))
  } finally {
    child.disconnect()
    await server.stop()
  }
}

/** Starts the server in this process, to see what blocks it. */
async function startHere() {
  const cluster = await throwAwayCluster()
  const db = openDatabase({ connection: cluster.app, connectionsMax: 16 })
  const ids = openIds(db)
  const { keyring } = cluster
  const log = pino({}, pino.destination({ dest: '/dev/null', sync: false, minLength: 4096 }))
  const app = await buildApp({
    db,
    ids,
    keyring,
    clock: systemClock,
    log,
    nudge: () => {},
    publicUrl: 'http://127.0.0.1:4000',
    rateLimit: { perSecond: 0, burst: 0 },
    trustProxy: [],
    metricsToken: undefined,
    simulatorDelayMs: 2_000,
    idempotencyMs: 24 * 3_600_000,
    storage: { directory: join(cluster.dataDir, 'files') },
    webhooks: { allowsLoopback: true },
  })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const { keys, businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring }, { name: 'Bench', now: new Date() }),
  )
  const { port } = app.server.server.address() as { port: number }
  async function stop(): Promise<void> {
    await app.server.close()
    await db.close()
    await cluster.stop()
  }
  return { app, db, businessId, port, key: keys.testSecret, stop }
}

/** The headers that an owner's browser sends from the dashboard. */
async function signUp(
  origin: string,
  { db, businessId }: Awaited<ReturnType<typeof startHere>>,
): Promise<Record<string, string>> {
  const email = 'ada@example.com'
  const about = { kind: 'invitation', role: 'owner', person_id: null } as const
  const link = { ...about, business_id: businessId, email }
  const { token } = await createLink(db, origin, link, new Date())
  const joined = await fetch(`${origin}/console/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'Ada Obi', password: 'blue-kettle-sings-often' }),
  })
  const cookie = joined.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ')
  const me = await fetch(`${origin}/console/me`, { headers: { cookie } })
  const { data } = (await me.json()) as { data: { csrf: string } }
  return { cookie, 'x-csrf-token': data.csrf }
}

/** The longest time for which nothing else could run, in milliseconds. */
function watchLoop(): () => number {
  let longest = 0
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return () => {
    look()
    clearInterval(timer)
    return longest
  }
}

/** The slowest of each kind of body, and the slowest plain one. Throws if one failed with 5xx. */
function figuresOf(measured: Measured[], plain: Measured[]): Figure[] {
  const failed = measured.find(({ status }) => status >= 500)
  if (failed) throw new Error(`${failed.name} returned ${failed.status} for ${failed.what}`)
  const slowest = (all: Measured[]) => all.reduce((a, b) => (b.blockedMs > a.blockedMs ? b : a))
  const figure = ({ what, name, blockedMs }: Measured): Figure => ({
    what: `${what}, ${name}`,
    value: blockedMs,
    unit: ' ms',
    atMost: BLOCKED_MS_MAX,
  })
  const byWhat = Map.groupBy(measured, ({ what }) => what)
  return [slowest(plain), ...[...byWhat.values()].map(slowest)].map(figure)
}
