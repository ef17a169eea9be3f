import type { Invoice, Order, PaymentPage } from '../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../api/hooks.ts'
import { orderNumber } from './values.tsx'

/** Where a record of each type is read, and what people call it. */
const NAMES = {
  invoice: {
    path: (id: string) => `payment-service/invoices/${id}`,
    nameOf: (one: unknown) => (one as Invoice).invoiceNumber,
  },
  order: {
    path: (id: string) => `transaction-service/orders/${id}`,
    nameOf: (one: unknown) => orderNumber((one as Order).reference),
  },
  page: {
    path: (id: string) => `transaction-service/payment-pages/${id}`,
    nameOf: (one: unknown) => (one as PaymentPage).title,
  },
}

/** What people call a record that another one names by its id; the id until that is known. */
export function NameOf({ type, id }: { type: keyof typeof NAMES; id: string | number }) {
  const { path, nameOf } = NAMES[type]
  const { data } = useRead<Envelope<unknown>>(path(String(id)))
  return data?.data ? nameOf(data.data) : String(id)
}
