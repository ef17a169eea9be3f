import type { Database, Db, Tx } from './db/database.ts'
import type { Ids } from './db/ids.ts'
import type { EventCatalogue } from './events/catalogue.ts'
import type { Files } from './files/files.ts'
import type { Background } from './http/after-response.ts'
import type { Tenant } from './lib/caller.ts'
import type { Clock } from './lib/clock.ts'
import type { Printer } from './pdf/printer.ts'
import type { Providers } from './provider-orders/provider.ts'

/** What slices are built from; each names the parts it takes. `src/main.ts` makes them. */
export interface Deps {
  db: Database
  ids: Ids
  clock: Clock
  providers: Providers
  printer: Printer
  files: Files
  people: People
  events: EventCatalogue
  /** What payers' links begin with, without a slash at the end. */
  publicUrl: string
  /** Tells a sweeper that something is, or in `afterMs` will be, due. */
  nudge(sweeper: string, afterMs?: number): void
}

/** In live mode a changed payout account receives nothing for this long. */
export const PAYOUTS_PAUSED_MS = 24 * 3_600_000

/** The people of a business: the only way for slices below the console to reach them. */
export interface People {
  /** The ids of those who can approve transfers. */
  approversOf(db: Db, tenant: Tenant): Promise<number[]>
  /**
   * Mails the owners, in the transaction of the cause. The mails are due by the server's clock,
   * also where a test clock runs ahead.
   */
  tellOwners(tx: Tx, tenant: Tenant, news: News): Promise<void>
  /** Mails the people who can approve transfers, but for one of them, in the same way. */
  tellApprovers(tx: Tx, tenant: Tenant, news: News, about: { but: number | null }): Promise<void>
}

/** What people are mailed about the money of their business. Moments are ISO text. */
export type News =
  | { what: 'approval_suspended' }
  | {
      what: 'approval_needed'
      amount: string
      to: string
      by: string
      /** Of the dashboard. */
      path: string
    }
  | { what: 'approval_change'; by: string; transfer: string; daily: string; path: string }
  | {
      what: 'payout_account_changed'
      /** The subaccount's name; null for the business's own. */
      of: string | null
      /** The last digits of the account before; null where it had been removed. */
      before: string | null
      after: string
      until: string
    }
  | {
      what: 'payouts_blocked'
      of: string
      given: string | null
      /** What the bank says; null where it did not answer. */
      found: string | null
      /** Null when they are blocked already. */
      from: string | null
      /** Of the dashboard. */
      path: string
    }

/** What the routes of accounts and people are built from. */
export interface ConsoleDeps
  extends Pick<Deps, 'providers' | 'publicUrl' | 'nudge' | 'files' | 'printer'> {
  db: Database
  ids: Ids
  clock: Clock
  background: Background
  /** What checking a password takes; 18 ms of a core unless given. */
  passwordCost?: { memoryCost: number; timeCost: number; parallelism: number }
  /** Counts a sign-in from a browser that is not known; throws 429 for too many of one network. */
  takeStranger(ip: string): void
}
