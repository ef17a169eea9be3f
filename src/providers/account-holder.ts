import type { Tenant } from '../lib/caller.ts'
import { isSameName } from '../lib/text.ts'
import type { Bank } from './banks/banks.ts'
import type { AccountHolder, Outcome, Providers } from './connector/types.ts'
import { accountQuery } from './routing.ts'

/**
 * Asks who holds a bank account, by our code of the bank. Asking changes nothing, so if one of the
 * business's connections does not know, the next one is asked. Returns the first answer if none of
 * them knows. Throws 503 if there is none.
 */
export async function askHolder(
  providers: Pick<Providers, 'candidates'>,
  tenant: Tenant,
  { bankCode, accountNumber }: { bankCode: string; accountNumber: string },
): Promise<Outcome<AccountHolder>> {
  const [best, ...others] = await providers.candidates(tenant, accountQuery(bankCode))
  const first = await best.resolveAccount(bankCode, accountNumber)
  if (isFinal(first)) return first
  for (const provider of others) {
    const outcome = await provider.resolveAccount(bankCode, accountNumber)
    if (isFinal(outcome)) return outcome
  }
  return first
}

const isFinal = (outcome: Outcome<AccountHolder>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && outcome.code === 'unknown_account')

/**
 * Asks who holds an account that money is to be paid into. Returns `undefined` if the bank does not
 * know the account, does not respond, or cannot be asked.
 */
export async function holderOf(
  providers: Pick<Providers, 'candidates'>,
  tenant: Tenant,
  { code }: Bank,
  accountNumber: string,
): Promise<AccountHolder | undefined> {
  try {
    const outcome = await askHolder(providers, tenant, { bankCode: code, accountNumber })
    return outcome.kind === 'done' ? outcome.value : undefined
  } catch {
    // The lookup is only advisory, so the payout does not depend on it.
    return undefined
  }
}

/** Returns why a person must check the account before it is paid; null if no check is needed. */
export function doubtOf(
  holder: AccountHolder | undefined,
  accountName: string | undefined,
): string | null {
  if (holder?.isUncertain) return 'The bank is not certain who holds the account'
  if (holder && accountName !== undefined && !isSameName(holder.accountName, accountName)) {
    return `The bank says that the account belongs to ${holder.accountName}`
  }
  return null
}
