import type { PaymentAttempt } from '../../pages/views.ts'
import { BANKS } from '../../providers/banks.ts'
import type { Attempt } from './service.ts'

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
