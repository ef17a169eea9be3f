import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { kindsOf } from '../../events/catalogue.ts'
import type { Caller, Person, Tenant } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount, toAmount } from '../../lib/money.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { hasApprovers } from './approval.ts'
import type { Series } from './invoice-series.ts'
import type { ProfileRow, SettingsRow } from './queries.ts'
import type { SettingsChange } from './schemas.ts'

/** See docs/CONTRACT.md, Profile and settings. */
export function profileRecord(row: ProfileRow, { live, partner, scopes, expiresAt }: Caller) {
  const { account_last4: accountNumber, settlement_account_name: accountName } = row
  return {
    id: row.id,
    businessId: row.id,
    businessName: row.name,
    email: row.email,
    phone: row.phone,
    firstName: row.first_name,
    lastName: row.last_name,
    country: row.country,
    currency: row.currency,
    timeZone: row.time_zone,
    mode: live ? 'live' : 'test',
    status: row.status,
    accountVerified: accountName !== null,
    settlementAccount: accountNumber
      ? { bankName: row.settlement_bank_name, accountNumber, accountName }
      : null,
    // Requests with a public key are refused before this point.
    key: { type: partner === undefined ? 'secret' : 'partner', scopes, expiresAt },
    createdAt: row.created_at,
    reference: row.reference,
  }
}

/**
 * Only a few callers receive `redirectSecret`, because anyone who has it can sign as the server
 * does.
 */
export function settingsRecord(
  row: SettingsRow,
  {
    accountNumber,
    secret,
    series,
  }: { accountNumber: string | null; secret: string | null; series: Series },
) {
  const { transfer_approval_above_minor: above } = row
  const daily = row.daily_approval_above_minor
  return {
    reference: row.reference,
    status: row.status,
    settlementAccount: accountNumber
      ? {
          bankCode: row.settlement_bank_code,
          bankName: row.settlement_bank_name,
          accountNumber,
          accountName: row.settlement_account_name,
        }
      : null,
    payoutsPausedUntil: row.payouts_paused_until,
    payoutSchedule: row.payout_schedule,
    manualPayment: row.manual_payment === null ? null : JSON.parse(row.manual_payment),
    feeBearer: row.fee_bearer,
    origins: row.origins,
    transferApprovalAbove: major(above, row.currency),
    transferApprovalAboveMinor: above === null ? null : Number(above),
    dailyApprovalAbove: major(daily, row.currency),
    dailyApprovalAboveMinor: daily === null ? null : Number(daily),
    approvalSuspendedAt: row.approval_suspended_at,
    pendingApprovalChange: pendingIn(row),
    currency: row.currency,
    virtualAccountPolicy: row.virtual_account_policy,
    timeZone: row.time_zone,
    invoicePrefix: series.prefix,
    nextInvoiceNumber: series.nextNumber,
    redirectSecret: secret,
    updatedAt: row.updated_at,
  }
}

const text = Type.String()

const VerifiedAccount = Type.Object({
  reference: Type.String({
    description: 'The reference of the settings record or the subaccount.',
  }),
  status: text,
  bankCode: text,
  bankName: text,
  accountNumber: Type.String({ description: 'The last 4 digits, the same as accountNumberLast4.' }),
  accountNumberLast4: text,
  subject: Type.String({
    description: 'The owner of the account: business or subaccount.',
  }),
  accountName: text,
})

const example = {
  reference: 'SUB_5dX2pF8tAy6lN9eZi1Ru',
  status: 'Verified',
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '6789',
  accountNumberLast4: '6789',
  subject: 'subaccount',
  accountName: 'ADA OBI',
}

export const accountEvents = kindsOf(
  { object: 'business or subaccount', schema: VerifiedAccount, example },
  {
    'account.verified': [
      'The bank confirmed the account holder’s name for a business or subaccount bank account.',
    ],
  },
)

interface Limits {
  transfer_minor: Minor | null
  daily_minor: Minor | null
}

/**
 * Applies a change to the approval limits. Setting or lowering a limit takes effect at once, and
 * requires two members who can approve (409 `approvers_missing`). Raising or removing a limit waits
 * until a second person confirms it, unless there is no such person. Throws `people_only` (403) for
 * keys.
 */
export async function changeLimits(
  tx: Tx,
  people: Deps['people'],
  { businessId, live, person, now }: Caller,
  before: SettingsRow,
  change: SettingsChange,
): Promise<Partial<SettingsRow>> {
  const tenant = { businessId, live }
  const current = limitsIn(before)
  const wanted = wantedLimits(change, before)
  if (isEqual(current, wanted)) return {}
  if (!person) throw peopleOnly()
  const canApprove = await hasApprovers(tx, people, tenant)
  if (!isLooser(current, wanted)) {
    if (!canApprove) throw approversMissing()
    return columnsOf(wanted)
  }
  if (!canApprove) return columnsOf(wanted)
  await tellOf(tx, people, tenant, person, wanted, before.currency)
  return {
    approval_wanted_at: now,
    approval_wanted_by: person.id,
    approval_wanted_name: person.name,
    approval_wanted_transfer_minor: wanted.transfer_minor,
    approval_wanted_daily_minor: wanted.daily_minor,
  }
}

const limitsIn = (row: SettingsRow): Limits => ({
  transfer_minor: row.transfer_approval_above_minor,
  daily_minor: row.daily_approval_above_minor,
})

function wantedLimits(change: SettingsChange, before: SettingsRow): Limits {
  const { transfer_minor, daily_minor } = limitsIn(before)
  const read = (field: 'transferApprovalAbove' | 'dailyApprovalAbove', kept: Minor | null) => {
    const given = change[field]
    if (given === undefined) return kept
    return given === null ? null : parseAmount(given, before.currency, { field })
  }
  return {
    transfer_minor: read('transferApprovalAbove', transfer_minor),
    daily_minor: read('dailyApprovalAbove', daily_minor),
  }
}

/** Also clears any pending change, because it was requested while other limits applied. */
const columnsOf = ({ transfer_minor, daily_minor }: Limits): Partial<SettingsRow> => ({
  transfer_approval_above_minor: transfer_minor,
  daily_approval_above_minor: daily_minor,
  approval_wanted_at: null,
  approval_wanted_by: null,
  approval_wanted_name: null,
  approval_wanted_transfer_minor: null,
  approval_wanted_daily_minor: null,
})

const isEqual = (one: Limits, other: Limits): boolean =>
  one.transfer_minor === other.transfer_minor && one.daily_minor === other.daily_minor

const isLooser = (one: Limits, other: Limits): boolean =>
  isRaised(one.transfer_minor, other.transfer_minor) || isRaised(one.daily_minor, other.daily_minor)

const isRaised = (from_minor: Minor | null, to_minor: Minor | null): boolean =>
  from_minor !== null && (to_minor === null || to_minor > from_minor)

function tellOf(
  tx: Tx,
  people: Deps['people'],
  tenant: Tenant,
  { id, name }: Person,
  { transfer_minor, daily_minor }: Limits,
  currency: string,
): Promise<void> {
  const says = (limit_minor: Minor | null) =>
    limit_minor === null ? 'no limit' : `above ${formatAmount(limit_minor, currency)}`
  const notice = {
    what: 'approval_change',
    by: name,
    transfer: says(transfer_minor),
    daily: says(daily_minor),
    path: 'settings/payouts#approval',
  } as const
  return people.emailApprovers(tx, tenant, notice, { but: id })
}

function pendingIn(row: SettingsRow) {
  if (row.approval_wanted_at === null) return null
  return {
    transferApprovalAbove: major(row.approval_wanted_transfer_minor, row.currency),
    dailyApprovalAbove: major(row.approval_wanted_daily_minor, row.currency),
    requestedBy: { personId: row.approval_wanted_by, name: row.approval_wanted_name },
    requestedAt: row.approval_wanted_at,
  }
}

const major = (amount_minor: Minor | null, currency: string): number | null =>
  amount_minor === null ? null : toAmount(amount_minor, currency)

const peopleOnly = () =>
  new Problem('forbidden', 'people_only', 'Approval limits can only be changed in the dashboard.')

const approversMissing = () =>
  conflict(
    'approvers_missing',
    'Approval limits need two approvers. Invite another owner, admin or finance member.',
  )
