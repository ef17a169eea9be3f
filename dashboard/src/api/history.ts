import { createBrowserHistory } from '@tanstack/react-router'

/**
 * Where the router is. `location` is a moment behind it: whoever asked by that would ask in the mode
 * that was just left.
 */
export const history = createBrowserHistory()
