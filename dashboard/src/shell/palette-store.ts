import { createSpotlight } from '@mantine/spotlight'
import { useEffect } from 'react'

const [store, palette] = createSpotlight()

export { palette, store }

export const SEARCH_FIELD = 'palette-search'

const listInView = () => document.getElementById(store.getState().listId)

/** Enter does the first of what is shown. */
export function selectFirst(): void {
  const list = listInView()
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.setState({ ...store.getState(), selected: list ? 0 : -1 })
}

/**
 * The palette's field is there some moments after the keys that open it. What is typed until it has
 * the focus is taken here, so that no letter is lost.
 */
export function useEarlyKeys(change: (of: (text: string) => string) => void): void {
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      const isEarly = store.getState().opened && document.activeElement?.id !== SEARCH_FIELD
      if (!isEarly || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.key === 'Backspace') change((text) => text.slice(0, -1))
      else if (event.key === 'Enter') {
        listInView()?.querySelector<HTMLElement>('[data-selected]')?.click()
      } else if ([...event.key].length === 1) change((text) => text + event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    window.addEventListener('keydown', take, { capture: true })
    return () => window.removeEventListener('keydown', take, { capture: true })
  }, [change])
}
