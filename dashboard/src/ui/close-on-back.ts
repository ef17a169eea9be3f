import { useBlocker } from '@tanstack/react-router'
import { isPaused } from '../api/paused-requests.ts'

/** A dialog over the screen, not one that is just being closed. */
export const dialogInView = (): Element | null =>
  document.querySelector('[role="dialog"][aria-modal="true"]')

/** "Back" closes what lies over the screen first, as Esc does; only then it leaves the screen. */
export function useBackCloses({ isOpen, close }: { isOpen: boolean; close(): void }): void {
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK' && action !== 'GO') return false
      // Of what was typed, nothing is closed unseen.
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
