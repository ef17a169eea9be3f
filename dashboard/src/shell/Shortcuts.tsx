import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useEffect } from 'react'
import { undoLatest } from '../parts/undo.tsx'
import { t } from '../texts/en.ts'
import { t as own } from '../texts/shell.ts'
import { isMac } from './keys.ts'
import { LETTERS } from './letters.ts'
import { useMay } from './may.ts'
import { SCREENS } from './screens.ts'

let open = () => {}

/** For who looks for them elsewhere than on the keyboard. */
export const showShortcuts = (): void => open()

/** What the keyboard does, shown by `?`. */
export function Shortcuts() {
  const [opened, { open: show, close }] = useDisclosure(false)
  useEffect(() => {
    open = show
  }, [show])
  const may = useMay()
  // Some keyboards have it without Shift.
  useHotkeys([
    ['shift + ?', show],
    ['?', show],
    ['mod + Z', undoLatest],
  ])
  const screens = SCREENS.flatMap((group) => group.screens)
  const ways = Object.entries(LETTERS).flatMap(([letter, path]) => {
    const screen = screens.find((one) => one.path === path)
    return screen && may(screen.scope) ? [{ letter, label: screen.label }] : []
  })
  return (
    <Modal opened={opened} onClose={close} title={t.shell.shortcuts}>
      <Stack gap="lg">
        <Part title={own.anywhere}>
          <Line label={own.searchOrJumpToA} keys={[isMac ? '⌘' : 'Ctrl', 'K']} />
          <Line label={own.theSame} keys={['/']} />
          <Line label={own.takeBackWhatWasDone} keys={[isMac ? '⌘' : 'Ctrl', 'Z']} />
          <Line label={own.theseShortcuts} keys={['?']} />
          <Line label={own.closeWhatIsOpen} keys={['Esc']} />
        </Part>
        <Part title={own.goTo}>
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
