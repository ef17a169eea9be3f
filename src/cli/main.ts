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
  // It may have been killed by now, so its id is not that of the current parent.
  const { TRADEPOST_PARENT: parent } = process.env
  if (!parent) return
  // Processes that this one starts have another parent.
  delete process.env.TRADEPOST_PARENT
  const look = () => {
    if (process.ppid !== Number(parent)) process.exit(1)
  }
  look()
  setInterval(look, LOOK_MS).unref()
}
