import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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

/** Something outside the dashboard, such as a page for payers. */
export function OutsideLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  )
}
