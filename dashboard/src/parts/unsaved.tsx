import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useBlocker } from '@tanstack/react-router'
import { dialogInView } from '../shell/back.ts'
import { t } from '../texts/en.ts'

/** Asks before a form is left that holds what is saved nowhere, also when the window is closed. */
export function useUnsaved(isDirty: () => boolean): void {
  useBlocker({
    shouldBlockFn: async ({ current, next, action }) => {
      // "Back" closes that first.
      if ((action === 'BACK' || action === 'GO') && dialogInView()) return false
      if (current.pathname === next.pathname || !isDirty()) return false
      return !(await isToBeLost(t.leave.title, t.leave.go, t.leave.stay))
    },
    enableBeforeUnload: isDirty,
  })
}

/** Whether somebody lets go of what they typed. */
export function isToBeLost(title: string, go: string, stay: string): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{t.leave.text}</Text>,
      labels: { confirm: go, cancel: stay },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    })
  })
}
