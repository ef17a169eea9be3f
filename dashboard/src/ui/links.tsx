import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Invoice, PaymentPage, Subaccount } from '../../../sdk/src/operations.ts'
import { type Envelope, useOperation, useRead } from '../api/hooks.ts'
import { usePermission } from '../api/permissions.ts'
import { requestOf } from '../api/request.ts'
import { type ScreenAddress, type Search, useHref } from './navigation.ts'
import { orderNumber, shortReference } from './values.tsx'

/** Links to a screen in the current mode: `invoices/INV_1`. */
export function ScreenLink({
  to,
  search,
  ...props
}: AnchorProps & {
  to: ScreenAddress
  search?: Search
  tabIndex?: number
  children: ReactNode
}) {
  const href = useHref()
  const linked = (root: object) => <Link {...root} to={href(to)} search={search} />
  return <Anchor inherit {...props} renderRoot={linked} />
}

export function CustomerLink({
  of: { name, email },
  otherwise = '–',
}: {
  of: { name: string | null; email: string | null }
  otherwise?: string
}) {
  const isOffered = usePermission()('transactions:read')
  const shown = name ?? email ?? otherwise
  if (!email || !isOffered) return shown
  return (
    <ScreenLink to={`customers/${encodeURIComponent(email.toLowerCase())}`}>{shown}</ScreenLink>
  )
}

/** Links to a page outside the dashboard, such as a payer page. */
export function ExternalLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  )
}

/** How to read a record of each type, and how to name it. */
const NAMES = {
  invoice: {
    scope: 'invoices:read',
    read: (reference: string) => requestOf('get_invoice', { reference }),
    nameOf: (one: unknown) => (one as Invoice).invoiceNumber,
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
 * Shows the name of a record, for records that refer to it by its id. Shows the id while the name
 * is loading, or if the user's role doesn't allow reading it.
 */
export function NameOf({ type, id }: { type: keyof typeof NAMES; id: string | number }) {
  const { scope, read, nameOf } = NAMES[type]
  const { path, query } = read(String(id))
  const may = usePermission()
  const { data } = useRead<Envelope<unknown>>(path, query, { enabled: may(scope) })
  return data?.data ? nameOf(data.data) : shortReference(String(id))
}

/**
 * Links to an order by its id, which payments have instead of its reference. The list of orders
 * finds both.
 */
export function OrderLink({ id }: { id: number }) {
  const isOffered = usePermission()('orders:read')
  const search = String(id)
  const { data } = useOperation('list_orders', { search, limit: 1 }, { enabled: isOffered })
  const [order] = data?.data ?? []
  if (!order) return search
  return <ScreenLink to={`orders/${order.reference}`}>{orderNumber(order.reference)}</ScreenLink>
}

export const SubaccountLink = ({ code }: { code: string }) => (
  <ScreenLink to={`subaccounts/${code}`}>
    <NameOf type="subaccount" id={code} />
  </ScreenLink>
)
