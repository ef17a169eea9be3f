import { createBrowserHistory, useRouterState } from '@tanstack/react-router'
import { type Mode, modeOf } from './session.ts'

/**
 * The router's history. `location` lags slightly behind it and would still name the mode that was
 * just left.
 */
export const history = createBrowserHistory()

/** The mode of the current screen. */
export const useMode = (): Mode =>
  useRouterState({ select: ({ location }) => modeOf(location.pathname) })
