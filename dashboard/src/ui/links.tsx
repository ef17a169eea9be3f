import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Invoice, Order, PaymentPage, Subaccount } from '../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../api/hooks.ts'
import { useMay } from '../api/permissions.ts'
import { requestOf } from '../api/request.ts'
import { type ScreenAddress, type Search, useHref } from './navigation.ts'
import { orderNumber, short } from './values.tsx'

/** Leads to a screen of the mode that is in view: `invoices/INV_1`. */
export function ScreenLink({
  to,
  search,
  ...props
}: AnchorProps & { to: ScreenAddress; search?: Search; children: ReactNode }) {
  const href = useHref()
  const linked = (root: object) => <Link {...root} to={href(to)} search={search} />
  return <Anchor inherit {...props} renderRoot={linked} />
}

/** A customer by name, leading to what they paid, were billed and ordered. */
export function CustomerLink({
  of: { name, email },
  otherwise = '–',
}: {
  of: { name: string | null; email: string | null }
  otherwise?: string
}) {
  const isOffered = useMay()('transactions:read')
  const shown = name ?? email ?? otherwise
  if (!email || !isOffered) return shown
  return (
    <ScreenLink to={`customers/${encodeURIComponent(email.toLowerCase())}`}>{shown}</ScreenLink>
  )
}

/** Something outside the dashboard, such as a page for payers. */
export function OutsideLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  )
}

/** Where a record of each type is read, and what people call it. */
const NAMES = {
  invoice: {
    scope: 'invoices:read',
    read: (reference: string) => requestOf('get_invoice', { reference }),
    nameOf: (one: unknown) => (one as Invoice).invoiceNumber,
  },
  order: {
    scope: 'orders:read',
    read: (reference: string) => requestOf('get_order', { reference }),
    nameOf: (one: unknown) => orderNumber((one as Order).reference),
  },
  page: {
    scope: 'payment_pages:read',
    read: (pageId: string) => requestOf('get_payment_page', { pageId }),
    nameOf: (one: unknown) => (one as PaymentPage).title,
  },
  subaccount: {
    scope: 'subaccounts:read',
    read: (reference: string) => requestOf('get_subaccount', { reference }),
    nameOf: (one: unknown) => (one as Subaccount).business_name,
  },
}

/**
 * What people call a record that another one names by its id; the id until that is known, and where
 * the role may not know it.
 */
export function NameOf({ type, id }: { type: keyof typeof NAMES; id: string | number }) {
  const { scope, read, nameOf } = NAMES[type]
  const { path, query } = read(String(id))
  const { data } = useRead<Envelope<unknown>>(path, query, useMay()(scope))
  return data?.data ? nameOf(data.data) : short(String(id))
}

/** A subaccount by its name, leading to it. */
export const SubaccountLink = ({ code }: { code: string }) => (
  <ScreenLink to={`subaccounts/${code}`}>
    <NameOf type="subaccount" id={code} />
  </ScreenLink>
)
