import { type RegisteredRouter, useNavigate, useRouterState } from '@tanstack/react-router'
import { useMode } from '../api/history.ts'
import { type Mode, whenLeft } from '../api/session.ts'

type Filled<Path extends string> = Path extends `${infer Before}/$${string}/${infer After}`
  ? `${Before}/${string}/${After}`
  : Path extends `${infer Before}/$${string}`
    ? `${Before}/${string}`
    : Path
type ScreenPath<Path = keyof RegisteredRouter['routesByPath']> =
  Path extends `/$mode/${infer Screen}` ? Filled<Screen> : never

/** Of a screen there is, in whatever mode: `invoices/INV_1`, `keys?new=1`. */
export type ScreenAddress = ScreenPath | `${ScreenPath}${'?' | '#'}${string}`

/** A list whose records have screens of their own: `invoices`. */
export type RecordsScreen = ScreenPath extends infer Path
  ? Path extends `${infer Name}/${string}`
    ? Name
    : never
  : never

/** Of a path that the server or this window has named as a screen's. */
export const screenAt = (path: string) => path.replace(/^\//, '') as ScreenAddress

/** `/test/invoices` of `invoices`: a screen's address in the mode that is in view. */
export function useHref(): (screen: ScreenAddress) => string {
  const mode = useMode()
  return (screen) => `/${mode}/${screen}`
}

/** Leads to a screen of the mode that is in view. */
export function useGo(): (screen: ScreenAddress) => void {
  const navigate = useNavigate()
  const href = useHref()
  return (screen) => void navigate({ href: href(screen) })
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

export function useLastSearch(): (screen: ScreenAddress) => Search {
  const href = useHref()
  return (screen) => lastSearches.get(href(screen)) ?? {}
}

/** Keeps how the list in view is filtered. */
export function useKeptSearch(): void {
  const { pathname, search } = useRouterState({ select: ({ location }) => location })
  lastSearches.set(pathname, search)
}

/** Filters stand in the address bar, so that they can be shared and "back" undoes them. */
export function useSearchState(): [Search, (change: Search, isSameStep?: boolean) => void] {
  const navigate = useNavigate()
  const search = useRouterState({ select: ({ location }) => location.search })
  const change = (changed: Search, isSameStep = false) => {
    const merged = { ...search, ...changed }
    const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value))
    void navigate({ to: '.', search: kept, replace: isSameStep })
  }
  return [search, change]
}
