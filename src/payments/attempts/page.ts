import { createHash } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { invalid } from '../../lib/problem.ts'
import { isLanguage, type Language, textsOf } from '../../pages/pages.ts'
import type { PaymentAttempt } from '../../pages/views.ts'
import { BANKS } from '../../provider-orders/banks.ts'
import type { Channel } from '../../provider-orders/provider.ts'
import { selectLanguage, updateLanguage, upsertLanguage } from './queries.ts'
import type { Attempt } from './read.ts'

/**
 * The buttons of test mode on payers' pages: what the payer's bank would do about the attempt that
 * is open. Throws 404 in live mode.
 */
export type SimulateAttempt = (
  caller: Tenant & { now: Date },
  attempt: Attempt | undefined,
  outcome: 'success' | 'failed',
) => Promise<void>

/** Banks whose payers can dial. */
export const USSD_BANKS = BANKS.filter(({ ussdTemplate }) => ussdTemplate !== null).map(
  ({ code, name }) => ({ code, name }),
)

/** An attempt as its payer sees it; undefined for one that was paid. */
export function attemptView({
  transaction,
  account,
  ussdCodes,
}: Attempt): PaymentAttempt | undefined {
  const { status, channel } = transaction
  if (channel !== 'BANK_TRANSFER' && channel !== 'USSD') return undefined
  if (status !== 'Pending' && status !== 'Failed' && status !== 'Abandoned') return undefined
  const fee_minor = transaction.payable_minor - transaction.amount_minor
  const banks = ussdCodes.map(({ bankCode, bankName, ussdCode }) => ({
    code: bankCode,
    name: bankName,
    ussdCode,
  }))
  const chosen = banks.find(({ code }) => code === transaction.bank_code) ?? banks[0]
  return {
    reference: transaction.reference,
    channel,
    amountMinor: transaction.payable_minor,
    ...(fee_minor > 0n && { feeMinor: fee_minor }),
    expiresAt: transaction.expires_at,
    outcome: status,
    ...(status === 'Failed' &&
      transaction.gateway_response && { message: transaction.gateway_response }),
    ...(account && {
      account: {
        number: account.account_number,
        name: account.account_name,
        bankName: account.bank_name,
      },
    }),
    ...(chosen && { ussd: { banks, chosen: chosen.code, ussdCode: chosen.ussdCode } }),
  }
}

/** The way to pay that a payer's form names. Throws 400 for none that there is. */
export function chosenChannel(channel: unknown): Channel {
  if (channel === 'BANK_TRANSFER' || channel === 'USSD') return channel
  throw invalid({ channel: ['must be one of BANK_TRANSFER, USSD'] })
}

/** Changes whenever the attempt does as its payer sees it, or another `part` of their page. */
export function pageVersionOf(attempt: Attempt | undefined, parts: readonly unknown[]): string {
  const { transaction, account } = attempt ?? {}
  const all = [
    ...parts,
    transaction?.id,
    transaction?.status,
    transaction?.bank_code,
    transaction?.ussd_codes?.length,
    account?.id,
  ]
  return createHash('sha256').update(all.join(' ')).digest('base64url').slice(0, 16)
}

/** What is paid for. */
interface PaidFor {
  purpose: string
  purposeId: number
}

/** Keeps the language in which a payer chose a way to pay; of most, who read English, nothing. */
export async function keepLanguage(
  db: Db,
  tenant: Tenant,
  paidFor: PaidFor,
  locale: string,
): Promise<void> {
  const { language } = textsOf(locale)
  if (language === 'en') await updateLanguage(db, tenant, paidFor, language)
  else await upsertLanguage(db, tenant, paidFor, language)
}

export async function payerLanguage(db: Db, tenant: Tenant, paidFor: PaidFor): Promise<Language> {
  const kept = (await selectLanguage(db, tenant, paidFor))?.language ?? 'en'
  return isLanguage(kept) ? kept : 'en'
}
