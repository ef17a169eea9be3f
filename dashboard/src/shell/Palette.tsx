import { Modal, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData, useSpotlight } from '@mantine/spotlight'
import { IconHistory, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { type Envelope, useRead } from '../api/hooks.ts'
import { t } from '../texts/en.ts'
import { LETTERS } from './letters.ts'
import { useIsOffered } from './may.ts'
import { usePaletteActions } from './palette-actions.tsx'
import { palette, SEARCH_FIELD, selectFirst, store, useEarlyKeys } from './palette-store.ts'
import { recentRecords } from './recent.ts'
import { SCREENS } from './screens.ts'
import { useGo } from './where.ts'

/** What `/console/search` finds: an object by its reference, name, e-mail address or number. */
interface Hit {
  kind: string
  title: string
  detail: string
  /** Of the screen, in this mode: `invoices/INV_1`. */
  path: string
}

/** So that screens of the same name are in view too. */
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
  const found = useRead<Envelope<Hit[]>>('/console/search', { q: asked }, asked.length > 1)
  useTwoKeys(go)
  // Nobody types a letter by it: it works in fields too.
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
    onClick: () => go(path),
  }))
  const isRecent = ({ path }: Hit) => seen.some((one) => one.path === path)
  const hits = (asked.length > 1 && wanted.length > 1 ? (found.data?.data ?? []) : [])
    .toSorted((a, b) => Number(isRecent(b)) - Number(isRecent(a)))
    .slice(0, HITS_MAX)
    .map((hit) => ({
      id: `hit ${hit.path}`,
      label: hit.title,
      description: `${hit.kind} · ${hit.detail}`,
      onClick: () => go(hit.path),
    }))

  // What is here at once stands first, so that what Enter does is not another thing a moment later.
  const groups: PaletteGroup[] =
    wanted === ''
      ? [
          { group: t.palette.recent, actions: recent.slice(0, OTHERS_MAX) },
          { group: t.palette.goTo, actions: screens },
          { group: t.palette.actions, actions },
        ]
      : [
          { group: t.palette.recent, actions: matching(recent, wanted).slice(0, 3) },
          { group: t.palette.goTo, actions: matching(screens, wanted).slice(0, OTHERS_MAX) },
          { group: t.palette.actions, actions: matching(actions, wanted).slice(0, OTHERS_MAX) },
          { group: t.palette.found, actions: hits },
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
      // Its field stays where it is, however much is found.
      centered={false}
      yOffset="12vh"
      scrollable
      maxHeight={440}
      overlayProps={{ backgroundOpacity: 0.4, blur: 2 }}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Title>
        <VisuallyHidden>{t.shell.search}</VisuallyHidden>
      </Modal.Title>
      <Spotlight.Search
        id={SEARCH_FIELD}
        leftSection={<IconSearch size={18} />}
        placeholder={t.shell.search}
        aria-label={t.shell.search}
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
        <Spotlight.Empty>{isAsking ? t.palette.looking : t.palette.nothing}</Spotlight.Empty>
      )}
    </Spotlight.Root>
  )
}

/** Of which screen a record is: Payments of `payments/TRX_1`. */
const screenOf = (record: string): string | undefined =>
  SCREENS.flatMap(({ screens }) => screens).find(({ path }) => record.startsWith(`${path}/`))?.label

/** Whose label begins with it, then whose label has it, then what other words have. */
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

/** Enter takes the first, also of what came after the last letter. */
function useFirstSelected(groups: PaletteGroup[]): void {
  const { opened, listId } = useSpotlight(store)
  const first = groups[0]?.actions[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that is new, or begins anew
  useEffect(() => {
    if (opened && listId) selectFirst()
  }, [opened, listId, first])
}

/** How long after the first of two keys the second still belongs to it. */
const TWO_KEYS_MS = 1_000

/** By when the keys were struck, not by when a busy page hears of them. */
function useTwoKeys(go: (screen: string) => void): void {
  const since = useRef(Number.NEGATIVE_INFINITY)
  useHotkeys([
    [
      'g',
      ({ timeStamp }) => {
        since.current = timeStamp
      },
    ],
    ...Object.entries(LETTERS).map(([letter, screen]): [string, (event: KeyboardEvent) => void] => [
      letter,
      ({ timeStamp }) => {
        if (timeStamp - since.current < TWO_KEYS_MS) go(screen)
      },
    ]),
  ])
}
