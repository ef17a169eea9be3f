import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isPaused } from '../api/paused-requests.ts'
import { dialogInView } from './close-on-back.ts'

/** The forms in view, each with a check for unsaved text. */
const forms = new Set<{ current: () => boolean }>()
let isLetGo = false

/** Whether any form or dialog has unsaved text. */
export const isTyped = (): boolean => [...forms].some(({ current }) => current())

/** Allows leaving the window without a question from now on. */
export const letGo = (): void => {
  isLetGo = true
}

/**
 * Asks before a form with unsaved text is left, even when the window is closed. Dialogs ask by
 * themselves.
 */
export function useUnsaved(isDirty: () => boolean, isDialog = false): void {
  const latest = useRef(isDirty)
  latest.current = isDirty
  useEffect(() => {
    forms.add(latest)
    return () => void forms.delete(latest)
  }, [])
  const isAsked = () => !isDialog && !isLetGo && isDirty()
  useBlocker({
    shouldBlockFn: async ({ current, next, action }) => {
      // Navigation stays blocked; the sign-in dialog has its own way out.
      if (isPaused()) return true
      // "Back" closes the dialog first.
      if ((action === 'BACK' || action === 'GO') && dialogInView()) return false
      if (current.pathname === next.pathname || !isAsked()) return false
      return !(await isToBeLost('Leave without saving?', 'Leave', 'Stay here'))
    },
    enableBeforeUnload: isAsked,
  })
}

/** Asks whether to discard what was typed. */
export function isToBeLost(title: string, go: string, stay: string): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">Your unsaved changes will be lost.</Text>,
      labels: { confirm: go, cancel: stay },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    })
  })
}
