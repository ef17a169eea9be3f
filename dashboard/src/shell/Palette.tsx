import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { type Envelope, useRead } from '../api/hooks.ts'
import { t } from '../texts/en.ts'
import { LETTERS } from './letters.ts'
import { useMay } from './may.ts'
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

export function Palette() {
  const go = useGo()
  const may = useMay()
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 150)
  const found = useRead<Envelope<Hit[]>>('/console/search', { q: asked }, asked.length > 1)
  useTwoKeys(go)

  const screens: SpotlightActionData[] = SCREENS.flatMap((group) => group.screens)
    .filter(({ scope }) => may(scope))
    .map(({ path, label, icon: Icon, words }) => ({
      id: path,
      label,
      keywords: words ?? '',
      leftSection: <Icon size={18} stroke={1.6} />,
      onClick: () => go(path),
    }))
  const hits: SpotlightActionData[] = (asked.length > 1 ? (found.data?.data ?? []) : [])
    .slice(0, HITS_MAX)
    .map((hit) => ({
      id: `hit ${hit.path}`,
      label: hit.title,
      description: `${hit.kind} · ${hit.detail}`,
      // What was found was found by this text, whatever its title says.
      keywords: text,
      onClick: () => go(hit.path),
    }))
  const groups: SpotlightActionGroupData[] = [
    ...(hits.length > 0 ? [{ group: 'Found', actions: hits }] : []),
    { group: 'Go to', actions: screens },
  ]
  return (
    <Spotlight
      actions={groups}
      query={text}
      onQueryChange={setText}
      shortcut={['mod + K', '/']}
      nothingFound="Nothing of that name here."
      highlightQuery
      overlayProps={{ backgroundOpacity: 0.4, blur: 2 }}
      limit={HITS_MAX + 4}
      // Whoever types on at once loses no letter to a field that is still on its way.
      transitionProps={{ duration: 0 }}
      searchProps={{ leftSection: <IconSearch size={18} />, placeholder: t.shell.search }}
    />
  )
}

function useTwoKeys(go: (screen: string) => void): void {
  const [since, setSince] = useState(0)
  useHotkeys([
    ['g', () => setSince(Date.now())],
    ...Object.entries(LETTERS).map(([letter, screen]): [string, () => void] => [
      letter,
      () => {
        if (Date.now() - since < 1_000) go(screen)
      },
    ]),
  ])
}
