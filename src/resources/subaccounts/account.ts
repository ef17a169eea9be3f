import { invalid, unavailable } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { type Bank, findBank } from '../../providers/banks.ts'
import type { AccountHolder, Providers } from '../../providers/provider.ts'

/** A bank account, as a subaccount names it. */
export interface Account {
  bankCode: string
  accountNumber: string
}

/** Whose account it is, as the bank said; no holder when it refused or did not answer. */
export interface Asked {
  account: Account
  holder: AccountHolder | undefined
}

/** Whose account it is must be asked first, outside the transaction. */
export class HolderUnasked extends Error {
  readonly account: Account

  constructor(account: Account) {
    super('Whose account it is must be asked first')
    this.account = account
  }
}

/** How often a subaccount may get another account between asking and writing. */
const TRIES_MAX = 5

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
      asked = await ask(providers, tenant, error.account)
    }
  }
  throw unavailable('account_not_resolved', 'The account changed meanwhile; nothing was changed.')
}

async function ask(providers: Providers, { live }: Tenant, account: Account): Promise<Asked> {
  const { bankCode, accountNumber } = account
  const outcome = await providers.of(live, 'ACCOUNTS').resolveAccount(bankCode, accountNumber)
  return { account, holder: outcome.kind === 'done' ? outcome.value : undefined }
}

/** The bank of a request; throws 400 naming `bank`. */
export function bankNamed(idOrCode: number | string): Bank {
  const bank = findBank(idOrCode)
  if (!bank) throw invalid({ bank: ['must be the id or code of a bank'] })
  if (!bank.active) throw invalid({ bank: [`${bank.name} has closed`] })
  return bank
}

interface Holder {
  account_name: string | null
  verified: boolean
}

/**
 * The name that an account goes by: the given one, else the bank's. Verified is a name that the
 * bank is certain of. Without an answer for this very account, throws HolderUnasked.
 */
export function holderOf(account: Account, given: string | null, asked?: Asked): Holder {
  if (!isSame(account, asked?.account)) throw new HolderUnasked(account)
  const holder = asked?.holder
  if (!holder) return { account_name: given, verified: false }
  const { accountName, isUncertain = false } = holder
  const account_name = given ?? accountName
  return { account_name, verified: !isUncertain && plain(account_name) === plain(accountName) }
}

const isSame = (one: Account, other: Account | undefined): boolean =>
  one.bankCode === other?.bankCode && one.accountNumber === other.accountNumber

const plain = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase()
