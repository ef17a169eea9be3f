import type { Tenant } from '../../lib/caller.ts'
import { allOrPage, type Page } from '../../lib/paging.ts'
import { notFound, unavailable } from '../../lib/problem.ts'
import { askHolder } from '../../providers/account-holder.ts'
import {
  BANKS,
  type Bank,
  bankId,
  bankNicknames,
  isNuban,
  knownBank,
} from '../../providers/banks/banks.ts'
import type { AccountHolder, Providers } from '../../providers/connector/types.ts'

/** All listed banks are in this country and keep accounts in its currency. */
const COUNTRY = 'NG'
const CURRENCY = 'NGN'

interface Filter extends Partial<Page> {
  country?: string
  currency?: string
  search?: string
  ussd?: boolean
}

/** Lists banks by name, all at once unless a page is requested. Throws 404 if none matches. */
export function listBanks({ country, currency, search, ussd, ...page }: Filter) {
  const isHere = (country ?? COUNTRY) === COUNTRY && (currency ?? CURRENCY) === CURRENCY
  const wanted = search?.trim().toLowerCase() ?? ''
  const found = BANKS.filter(
    ({ name, slug, code, ussdTemplate }) =>
      isHere &&
      (ussd === undefined || ussd === (ussdTemplate !== null)) &&
      [name, slug, code, ...bankNicknames(code)].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
  )
  if (found.length === 0) throw notFound('bank')
  const { rows, meta } = allOrPage(found, page)
  return { banks: rows.map(bankRecord), meta }
}

const bankRecord = (bank: Bank) => ({
  ...bank,
  id: bankId(bank),
  country: COUNTRY,
  currency: CURRENCY,
  supportsTransfer: bank.active,
  supportsUssd: bank.ussdTemplate !== null,
})

/**
 * Asks the bank who holds an account. Throws 400 for an unknown bank, 404 for an unknown account,
 * and 503 if the bank does not respond. A wrong check digit causes only a warning, because some
 * real account numbers have one.
 */
export async function resolveAccount(
  providers: Providers,
  tenant: Tenant,
  { bankCode, accountNumber }: { bankCode: number | string; accountNumber: string },
) {
  const bank = knownBank(bankCode, 'bankCode')
  const { accountName } = await holderOf(providers, tenant, bank, accountNumber)
  const nubanValid = isNuban(bank, accountNumber)
  return {
    reference: `${bank.code}-${accountNumber}`,
    status: 'Verified',
    accountNumber,
    accountName,
    bankCode: bank.code,
    bankName: bank.name,
    bankId: bankId(bank),
    nubanValid,
    warning: nubanValid === false ? WRONG_CHECK_DIGIT : null,
  }
}

const WRONG_CHECK_DIGIT =
  'The check digit does not match this bank. Double-check the account number.'

async function holderOf(
  providers: Providers,
  tenant: Tenant,
  bank: Bank,
  accountNumber: string,
): Promise<AccountHolder> {
  const outcome = await askHolder(providers, tenant, { bankCode: bank.code, accountNumber })
  if (outcome.kind === 'done') return outcome.value
  if (outcome.kind === 'refused') {
    throw notFound('bank_account')
  }
  throw unavailable('account_not_resolved', 'The bank did not confirm the account holder.')
}
