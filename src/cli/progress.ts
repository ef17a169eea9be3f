import { styleText } from 'node:util'

export interface Bar {
  /** Draws how far it is: `done` of `total` `things`. */
  show(label: string, done: number, total: number, things: string): void
  /** Takes the bar away again. */
  end(): void
}

const WIDTH = 28
const EVERY_MS = 80

/** A bar on standard error for whoever looks; nothing at all in a pipe, a log or a test. */
export function openBar(stream: NodeJS.WriteStream = process.stderr): Bar {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let drawnAt = 0
  let isShown = false
  const write = (text: string) => void stream.write(`\r\u001b[2K${text}`)
  return {
    show(label, done, total, things) {
      const now = performance.now()
      if (now - drawnAt < EVERY_MS && done < total) return
      drawnAt = now
      isShown = true
      const share = total > 0 ? Math.min(1, done / total) : 1
      const filled = Math.round(share * WIDTH)
      const bar = styleText('cyan', '━'.repeat(filled), { stream })
      const rest = styleText('dim', '━'.repeat(WIDTH - filled), { stream })
      const numbers = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${things}`
      write(`  ${label.padEnd(9)} ${bar}${rest} ${styleText('dim', numbers, { stream })}`)
    },
    end() {
      if (isShown) write('')
      isShown = false
    },
  }
}
