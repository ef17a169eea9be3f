import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { makeLink } from '../src/business/people/one-time-links.ts'
import { hostileTo, type Target, targetsOf } from '../test/hostile-bodies.ts'
import { startBenchServer } from './server.ts'

/**
 * Measures how long a refused request blocks all others: every hostile body at every API operation,
 * dashboard route and payer form, at the maximum size of the route, compared with a plain refused
 * body of that size. Another process sends them one at a time.
 *
 * The blocked time is the smaller of two measures: other programs on the machine inflate the time
 * for which nothing ran, and other threads of the process inflate its CPU time.
 */
const BLOCKED_MS_MAX = 250
/** Only measures every nth route, to save time. */
const ONE_IN = Number(process.env.BENCH_ONE_IN ?? 1)

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

if (process.argv[2] === 'child') sendForParent()
else await measureAll()

function sendForParent(): void {
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

async function measureAll(): Promise<void> {
  const server = await startBenchServer()
  const child = fork(fileURLToPath(import.meta.url), ['child'])
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
    const targets = targetsOf(server.app.server).filter((_target, i) => i % ONE_IN === 0)
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
    print(measured, plain)
  } finally {
    child.disconnect()
    await server.stop()
  }
}

/** The headers that an owner's browser sends from the dashboard. */
async function signUp(
  origin: string,
  { db, businessId }: Awaited<ReturnType<typeof startBenchServer>>,
): Promise<Record<string, string>> {
  const email = 'ada@example.com'
  const about = { kind: 'invitation', role: 'owner', person_id: null } as const
  const link = { ...about, business_id: businessId, email }
  const { token } = await makeLink(db, origin, link, new Date())
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

function print(measured: Measured[], plain: Measured[]): void {
  const line = ({ name, what, kib, status, blockedMs, cpuMs }: Measured) =>
    `  ${name.slice(0, 50).padEnd(52)}${what.slice(0, 40).padEnd(42)}` +
    `${kib.toFixed(0).padStart(6)} KiB ${status} ${blockedMs.toFixed(0).padStart(6)} ms blocked` +
    `${cpuMs.toFixed(0).padStart(6)} ms of CPU`
  console.log(`${measured.length} hostile requests, one at a time\n`)
  console.log('A plain refused body of the same size')
  for (const one of plain.toSorted((a, b) => a.kib - b.kib)) console.log(line(one))
  const byWhat = Map.groupBy(measured, ({ what }) => what)
  const worst = [...byWhat.values()]
    .map((all) => all.reduce((a, b) => (b.blockedMs > a.blockedMs ? b : a)))
    .toSorted((a, b) => b.blockedMs - a.blockedMs)
  console.log('\nThe slowest route for each kind of body')
  for (const one of worst) console.log(line(one))
  const failed = measured.filter(({ status }) => status >= 500)
  const slow = measured.filter(({ blockedMs }) => blockedMs > BLOCKED_MS_MAX)
  const most = measured.reduce((a, b) => (b.blockedMs > a.blockedMs ? b : a))
  console.log(`\nlongest block ${most.blockedMs.toFixed(0)} ms (limit ${BLOCKED_MS_MAX})`)
  if (failed.length > 0) console.log(`${failed.length} failed with 5xx`)
  if (slow.length === 0 && failed.length === 0) return
  for (const one of [...slow, ...failed].slice(0, 20)) console.log(line(one))
  process.exitCode = 1
}
