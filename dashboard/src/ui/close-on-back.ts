import { useBlocker } from '@tanstack/react-router'
import { isPaused } from '../api/paused-requests.ts'

/** The open dialog, but not one that is just closing. */
export const dialogInView = (): Element | null =>
  document.querySelector('[role="dialog"][aria-modal="true"]')

/** "Back" closes an open dialog or menu first, like Esc, and leaves the screen only after that. */
export function useBackCloses({ isOpen, close }: { isOpen: boolean; close(): void }): void {
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK' && action !== 'GO') return false
      // Typed text must not disappear while the session has ended.
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
