import { useDebouncedValue } from '@mantine/hooks'
import type { TransferFee } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'

/**
 * The price of sending an amount; undefined until the server has responded for exactly this amount.
 */
export interface Cost {
  fee: TransferFee | undefined
  error: unknown
  again(): void
  /** The balance of the wallet afterwards. Negative if there is not enough money. */
  left: number | undefined
}

/**
 * Asks the server for the price of a transfer, because only the server knows the business's fees.
 */
export function useCost(amount: number, availableMinor: number, currency: string): Cost {
  const [asked] = useDebouncedValue(amount, 200)
  const isAsking = asked > 0
  const read = useOperation(
    'get_transfer_fee',
    { amount: String(asked), currency },
    { enabled: isAsking },
  )
  const isOfThis = isAsking && asked === amount
  const fee = isOfThis ? read.data?.data : undefined
  const scale = fee ? fee.total / fee.totalMinor : 1
  return {
    fee,
    error: isOfThis ? read.error : null,
    again: () => void read.refetch(),
    left: fee && (availableMinor - fee.totalMinor) * scale,
  }
}
