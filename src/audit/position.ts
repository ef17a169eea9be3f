import { mkdirSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Db } from '../db/database.ts'

/** How far the chains of one tenant have been verified. */
export interface Position {
  businessId: number
  live: boolean
  ledger: Link
  digests: Link
  /** The sum of the sealed transfers of each account: its debits and credits, in minor units. */
  accounts: Record<string, [debits: string, credits: string]>
  /** All events before this time have been compared with their digests. */
  eventsFrom: string | null
  /** The events after that time that have been compared too. */
  eventIds: number[]
}

/** The last verified entry of a chain; 0 if there is none. */
export interface Link {
  seq: number
  /** In hex. */
  hash: string
}

export const START: Link = { seq: 0, hash: '00'.repeat(32) }

/** How far a business's audit log has been verified. */
export interface LogPosition {
  businessId: number
  log: Link
}

export interface Positions {
  /** When the last audit from a position ended. */
  at: string | null
  tenants: Position[]
  logs: LogPosition[]
}

/** Returns an empty list if there is no file yet. Throws if the file is damaged. */
export async function readPositions(file: string): Promise<Positions> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Positions
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { at: null, tenants: [], logs: [] }
    }
    if (!(error instanceof SyntaxError)) throw error
    throw new Error(`${file} is damaged: restore it from a copy, or delete it to begin again`)
  }
}

/** Replaces the file in one step, once it is on disk. */
export async function writePositions(file: string, positions: Positions): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  const handle = await open(`${file}.part`, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(positions))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

/** Runs `work` on one short snapshot, so that what it reads belongs together. */
export type Within = <T>(work: (snapshot: Db) => Promise<T>) => Promise<T>

/** How many rows were checked. */
export interface Examined {
  transfers: number
  events: number
  notes: number
  logEntries: number
}

/** What the parts of the audit share while they check one tenant. */
export interface Checking {
  /** Each statement reads one page, in a separate transaction. */
  db: Db
  within: Within
  position: Position
  examined: Examined
  report(check: string, table: string, id: number | string, problem: string): void
}

export const REWRITTEN =
  'an earlier audit recorded a different hash for this entry; the chain has been truncated or ' +
  'rewritten since'
