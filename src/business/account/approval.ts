import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { dayIn, startOfDay } from '../../lib/dates.ts'
import type { Minor } from '../../lib/money.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { protectedSettings } from './audit.ts'
import {
  applyLimitChange,
  clearLimitChange,
  countPendingApprovals,
  type LimitsRow,
  lockLimitChange,
  lockLimits,
  selectLimits,
  selectSpent,
  updateResumed,
  updateSuspended,
} from './queries.ts'

/** A transfer above a limit needs one person to create it and another to approve it. */
export const APPROVERS_MIN = 2

interface Amount {
  amount_minor: Minor
  currency: string
}

/**
 * Returns whether a second person must approve a transfer of this amount. If there is a daily
 * limit, other transactions that add to the day's total wait until this one ends.
 */
export async function needsApproval(
  tx: Tx,
  people: Deps['people'],
  caller: Tenant & { now: Date },
  amount: Amount,
): Promise<boolean> {
  const limits = await selectLimits(tx, caller)
  if (!hasLimits(limits) || (await isSuspended(tx, people, caller, limits))) return false
  if (isAbove(limits.transfer_approval_above_minor, amount, limits)) return true
  return (await overDayLocked(tx, caller, limits, amount)) !== undefined
}

/** Like `needsApproval`, but only for a preview, so it neither changes nor locks anything. */
export async function wouldNeedApproval(
  db: Db,
  people: Deps['people'],
  caller: Caller,
  amount: Amount,
): Promise<boolean> {
  const limits = await selectLimits(db, caller)
  if (!hasLimits(limits) || !(await hasApprovers(db, people, caller))) return false
  if (isAbove(limits.transfer_approval_above_minor, amount, limits)) return true
  return (await overDay(db, caller, limits, amount)) !== undefined
}

/** The daily limit that an amount would exceed, and the total already sent on that day. */
interface OverDay {
  /** In the currency of the amount that is being checked. */
  sent_minor: Minor
  limit_minor: Minor
  currency: string
}

/**
 * Returns the daily limit that a bill would exceed, if any. Takes the same lock as `needsApproval`.
 */
export async function passedDailyLimit(
  tx: Tx,
  people: Deps['people'],
  caller: Caller,
  amount: Amount,
): Promise<OverDay | undefined> {
  const limits = await selectLimits(tx, caller)
  if (limits.daily_approval_above_minor === null) return undefined
  if (await isSuspended(tx, people, caller, limits)) return undefined
  return overDayLocked(tx, caller, limits, amount)
}

const hasLimits = ({
  transfer_approval_above_minor: transfer_minor,
  daily_approval_above_minor: daily_minor,
}: LimitsRow): boolean => transfer_minor !== null || daily_minor !== null

/** The limits are in the business's currency; amounts in other currencies always need approval. */
const isAbove = (
  limit_minor: Minor | null,
  { amount_minor, currency }: Amount,
  { currency: own }: LimitsRow,
): boolean => limit_minor !== null && (amount_minor > limit_minor || currency !== own)

/**
 * Reads the limits again once it has the lock, because the time zone may have changed in the
 * meantime.
 */
async function overDayLocked(
  tx: Tx,
  caller: Tenant & { now: Date },
  { daily_approval_above_minor: daily_minor }: LimitsRow,
  amount: Amount,
): Promise<OverDay | undefined> {
  if (daily_minor === null) return undefined
  return overDay(tx, caller, await lockLimits(tx, caller), amount)
}

async function overDay(
  db: Db,
  caller: Tenant & { now: Date },
  limits: LimitsRow,
  { amount_minor, currency }: Amount,
): Promise<OverDay | undefined> {
  const limit_minor = limits.daily_approval_above_minor
  if (limit_minor === null) return undefined
  const sent_minor = await selectSpent(db, caller, currency, startOfLimitDay(limits, caller.now))
  const sum = { amount_minor: sent_minor + amount_minor, currency }
  return isAbove(limit_minor, sum, limits)
    ? { sent_minor, limit_minor, currency: limits.currency }
    : undefined
}

const DAY_MS = 24 * 3_600_000

/**
 * Returns the start of the day that the daily limit covers at `now`. A change of time zone never
 * shortens a day: the day of the change lasts until the first midnight in the new zone that is at
 * least 24 hours after its start.
 */
export function startOfLimitDay(
  { time_zone, day_began_at: began }: Pick<LimitsRow, 'time_zone' | 'day_began_at'>,
  now: Date,
): Date {
  const midnight = startOfDay(dayIn(time_zone, now), time_zone)
  if (began === null || midnight >= addMs(began, DAY_MS)) return midnight
  // A slow request may have started on the previous day, and then counts towards that whole day.
  return now < began ? addMs(began, -DAY_MS) : began
}

export const hasApprovers = async (
  db: Db,
  people: Deps['people'],
  tenant: Tenant,
): Promise<boolean> => (await people.approversOf(db, tenant)).length >= APPROVERS_MIN

/**
 * Returns whether the limits are suspended because there is no second person, and emails the owners
 * when the suspension starts.
 */
async function isSuspended(
  tx: Tx,
  people: Deps['people'],
  { businessId, live, now }: Tenant & { now: Date },
  limits: LimitsRow,
): Promise<boolean> {
  const tenant = { businessId, live }
  const canApprove = await hasApprovers(tx, people, tenant)
  const wasSuspended = limits.approval_suspended_at !== null
  if (canApprove && wasSuspended) await updateResumed(tx, tenant)
  if (!canApprove && !wasSuspended && (await updateSuspended(tx, tenant, now))) {
    await people.emailOwners(tx, tenant, { what: 'approval_suspended' })
  }
  return !canApprove
}

/** After a change to the team, checks in both modes whether the limits still apply. */
export async function reviewLimits(
  tx: Tx,
  people: Deps['people'],
  businessId: number,
  now: Date,
): Promise<void> {
  for (const live of [false, true]) {
    const limits = await selectLimits(tx, { businessId, live })
    if (hasLimits(limits)) await isSuspended(tx, people, { businessId, live, now }, limits)
  }
}

/**
 * Applies a change to the limits that another person requested at `at`. Throws
 * `approval_change_gone` (409) if the change has been confirmed, withdrawn or replaced, and
 * `second_person_needed` (403) if the caller requested it.
 */
export async function confirmLimitChange(tx: Tx, caller: Caller, at: Date): Promise<void> {
  const wanted = await lockLimitChange(tx, caller, at)
  if (!wanted) throw changeGone()
  if (caller.person?.id === wanted.approval_wanted_by) {
    const message = 'You requested this change, so another member must confirm it.'
    throw new Problem('forbidden', 'second_person_needed', message)
  }
  await applyLimitChange(tx, caller, caller.now)
  await writeRowNote(tx, protectedSettings, caller, caller.businessId)
  await clearLimitChange(tx, caller)
}

/**
 * Discards a pending change and keeps the limits. Throws `approval_change_gone` (409) if the change
 * has been confirmed, withdrawn or replaced. Unlike with `confirmLimitChange`, the caller can be
 * the person who requested the change.
 */
export async function dropLimitChange(tx: Tx, caller: Caller, at: Date): Promise<void> {
  if (!(await lockLimitChange(tx, caller, at))) throw changeGone()
  await clearLimitChange(tx, caller)
}

/** Returns how many transfers (at most 100) and limit changes (0 or 1) are awaiting approval. */
export async function pendingApprovals(db: Db, tenant: Tenant) {
  const { transfers, has_change } = await countPendingApprovals(db, tenant)
  return { transfers, limits: has_change ? 1 : 0 }
}

const changeGone = () =>
  conflict('approval_change_gone', 'This change has already been confirmed, withdrawn or replaced.')
