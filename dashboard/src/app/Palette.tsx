import { Modal, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  useSpotlight,
} from '@mantine/spotlight'
import {
  IconArrowsExchange,
  IconBook,
  IconHistory,
  IconKeyboard,
  IconLogout,
  IconMoonStars,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useMode } from '../api/history.ts'
import { useOperation } from '../api/hooks.ts'
import type { SearchResponse } from '../api/operations.ts'
import { usePermission } from '../api/permissions.ts'
import { useSignOut } from '../api/sign-out.ts'
import { API_REFERENCE } from '../ui/ApiReference.tsx'
import { type ScreenAddress, screenAt, useGo, useGoToMode } from '../ui/navigation.ts'
import { SCREENS, useIsOffered } from '../ui/screens.ts'
import { GO_SHORTCUTS } from './go-shortcuts.ts'
import { recentRecords } from './recent.ts'
import { showShortcuts } from './Shortcuts.tsx'

/** Leaves room for screens with a similar name. */
const HITS_MAX = 8
const OTHERS_MAX = 5

interface PaletteGroup {
  group: string
  actions: SpotlightActionData[]
}

export function Palette() {
  const go = useGo()
  const isOffered = useIsOffered()
  const actions = usePaletteActions()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const [asked] = useDebouncedValue(text.trim(), 150)
  const found = useOperation(
    'search',
    { q: asked },
    { enabled: asked.length > 1, keepsPrevious: true },
  )
  useTwoKeys(go)
  // This shortcut doesn't type a letter, so it can also work in fields.
  useHotkeys([['mod + K', palette.toggle]], [])
  useHotkeys([['/', palette.open]])
  useEarlyKeys(setText)

  const screens = SCREENS.flatMap((group) => group.screens)
    .filter(isOffered)
    .map(({ path, label, icon, words = '' }) => entry(path, label, words, icon, () => go(path)))
  const seen = recentRecords()
  const recent = seen.map(({ path, title }) => ({
    ...entry(`recent ${path}`, title, path, IconHistory, () => go(screenAt(path))),
    description: screenOf(path),
  }))
  const isRecent = ({ path }: SearchResponse) => seen.some((one) => one.path === path)
  const hits = (asked.length > 1 && wanted.length > 1 ? (found.data?.data ?? []) : [])
    .toSorted((a, b) => Number(isRecent(b)) - Number(isRecent(a)))
    .slice(0, HITS_MAX)
    .map((hit) => ({
      id: `hit ${hit.path}`,
      label: hit.title,
      description: `${hit.kind} · ${hit.detail}`,
      onClick: () => go(screenAt(hit.path)),
    }))

  // Local results come first, so that the result that Enter opens does not change when results from
  // the server arrive.
  const groups: PaletteGroup[] =
    wanted === ''
      ? [
          { group: 'Recent', actions: recent.slice(0, OTHERS_MAX) },
          { group: 'Go to', actions: screens },
          { group: 'Actions', actions },
        ]
      : [
          { group: 'Recent', actions: matching(recent, wanted).slice(0, 3) },
          { group: 'Go to', actions: matching(screens, wanted).slice(0, OTHERS_MAX) },
          { group: 'Actions', actions: matching(actions, wanted).slice(0, OTHERS_MAX) },
          { group: 'Found', actions: hits },
        ]
  const shown = groups.filter((group) => group.actions.length > 0)
  const isAsking = text.trim().length > 1 && (asked !== text.trim() || found.isFetching)
  useFirstSelected(shown)
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      // Keeps the search field in place, however many results there are.
      centered={false}
      yOffset="12vh"
      scrollable
      maxHeight={440}
      overlayProps={{ backgroundOpacity: 0.4, blur: 2 }}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Title>
        <VisuallyHidden>Search or jump to…</VisuallyHidden>
      </Modal.Title>
      <Spotlight.Search
        id={SEARCH_FIELD}
        leftSection={<IconSearch size={18} />}
        placeholder="Search or jump to…"
        aria-label="Search or jump to…"
        autoComplete="off"
      />
      {shown.length > 0 ? (
        <Spotlight.ActionsList>
          {shown.map(({ group, actions: some }) => (
            <Spotlight.ActionsGroup key={group} label={group}>
              {some.map(({ id, keywords: _words, ...action }) => (
                <Spotlight.Action key={id} highlightQuery {...action} />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
      ) : (
        <Spotlight.Empty>{isAsking ? 'Searching…' : 'No results.'}</Spotlight.Empty>
      )}
    </Spotlight.Root>
  )
}

/** Returns the name of the screen that a record belongs to: Payments for `payments/TRX_1`. */
const screenOf = (record: string): string | undefined =>
  SCREENS.flatMap(({ screens }) => screens).find(({ path }) => record.startsWith(`${path}/`))?.label

/**
 * Sorts the labels that start with the text first, then those that contain it, then those matched
 * only by other search terms.
 */
function matching(actions: SpotlightActionData[], wanted: string): SpotlightActionData[] {
  const rank = ({ label = '', keywords = '' }: SpotlightActionData) => {
    const name = label.toLowerCase()
    if (name.startsWith(wanted)) return 0
    if (name.split(' ').some((word) => word.startsWith(wanted))) return 1
    if (name.includes(wanted)) return 2
    const words = String(keywords).toLowerCase()
    if (words.includes(wanted)) return 3
    const parts = wanted.split(/\s+/)
    return parts.every((part) => `${name} ${words}`.includes(part)) ? 4 : undefined
  }
  return actions
    .map((action) => ({ action, rank: rank(action) }))
    .filter((one): one is { action: SpotlightActionData; rank: number } => one.rank !== undefined)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ action }) => action)
}

/**
 * Keeps the first result selected for Enter, even if results arrive after the user has stopped
 * typing.
 */
function useFirstSelected(groups: PaletteGroup[]): void {
  const { opened, listId } = useSpotlight(store)
  const first = groups[0]?.actions[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list or its first result changes
  useEffect(() => {
    if (opened && listId) selectFirst()
  }, [opened, listId, first])
}

/** The maximum time between the two keys. */
const TWO_KEYS_MS = 1_000

/** Compares the times at which the keys were pressed, because a busy page may handle them later. */
function useTwoKeys(go: (screen: ScreenAddress) => void): void {
  const since = useRef(Number.NEGATIVE_INFINITY)
  useHotkeys([
    [
      'g',
      ({ timeStamp }) => {
        since.current = timeStamp
      },
    ],
    ...Object.entries(GO_SHORTCUTS).map(
      ([letter, screen]): [string, (event: KeyboardEvent) => void] => [
        letter,
        ({ timeStamp }) => {
          if (timeStamp - since.current < TWO_KEYS_MS) go(screen)
        },
      ],
    ),
  ])
}

type EntryIcon = ComponentType<{ size?: number; stroke?: number }>

/** `words` contains additional search terms. */
const entry = (
  id: string,
  label: string,
  words: string,
  Icon: EntryIcon,
  onClick: () => void,
): SpotlightActionData => ({
  id,
  label,
  keywords: words,
  leftSection: <Icon size={18} stroke={1.6} />,
  onClick,
})

/** What users can create. If the form of a screen is a dialog, `?new=1` opens it. */
const MADE: [label: string, path: ScreenAddress, scope: string, words: string][] = [
  ['Take a payment', 'payments/new', 'transactions:write', 'new charge checkout link ussd'],
  ['Create an invoice', 'invoices/new', 'invoices:write', 'new bill'],
  ['Create a payment page', 'pages/new', 'payment_pages:write', 'new link'],
  ['Create a product', 'products/new', 'products:write', 'new add'],
  ['Create a discount code', 'discounts?new=1', 'discounts:write', 'new coupon'],
  ['Send money', 'transfers/new', 'transfers:write', 'new payout create'],
  ['Refund a payment', 'refunds?new=1', 'refunds:write', 'new create return'],
  ['Compare days with a provider', 'reconciliation?new=1', 'reconciliation:write', 'reconcile run'],
  ['Add a subaccount', 'subaccounts?new=1', 'subaccounts:write', 'new create seller'],
  ['Create a split page', 'splits?new=1', 'split_pages:write', 'new share'],
  ['Pay a bill or buy airtime', 'utility/new', 'utility:write', 'new create electricity data'],
  ['Add a webhook endpoint', 'webhooks?new=1', 'webhooks:write', 'new create'],
  ['Create an API key', 'keys?new=1', 'keys:write', 'new secret'],
  ['Invite teammate', 'team?new=1', 'team:write', 'new add member people'],
]

/** Returns all actions except those that open screens and records. */
function usePaletteActions(): SpotlightActionData[] {
  const may = usePermission()
  const go = useGo()
  const mode = useMode()
  const goToMode = useGoToMode()
  const signOut = useSignOut()
  const { toggleColorScheme } = useMantineColorScheme()
  const other = mode === 'test' ? 'live' : 'test'
  const openReference = () => void window.open(API_REFERENCE, '_blank', 'noopener')
  const toggle = () => toggleColorScheme()
  return [
    ...MADE.filter(([, , scope]) => may(scope)).map(([label, path, , words]) =>
      entry(`do ${path}`, label, words, IconPlus, () => go(path)),
    ),
    entry('mode', `Switch to ${other} mode`, '', IconArrowsExchange, () => goToMode(other)),
    entry('theme', 'Switch between light and dark', 'colour scheme night', IconMoonStars, toggle),
    entry('reference', 'API reference', 'docs documentation openapi help', IconBook, openReference),
    entry('shortcuts', 'Keyboard shortcuts', 'keys help', IconKeyboard, showShortcuts),
    entry('sign-out', 'Sign out', 'log out leave', IconLogout, () => void signOut()),
  ]
}

const [store, palette] = createSpotlight()

export { palette }

const SEARCH_FIELD = 'palette-search'

const listInView = () => document.getElementById(store.getState().listId)

function selectFirst(): void {
  const list = listInView()
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.setState({ ...store.getState(), selected: list ? 0 : -1 })
}

/**
 * Collects letters that are typed before the search field has focus, because the field appears a
 * moment after its shortcut.
 */
function useEarlyKeys(change: (of: (text: string) => string) => void): void {
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      const isEarly = store.getState().opened && document.activeElement?.id !== SEARCH_FIELD
      if (!isEarly || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.key === 'Backspace') change((text) => text.slice(0, -1))
      else if (event.key === 'Enter') {
        listInView()?.querySelector<HTMLElement>('[data-selected]')?.click()
      } else if ([...event.key].length === 1) change((text) => text + event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    window.addEventListener('keydown', take, { capture: true })
    return () => window.removeEventListener('keydown', take, { capture: true })
  }, [change])
}
