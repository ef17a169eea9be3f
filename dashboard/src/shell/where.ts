import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf } from '../api/session.ts'

export const useMode = (): Mode =>
  useRouterState({ select: ({ location }) => modeOf(location.pathname) })

/** `/test/invoices` of `invoices`: a screen's address in the mode that is in view. */
export function useHref(): (screen: string) => string {
  const mode = useMode()
  return (screen) => `/${mode}/${screen.replace(/^\//, '')}`
}

/** Leads to a screen of the mode that is in view. */
export function useGo(): (screen: string) => void {
  const navigate = useNavigate()
  const href = useHref()
  return (screen) => void navigate({ to: href(screen) })
}

export type Search = Record<string, string | undefined>

/** Filters stand in the address bar, so that they can be shared and "back" undoes them. */
export function useSearchState(): [Search, (change: Search) => void] {
  const navigate = useNavigate()
  const search = useRouterState({ select: ({ location }) => location.search as Search })
  const change = (changed: Search) => {
    const merged = { ...search, ...changed }
    const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value))
    void navigate({ to: '.', search: kept as never })
  }
  return [search, change]
}
