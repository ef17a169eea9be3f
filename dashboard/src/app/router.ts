import { createRouter } from '@tanstack/react-router'
import { history } from '../api/history.ts'
import { LoadingScreen } from '../ui/feedback.tsx'
import { routeTree } from './routes.tsx'

export const router = createRouter({
  history,
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingScreen,
  scrollRestoration: true,
  // The screen of another record opens without the dialogs and the typed text of the previous one.
  // The shell stays in the other mode, and a link to another section of the settings keeps the
  // focus.
  defaultRemountDeps: ({ routeId, params }) =>
    routeId === '/$mode' || routeId === '/$mode/settings/$section' ? undefined : params,
  // Keeps filters in the URL as plain text instead of JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString()
    return text ? `?${text}` : ''
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
