import { run } from './run.ts'

// In `tradepost keys list | head`, the reader stops early, but the command still runs to the end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run(process.argv.slice(2))
