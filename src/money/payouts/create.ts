import { wouldNeedApproval } from '../../business/account/approval.ts'
import {
  mostTransferable,
  paymentTermsOf,
  transferFee,
} from '../../business/account/payment-settings.ts'
import {
  lockPayoutTerms,
  nextPayoutAt,
  type PayoutSchedule,
  type PayoutTerms,
  payoutTermsOf,
  refuseAutomatic,
} from '../../business/account/payout-schedule.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { lastFour } from '../../encryption/account-numbers.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { paysOutByItself } from '../../providers/connections.ts'
import { payoutsStopOf } from '../../providers/pauses.ts'
import { payoutQuery } from '../../providers/routing.ts'
import { createTransfer } from '../transfers/create.ts'
import { type Actor, actorOf } from '../transfers/transition.ts'
import { walletBalances } from '../wallet/service.ts'

export type PayoutDeps = Pick<Deps, 'ids' | 'nudge' | 'people' | 'keyring' | 'providers'>

/** The narration on the bank statement of the business. */
const NARRATION = 'Payout'

/**
 * Pays out to the business's settlement account: `amount` or, if absent, all of the available
 * balance. Throws `automatic_settlement`, `settlement_account_missing` and `payouts_paused` (409),
 * and `insufficient_balance` (400).
 */
export async function createPayout(
  tx: Tx,
  deps: PayoutDeps,
  caller: Caller,
  { amount }: { amount?: number | string | undefined },
) {
  const terms = await lockPayoutTerms(tx, deps.keyring, caller)
  await refuseAutomatic(tx, caller)
  const account = accountIn(terms)
  if (isPaused(terms, caller.now)) {
    throw conflict(
      'payouts_paused',
      'The settlement account was changed, so nothing is paid out to it before ' +
        `${terms.pausedUntil!.toISOString()}.`,
    )
  }
  const all = await mostPayable(tx, caller, terms.currency)
  const amount_minor = amount === undefined ? all.amount_minor : parseAmount(amount, terms.currency)
  if (amount === undefined && amount_minor === 0n) throw nothingToPay()
  const payout = { amount_minor, currency: terms.currency, account, actor: actorOf(caller) }
  return payOut(tx, deps, caller, payout)
}

/** Throws `settlement_account_missing` (409). */
function accountIn({ account }: PayoutTerms): NonNullable<PayoutTerms['account']> {
  if (account) return account
  throw conflict(
    'settlement_account_missing',
    'The business has no settlement account. Add one in the settings first.',
  )
}

export const isPaused = ({ pausedUntil }: PayoutTerms, now: Date): boolean =>
  pausedUntil !== null && pausedUntil > now

const nothingToPay = () =>
  new Problem(
    'invalid',
    'insufficient_balance',
    'There is nothing to pay out: the available balance does not cover more than the transfer fee.',
  )

/** Returns the largest amount that the wallet can pay out, with its fee. */
export async function mostPayable(
  db: Tx | Deps['db'],
  { businessId, live }: Tenant,
  currency: string,
): Promise<{ available_minor: Minor; amount_minor: Minor; fee_minor: Minor }> {
  const tenant = { businessId, live }
  const { fee_rules } = await paymentTermsOf(db, tenant)
  const wallet = (await walletBalances(db, tenant)).find((one) => one.currency === currency)
  const available_minor = BigInt(wallet?.availableMinor ?? 0)
  const amount_minor = mostTransferable(fee_rules, available_minor, currency)
  const fee_minor = amount_minor === 0n ? 0n : transferFee(fee_rules, amount_minor, currency)
  return { available_minor, amount_minor, fee_minor }
}

interface Payout {
  amount_minor: Minor
  currency: string
  account: NonNullable<PayoutTerms['account']>
  /** Null if the schedule makes the payout. */
  actor: Actor | null
}

/** Creates the transfer. The bank has confirmed the holder when the account was saved. */
export async function payOut(
  tx: Tx,
  deps: PayoutDeps,
  { businessId, live, now }: Tenant & { now: Date },
  { amount_minor, currency, account, actor }: Payout,
) {
  const tenant = { businessId, live }
  const reference = newReference('TRF')
  const { bankCode: bank_code, bankName: bank_name, accountNumber, accountName } = account
  const paying = payoutQuery({ currency, amount_minor, bank_code, reference })
  const { connection } = await deps.providers.choose(tenant, paying, tx)
  const { fee_rules } = await paymentTermsOf(tx, tenant)
  return createTransfer(
    tx,
    deps,
    { ...tenant, now },
    {
      reference,
      transfer_reference: reference,
      origin: 'payout',
      status: 'Pending',
      amount_minor,
      fee_minor: transferFee(fee_rules, amount_minor, currency),
      currency,
      bank_code,
      bank_name,
      account_number: accountNumber,
      account_name: accountName,
      narration: NARRATION,
      metadata: null,
      failure_reason: null,
      provider: connection.provider,
      connection_id: connection.id,
      doubt: null,
      created_by: actor?.with === 'person' ? actor.personId : null,
      created_with: actor?.with ?? null,
      created_by_name: actor?.name ?? null,
      created_by_person: actor?.personId ?? null,
      now,
    },
  )
}

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
