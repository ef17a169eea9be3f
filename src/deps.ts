import type { Database, Db, Tx } from './db/database.ts'
import type { Ids } from './db/ids.ts'
import type { Keyring } from './encryption/keyring.ts'
import type { EventCatalogue } from './events/catalogue.ts'
import type { Files } from './files/files.ts'
import type { Background } from './http/after-response.ts'
import type { Tenant } from './lib/caller.ts'
import type { Clock } from './lib/clock.ts'
import type { Printer } from './pdf/printer.ts'
import type { Calls } from './providers/calls/calls.ts'
import type { Providers } from './providers/connector/types.ts'
import type { BaseUrls, HttpProviders } from './providers/http-provider.ts'
import type { Pauses } from './providers/pauses.ts'

/**
 * The dependencies that slices can use; each slice names the ones it needs.
 * `src/app/shared.ts` creates them.
 */
export interface Deps {
  db: Database
  ids: Ids
  keyring: Keyring
  clock: Clock
  providers: Providers
  pauses: Pauses
  printer: Printer
  files: Files
  people: People
  events: EventCatalogue
  /** The base URL of payers' links, without a trailing slash. */
  publicUrl: string
  /** Tells a job that work is due, or will be due in `afterMs`. */
  nudge(job: string, afterMs?: number): void
}

/** How long payouts are paused in live mode after the payout account has changed. */
export const PAYOUTS_PAUSED_MS = 24 * 3_600_000

/** The only access that slices below `business/team` have to the people in a business. */
export interface People {
  approversOf(db: Db, tenant: Tenant): Promise<number[]>
  /**
   * Emails the owners, in the transaction of the change itself. The emails are due by the server's
   * clock, even if a test clock is ahead.
   */
  emailOwners(tx: Tx, tenant: Tenant, notice: MemberNotice): Promise<void>
  /** Emails the people whose role has a scope, in the same way. */
  emailHolders(tx: Tx, tenant: Tenant, scope: string, notice: MemberNotice): Promise<void>
  /** Emails the people who can approve transfers, except for one, in the same way. */
  emailApprovers(
    tx: Tx,
    tenant: Tenant,
    notice: MemberNotice,
    about: { but: number | null },
  ): Promise<void>
}

/** Emails to people about their business's money. Times are ISO strings. */
export type MemberNotice =
  | { what: 'approval_suspended' }
  | {
      what: 'approval_needed'
      amount: string
      to: string
      by: string
      /** The path in the dashboard. */
      path: string
    }
  | {
      what: 'dispute'
      /** `due`: the deadline is near. `response_failed`: the provider did not take the response. */
      news: 'opened' | 'due' | 'won' | 'lost' | 'response_failed'
      amount: string
      /** The reference of the payment. */
      payment: string
      customer: string | null
      /** What the payer says. */
      reason: string
      due: string | null
      path: string
    }
  | { what: 'approval_change'; by: string; transfer: string; daily: string; path: string }
  | {
      what: 'payout_account_changed'
      /** The subaccount's name; null for the business's own account. */
      of: string | null
      /** The last digits of the previous account; null if it had been removed. */
      before: string | null
      after: string
      until: string
    }
  | {
      what: 'payout_failed'
      /** Whether the bank had paid it, and has returned it. */
      isReturned: boolean
      amount: string
      to: string
      reason: string | null
      /** The path in the dashboard. */
      path: string
    }
  | {
      what: 'provider_changed'
      change: 'connected' | 'credentials' | 'notice_url' | 'paused' | 'resumed' | 'removed'
      /** The connection's. */
      name: string
      by: string
    }
  | {
      /** Nobody knows the outcome of these provider orders. */
      what: 'orders_unresolved'
      orders: number
      /** Of the oldest. */
      since: string
      /** The path in the dashboard. */
      path: string
    }
  | {
      what: 'payouts_blocked'
      of: string
      given: string | null
      /** The bank's response; null if it didn't respond. */
      found: string | null
      /** When payouts will be blocked; null if they already are. */
      from: string | null
      /** The path in the dashboard. */
      path: string
    }

export interface ConsoleDeps
  extends Pick<
    Deps,
    'keyring' | 'providers' | 'pauses' | 'publicUrl' | 'nudge' | 'files' | 'printer' | 'people'
  > {
  httpProviders: Pick<HttpProviders, 'probe'>
  calls: Pick<Calls, 'suspended'>
  baseUrls: BaseUrls
  db: Database
  ids: Ids
  clock: Clock
  background: Background
  /** The cost of checking a password; by default, 18 ms of CPU time. */
  passwordCost?: { memoryCost: number; timeCost: number; parallelism: number }
  /**
   * Counts a sign-in from an unknown browser; throws 429 if there are too many from one network.
   */
  takeStranger(ip: string): void
}
