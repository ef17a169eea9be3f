import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../shell/may.ts'
import { type Search, useHref } from '../shell/where.ts'

/** Leads to a screen of the mode that is in view: `invoices/INV_1`. */
export function ScreenLink({
  to,
  search,
  children,
}: {
  to: string
  search?: Search
  children: ReactNode
}) {
  const href = useHref()
  return (
    <Anchor component={Link} to={href(to)} search={search as never} inherit>
      {children}
    </Anchor>
  )
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
