import { useBlocker } from '@tanstack/react-router'
import { isPaused } from '../api/paused-requests.ts'

/** Returns the open dialog, unless it is already closing. */
export const dialogInView = (): Element | null =>
  document.querySelector('[role="dialog"][aria-modal="true"]')

/**
 * Makes "Back" first close an open dialog or menu, as Esc does. Only the next "Back" leaves the
 * screen.
 */
export function useBackCloses({ isOpen, close }: { isOpen: boolean; close(): void }): void {
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK' && action !== 'GO') return false
      // If the session has ended, what the user has typed must stay.
      if (isPaused()) return true
      if (dialogInView()) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
        return true
      }
      if (isOpen) close()
      return isOpen
    },
    enableBeforeUnload: false,
  })
}
