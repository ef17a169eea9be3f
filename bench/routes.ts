import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, median, type Options, report } from './figures.ts'
import { type Loaded, load } from './load.ts'
import type { Peers } from './peers.ts'
import { startBare, startKernel } from './references.ts'
import { type Case, type Context, casesOf, fill } from './routes-cases.ts'
import { startServer } from './server.ts'
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
  const stops: (() => Promise<unknown>)[] = []
  const kept = async <T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting
    stops.unshift(() => started.stop())
    return started
  }
  try {
    const settings = count > 0 ? STATEMENT_SETTINGS : {}
    const server = await kept(startServer({ settings, isProfiled: profile !== undefined }))
    const { app, owner, superuser } = server.cluster
    const context = {
      ...{ server, peers, kernel: await kept(startKernel()), bare: await kept(startBare(owner)) },
      withoutDatabase: await kept(startWithoutDatabase(app)),
    }
    const statements = count > 0 ? await kept(watchStatements(superuser)) : undefined
    if (profile) await mkdir(profile, { recursive: true })
    const figures: Figure[] = []
    const cases = casesOf(context).filter(({ name }) => names.some((one) => isNamed(name, one)))
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
    return figures
  } finally {
    for (const stop of stops) await stop()
  }
}

const isNamed = (name: string, asked: string) => `${name} `.startsWith(`${asked} `)

interface Round {
  ours: Loaded
  references: number[]
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
    const ours = file && round === rounds ? await server.profile(file, run) : await run()
    all.push({ ours, references, after: await one.afterwards?.() })
  }
  return all.slice(1)
}

function figuresOf({ what, goal, references, tailAtMost }: Case, rounds: Round[]): Figure[] {
  const middle = (of: (round: Round) => number) => median(rounds.map(of))
  const [value, p50, p99] = (['perSecond', 'p50Ms', 'p99Ms'] as const).map((field) =>
    middle(({ ours }) => ours[field]),
  ) as [number, number, number]
  const rates = references.map(({ name, atLeast }, i) => ({
    ...{ goal, what, value, unit: '/s', atLeast },
    reference: { name, value: middle((round) => round.references[i]!) },
    ratio: middle((round) => round.ours.perSecond / round.references[i]!),
  }))
  const tail = {
    ...{ goal, what: `${what}: p99`, value: p99, unit: ' ms', atMost: tailAtMost },
    reference: { name: 'p50', value: p50 },
    ratio: middle(({ ours }) => ours.p99Ms / ours.p50Ms),
  }
  const after = rounds.flatMap((round) => round.after ?? [])
  const slowest = after.toSorted((a, b) => b.value - a.value).slice(0, 1)
  return [...rates, tail, ...slowest]
}
