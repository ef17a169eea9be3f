import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { getCallSites } from 'node:util'
import { STATEMENTS } from '../../src/db/sql.ts'

/**
 * Notes each statement that the server's code sends during a test run, with the file that sends it.
 * `check.ts` reads them at the end. The server reports each text once per process, so this costs
 * next to nothing.
 */

export interface Recorded {
  file: string
  text: string
  /** The values of its first run; only numbers, because ids are compared. */
  values: (number | null)[]
}

const folder = process.env.TRADEPOST_TEST_STATEMENTS
const MARK = Symbol.for('tradepost.statements')
const ROOT = process.cwd()
/** They pass on the statements of others. */
const SENDERS = ['src/db/sql.ts', 'src/db/database.ts']
const FRAMES_MAX = 30

// Files share a process, and each runs this again.
if (folder && !(MARK in globalThis)) {
  Object.assign(globalThis, { [MARK]: true })
  const path = join(folder, `${process.pid}.jsonl`)
  subscribe(STATEMENTS, (message) => {
    const { text, values } = message as { text: string; values: unknown[] }
    const file = sender()
    if (!file.startsWith('src/') || /\.(test|fixture)\.ts$/.test(file)) return
    const numbers = values.map((value) => (typeof value === 'number' ? value : null))
    appendFileSync(path, `${JSON.stringify({ file, text, values: numbers } satisfies Recorded)}\n`)
  })
}

function sender(): string {
  const files = getCallSites(FRAMES_MAX).map(({ scriptName }) =>
    relative(ROOT, scriptName.replace(/^file:\/\//, '').replace(/\?.*/, '')),
  )
  const first = files.lastIndexOf('src/db/sql.ts')
  return files.slice(first).find((file) => !SENDERS.includes(file)) ?? ''
}
