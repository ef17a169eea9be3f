import type { Command } from 'commander'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * npm passes on Ctrl-C, which the terminal also sends, so it arrives twice. Both count as one
 * request to stop.
 */
const SAME_WISH_MS = 500

export function startCommand(program: Command): void {
  program
    .command('start')
    .description('Run the server')
    .addHelpText(
      'after',
      `
On SIGTERM or Ctrl-C, the server finishes the requests in progress, then stops. A second signal
stops it immediately.

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
  // Imported here, so that the other commands don't load the whole server.
  const { startTradepost } = await import('../main.ts')
  const started = await startTradepost(process.env, ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  if (!started) return
  await asked.promise
  await started.stop()
  process.stderr.write('Stopped.\n')
}
