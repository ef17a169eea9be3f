import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'

export interface SimulatorOptions {
  db: Database
  /** After how long a payment settles by itself. */
  simulatorDelayMs: number
  clock: Clock
  nudge(sweeper: string, afterMs?: number): void
}

export const SIMULATOR_SWEEPER = 'simulator'
