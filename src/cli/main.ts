import { run } from './run.ts'

const LOOK_MS = 1_000

// In `tradepost keys list | head`, `head` stops reading early. The command still runs to the end,
// and a command without an end stops.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
endWithParent()
await run(process.argv.slice(2))

/**
 * Under an older Node, bin/tradepost.js runs this process and passes signals on to it. If that one
 * is killed, a supervisor could no longer stop this process, which would keep the port.
 */
function endWithParent(): void {
  if (!process.env.TRADEPOST_IS_CHILD) return
  // Processes that this one starts have another parent.
  delete process.env.TRADEPOST_IS_CHILD
  const parent = process.ppid
  const look = () => {
    if (process.ppid !== parent) process.exit(1)
  }
  setInterval(look, LOOK_MS).unref()
}
