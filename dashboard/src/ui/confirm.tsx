import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

/**
 * Asks for confirmation before an action, such as one that cannot be undone. If money moves, the
 * message states the amount and the recipient.
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
  /** The button's label: a specific verb, not "OK". */
  verb: string
  isDangerous?: boolean
  /**
   * Whether another operation can undo the action. If not, a dangerous action shows a warning that
   * it can't be undone.
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
