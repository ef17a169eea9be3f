import type { Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { noteRow } from '../../ledger/watched.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { parsePercentage } from '../../lib/money.ts'
import { unavailable } from '../../lib/problem.ts'
import { isSameName } from '../../lib/text.ts'
import { newReference } from '../../lib/tokens.ts'
import { bankNamed } from '../../provider-orders/banks/account-fields.ts'
import {
  type AccountHolder,
  type Providers,
  requireCarried,
} from '../../provider-orders/provider.ts'
import { watchedSubaccounts } from './audit.ts'
import { type Holding, insertSubaccount, isAccountTaken, type SubaccountRow } from './queries.ts'
import { subaccountRecord } from './record.ts'
import type { NewSubaccount } from './schemas.ts'
import { accountTaken, type EventType, eventsOf, SUBACCOUNTS } from './service.ts'

/**
 * Creates a subaccount. With a bank, throws HolderUnasked until whose account it is has been asked;
 * that the bank refused or did not answer is no error: it is created unverified. Throws 400 for an
 * account that another one has.
 */
export async function createSubaccount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: NewSubaccount,
  asked?: Asked,
) {
  const account = accountColumns(request)
  if (account.bank_code !== null && (await isAccountTaken(tx, caller, account))) {
    throw accountTaken()
  }
  const given = request.account_name ?? null
  const { bank_code, account_number } = account
  const holder =
    bank_code === null
      ? { account_name: given, ...NO_HOLDER }
      : holderOf({ bankCode: bank_code, accountNumber: account_number }, given, caller.now, asked)
  const types: EventType[] = ['subaccount.created']
  if (holder.verified) types.push('account.verified')
  if (holder.payouts_blocked) types.push('settlement.blocked')
  const row = await insertSubaccount(tx, {
    ...rowOf(await ids.next(tx), caller, request),
    ...account,
    ...holder,
    had_account: bank_code !== null,
    payouts_paused_until: null,
    event_sequence: types.length,
  })
  // Of two at once with the same account, one.
  if (!row) throw accountTaken()
  await indexText(tx, caller, SUBACCOUNTS, row)
  await noteRow(tx, watchedSubaccounts, caller, row.id)
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
  requireCarried(currency)
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

/** A bank account, as a subaccount names it. */
interface Account {
  bankCode: string
  accountNumber: string
}

/** Whose account it is, as the bank said; no holder when it refused or did not answer. */
export interface Asked {
  account: Account
  holder: AccountHolder | undefined
}

/** Whose account it is must be asked first, outside the transaction. */
class HolderUnasked extends Error {
  readonly account: Account

  constructor(account: Account) {
    super('Whose account it is must be asked first')
    this.account = account
  }
}

/** How often a subaccount may get another account between asking and writing. */
const TRIES_MAX = 5

/** A bank that did not answer is asked again this much later. */
export const ASK_AGAIN_MS = 10 * 60_000

/**
 * Tries without asking the bank, which is enough for a repeat and for an account that stays; only
 * then asks, outside any transaction, and tries again. Throws 503 in live mode without a provider.
 */
export async function askingHolder<T>(
  providers: Providers,
  tenant: Tenant,
  write: (asked: Asked | undefined) => Promise<T>,
): Promise<T> {
  let asked: Asked | undefined
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    try {
      return await write(asked)
    } catch (error) {
      if (!(error instanceof HolderUnasked)) throw error
      asked = await askBank(providers, tenant, error.account)
    }
  }
  throw unavailable('account_not_resolved', 'The account changed meanwhile; nothing was changed.')
}

/** Asks the bank, outside any transaction. Throws 503 in live mode without a provider. */
export async function askBank(
  providers: Providers,
  { live }: Tenant,
  account: Account,
): Promise<Asked> {
  const { bankCode, accountNumber } = account
  const outcome = await providers.of(live, 'ACCOUNTS').resolveAccount(bankCode, accountNumber)
  return { account, holder: outcome.kind === 'done' ? outcome.value : undefined }
}

/**
 * The name that an account goes by, the given one, else the bank's; and whether money may go there
 * (`holdingOf`). Without an answer for this very account, throws HolderUnasked.
 */
export function holderOf(account: Account, given: string | null, now: Date, asked?: Asked) {
  if (!isSame(account, asked?.account)) throw new HolderUnasked(account)
  const account_name = given ?? asked?.holder?.accountName ?? null
  return { account_name, ...holdingOf(account_name, asked?.holder, now) }
}

const NOTHING_KNOWN = {
  verified: false,
  holder_name: null,
  holder_due_at: null,
  holder_waiting_since: null,
  payouts_blocked_from: null,
  payouts_blocked: null,
} as const

/** Of a subaccount without a bank. */
export const NO_HOLDER: Holding = { ...NOTHING_KNOWN, holder_state: 'unasked' }

/**
 * Verified is a name that the bank is certain of. Another name, or an uncertain one, blocks payouts
 * until somebody confirms the account; while the bank does not answer they wait.
 */
export function holdingOf(
  accountName: string | null,
  holder: AccountHolder | undefined,
  now: Date,
): Holding {
  if (!holder) {
    return {
      ...NOTHING_KNOWN,
      holder_state: 'waiting',
      holder_due_at: addMs(now, ASK_AGAIN_MS),
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
