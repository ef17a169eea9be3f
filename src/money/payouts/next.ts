import { wouldNeedApproval } from '../../business/account/approval.ts'
import {
  nextPayoutAt,
  type PayoutSchedule,
  type PayoutTerms,
  payoutTermsOf,
} from '../../business/account/payout-schedule.ts'
import type { Deps } from '../../deps.ts'
import { lastFour } from '../../encryption/account-numbers.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf } from '../../lib/money.ts'
import { paysOutByItself } from '../../providers/connections.ts'
import { payoutsStopOf } from '../../providers/pauses.ts'
import { isPaused, mostPayable } from './create.ts'

/** Why nothing can be paid out at the moment. */
export const BLOCKS = [
  'automatic_settlement',
  'settlement_account_missing',
  'payouts_paused',
  'payouts_stopped',
] as const
type Block = (typeof BLOCKS)[number]

/** How many dates are shown. */
const DATES = 3

/**
 * Returns what a payout would pay now, and when the schedule makes the next ones. `schedule` shows
 * the dates of another schedule. Changes nothing.
 */
export async function nextPayout(
  { db, keyring, people }: Pick<Deps, 'db' | 'keyring' | 'people'>,
  caller: Caller,
  { schedule: shown }: { schedule?: PayoutSchedule | undefined },
) {
  const terms = await payoutTermsOf(db, keyring, caller)
  const { account, currency, schedule } = terms
  const blockedBy = await blockOf(db, caller, terms)
  const { available_minor, amount_minor, fee_minor } = await mostPayable(db, caller, currency)
  const amounts = { available: available_minor, amount: amount_minor, fee: fee_minor }
  const dates = datesOf(terms, shown ?? schedule, caller.now)
  const isSkipped =
    blockedBy === 'automatic_settlement' || blockedBy === 'settlement_account_missing'
  return {
    schedule,
    nextAt: isSkipped || schedule === 'manual' ? null : datesOf(terms, schedule, caller.now)[0]!,
    dates,
    blockedBy,
    pausedUntil: isPaused(terms, caller.now) ? terms.pausedUntil : null,
    account: account && {
      bankCode: account.bankCode,
      bankName: account.bankName,
      accountNumberLast4: lastFour(account.accountNumber),
      accountName: account.accountName,
    },
    currency,
    ...amountsOf(currency, amounts),
    needsApproval:
      amount_minor > 0n &&
      (await wouldNeedApproval(db, people, caller, { amount_minor, currency })),
  }
}

async function blockOf(
  db: Deps['db'],
  caller: Tenant & { now: Date },
  terms: PayoutTerms,
): Promise<Block | null> {
  if (await paysOutByItself(db, caller)) return 'automatic_settlement'
  if (!terms.account) return 'settlement_account_missing'
  if (isPaused(terms, caller.now)) return 'payouts_paused'
  return (await payoutsStopOf(db, caller)) ? 'payouts_stopped' : null
}

/** Returns the next dates of a schedule, the first of which can wait for the end of a pause. */
function datesOf(terms: PayoutTerms, schedule: PayoutSchedule, now: Date): Date[] {
  const { at, timeZone } = terms
  const own = schedule === terms.schedule ? at : null
  const first = own ?? nextPayoutAt(schedule, timeZone, now)
  const dates: Date[] = []
  for (let date = first; date && dates.length < DATES; ) {
    const until = isPaused(terms, date) ? terms.pausedUntil! : date
    dates.push(until)
    date = nextPayoutAt(schedule, timeZone, until)
  }
  return dates
}
