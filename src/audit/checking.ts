import type { Db } from '../db/database.ts'
import type { Position } from './position.ts'

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
