import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf, whenLeft } from '../api/session.ts'

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
  return (screen) => {
    const [path = '', query] = screen.split('?')
    const search = Object.fromEntries(new URLSearchParams(query))
    void navigate({ to: href(path), search: search as never })
  }
}

/** The same screen in the other mode; of a record its list, as the record is in one mode alone. */
export function useGoToMode(): (mode: Mode) => void {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [, , screen = 'overview'] = path.split('/')
  return (mode) => void navigate({ to: `/${mode}/${screen}` })
}

export type Search = Record<string, string | undefined>

/** How each list was last filtered, by its address: the way back to it leads there. */
const lastSearches = new Map<string, Search>()

whenLeft(() => lastSearches.clear())

export function useLastSearch(): (screen: string) => Search {
  const href = useHref()
  return (screen) => lastSearches.get(href(screen)) ?? {}
}

/** Keeps how the list in view is filtered. */
export function useKeptSearch(): void {
  const { pathname, search } = useRouterState({ select: ({ location }) => location })
  lastSearches.set(pathname, search as Search)
}

/** Filters stand in the address bar, so that they can be shared and "back" undoes them. */
export function useSearchState(): [Search, (change: Search, isSameStep?: boolean) => void] {
  const navigate = useNavigate()
  const search = useRouterState({ select: ({ location }) => location.search as Search })
  const change = (changed: Search, isSameStep = false) => {
    const merged = { ...search, ...changed }
    const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value))
    void navigate({ to: '.', search: kept as never, replace: isSameStep })
  }
  return [search, change]
}
