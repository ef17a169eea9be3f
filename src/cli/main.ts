import { run } from './run.ts'

// `tradepost keys list | head`: who reads has heard enough, and the command goes on to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run(process.argv.slice(2))
