import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { unavailable } from '../lib/problem.ts'
import type { Sheet } from './views.ts'

/** Draws PDFs in a thread of its own, so that a long one holds up nobody's request. */
export interface Printer {
  /**
   * The bytes of an invoice or a receipt on paper, in its turn. Throws 503 `pdf_busy` when too many
   * wait, 503 `closing` once it was closed; whatever else goes wrong is thrown as it is.
   */
  print(view: Sheet): Promise<Buffer>
  close(): Promise<void>
}

/** At 50 ms each, and a few at half a second, the last of them still has its answer in time. */
const WAITING_MAX = 32

/** Far beyond the slowest that is known; the request itself ends after 30 s. */
const PRINT_MS_MAX = 20_000

/** The thread takes 70 MB with the library and its fonts, and 0.3 s to start. */
const IDLE_MS = 60_000

/** One invoice is not all of the memory. A larger young part takes 50 MB more and is no faster. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

/** Payers and their merchants open the same file several times over. 200 KB each at most. */
const KEPT_MAX = 16

const WORKER = new URL('./worker.js', import.meta.url)

interface Job {
  /** The view, as `node:v8` writes it. */
  sheet: Buffer
  resolve(bytes: Buffer): void
  reject(error: unknown): void
}

/** Nothing is started before the first invoice is printed. */
export function openPrinter({ idleMs = IDLE_MS, waitingMax = WAITING_MAX } = {}): Printer {
  const waiting: Job[] = []
  let current: Job | undefined
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const kept = recent<Promise<Buffer>>(KEPT_MAX)

  async function print(view: Sheet): Promise<Buffer> {
    if (isClosed) throw closing()
    const sheet = serialize(view)
    // Equal views give equal bytes, so nothing that is kept can be out of date.
    const key = createHash('sha256').update(sheet).digest('base64')
    const known = kept.get(key)
    if (known) return known
    if (waiting.length >= waitingMax) {
      throw unavailable('pdf_busy', 'Too many PDFs are wanted at once.')
    }
    const { promise, ...ends } = Promise.withResolvers<Buffer>()
    kept.set(key, promise)
    promise.catch(() => kept.delete(key))
    waiting.push({ sheet, ...ends })
    if (!current) goOn()
    return promise
  }

  function goOn(): void {
    clearTimeout(timer)
    current = waiting.shift()
    if (!current) {
      worker?.unref()
      timer = setTimeout(rest, idleMs).unref()
      return
    }
    worker ??= start()
    worker.ref()
    worker.postMessage(current.sheet)
    const slow = worker
    timer = setTimeout(() => ended(slow, new Error('A PDF took too long.')), PRINT_MS_MAX)
  }

  function start(): Worker {
    // No flags of ours, such as those of a test runner.
    const started = new Worker(WORKER, { name: 'pdf', execArgv: [], resourceLimits: MEMORY })
    started.on('message', (bytes: Uint8Array<ArrayBuffer>) => {
      if (worker !== started) return
      current?.resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      goOn()
    })
    started.on('error', (error) => ended(started, error))
    started.on('exit', (code) => ended(started, new Error(`The PDF thread exited with ${code}.`)))
    return started
  }

  /** The next invoice gets another thread. */
  function ended(which: Worker, error: unknown): void {
    if (worker !== which) return
    worker = undefined
    void which.terminate()
    current?.reject(error)
    goOn()
  }

  function rest(): void {
    kept.clear()
    const idle = worker
    worker = undefined
    void idle?.terminate()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    const last = worker
    worker = undefined
    const left = [...(current ? [current] : []), ...waiting.splice(0)]
    current = undefined
    for (const job of left) job.reject(closing())
    kept.clear()
    await last?.terminate()
  }

  return { print, close }
}

const closing = () => unavailable('closing', 'The server is closing.')

/** The newest few, by when they were put in. */
function recent<Value>(sizeMax: number) {
  const values = new Map<string, Value>()
  return {
    get: (key: string) => values.get(key),
    set(key: string, value: Value): void {
      const [oldest] = values.keys()
      if (values.size >= sizeMax && oldest !== undefined) values.delete(oldest)
      values.set(key, value)
    },
    delete: (key: string) => values.delete(key),
    clear: () => values.clear(),
  }
}
