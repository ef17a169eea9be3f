import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { unavailable } from '../lib/problem.ts'
import type { PdfView } from './views.ts'

/** Generates PDFs in a separate thread, so that a slow document does not delay other requests. */
export interface Printer {
  /**
   * Waits for its turn, and returns the bytes of an invoice or receipt. Throws 503 `pdf_busy` if
   * too many are waiting and 503 `closing` once the printer is closed; passes on other errors.
   */
  print(view: PdfView): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Most documents take 50 ms and a few take half a second, so even the last one is ready before its
 * request times out.
 */
const WAITING_MAX = 32

/** Far longer than the slowest known document takes. The request itself ends after 30 s. */
const PRINT_MS_MAX = 20_000

/** The thread uses 70 MB, with the library and its fonts, and takes 0.3 s to start. */
const IDLE_MS = 60_000

/**
 * Prevents one document from using up all memory. A larger young generation takes 50 MB more and is
 * no faster.
 */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

/** Payers and merchants open the same file more than once. An entry has at most 200 KB. */
const KEPT_MAX = 16

const WORKER = new URL('./worker.js', import.meta.url)

interface Job {
  /** The view, serialised with `node:v8`. */
  sheet: Buffer
  resolve(bytes: Buffer): void
  reject(error: unknown): void
}

/** Starts the thread only when the first document is printed. */
export function openPrinter({ idleMs = IDLE_MS, waitingMax = WAITING_MAX } = {}): Printer {
  const waiting: Job[] = []
  let current: Job | undefined
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const kept = recent<Promise<Buffer>>(KEPT_MAX)

  async function print(view: PdfView): Promise<Buffer> {
    if (isClosed) throw closing()
    const sheet = serialize(view)
    // Equal views give equal bytes, so the cache is never out of date.
    const key = createHash('sha256').update(sheet).digest('base64')
    const known = kept.get(key)
    if (known) return known
    if (waiting.length >= waitingMax) {
      throw unavailable('pdf_busy', 'Too many PDF requests at once. Try again shortly.')
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
    timer = setTimeout(
      () => ended(slow, new Error('Generating the PDF took too long.')),
      PRINT_MS_MAX,
    )
  }

  function start(): Worker {
    // Starts the thread without the flags of the main process, such as a test runner's flags.
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

  /** A new thread is started for the next document. */
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

const closing = () => unavailable('closing', 'The server is shutting down.')

/** Creates a cache for the most recently added entries. */
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
