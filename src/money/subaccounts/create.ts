import type { Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import { hashOfNumber } from '../../encryption/account-numbers.ts'
import { appendEvents } from '../../events/append.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { parsePercentage } from '../../lib/money.ts'
import { unavailable } from '../../lib/problem.ts'
import { isSameName } from '../../lib/text.ts'
import { newReference } from '../../lib/tokens.ts'
import { askHolder } from '../../providers/account-holder.ts'
import { bankNamed } from '../../providers/banks/banks.ts'
import type { AccountHolder, Providers } from '../../providers/connector/types.ts'
import { requireSupportedCurrency } from '../../providers/routing.ts'
import { protectedSubaccounts } from './audit.ts'
import {
  type HolderCheck,
  insertSubaccount,
  isAccountTaken,
  type SubaccountRow,
} from './queries.ts'
import { numberColumns, subaccountRecord } from './record.ts'
import type { NewSubaccount } from './schemas.ts'
import { accountTaken, type EventType, eventsOf, type NumberDeps, SUBACCOUNTS } from './service.ts'

/**
 * Creates a subaccount. If a bank account is given, throws HolderUnasked until the bank has been
 * asked who holds it. If the bank refuses or does not respond, the subaccount is
 * created unverified. Throws 400 if the account belongs to another subaccount.
 */
export async function createSubaccount(
  tx: Tx,
  { ids, keyring }: NumberDeps,
  caller: Caller,
  request: NewSubaccount,
  resolved?: ResolvedAccount,
) {
  const account = accountColumns(request)
  const { bank_code, account_number, ...bank } = account
  if (bank_code !== null) {
    const hash = await hashOfNumber(tx, keyring, caller, account_number)
    if (await isAccountTaken(tx, caller, account, hash)) throw accountTaken()
  }
  const given = request.account_name ?? null
  const holder =
    bank_code === null
      ? { account_name: given, ...NO_HOLDER }
      : holderOf(
          { bankCode: bank_code, accountNumber: account_number },
          given,
          caller.now,
          resolved,
        )
  const types: EventType[] = ['subaccount.created']
  if (holder.verified) types.push('account.verified')
  if (holder.payouts_blocked) types.push('settlement.blocked')
  const content = rowOf(await ids.next(tx), caller, request)
  const stored = await insertSubaccount(tx, {
    ...content,
    ...bank,
    ...(await numberColumns(tx, keyring, content, account_number)),
    bank_code,
    ...holder,
    had_account: bank_code !== null,
    payouts_paused_until: null,
    event_sequence: types.length,
  })
  // If two simultaneous requests use the same account, only one succeeds.
  if (!stored) throw accountTaken()
  const row = { ...stored, account_number }
  await indexText(tx, caller, SUBACCOUNTS, row)
  await writeRowNote(tx, protectedSubaccounts, caller, row.id)
  await appendEvents(tx, ids, eventsOf(row, types, caller.now))
  return subaccountRecord(row)
}

type AccountColumns = Pick<SubaccountRow, 'bank_code' | 'bank_name' | 'account_number'>

function accountColumns({ bank, account_number }: NewSubaccount): AccountColumns {
  const known = bank === undefined ? undefined : bankNamed(bank, 'bank')
  return { bank_code: known?.code ?? null, bank_name: known?.name ?? null, account_number }
}

function rowOf(id: number, { businessId, live, now }: Caller, request: NewSubaccount) {
  const { business_name, percentage_charge, currency } = request
  requireSupportedCurrency(currency)
  return {
    business_id: businessId,
    live,
    id,
    reference: newReference('ACCT'),
    status: 'Active' as const,
    business_name,
    charge_basis_points: parsePercentage(percentage_charge, 'percentage_charge'),
    currency,
    created_at: now,
    updated_at: now,
  }
}

interface Account {
  bankCode: string
  accountNumber: string
}

/** The holder that the bank reported; absent if the bank refused or did not respond. */
export interface ResolvedAccount {
  account: Account
  holder: AccountHolder | undefined
}

/** Thrown when the bank must first be asked for the holder, outside the transaction. */
class HolderUnasked extends Error {
  readonly account: Account

  constructor(account: Account) {
    super('The account holder must be looked up first')
    this.account = account
  }
}

/**
 * How many times to try if the account keeps changing between asking the bank and writing the
 * result.
 */
const TRIES_MAX = 5

/** How long to wait before asking again if a bank has not responded. */
export const HOLDER_RETRY_MS = 10 * 60_000

/**
 * First tries without asking the bank, which is enough for repeated requests and unchanged
 * accounts. Otherwise, asks the bank outside any transaction and tries again. Throws 503 in live
 * mode without a provider.
 */
export async function withHolderLookup<T>(
  providers: Providers,
  tenant: Tenant,
  write: (resolved: ResolvedAccount | undefined) => Promise<T>,
): Promise<T> {
  let resolved: ResolvedAccount | undefined
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    try {
      return await write(resolved)
    } catch (error) {
      if (!(error instanceof HolderUnasked)) throw error
      resolved = await lookUpHolder(providers, tenant, error.account)
    }
  }
  throw unavailable(
    'account_not_resolved',
    'The bank account changed in the meantime. Nothing was changed; try again.',
  )
}

/** Asks the bank, outside any transaction. Throws 503 in live mode without a provider. */
export async function lookUpHolder(
  providers: Providers,
  tenant: Tenant,
  account: Account,
): Promise<ResolvedAccount> {
  const outcome = await askHolder(providers, tenant, account)
  return { account, holder: outcome.kind === 'done' ? outcome.value : undefined }
}

/**
 * Returns the account's name (the one in the request or, if there is none, the bank's) and whether
 * money can be paid into the account (`holderCheckOf`). Throws HolderUnasked if the bank has not
 * been asked about this account.
 */
export function holderOf(
  account: Account,
  given: string | null,
  now: Date,
  resolved?: ResolvedAccount,
) {
  if (!isSame(account, resolved?.account)) throw new HolderUnasked(account)
  const account_name = given ?? resolved?.holder?.accountName ?? null
  return { account_name, ...holderCheckOf(account_name, resolved?.holder, now) }
}

const NOTHING_KNOWN = {
  verified: false,
  holder_name: null,
  holder_due_at: null,
  holder_waiting_since: null,
  payouts_blocked_from: null,
  payouts_blocked: null,
} as const

export const NO_HOLDER: HolderCheck = { ...NOTHING_KNOWN, holder_state: 'unasked' }

/**
 * A name that the bank confirms is verified. A different or uncertain name blocks payouts until a
 * person confirms the account. Until the bank responds, payouts wait.
 */
export function holderCheckOf(
  accountName: string | null,
  holder: AccountHolder | undefined,
  now: Date,
): HolderCheck {
  if (!holder) {
    return {
      ...NOTHING_KNOWN,
      holder_state: 'waiting',
      holder_due_at: addMs(now, HOLDER_RETRY_MS),
      holder_waiting_since: now,
    }
  }
  const named = { ...NOTHING_KNOWN, holder_name: holder.accountName }
  const isMatch = accountName === null || isSameName(accountName, holder.accountName)
  if (isMatch && !holder.isUncertain) return { ...named, verified: true, holder_state: 'settled' }
  const payouts_blocked = isMatch ? 'account_unverified' : 'name_mismatch'
  return { ...named, holder_state: 'blocked', payouts_blocked }
}

const isSame = (one: Account, other: Account | undefined): boolean =>
  one.bankCode === other?.bankCode && one.accountNumber === other.accountNumber
