import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPrinter, IconReceiptRefund } from '@tabler/icons-react'
import type { Order } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/orders.ts'
import { RefundForm } from '../payments/RefundForm.tsx'
import { isRefundable, type Payment } from '../payments/types.ts'

/** What can be done with an order: its payment is refunded, and it is printed. */
export function Actions({ of: { transactionId } }: { of: Order }) {
  const may = useMay()
  const [isRefunding, refunding] = useDisclosure(false)
  const mayRefund = transactionId !== null && may('refunds:write') && may('transactions:read')
  const read = useRead<Envelope<Payment>>(
    `transaction-service/fetch/${transactionId}`,
    {},
    mayRefund,
  )
  const payment = mayRefund ? read.data?.data : undefined
  return (
    <>
      {payment && isRefundable(payment) && (
        <Button
          variant="default"
          leftSection={<IconReceiptRefund size={16} />}
          onClick={refunding.open}
        >
          {t.refund}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconPrinter size={16} />}
        onClick={() => globalThis.print()}
      >
        {t.print}
      </Button>
      {payment && <RefundForm of={payment} opened={isRefunding} onClose={refunding.close} />}
    </>
  )
}
