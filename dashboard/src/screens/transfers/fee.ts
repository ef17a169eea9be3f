import { useDebouncedValue } from '@mantine/hooks'
import type { TransferFee, WalletBalance } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'

/** What the server takes of an amount; undefined until it has said so of this very amount. */
export interface Cost {
  fee: TransferFee | undefined
  error: unknown
  again(): void
  /** In the wallet afterwards; below nothing where it has too little. */
  left: number | undefined
}

/** Asks what a transfer would take out of the wallet. The rules are the server's alone. */
export function useCost(
  amount: number,
  balance: WalletBalance | undefined,
  currency: string,
): Cost {
  const [asked] = useDebouncedValue(amount, 200)
  const isAsking = asked > 0
  const read = useRead<Envelope<TransferFee>>(
    'transaction-service/transfers/fee',
    { amount: String(asked), currency },
    isAsking,
  )
  // What was said of the amount before stays in view elsewhere; here it would be a wrong sum.
  const isOfThis = isAsking && asked === amount && !read.isPlaceholderData
  const fee = isOfThis ? read.data?.data : undefined
  const scale = fee ? fee.total / fee.totalMinor : 1
  return {
    fee,
    error: isOfThis ? read.error : null,
    again: () => void read.refetch(),
    left: fee && ((balance?.availableMinor ?? 0) - fee.totalMinor) * scale,
  }
}
