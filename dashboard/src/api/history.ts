import { createBrowserHistory, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf } from './session.ts'

/**
 * Where the router is. `location` is a moment behind it: whoever asked by that would ask in the mode
 * that was just left.
 */
export const history = createBrowserHistory()

/** Of the screen in view. */
export const useMode = (): Mode =>
  useRouterState({ select: ({ location }) => modeOf(location.pathname) })
