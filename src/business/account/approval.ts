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
  selectLimitsOfAll,
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

type AmountOf = Tenant & { now: Date } & Amount

/** Decides about transfers, of any tenants, that one transaction writes. */
export interface Approvals {
  /** Whether a second person must approve a transfer of this amount. */
  areNeeded(transfer: AmountOf): boolean
  /** Adds a transfer to the day's total. Call it for each transfer that is written. */
  add(transfer: AmountOf): void
}

/**
 * Reads the limits for these transfers. If there is a daily limit, other transactions that add to
 * the day's total wait until this one ends.
 */
export async function openApprovals(
  tx: Tx,
  people: Deps['people'],
  transfers: readonly AmountOf[],
): Promise<Approvals> {
  const byTenant = new Map<string, Approvals>()
  const ofTenants = Map.groupBy(transfers, tenantKey)
  for (const limits of await selectLimitsOfAll(
    tx,
    [...ofTenants.values()].map(([first]) => first!),
  )) {
    const key = tenantKey({ businessId: limits.business_id, live: limits.live })
    const own = ofTenants.get(key)
    if (!own || !hasLimits(limits)) continue
    if (!(await isSuspended(tx, people, own[0]!, limits))) {
      byTenant.set(key, await approvalsOfTenant(tx, limits, own))
    }
  }
  return {
    areNeeded: (transfer) => byTenant.get(tenantKey(transfer))?.areNeeded(transfer) ?? false,
    add: (transfer) => byTenant.get(tenantKey(transfer))?.add(transfer),
  }
}

const tenantKey = ({ businessId, live }: Tenant): string => `${businessId} ${live}`

async function approvalsOfTenant(
  tx: Tx,
  limits: LimitsRow,
  transfers: readonly AmountOf[],
): Promise<Approvals> {
  const isAboveOwn = (transfer: Amount) =>
    isAbove(limits.transfer_approval_above_minor, transfer, limits)
  const others = transfers.filter((transfer) => !isAboveOwn(transfer))
  const days = others.length > 0 ? await lockDays(tx, limits, others) : undefined
  return {
    areNeeded: (transfer) => isAboveOwn(transfer) || days?.over(transfer) !== undefined,
    add: (transfer) => days?.add(transfer),
  }
}

/** Like `openApprovals`, but only for a preview, so it neither changes nor locks anything. */
export async function wouldNeedApproval(
  db: Db,
  people: Deps['people'],
  caller: Caller,
  amount: Amount,
): Promise<boolean> {
  const limits = await selectLimits(db, caller)
  if (!hasLimits(limits) || !(await hasApprovers(db, people, caller))) return false
  if (isAbove(limits.transfer_approval_above_minor, amount, limits)) return true
  const { businessId, live, now } = caller
  const transfer = { ...amount, businessId, live, now }
  return (await openDays(db, limits, [transfer]))?.over(transfer) !== undefined
}

/** The daily limit that an amount would exceed, and the total already sent on that day. */
interface OverDay {
  /** In the currency of the amount that is being checked. */
  sent_minor: Minor
  limit_minor: Minor
  currency: string
}

/**
 * Returns the daily limit that a bill would exceed, if any. Takes the same lock as `openApprovals`.
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
  const { businessId, live, now } = caller
  const bill = { ...amount, businessId, live, now }
  return (await lockDays(tx, limits, [bill]))?.over(bill)
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
 * meantime. All amounts must be of one tenant. Returns undefined if there is no daily limit.
 */
async function lockDays(
  tx: Tx,
  { daily_approval_above_minor: daily_minor }: LimitsRow,
  amounts: readonly AmountOf[],
): Promise<Days | undefined> {
  if (daily_minor === null) return undefined
  return openDays(tx, await lockLimits(tx, amounts[0]!), amounts)
}

/** The totals already sent on the days of some amounts of one tenant. */
interface Days {
  over(amount: AmountOf): OverDay | undefined
  add(amount: AmountOf): void
}

async function openDays(
  db: Db,
  limits: LimitsRow,
  amounts: readonly AmountOf[],
): Promise<Days | undefined> {
  const limit_minor = limits.daily_approval_above_minor
  if (limit_minor === null) return undefined
  const startOf = ({ now }: AmountOf) => startOfLimitDay(limits, now)
  const keyOf = (amount: AmountOf) => `${amount.currency} ${startOf(amount).getTime()}`
  const totals = new Map<string, { currency: string; start: Date; sent_minor: Minor }>()
  for (const amount of amounts) {
    if (totals.has(keyOf(amount))) continue
    const { currency } = amount
    const start = startOf(amount)
    const sent_minor = await selectSpent(db, amount, currency, start)
    totals.set(keyOf(amount), { currency, start, sent_minor })
  }
  return {
    over(amount) {
      const { sent_minor } = totals.get(keyOf(amount))!
      const sum = { ...amount, amount_minor: sent_minor + amount.amount_minor }
      return isAbove(limit_minor, sum, limits)
        ? { sent_minor, limit_minor, currency: limits.currency }
        : undefined
    },
    add({ amount_minor, currency, now }) {
      for (const total of totals.values()) {
        if (total.currency === currency && total.start <= now) total.sent_minor += amount_minor
      }
    },
  }
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
