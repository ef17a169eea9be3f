import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Roles } from '../serve.ts'
import { UsageError } from './output.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * npm passes on Ctrl-C, which the terminal also sends, so it arrives twice. Both count as one
 * request to stop.
 */
const SAME_WISH_MS = 500

const WORKERS_MAX = 32

export function startCommand(program: Command): void {
  program
    .command('start')
    .description('Run the server')
    .option('--workers <number>', 'handle requests in this many processes, on one port', readCount)
    .option('--web', 'handle requests only; run the jobs with --worker')
    .option('--worker', 'run background jobs only, without PORT')
    .addOption(new Option('--as-worker').hideHelp())
    .addHelpText(
      'after',
      `
On SIGTERM or Ctrl-C, the server finishes the requests in progress, then stops. A second signal
stops it immediately. On SIGUSR2, it drains like tradepost drain.

With --workers, this process runs the jobs and replaces any worker that ends. Use at most one
worker for each CPU core. --web and --worker share one DATABASE_URL, or one DATA_DIR on the same
machine.

Examples:
  $ tradepost start
  $ PORT=8080 DATA_DIR=/var/lib/tradepost tradepost start
  $ tradepost start --workers 4
  $ tradepost start --web --workers 4
  $ tradepost start --worker`,
    )
    .action(start)
}

interface Options {
  workers?: number
  web?: true
  worker?: true
  asWorker?: true
}

async function start(options: Options): Promise<void> {
  if (options.asWorker) return runAsWorker()
  const roles = rolesOf(options)
  const ending = new AbortController()
  const asked = Promise.withResolvers<void>()
  let askedAt = Number.POSITIVE_INFINITY
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (performance.now() - askedAt > SAME_WISH_MS) process.exit(1)
      askedAt = Math.min(askedAt, performance.now())
      ending.abort()
      asked.resolve()
    })
  }
  const draining = Promise.withResolvers<void>()
  process.on('SIGUSR2', draining.resolve)
  // Imported here, so that the other commands don't load the whole server.
  const { startTradepost } = await import('../main.ts')
  const started = await startTradepost(roles, process.env, ending.signal).catch(
    (error: unknown) => {
      if (!ending.signal.aborted) throw error
    },
  )
  if (!started) return
  void draining.promise.then(started.drain)
  await asked.promise
  await started.stop()
  process.stderr.write('Stopped.\n')
}

function rolesOf({ workers = 0, web, worker }: Options): Roles {
  if (worker && (web || workers > 0)) {
    throw new UsageError(
      '--worker runs jobs only: leave out --web and --workers, or start a second server for them',
    )
  }
  return { web: !worker, jobs: !web, workers }
}

async function runAsWorker(): Promise<void> {
  if (!process.connected) throw new UsageError('Only tradepost start --workers uses --as-worker.')
  const { runWorker } = await import('../processes/worker.ts')
  runWorker(process.env)
}

function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= WORKERS_MAX) return count
  throw new InvalidArgumentError(`It must be a number from 1 to ${WORKERS_MAX}.`)
}
