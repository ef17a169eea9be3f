import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface LimitsRow {
  currency: string
  transfer_approval_above_minor: Minor | null
  daily_approval_above_minor: Minor | null
  approval_suspended_at: Date | null
}

export function selectLimits(db: Db, { businessId, live }: Tenant) {
  return db.one<LimitsRow>`
    select b.currency, s.transfer_approval_above_minor, s.daily_approval_above_minor,
      s.approval_suspended_at
    from business_settings s join businesses b on b.id = s.business_id
    where s.business_id = ${businessId} and s.live = ${live}`
}

/** Whatever else adds to the day's sum waits until the transaction ends. */
export function lockDay(tx: Tx, { businessId, live }: Tenant) {
  return tx.one`
    select from business_settings
    where business_id = ${businessId} and live = ${live} for no key update`
}

/** What left, or is to leave, by transfers and bills since a moment; fees are not counted. */
export async function selectSpent(
  db: Db,
  { businessId, live }: Tenant,
  currency: string,
  since: Date,
): Promise<Minor> {
  const { spent_minor } = await db.one<{ spent_minor: Minor }>`
    select coalesce(sum(amount_minor), 0)::bigint as spent_minor from (
      select amount_minor from transfers
      where business_id = ${businessId} and live = ${live} and currency = ${currency}
        and created_at >= ${since} and status not in ('Failed', 'Rejected')
      union all
      select amount_minor from utility_payments
      where business_id = ${businessId} and live = ${live} and currency = ${currency}
        and created_at >= ${since} and status <> 'Failed'
    ) spent`
  return spent_minor
}

/** Answers whether the limits counted until now. */
export async function updateSuspended(
  tx: Tx,
  { businessId, live }: Tenant,
  now: Date,
): Promise<boolean> {
  const changed = await tx.run`
    update business_settings set approval_suspended_at = ${now}
    where business_id = ${businessId} and live = ${live} and approval_suspended_at is null`
  return changed > 0
}

export function updateResumed(tx: Tx, { businessId, live }: Tenant) {
  return tx.run`
    update business_settings set approval_suspended_at = null
    where business_id = ${businessId} and live = ${live} and approval_suspended_at is not null`
}

/** A change of the limits that waits for a second person. */
export interface WantedRow {
  approval_wanted_by: number
  approval_wanted_name: string
  approval_wanted_transfer_minor: Minor | null
  approval_wanted_daily_minor: Minor | null
}

/** The one that was asked for at this moment, until the transaction ends. */
export function lockWanted(tx: Tx, { businessId, live }: Tenant, at: Date) {
  return tx.maybe<WantedRow>`
    select approval_wanted_by, approval_wanted_name, approval_wanted_transfer_minor,
      approval_wanted_daily_minor
    from business_settings
    where business_id = ${businessId} and live = ${live} and approval_wanted_at = ${at}
    for update`
}

/** Puts the wanted limits into force. */
export function applyWanted(tx: Tx, { businessId, live }: Tenant, now: Date) {
  return tx.run`
    update business_settings
    set transfer_approval_above_minor = approval_wanted_transfer_minor,
      daily_approval_above_minor = approval_wanted_daily_minor, updated_at = ${now}
    where business_id = ${businessId} and live = ${live}`
}

export function clearWanted(tx: Tx, { businessId, live }: Tenant) {
  return tx.run`
    update business_settings
    set approval_wanted_at = null, approval_wanted_by = null, approval_wanted_name = null,
      approval_wanted_transfer_minor = null, approval_wanted_daily_minor = null
    where business_id = ${businessId} and live = ${live}`
}

/** What waits for the approvers of a business. */
export function selectWaiting(db: Db, { businessId, live }: Tenant) {
  return db.one<{ transfers: number; has_change: boolean }>`
    select
      (select count(*) from (
        select from transfers
        where business_id = ${businessId} and live = ${live} and status = 'Unverified'
        limit 100) waiting) as transfers,
      (select approval_wanted_at is not null from business_settings
        where business_id = ${businessId} and live = ${live}) as has_change`
}
