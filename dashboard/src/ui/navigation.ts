import { type RegisteredRouter, useNavigate, useRouterState } from '@tanstack/react-router'
import { useMode } from '../api/history.ts'
import { type Mode, onLeave } from '../api/session.ts'

type Filled<Path extends string> = Path extends `${infer Before}/$${string}/${infer After}`
  ? `${Before}/${string}/${Filled<After>}`
  : Path extends `${infer Before}/$${string}`
    ? `${Before}/${string}`
    : Path
type ScreenPath<Path = keyof RegisteredRouter['routesByPath']> =
  Path extends `/$mode/${infer Screen}` ? Filled<Screen> : never

/** The address of a screen, without the mode: `invoices/INV_1`, `keys?new=1`. */
export type ScreenAddress = ScreenPath | `${ScreenPath}${'?' | '#'}${string}`

/** A list of records with their own screens: `invoices`. */
export type RecordsScreen = ScreenPath extends infer Path
  ? Path extends `${infer Name}/${string}`
    ? `${Name}/${string}` extends ScreenPath
      ? Name
      : never
    : never
  : never

/** Accepts a path from the server or from this window, which the compiler can't check. */
export const screenAt = (path: string) => path.replace(/^\//, '') as ScreenAddress

/**
 * Returns a function that returns the URL of a screen in the current mode: `/test/invoices` for
 * `invoices`.
 */
export function useHref(): (screen: ScreenAddress) => string {
  const mode = useMode()
  return (screen) => `/${mode}/${screen}`
}

export function useGo(): (screen: ScreenAddress) => void {
  const navigate = useNavigate()
  const href = useHref()
  return (screen) => void navigate({ href: href(screen) })
}

/**
 * Returns a function that opens the same screen in the other mode. From a record, which exists in
 * only one mode, it opens the list.
 */
export function useGoToMode(): (mode: Mode) => void {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [, , screen = 'overview'] = path.split('/')
  return (mode) => void navigate({ to: `/${mode}/${screen}` })
}

export type Search = Record<string, string | undefined>

/** The last filters of each list, by URL. Links back to the list restore them. */
const lastSearches = new Map<string, Search>()

onLeave(() => lastSearches.clear())

export function useLastSearch(): (screen: ScreenAddress) => Search {
  const href = useHref()
  return (screen) => lastSearches.get(href(screen)) ?? {}
}

export function useRememberSearch(): void {
  const { pathname, search } = useRouterState({ select: ({ location }) => location })
  lastSearches.set(pathname, search)
}

/** Keeps filters in the URL, so that users can share them and "Back" undoes them. */
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
