import type { Command } from 'commander'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(1)
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
}
