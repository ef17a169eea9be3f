import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import { isUnavailable } from '../db/failures.ts'
import { Problem } from '../lib/problem.ts'

/** Invalid input. Ends the command with status 2, like invalid options. */
export class UsageError extends Error {}

/**
 * Thrown if the configured database doesn't exist and the command can't create one. Ends the
 * command with status 3.
 */
export class NoDatabase extends Error {}

export const EXIT = { fine: 0, failed: 1, usage: 2, noDatabase: 3 } as const

/** Prints the JSON. A command with `--json` writes nothing else to standard output. */
export function printJson(value: unknown): void {
  terminal().stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
}

export function printLines(...lines: string[]): void {
  terminal().stdout.write(`${lines.join('\n')}\n`)
}

/** Prints columns with headings, each as wide as its longest cell. */
export function printTable(names: string[], rows: string[][]): void {
  const widths = names.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd()
  printLines(dim(line(names)), ...rows.map(line))
}

interface Listing<Row> {
  json: true | undefined
  /** Printed if there are no rows. */
  none?: string
  columns: Record<string, (row: Row) => string>
}

/** Prints rows as a table or as a JSON list. */
export function printList<Row>(rows: readonly Row[], { json, none, columns }: Listing<Row>): void {
  if (json) printJson(rows)
  else if (none && rows.length === 0) printLines(none)
  else {
    const cells = Object.values(columns)
    printTable(
      Object.keys(columns),
      rows.map((row) => cells.map((cellOf) => cellOf(row))),
    )
  }
}

/** Prints `name value` lines. */
export function printFields(fields: Record<string, string>): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  const lines = Object.entries(fields).map(
    ([name, value]) => `  ${dim(name.padEnd(width))}  ${value}`,
  )
  printLines(...lines)
}

// styleText omits colours if NO_COLOR is set or the output is not a terminal.
export const dim = (text: string): string => styleText('dim', text)
export const bold = (text: string): string => styleText('bold', text)

export const formatTimestamp = (at: Date | null): string =>
  at ? `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '-'

/** Ends the command with one line on standard error, and a status for scripts. */
export function fail(error: unknown): void {
  const isUsage = error instanceof UsageError || isInvalid(error) || isRefused(error)
  terminal().exitCode = isUsage
    ? EXIT.usage
    : error instanceof NoDatabase
      ? EXIT.noDatabase
      : EXIT.failed
  const { stderr } = terminal()
  stderr.write(`${styleText('red', 'error:', { stream: stderr })} ${says(error)}\n`)
}

const isInvalid = (error: unknown) => error instanceof Problem && error.kind === 'invalid'

/**
 * Returns whether the server that the command called responded with 400. Recognises the SDK's error
 * by its name.
 */
const isRefused = (error: unknown) => error instanceof Error && error.name === 'InvalidRequestError'

/** The names of the fields on the command line. */
const ARGUMENTS: Record<string, string> = {
  name: 'NAME',
  allowedIps: '--ip',
  expiresAt: '--expires-in',
  graceHours: '--grace-hours',
  baseUrl: '--base-url',
  'credentials.secret_key': '--secret-key-file',
  'credentials.secret_hash': '--webhook-secret-file',
  'routes.0.service': '--service',
  'routes.0.currency': '--currency',
  'routes.0.priority': '--priority',
  'routes.0.weight': '--weight',
  'routes.0.leastAmount': '--from',
  'routes.0.mostAmount': '--to',
  'routes.0.banks': '--banks',
}

function says(error: unknown): string {
  if (isInvalid(error)) {
    const faults = Object.entries((error as Problem).fields).map(
      ([field, messages]) => `${ARGUMENTS[field] ?? `--${field}`} ${messages.join(', ')}`,
    )
    if (faults.length > 0) return faults.join('; ')
  }
  const line = reasonOf(isStorageFailure(error) ? firstCause(error) : error)
  if (isUnavailable(error)) return `the database is unavailable: ${line} (see tradepost doctor)`
  // The SDK's error is recognised by its name, so that other commands don't load the SDK.
  if (error instanceof Error && error.name === 'ConnectionError') {
    return `no response: ${reasonOf(firstCause(error))} (is the server running?)`
  }
  return line
}

/** For a request, the message says only that storage is unavailable. */
const isStorageFailure = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'storage_unavailable'

function reasonOf(error: unknown): string {
  const { message, code, errors } = error as AggregateError & { code?: string }
  // If several addresses were tried, the error contains the reason for each.
  const reason = message || (errors?.[0] as Error | undefined)?.message || code || String(error)
  return reason.split('\n')[0]!
}

/** Returns the innermost cause, because fetch itself only says that it failed. */
const firstCause = (error: Error): Error =>
  error.cause instanceof Error ? firstCause(error.cause) : error

export interface ProgressBar {
  /** Shows `done` of `total` `things`. */
  show(label: string, done: number, total: number, things: string): void
  end(): void
}

const WIDTH = 28
const EVERY_MS = 80

/** Shows a progress bar on standard error in a terminal, and nothing in a pipe, a log or a test. */
export function openProgressBar(stream: Terminal['stderr'] = terminal().stderr): ProgressBar {
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

/** The parts of the process that a command uses. */
interface Terminal {
  env: NodeJS.ProcessEnv
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  exitCode?: number | string | null | undefined
  once(signal: 'SIGINT' | 'SIGTERM', stop: () => void): unknown
}

const standIns = new AsyncLocalStorage<Terminal>()

/** Returns the process itself, unless a test runs the command with a stand-in. */
export const terminal = (): Terminal => standIns.getStore() ?? process

/** Runs `work` with a stand-in for the process. Several can run at the same time. */
export const withTerminal = <T>(standIn: Terminal, work: () => T): T => standIns.run(standIn, work)
