import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

/** Asks before something that cannot be taken back; where money moves, it says how much and whereto. */
export function confirm({
  title,
  text,
  verb,
  isDangerous = false,
  canUndo = !isDangerous,
  go,
}: {
  title: string
  text: string
  /** On the button: the verb of what happens, not "OK". */
  verb: string
  isDangerous?: boolean
  /** Another operation takes it back; what is dangerous says that nothing does, unless this does. */
  canUndo?: boolean
  go(): void
}): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm">
        {text} {canUndo ? '' : 'This cannot be undone.'}
      </Text>
    ),
    labels: { confirm: verb, cancel: 'Cancel' },
    groupProps: { className: 'dialog-actions' },
    confirmProps: isDangerous ? { color: 'red' } : {},
    onConfirm: go,
  })
}
