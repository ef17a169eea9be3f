import type { Invoice, Order, PaymentPage } from '../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../api/hooks.ts'
import { orderNumber } from './values.tsx'

interface Read {
  path: string
  query?: { pageId: string }
}

/** Where a record of each type is read, and what people call it. */
const NAMES = {
  invoice: {
    read: (id: string) => ({ path: `payment-service/invoices/${id}` }),
    nameOf: (one: unknown) => (one as Invoice).invoiceNumber,
  },
  order: {
    read: (id: string) => ({ path: `transaction-service/orders/${id}` }),
    nameOf: (one: unknown) => orderNumber((one as Order).reference),
  },
  page: {
    read: (id: string) => ({
      path: 'payment-service/payment-pages/get-page-details',
      query: { pageId: id },
    }),
    nameOf: (one: unknown) => (one as PaymentPage).title,
  },
}

/** What people call a record that another one names by its id; the id until that is known. */
export function NameOf({ type, id }: { type: keyof typeof NAMES; id: string | number }) {
  const { read, nameOf } = NAMES[type]
  const { path, query }: Read = read(String(id))
  const { data } = useRead<Envelope<unknown>>(path, query)
  return data?.data ? nameOf(data.data) : String(id)
}
