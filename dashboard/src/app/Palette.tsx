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
import type { SearchAnswer } from '../api/operations.ts'
import { useMay } from '../api/permissions.ts'
import { useSignOut } from '../api/sign-out.ts'
import { API_REFERENCE } from '../ui/ApiReference.tsx'
import { type ScreenAddress, screenAt, useGo, useGoToMode } from '../ui/navigation.ts'
import { SCREENS, useIsOffered } from '../ui/screens.ts'
import { GO_SHORTCUTS } from './go-shortcuts.ts'
import { recentRecords } from './recent.ts'
import { showShortcuts } from './Shortcuts.tsx'

/** Leaves room for screens with the same name. */
const HITS_MAX = 8
const OTHERS_MAX = 5

interface PaletteGroup {
  group: string
  actions: SpotlightActionData[]
}

export function Palette() {
  const go = useGo()
  const isOffered = useIsOffered()
  const doable = usePaletteActions()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const [asked] = useDebouncedValue(text.trim(), 150)
  const found = useOperation('search', { q: asked }, { enabled: asked.length > 1 })
  useTwoKeys(go)
  // It types no letter, so it also works in fields.
  useHotkeys([['mod + K', palette.toggle]], [])
  useHotkeys([['/', palette.open]])
  useEarlyKeys(setText)

  const screens: SpotlightActionData[] = SCREENS.flatMap((group) => group.screens)
    .filter(isOffered)
    .map(({ path, label, icon: Icon, words }) => ({
      id: path,
      label,
      keywords: words ?? '',
      leftSection: <Icon size={18} stroke={1.6} />,
      onClick: () => go(path),
    }))
  const actions: SpotlightActionData[] = doable.map(
    ({ id, label, icon: Icon, words, go: act }) => ({
      id: `do ${id}`,
      label,
      keywords: words ?? '',
      leftSection: <Icon size={18} stroke={1.6} />,
      onClick: act,
    }),
  )
  const seen = recentRecords()
  const recent: SpotlightActionData[] = seen.map(({ path, title }) => ({
    id: `recent ${path}`,
    label: title,
    description: screenOf(path),
    keywords: path,
    leftSection: <IconHistory size={18} stroke={1.6} />,
    onClick: () => go(screenAt(path)),
  }))
  const isRecent = ({ path }: SearchAnswer) => seen.some((one) => one.path === path)
  const hits = (asked.length > 1 && wanted.length > 1 ? (found.data?.data ?? []) : [])
    .toSorted((a, b) => Number(isRecent(b)) - Number(isRecent(a)))
    .slice(0, HITS_MAX)
    .map((hit) => ({
      id: `hit ${hit.path}`,
      label: hit.title,
      description: `${hit.kind} · ${hit.detail}`,
      onClick: () => go(screenAt(hit.path)),
    }))

  // Local results come first, so that Enter does not change its target when others arrive.
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
      // The search field stays in place, however many results there are.
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

/** The name of a record's screen: Payments for `payments/TRX_1`. */
const screenOf = (record: string): string | undefined =>
  SCREENS.flatMap(({ screens }) => screens).find(({ path }) => record.startsWith(`${path}/`))?.label

/**
 * Ranks labels that start with the text first, then labels that contain it, then matches in other
 * words.
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

/** Selects the first result for Enter, even when results arrive after the last letter. */
function useFirstSelected(groups: PaletteGroup[]): void {
  const { opened, listId } = useSpotlight(store)
  const first = groups[0]?.actions[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list or its first result changes
  useEffect(() => {
    if (opened && listId) selectFirst()
  }, [opened, listId, first])
}

/** How long after the first key the second one still belongs to it. */
const TWO_KEYS_MS = 1_000

/** Compares the times of the key presses, not when a busy page handles them. */
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

export interface PaletteAction {
  id: string
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  words?: string
  go(): void
}

/** What users can create. Screens whose form is a dialog open it for `?new=1`. */
const MADE: { label: string; path: ScreenAddress; scope: string; words?: string }[] = [
  {
    label: 'Take a payment',
    path: 'payments/new',
    scope: 'transactions:write',
    words: 'new charge checkout link ussd',
  },
  { label: 'Create an invoice', path: 'invoices/new', scope: 'invoices:write', words: 'new bill' },
  {
    label: 'Create a payment page',
    path: 'pages/new',
    scope: 'payment_pages:write',
    words: 'new link',
  },
  { label: 'Create a product', path: 'products/new', scope: 'products:write', words: 'new add' },
  {
    label: 'Create a discount code',
    path: 'discounts?new=1',
    scope: 'discounts:write',
    words: 'new coupon',
  },
  {
    label: 'Send money',
    path: 'transfers/new',
    scope: 'transfers:write',
    words: 'new payout create',
  },
  {
    label: 'Refund a payment',
    path: 'refunds?new=1',
    scope: 'refunds:write',
    words: 'new create return',
  },
  {
    label: 'Add a subaccount',
    path: 'subaccounts?new=1',
    scope: 'subaccounts:write',
    words: 'new create seller',
  },
  {
    label: 'Create a split page',
    path: 'splits?new=1',
    scope: 'split_pages:write',
    words: 'new share',
  },
  {
    label: 'Pay a bill or buy airtime',
    path: 'utility/new',
    scope: 'utility:write',
    words: 'new create electricity data',
  },
  {
    label: 'Add a webhook endpoint',
    path: 'webhooks?new=1',
    scope: 'webhooks:write',
    words: 'new create',
  },
  { label: 'Create an API key', path: 'keys?new=1', scope: 'keys:write', words: 'new secret' },
  {
    label: 'Invite teammate',
    path: 'team?new=1',
    scope: 'team:write',
    words: 'new add member people',
  },
]

/** The palette's actions besides opening screens and records. */
function usePaletteActions(): PaletteAction[] {
  const may = useMay()
  const go = useGo()
  const mode = useMode()
  const goToMode = useGoToMode()
  const signOut = useSignOut()
  const { toggleColorScheme } = useMantineColorScheme()
  const other = mode === 'test' ? 'live' : 'test'
  return [
    ...MADE.filter(({ scope }) => may(scope)).map(({ label, path, words = '' }) => ({
      id: path,
      label,
      words,
      icon: IconPlus,
      go: () => go(path),
    })),
    {
      id: 'mode',
      label: `Switch to ${other} mode`,
      words: 'mode',
      icon: IconArrowsExchange,
      go: () => goToMode(other),
    },
    {
      id: 'theme',
      label: 'Switch between light and dark',
      words: 'colour scheme night',
      icon: IconMoonStars,
      go: toggleColorScheme,
    },
    {
      id: 'reference',
      label: 'API reference',
      words: 'docs documentation openapi help',
      icon: IconBook,
      go: () => void window.open(API_REFERENCE, '_blank', 'noopener'),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      words: 'keys help',
      icon: IconKeyboard,
      go: showShortcuts,
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      words: 'log out leave',
      icon: IconLogout,
      go: () => void signOut(),
    },
  ]
}

const [store, palette] = createSpotlight()

export { palette, store }

const SEARCH_FIELD = 'palette-search'

const listInView = () => document.getElementById(store.getState().listId)

/** Selects the first result for Enter. */
function selectFirst(): void {
  const list = listInView()
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.setState({ ...store.getState(), selected: list ? 0 : -1 })
}

/**
 * The palette's field appears shortly after its shortcut. Letters typed before it has the focus are
 * collected here.
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
