import { type Figure, median, type Options, report } from './figures.ts'
import { type Loaded, load, type Requests } from './load.ts'
import { NEW_INVOICE } from './routes-cases.ts'
import { launch, type Server, startServer } from './server.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const WARM_UP_SECONDS = 1

/** High enough for every request to pass, but with the messages that a limit needs. */
const environment = { RATE_LIMIT: '1000000' }

/**
 * Measures a server with two workers, and one whose jobs run in another process, beside a server
 * that is one process. They take turns in every round, each with its own database.
 */
export async function measureProcesses({ seconds, rounds }: Options): Promise<Figure[]> {
  const stops: (() => Promise<unknown>)[] = []
  try {
    const start = async (...args: string[]) => {
      const server = await startServer({ environment, args })
      stops.unshift(server.stop)
      return server
    }
    const one = await start()
    const two = await start('--workers', '2')
    const web = await start('--web')
    const DATA_DIR = web.cluster.dataDir
    const worker = await launch({ ...environment, DATA_DIR }, { args: ['--worker'] })
    stops.unshift(worker.stop)
    const all = { one, two, apart: web }
    const figures: Figure[] = []
    for (const [what, requestsOf] of [
      ['GET invoice', reads],
      ['POST invoices', writes],
    ] as const) {
      const requests = await mapAll(all, requestsOf)
      const taken: Record<keyof typeof all, Loaded>[] = []
      for (let round = 0; round <= rounds; round++) {
        const time = round === 0 ? WARM_UP_SECONDS : seconds
        taken.push(await mapAll(requests, (sent) => load({ ...sent, seconds: time })))
      }
      figures.push(
        ...report([
          ...figuresOf(`${what}, --workers 2`, taken.slice(1), 'two'),
          ...figuresOf(`${what}, --web and --worker`, taken.slice(1), 'apart'),
        ]),
      )
    }
    return figures
  } finally {
    for (const stop of stops) await stop()
  }
}

type Name = 'one' | 'two' | 'apart'

/** One after another, because they would slow each other down. */
async function mapAll<From, To>(all: Record<Name, From>, work: (from: From) => Promise<To>) {
  return {
    one: await work(all.one),
    two: await work(all.two),
    apart: await work(all.apart),
  }
}

const writes = async ({ port, headers }: Server): Promise<Requests> => ({
  port,
  headers,
  method: 'POST',
  paths: [INVOICES],
  bodies: [NEW_INVOICE],
  isIdempotent: true,
})

async function reads({ port, headers }: Server): Promise<Requests> {
  const url = `http://127.0.0.1:${port}${INVOICES}`
  const sent = { ...headers, 'content-type': 'application/json' }
  const paths: string[] = []
  for (let i = 0; i < 100; i++) {
    const body = JSON.stringify(NEW_INVOICE)
    const reply = await fetch(url, { method: 'POST', headers: sent, body })
    const { data } = (await reply.json()) as { data: { reference: string } }
    paths.push(`${INVOICES}/${data.reference}`)
  }
  return { port, headers, method: 'GET', paths }
}

/** The speed-up is only reported: it depends on how many cores are free. */
function figuresOf(what: string, rounds: Record<Name, Loaded>[], name: Name): Figure[] {
  const figure = (field: 'perSecond' | 'p99Ms', unit: string, words: string): Figure => ({
    goal: 12,
    what: what + words,
    unit,
    value: median(rounds.map((all) => all[name][field])),
    reference: { name: 'one process', value: median(rounds.map(({ one }) => one[field])) },
    ratio: median(rounds.map((all) => all[name][field] / all.one[field])),
  })
  return [figure('perSecond', '/s', ''), figure('p99Ms', ' ms', ': p99')]
}
