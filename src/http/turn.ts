let turn: Promise<void> | undefined

/**
 * Resolves when the event loop has handled everything that had arrived. Responses that wait for it
 * are written one right after the other.
 *
 * The process that receives a response is often on this machine, as a reverse proxy is. While it
 * sleeps, a write has to wake it, which takes longer than all the rest of a small request. If the
 * writes follow each other closely, only the first one does.
 */
export function untilTurnEnds(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
