import type { Tx } from '../../db/database.ts'
import { isUniqueViolation } from '../../db/failures.ts'
import { indexText } from '../../db/text-search.ts'
import { type Deps, PAYOUTS_PAUSED_MS } from '../../deps.ts'
import { lastFour } from '../../encryption/account-numbers.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { appendEvents } from '../../events/append.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { parsePercentage } from '../../lib/money.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { bankNamed } from '../../providers/banks/banks.ts'
import { protectedSubaccounts } from './audit.ts'
import { holderOf, NO_HOLDER, type ResolvedAccount } from './create.ts'
import {
  ACCOUNT_INDEX,
  type Content,
  type HolderCheck,
  holderCheckIn,
  lockSubaccount,
  type SubaccountRow,
  updateSubaccount,
} from './queries.ts'
import { numberColumns, subaccountRecord, withNumber } from './record.ts'
import type { UpdateSubaccount } from './schemas.ts'
import { accountTaken, type EventType, eventsOf, SUBACCOUNTS } from './service.ts'

const COLUMNS: readonly (keyof Content)[] = [
  'status',
  'business_name',
  'bank_code',
  'bank_name',
  'account_number',
  'account_name',
  'verified',
  'charge_basis_points',
  'holder_state',
  'holder_name',
  'payouts_blocked',
]

/**
 * Changes the given fields. Null clears an optional field. Throws HolderUnasked if the bank must
 * first be asked for the holder of a new account. Unchanged values cause neither a change nor an
 * event, except that the bank is asked again about an unverified account.
 */
export async function changeSubaccount(
  tx: Tx,
  { ids, people, keyring }: Pick<Deps, 'ids' | 'people' | 'keyring'>,
  caller: Caller,
  reference: string,
  request: UpdateSubaccount,
  resolved?: ResolvedAccount,
) {
  const stored = await lockSubaccount(tx, caller, reference)
  if (!stored) throw notFound('subaccount')
  const row = await withNumber(tx, keyring, stored)
  if (request.currency !== undefined && request.currency !== row.currency) {
    const text = `The currency of a subaccount cannot change: it is ${row.currency}.`
    throw conflict('currency_fixed', text, { currency: [`cannot change: it is ${row.currency}`] })
  }
  const wanted = contentOf(row, request, caller, resolved)
  if (COLUMNS.every((column) => row[column] === wanted[column])) return subaccountRecord(row)

  const types: EventType[] = ['subaccount.updated']
  if (isNewlyVerified(row, wanted)) types.push('account.verified')
  if (wanted.payouts_blocked && isOtherHolding(row, wanted)) types.push('settlement.blocked')
  const updated = await write(tx, keyring, caller, row, wanted, types.length)
  await indexText(tx, caller, SUBACCOUNTS, updated)
  await writeRowNote(tx, protectedSubaccounts, caller, updated.id)
  if (isPaused(row, wanted)) await tellOfPause(tx, people, row, updated)
  await appendEvents(tx, ids, eventsOf(updated, types, caller.now))
  return subaccountRecord(updated)
}

async function write(
  tx: Tx,
  keyring: Keyring,
  caller: Caller,
  row: SubaccountRow,
  content: Content,
  events: number,
): Promise<SubaccountRow> {
  const { account_number } = content
  const changed = { ...content, ...(await numberColumns(tx, keyring, row, account_number)) }
  try {
    const updated = await updateSubaccount(tx, caller, row.id, changed, events, caller.now)
    return { ...updated, account_number }
  } catch (error) {
    throw isUniqueViolation(error, ACCOUNT_INDEX) ? accountTaken() : error
  }
}

function contentOf(
  row: SubaccountRow,
  request: UpdateSubaccount,
  { live, now }: Caller,
  resolved?: ResolvedAccount,
): Content {
  const { business_name, percentage_charge, active } = request
  const account = accountOf(row, request, now, resolved)
  const isChanged = live && row.had_account && isOtherAccount(row, account)
  return {
    status: active === undefined ? row.status : active ? 'Active' : 'Inactive',
    business_name: business_name ?? row.business_name,
    charge_basis_points:
      percentage_charge === undefined
        ? row.charge_basis_points
        : parsePercentage(percentage_charge, 'percentage_charge'),
    ...account,
    had_account: row.had_account || account.bank_code !== null,
    payouts_paused_until: isChanged ? addMs(now, PAYOUTS_PAUSED_MS) : row.payouts_paused_until,
  }
}

type AccountContent = Pick<
  Content,
  'bank_code' | 'bank_name' | 'account_number' | 'account_name' | keyof HolderCheck
>

/**
 * For a different account, the bank's name for the holder applies, unless the request gives one.
 */
function accountOf(
  row: SubaccountRow,
  request: UpdateSubaccount,
  now: Date,
  resolved?: ResolvedAccount,
): AccountContent {
  const { bank: wanted, account_number = row.account_number, account_name: given } = request
  const bank = wanted === undefined || wanted === null ? undefined : bankNamed(wanted, 'bank')
  const bank_code = wanted === undefined ? row.bank_code : (bank?.code ?? null)
  const bank_name = wanted === undefined ? row.bank_name : (bank?.name ?? null)
  const account = { bank_code, bank_name, account_number }
  const isOther = isOtherAccount(row, account)
  const name = given === undefined && !isOther ? row.account_name : (given ?? null)

  if (bank_code === null) {
    const kept = given === undefined ? row.account_name : name
    return { ...account, account_name: kept, ...NO_HOLDER }
  }
  const isNamed = wanted !== undefined || request.account_number !== undefined
  const isSettled = row.verified || row.holder_state === 'settled'
  const isToBeAsked = isOther || name !== row.account_name || (isNamed && !isSettled)
  if (!isToBeAsked) return { ...account, account_name: name, ...holderCheckIn(row) }
  return {
    ...account,
    ...holderOf({ bankCode: bank_code, accountNumber: account_number }, name, now, resolved),
  }
}

const isOtherAccount = (
  row: SubaccountRow,
  { bank_code, account_number }: Pick<Content, 'bank_code' | 'account_number'>,
): boolean => bank_code !== row.bank_code || account_number !== row.account_number

const isNewlyVerified = (row: SubaccountRow, wanted: Content): boolean =>
  wanted.verified && (!row.verified || isOtherAccount(row, wanted))

const isOtherHolding = (row: SubaccountRow, wanted: Content): boolean =>
  isOtherAccount(row, wanted) || wanted.payouts_blocked !== row.payouts_blocked

const isPaused = (row: SubaccountRow, { payouts_paused_until }: Content): boolean =>
  payouts_paused_until?.getTime() !== row.payouts_paused_until?.getTime()

/** Emails the owners, because the person who made the change may not have been authorised to. */
function tellOfPause(
  tx: Tx,
  people: Deps['people'],
  { business_id: businessId, live, account_number: before }: SubaccountRow,
  { business_name, account_number, bank_name, payouts_paused_until }: SubaccountRow,
): Promise<void> {
  const notice = {
    what: 'payout_account_changed',
    of: business_name,
    before: lastFour(before),
    after: `${bank_name ?? 'No bank'}, ${lastFour(account_number)}`,
    until: payouts_paused_until!.toISOString(),
  } as const
  return people.emailOwners(tx, { businessId, live }, notice)
}
