import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { modeOf } from '../api/session.ts'
import { rememberRecord } from './recent.ts'

/**
 * Keeps the window's title the same as the screen's heading. On a new screen, also moves focus to
 * the heading, so that screen readers announce it. Headings appear and change as data loads, so
 * this observes the document.
 */
export function useDocumentTitle(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shown = useRef(path)
  useEffect(() => {
    const isMoved = shown.current !== path
    shown.current = path
    let isFocused = !isMoved
    let before = isMoved ? headingInView() : undefined
    // If the user came through a dialog, such as the palette, the dialog keeps focus until it
    // closes.
    const leading = dialogInUse()
    const look = () => {
      const heading = headingInView()
      document.title = titleOf(heading?.textContent, path)
      const name = heading?.dataset.name ?? heading?.textContent
      rememberRecord(path, isMoved && heading === before ? undefined : name)
      // Until the new screen has loaded, the previous one stays visible.
      if (!heading || isFocused || heading === before) return
      if (leading && dialogInUse() === leading) return
      before = undefined
      isFocused = true
      focusOn(heading)
    }
    look()
    const watch = new MutationObserver(look)
    watch.observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributeFilter: ['data-name'],
    })
    return () => watch.disconnect()
  }, [path])
}

const headingInView = () => document.querySelector<HTMLElement>('h1') ?? undefined

function titleOf(heading: string | null | undefined, path: string): string {
  const isInside = /^\/(?:test|live)(?:\/|$)/.test(path)
  const mode = isInside && modeOf(path) === 'test' ? 'Test' : undefined
  return [heading, mode, 'Tradepost'].filter(Boolean).join(' · ')
}

const dialogInUse = () => document.activeElement?.closest('[role="dialog"]') ?? undefined

/** Moves focus, unless the user is already in a dialog or in a field of the new screen. */
function focusOn(heading: HTMLElement): void {
  if (dialogInUse() || document.activeElement?.closest('main input, main textarea')) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
