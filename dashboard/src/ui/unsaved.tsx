import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isPaused } from '../api/paused-requests.ts'
import { dialogInView } from './close-on-back.ts'

/** The forms in view, by what tells whether anything is typed there. */
const forms = new Set<{ current: () => boolean }>()
let isLetGo = false

/** Whether something is typed and saved nowhere, in a form of the screen or of a dialog. */
export const isTyped = (): boolean => [...forms].some(({ current }) => current())

/** From now on the window may be left without a question. */
export const letGo = (): void => {
  isLetGo = true
}

/**
 * Asks before a form is left that holds what is saved nowhere, also when the window is closed; a
 * dialog asks by itself.
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
      // Nothing can be asked there; the dialog for signing in has a way out.
      if (isPaused()) return true
      // "Back" closes that first.
      if ((action === 'BACK' || action === 'GO') && dialogInView()) return false
      if (current.pathname === next.pathname || !isAsked()) return false
      return !(await isToBeLost('Leave without saving?', 'Leave', 'Stay here'))
    },
    enableBeforeUnload: isAsked,
  })
}

/** Whether somebody lets go of what they typed. */
export function isToBeLost(title: string, go: string, stay: string): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">You will lose what you typed.</Text>,
      labels: { confirm: go, cancel: stay },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    })
  })
}
