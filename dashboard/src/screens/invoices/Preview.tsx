import { ServerPreview } from '../../parts/PagePreview.tsx'
import type { Values } from './values.ts'

/** The page that the customer will get, as it is being written. */
export function Preview({
  values,
  currency,
  number,
}: {
  values: Values
  currency: string
  number: string | undefined
}) {
  const { lineItems, note, dueDate, customerName, customerEmail, allowPartialPayment } = values
  return (
    <ServerPreview
      path="/console/invoice-preview"
      of={{
        currency,
        number,
        customerName,
        customerEmail,
        note,
        dueDate,
        allowPartialPayment,
        amount: String(values.amount),
        lineItems: lineItems.map(({ name, quantity, unitAmount }) => ({
          name,
          quantity: Math.max(0, Math.trunc(Number(quantity) || 0)),
          unitAmount: String(unitAmount),
        })),
      }}
    />
  )
}
