import { createBrowserHistory, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf } from './session.ts'

/**
 * The router's history. Use it instead of `location`, which lags slightly behind and would still
 * name the previous mode.
 */
export const history = createBrowserHistory()

export const useMode = (): Mode =>
  useRouterState({ select: ({ location }) => modeOf(location.pathname) })
