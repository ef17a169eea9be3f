import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useEffect } from 'react'
import { usePermission } from '../api/permissions.ts'
import { undoLatest } from '../api/undo.tsx'
import { SCREENS } from '../ui/screens.ts'
import { GO_SHORTCUTS, isMac } from './go-shortcuts.ts'

let open = () => {}

/** Opens the list of shortcuts without the `?` key. */
export const showShortcuts = (): void => open()

/** Opens with `?`. */
export function Shortcuts() {
  const [opened, { open: show, close }] = useDisclosure(false)
  useEffect(() => {
    open = show
  }, [show])
  const may = usePermission()
  // Some keyboards have a `?` key that doesn't need Shift.
  useHotkeys([
    ['shift + ?', show],
    ['?', show],
    ['mod + Z', undoLatest],
  ])
  const screens = SCREENS.flatMap((group) => group.screens)
  const ways = Object.entries(GO_SHORTCUTS).flatMap(([letter, path]) => {
    const screen = screens.find((one) => one.path === path)
    return screen && may(screen.scope) ? [{ letter, label: screen.label }] : []
  })
  return (
    <Modal opened={opened} onClose={close} title="Keyboard shortcuts">
      <Stack gap="lg">
        <Part title="Anywhere">
          <Line label="Search or jump to a screen" keys={[isMac ? '⌘' : 'Ctrl', 'K']} />
          <Line label="Search" keys={['/']} />
          <Line label="Undo" keys={[isMac ? '⌘' : 'Ctrl', 'Z']} />
          <Line label="Show shortcuts" keys={['?']} />
          <Line label="Close" keys={['Esc']} />
        </Part>
        <Part title="Go to">
          {ways.map(({ letter, label }) => (
            <Line key={letter} label={label} keys={['g', letter]} />
          ))}
        </Part>
      </Stack>
    </Modal>
  )
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap={6} component="section" aria-label={title}>
      <Title order={3} size="sm">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

function Line({ label, keys }: { label: string; keys: string[] }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{label}</Text>
      <Group gap={4} wrap="nowrap">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  )
}
