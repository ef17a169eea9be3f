import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, median, type Options, report } from './figures.ts'
import { type Loaded, load } from './load.ts'
import { moneyCases } from './money-cases.ts'
import { type Peers, RECORDED_PEERS } from './peers.ts'
import { startBare, startKernel } from './references.ts'
import { type Case, type Context, casesOf, fill } from './routes-cases.ts'
import { type Starting, startServer } from './server.ts'
import { STATEMENT_SETTINGS, type Statements, watchStatements } from './statements.ts'
import { startWithoutDatabase } from './without-database.ts'

const WARM_UP_SECONDS = 1

/**
 * Measures routes over HTTP, each beside its references: the cases whose names begin with one of
 * `names`. Also reports the memory of the server after each.
 */
export async function measureRoutes(
  names: string[],
  options: Options,
  peers: Peers,
): Promise<Figure[]> {
  const { statements: count, profile } = options
  const settings = count > 0 ? STATEMENT_SETTINGS : {}
  const isProfiled = profile !== undefined
  return await withContext({ settings, isProfiled }, peers, async (context) => {
    const { server } = context
    const statements = count > 0 ? await watchStatements(server.cluster.superuser) : undefined
    if (profile) await mkdir(profile, { recursive: true })
    const figures: Figure[] = []
    const cases = [...casesOf(context), ...moneyCases(context)].filter(({ name }) =>
      names.some((one) => isNamed(name, one)),
    )
    for (const noun of new Set(cases.flatMap(({ needs }) => needs))) await fill(context, noun)
    for (const one of cases) {
      await server.untilIdle()
      await server.resetPeak()
      const measured = await measure(one, context, options, statements)
      const found = figuresOf(one, measured)
      const { peakMb } = await server.memory()
      const what = `memory, ${one.what}`
      found.push({ goal: 9, what, value: peakMb, unit: ' MB', atMost: 300 })
      figures.push(...report(found))
      await statements?.print(count, measured.at(-1)!.ours.requests)
    }
    await statements?.end()
    return figures
  })
}

/** Starts the server and the references, and stops them after `work`. */
async function withContext<T>(
  starting: Starting,
  peers: Peers,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const started: { stop(): Promise<unknown> }[] = []
  const kept = async <One extends { stop(): Promise<unknown> }>(promise: Promise<One>) => {
    const one = await promise
    started.unshift(one)
    return one
  }
  try {
    const server = await kept(startServer(starting))
    const { app, owner } = server.cluster
    const references = { kernel: await kept(startKernel()), bare: await kept(startBare(owner)) }
    const withoutDatabase = await kept(startWithoutDatabase(app))
    return await work({ server, peers, ...references, withoutDatabase })
  } finally {
    for (const one of started) await one.stop()
  }
}

/** Loads every route in turn, and samples the server's memory after each. */
export function measureSoak({ seconds, soakMinutes }: Options): Promise<Figure[]> {
  return withContext({}, RECORDED_PEERS, async (context) => {
    const cases = [...casesOf(context), ...moneyCases(context)]
    for (const noun of new Set(cases.flatMap(({ needs }) => needs))) await fill(context, noun)
    const samples: { at: number; mb: number }[] = []
    const began = performance.now()
    const until = began + soakMinutes * 60_000
    while (performance.now() < until) {
      for (const one of cases) {
        await load({ ...(await one.ours()), seconds })
        samples.push({ at: performance.now() - began, mb: (await context.server.memory()).nowMb })
      }
    }
    return report(soakFigures(samples, soakMinutes))
  })
}

/** The last quarter beside the second one; in the first, caches and pools are still filling. */
function soakFigures(samples: { at: number; mb: number }[], minutes: number): Figure[] {
  const last = samples.at(-1)!.at
  const quarter = (n: number) =>
    median(
      samples
        .filter(({ at }) => at > (last * (n - 1)) / 4 && at <= (last * n) / 4)
        .map(({ mb }) => mb),
    )
  const second = quarter(2)
  const fourth = quarter(4)
  const what = `memory, every route for ${minutes} minutes`
  const peak = Math.max(...samples.map(({ mb }) => mb))
  return [
    { goal: 9, what, value: peak, unit: ' MB', atMost: 300 },
    {
      goal: 9,
      what: `${what}: last quarter`,
      value: fourth,
      unit: ' MB',
      atMost: 1.05,
      reference: { name: 'second quarter', value: second },
      ratio: fourth / second,
    },
  ]
}

const isNamed = (name: string, asked: string) => `${name} `.startsWith(`${asked} `)

interface Round {
  ours: Loaded
  references: number[]
  /** Milliseconds of CPU time for each request. */
  cpuMs: { server: number; database: number }
  after: Figure | undefined
}

/** Returns what each round measured, without the first one, which warms up. */
async function measure(
  one: Case,
  { server }: Context,
  { seconds, rounds, profile }: Options,
  statements: Statements | undefined,
): Promise<Round[]> {
  const requests = await one.ours()
  const all: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const time = round === 0 ? WARM_UP_SECONDS : seconds
    const references: number[] = []
    for (const { perSecond } of one.references) references.push(await perSecond(time))
    await statements?.reset()
    const run = () => load({ ...requests, seconds: time })
    const file = profile && join(profile, `${one.name.replaceAll(' ', '-')}.cpuprofile`)
    const before = await server.cpuSeconds()
    const ours = file && round === rounds ? await server.profile(file, run) : await run()
    const after = await server.cpuSeconds()
    const cpuMs = {
      server: ((after.server - before.server) * 1000) / ours.requests,
      database: ((after.database - before.database) * 1000) / ours.requests,
    }
    all.push({ ours, references, cpuMs, after: await one.afterwards?.() })
  }
  return all.slice(1)
}

function figuresOf(one: Case, rounds: Round[]): Figure[] {
  const { what, goal, references, tailAtMost, isCosted } = one
  const middle = (of: (round: Round) => number) => median(rounds.map(of))
  const [value, p50, p99] = (['perSecond', 'p50Ms', 'p99Ms'] as const).map((field) =>
    middle(({ ours }) => ours[field]),
  ) as [number, number, number]
  const rates = references.map(({ name, atLeast }, i) => ({
    ...(goal && { goal }),
    what,
    value,
    unit: '/s',
    atLeast,
    reference: { name, value: middle((round) => round.references[i]!) },
    ratio: middle((round) => round.ours.perSecond / round.references[i]!),
  }))
  const tail = {
    ...(goal && { goal }),
    what: `${what}: p99`,
    value: p99,
    unit: ' ms',
    atMost: tailAtMost,
    reference: { name: 'p50', value: p50 },
    ratio: middle(({ ours }) => ours.p99Ms / ours.p50Ms),
  }
  const after = rounds.flatMap((round) => round.after ?? [])
  const slowest = after.toSorted((a, b) => b.value - a.value).slice(0, 1)
  const costs = (['server', 'database'] as const).map((process) => ({
    what: `${what}: CPU time, ${process}`,
    value: middle(({ cpuMs }) => cpuMs[process]),
    unit: ' ms',
  }))
  return [...rates, tail, ...slowest, ...(isCosted ? costs : [])]
}
