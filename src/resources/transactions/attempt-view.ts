import { createHash } from 'node:crypto'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { PaymentAttempt } from '../../pages/views.ts'
import { BANKS } from '../../providers/banks.ts'
import type { Channel } from '../../providers/provider.ts'
import type { Attempt } from './service.ts'

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
