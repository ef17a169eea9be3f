import type { Database } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Clock } from '../lib/clock.ts'
import type { Printer } from '../pdf/printer.ts'
import type { Providers } from '../providers/provider.ts'
import type { Files } from '../storage/blobs.ts'

/** What slices are built from; each names the parts it takes. `src/main.ts` makes them. */
export interface Deps {
  db: Database
  ids: Ids
  clock: Clock
  providers: Providers
  printer: Printer
  files: Files
  /** What payers' links begin with, without a slash at the end. */
  publicUrl: string
  /** Tells a sweeper that something is, or in `afterMs` will be, due. */
  nudge(sweeper: string, afterMs?: number): void
}
