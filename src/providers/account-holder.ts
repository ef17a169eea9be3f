import type { Tenant } from '../lib/caller.ts'
import type { AccountHolder, Outcome, Providers } from './connector/types.ts'
import { accountQuery } from './currencies.ts'

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
