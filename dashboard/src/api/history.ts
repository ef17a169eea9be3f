import { createBrowserHistory, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf } from './session.ts'

/**
 * The router's history. Always use it instead of `location`, which lags behind for a moment and
 * then still names the previous mode.
 */
export const history = createBrowserHistory()

export const useMode = (): Mode =>
  useRouterState({ select: ({ location }) => modeOf(location.pathname) })
