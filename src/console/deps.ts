import type { Database } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deps } from '../resources/deps.ts'
import type { Background } from './background.ts'

/** What the routes of accounts and people are built from. */
export interface ConsoleDeps
  extends Pick<Deps, 'providers' | 'publicUrl' | 'nudge' | 'files' | 'printer'> {
  db: Database
  ids: Ids
  clock: Clock
  background: Background
  /** Counts a sign-in from a browser that is not known; throws 429 for too many of one network. */
  takeStranger(ip: string): void
}
