import type { Command } from 'commander'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A ctrl-C comes twice, from the terminal and passed on by npm, and is one wish all the same. */
const SAME_WISH_MS = 500

export function startCommand(program: Command): void {
  program
    .command('start')
    .description('Run the server until it is told to stop')
    .addHelpText(
      'after',
      `
SIGTERM and ctrl-C finish the requests under way, then stop; a second one stops at once.

Examples:
  $ tradepost start
  $ PORT=8080 DATA_DIR=/var/lib/tradepost tradepost start`,
    )
    .action(start)
}

async function start(): Promise<void> {
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
  // Loaded now, so that the other commands need not wait for the whole server.
  const { startTradepost } = await import('../main.ts')
  const started = await startTradepost(process.env, ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  if (!started) return
  await asked.promise
  await started.stop()
  process.stderr.write('Stopped.\n')
}
