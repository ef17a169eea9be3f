import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { getCallSites } from 'node:util'
import pg from 'pg'
import { STATEMENTS } from '../../src/db/sql.ts'

/**
 * Notes each statement that the server's code sends during a test run, with the file that sends it.
 * `check.ts` reads them at the end. Each text is noted once per process, so this costs next to
 * nothing.
 */

export interface Recorded {
  file: string
  text: string
  /** The values of its first run; only numbers, because ids are compared. */
  values: (number | null)[]
}

const MARK = Symbol.for('tradepost.statements')
const ROOT = join(import.meta.dirname, '../..')
const APP = 'tradepost_app'
/** They pass on the statements of others. */
const SENDERS =
  /^src\/(db\/(sql|database|client|connections|dedicated-connection)|tracing\/tracing)\.ts$/
const FRAMES_MAX = 50

// Files share a process, and each runs this again.
const folder = process.env.TRADEPOST_TEST_STATEMENTS
if (folder && !(MARK in globalThis)) {
  Object.assign(globalThis, { [MARK]: true })
  record(join(folder, `${process.pid}.jsonl`))
}

function record(path: string): void {
  const known = new Set<string>()
  /** Also contains texts that only tests have sent. */
  const seen = new Set<string>()

  function note(files: readonly string[], text: string, values: readonly unknown[]): void {
    seen.add(text)
    const ours = files.filter((file) => file.startsWith('src/') || file.startsWith('test/'))
    const file = ours.find((one) => !SENDERS.test(one)) ?? ours[0] ?? ''
    if (/^test\/|\.(test|fixture)\.ts$/.test(file)) return
    known.add(text)
    const numbers = values.map((value) => (typeof value === 'number' ? value : null))
    appendFileSync(path, `${JSON.stringify({ file, text, values: numbers } satisfies Recorded)}\n`)
  }

  subscribe(STATEMENTS, (message) => {
    const { text, values } = message as { text: string; values: unknown[] }
    if (known.has(text)) return
    const files = getCallSites(FRAMES_MAX).map(({ scriptName }) => pathOf(scriptName))
    note(files.slice(files.lastIndexOf('src/db/sql.ts') + 1), text, values)
  })

  // The statements of batches, whose text is written out, have no template.
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | { text?: string; values?: unknown[] }]
    const { text, values } = typeof asked === 'string' ? { text: asked } : asked
    if (text !== undefined && this.user === APP && !seen.has(text)) {
      note(stackFiles(), text, values ?? [])
    }
    return Reflect.apply(query, this, args)
  } as typeof query
}

/** Returns the files on the stack, including those that wait for this call. */
function stackFiles(): string[] {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = FRAMES_MAX
  const { stack = '' } = new Error('stack')
  Error.stackTraceLimit = before
  return [...stack.matchAll(/\(?((?:file:\/\/)?\/[^():?\n]+)/g)]
    .map(([, path]) => pathOf(path!))
    .filter((path) => path !== 'test/statement-rules/recorder.ts')
}

const pathOf = (name: string): string =>
  relative(ROOT, name.replace(/^file:\/\//, '').replace(/\?.*/, ''))
