import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

/**
 * Asks for confirmation before an action, such as one that can't be undone. If money moves, the
 * text must include the amount and the recipient.
 */
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
  /** The label of the button: a specific verb, not "OK". */
  verb: string
  isDangerous?: boolean
  /**
   * Whether another operation can undo the action. Otherwise, a dangerous action warns that it
   * can't be undone.
   */
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
