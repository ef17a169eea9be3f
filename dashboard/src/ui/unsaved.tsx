import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isPaused } from '../api/paused-requests.ts'
import { dialogInView } from './close-on-back.ts'

/** The forms on the screen, each with a function that checks for unsaved text. */
const forms = new Set<{ current: () => boolean }>()
let isLetGo = false

export const hasUnsavedText = (): boolean => [...forms].some(({ current }) => current())

/** From now on, the user can leave the window without being asked to confirm. */
export const allowLeaving = (): void => {
  isLetGo = true
}

/**
 * Asks for confirmation before the user leaves a form with unsaved text, even if they close the
 * window. Dialogs have their own confirmation.
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
      // Navigation stays blocked, because the sign-in dialog has its own way out.
      if (isPaused()) return true
      // "Back" closes the dialog first.
      if ((action === 'BACK' || action === 'GO') && dialogInView()) return false
      if (current.pathname === next.pathname || !isAsked()) return false
      return !(await confirmDiscard('Leave without saving?', 'Leave', 'Stay here'))
    },
    enableBeforeUnload: isAsked,
  })
}

/** Resolves to whether the user discards what they have typed. */
export function confirmDiscard(title: string, go: string, stay: string): Promise<boolean> {
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
