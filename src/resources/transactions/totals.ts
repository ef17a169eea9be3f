import type { Db } from '../../db/database.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import { isCurrency, type Minor, toAmount } from '../../lib/money.ts'
import { rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { termsOf } from '../businesses/terms.ts'
import { CHANNELS } from './queries-list.ts'
import { type Period, type Sums, sumTransactions } from './queries-totals.ts'
import type { TotalsQuery } from './schemas-read.ts'
import { TRANSACTION_STATES, type TransactionState } from './states.ts'

const DAYS = 30
const DAYS_MAX = 366
const HOUR_MS = 3_600_000

/** Money came in with these, whatever became of it later. */
const PAID: readonly TransactionState[] = [
  'Successful',
  'PartiallyRefunded',
  'Refunded',
  'Reversed',
]

/**
 * What the transactions that were begun in a time came to. The sums and those by channel are about
 * what was paid, those by status about all: what was asked for, where nothing was paid. Throws 400
 * for a time of more than DAYS_MAX days.
 */
export async function transactionTotals(db: Db, caller: Caller, query: TotalsQuery) {
  const currency = query.currency ?? (await termsOf(db, caller)).currency
  if (!isCurrency(currency)) throw invalid({ currency: ['is not a currency of ISO 4217'] })
  const period = { ...periodOf(caller, query), currency }
  const groups = await sumTransactions(db, caller, period)
  const paid = groups.filter(({ status }) => PAID.includes(status))
  const net_minor = total(paid, 'paid') - total(paid, 'excess') - total(paid, 'fee')
  return {
    ...describe(caller, period),
    ...sumsOf(paid, currency),
    ...money('fees', total(paid, 'fee'), currency),
    ...money('netAmount', net_minor, currency),
    ...money('netAfterRefunds', net_minor - total(paid, 'given_back'), currency),
    ...money('overpaidAmount', total(paid, 'excess'), currency),
    ...money('refundedAmount', total(paid, 'refunded'), currency),
    byStatus: TRANSACTION_STATES.map((status) => ({
      status,
      ...sumsOf(
        groups.filter((one) => one.status === status),
        currency,
      ),
    })),
    byChannel: CHANNELS.map((channel) => ({
      channel,
      ...sumsOf(
        paid.filter((one) => one.channel === channel),
        currency,
      ),
    })),
  }
}

/** The days that were asked for, else those up to today. */
function periodOf({ timeZone, now }: Caller, query: TotalsQuery): Pick<Period, 'from' | 'until'> {
  const today = dayIn(timeZone, now)
  const range = rangeOf({ endDate: today, ...query }, timeZone)
  const until = range.until!
  const lastDay = dayIn(timeZone, new Date(until.getTime() - 1))
  const from = range.from ?? startOfDay(addDays(lastDay, 1 - DAYS), timeZone)
  // An hour more, for where the clock goes back meanwhile.
  if (until.getTime() - from.getTime() > (DAYS_MAX * 24 + 1) * HOUR_MS) {
    throw invalid({ startDate: [`must be at most ${DAYS_MAX} days before the end`] })
  }
  return { from, until }
}

/** The same time in the same currency has the same reference. */
function describe({ now }: Caller, { from, until, currency }: Period) {
  const reference = `TOT_${currency}_${from.getTime()}_${until.getTime()}`
  return { reference, status: until > now ? 'Open' : 'Closed', currency, from, until }
}

function sumsOf(groups: readonly Sums[], currency: string) {
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  return { count, ...money('amount', total(groups, 'amount'), currency) }
}

type Summed = 'amount' | 'fee' | 'paid' | 'excess' | 'refunded' | 'given_back'

const total = (groups: readonly Sums[], of: Summed): Minor =>
  groups.reduce((sum, group) => sum + group[of], 0n)

const money = <Name extends string>(name: Name, minor: Minor, currency: string) =>
  ({ [name]: toAmount(minor, currency), [`${name}Minor`]: Number(minor) }) as Record<
    Name | `${Name}Minor`,
    number
  >
