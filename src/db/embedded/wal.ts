import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomText } from '../../lib/tokens.ts'
import { type Cluster, giveToRunner, type Runner } from './cluster.ts'

/* While the WAL of a cluster is archived, PostgreSQL copies each completed segment to a directory
 * beside the cluster, even if a command starts it, and one of our processes moves them away. */

/** One history of a database. A restored database begins a new one. */
export interface WalLine {
  id: string
  /** When archiving began. */
  since: string
}

/** What has been archived so far. */
export interface WalProgress {
  line: WalLine
  /** When the first base backup ended. Nothing before can be recovered. */
  from: Date | undefined
  /** Everything that was committed until then is in the archive. */
  until: Date | undefined
}

const DIRECTORY = 'wal-archive'
const LINE = 'line.json'

const at = (top: string, name: string) => join(top, DIRECTORY, name)

/** The directory in which segments wait to be moved to the archive. */
export const waitingDirectory = (top: string): string => at(top, 'waiting')

/** Returns undefined if the WAL is not archived. */
export function walLine(top: string): WalLine | undefined {
  const path = at(top, LINE)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

export function walProgress(top: string): WalProgress | undefined {
  const line = walLine(top)
  return line && { line, from: readTime(at(top, 'from')), until: readTime(at(top, 'until')) }
}

function readTime(path: string): Date | undefined {
  return existsSync(path) ? new Date(readFileSync(path, 'utf8')) : undefined
}

/** Notes from or until when the database can be recovered. */
export function noteWalProgress(top: string, name: 'from' | 'until', time: Date): void {
  replaceFile(at(top, name), time.toISOString())
}

/**
 * Begins or ends archiving, with effect from the next start of PostgreSQL. What is archived after a
 * break would be of no use without the WAL before it, so it belongs to a new line.
 */
export function setArchiving(top: string, isOn: boolean): void {
  if (isOn === (walLine(top) !== undefined)) return
  if (!isOn) {
    rmSync(join(top, DIRECTORY), { recursive: true, force: true })
    return
  }
  mkdirSync(join(top, DIRECTORY), { recursive: true, mode: 0o700 })
  const line: WalLine = { id: randomText(16), since: new Date().toISOString() }
  replaceFile(at(top, LINE), JSON.stringify(line))
}

function replaceFile(path: string, text: string): void {
  const next = `${path}.${process.pid}`
  writeFileSync(next, text, { mode: 0o600, flush: true })
  renameSync(next, path)
}

/** Returns the settings with which PostgreSQL copies segments, or none. */
export function archiveSettings({ top }: Cluster, runner: Runner): Record<string, string> {
  if (!walLine(top)) return {}
  const waiting = waitingDirectory(top)
  if (!existsSync(waiting)) mkdirSync(waiting, { mode: 0o700 })
  for (const path of [join(top, DIRECTORY), waiting]) giveToRunner(path, runner)
  return {
    archive_mode: 'on',
    // Makes each copy durable before PostgreSQL reuses the segment.
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': waiting,
  }
}
