import { run } from './run.ts'

// In `tradepost keys list | head`, `head` stops reading early. The command still runs to the end,
// and a command without an end stops.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run(process.argv.slice(2))
