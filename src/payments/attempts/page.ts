import { createHash } from 'node:crypto'
import { merchantOf, type PublicProfile } from '../../business/account/public-profile.ts'
import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { isLanguage, type Language, textsOf } from '../../pages/pages.ts'
import type { PaymentAttempt, PaymentMade } from '../../pages/views.ts'
import { BANKS } from '../../providers/banks/banks.ts'
import type { Channel } from '../../providers/connector/types.ts'
import { selectLanguage, updateLanguage, upsertLanguage } from './queries.ts'
import type { Attempt, TransactionRow } from './read.ts'

/** The banks that offer USSD payments. */
const USSD_BANKS = BANKS.filter(({ ussdTemplate }) => ussdTemplate !== null).map(
  ({ code, name }) => ({ code, name }),
)

export function hostedView(
  { live }: Tenant,
  terms: PublicProfile,
  now: Date,
  channels: readonly Channel[],
  attempt?: Attempt,
  received: readonly TransactionRow[] = [],
) {
  const payment = attempt && attemptView(attempt)
  return {
    test: !live,
    merchant: merchantOf(terms),
    ussdBanks: channels.includes('USSD') ? USSD_BANKS : [],
    ...(payment && { payment }),
    payments: paymentsOf(received, now),
    now,
    timeZone: terms.time_zone,
  }
}

/** Returns an attempt as its payer sees it; `undefined` if it has been paid. */
function attemptView({ transaction, account, ussdCodes }: Attempt): PaymentAttempt | undefined {
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

/** Returns received payments as their payer sees them. */
export const paymentsOf = (received: readonly TransactionRow[], now: Date): PaymentMade[] =>
  received.map((paid) => ({
    reference: paid.reference,
    channel: paid.channel,
    amountMinor: paid.paid_minor ?? paid.amount_minor,
    paidAt: paid.paid_at ?? now,
    kind: paid.excess_minor === paid.paid_minor ? 'Overpayment' : 'Payment',
    owedBackMinor: owedBackOf(paid),
    refundedMinor: paid.refunded_minor,
  }))

/** Refunds take the overpayment first. */
const owedBackOf = ({ excess_minor, refunded_minor }: TransactionRow): Minor =>
  excess_minor > refunded_minor ? excess_minor - refunded_minor : 0n

/**
 * Returns a value that changes whenever the payer would see a change in the attempt or in `parts`.
 */
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

interface PaidFor {
  purpose: string
  purposeId: number
}

/**
 * Stores the language in which a payer chose a channel. English is not stored, because it is the
 * most common.
 */
export async function storeLanguage(
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
