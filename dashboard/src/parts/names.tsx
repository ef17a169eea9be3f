import type { Invoice, Order, PaymentPage, Subaccount } from '../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../api/hooks.ts'
import { useMay } from '../shell/may.ts'
import { ScreenLink } from './links.tsx'
import { orderNumber, short } from './values.tsx'

interface Read {
  path: string
  query?: { pageId: string }
}

/** Where a record of each type is read, and what people call it. */
const NAMES = {
  invoice: {
    scope: 'invoices:read',
    read: (id: string) => ({ path: `payment-service/invoices/${id}` }),
    nameOf: (one: unknown) => (one as Invoice).invoiceNumber,
  },
  order: {
    scope: 'orders:read',
    read: (id: string) => ({ path: `transaction-service/orders/${id}` }),
    nameOf: (one: unknown) => orderNumber((one as Order).reference),
  },
  page: {
    scope: 'payment_pages:read',
    read: (id: string) => ({
      path: 'payment-service/payment-pages/get-page-details',
      query: { pageId: id },
    }),
    nameOf: (one: unknown) => (one as PaymentPage).title,
  },
  subaccount: {
    scope: 'subaccounts:read',
    read: (code: string) => ({ path: `transaction-service/subaccounts/${code}` }),
    nameOf: (one: unknown) => (one as Subaccount).business_name,
  },
}

/**
 * What people call a record that another one names by its id; the id until that is known, and where
 * the role may not know it.
 */
export function NameOf({ type, id }: { type: keyof typeof NAMES; id: string | number }) {
  const { scope, read, nameOf } = NAMES[type]
  const { path, query }: Read = read(String(id))
  const { data } = useRead<Envelope<unknown>>(path, query, useMay()(scope))
  return data?.data ? nameOf(data.data) : short(String(id))
}

/** A subaccount by its name, leading to it. */
export const SubaccountLink = ({ code }: { code: string }) => (
  <ScreenLink to={`subaccounts/${code}`}>
    <NameOf type="subaccount" id={code} />
  </ScreenLink>
)
