import { localeOf } from '../http/language.ts'
import { Draft, previewPage } from '../resources/payment-pages/preview.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/** A payment page that is being written, as its payers will see it: to be shown, not to be used. */
export const pagePreviewRoutes = (
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'publicUrl'>,
): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/page-preview',
    asker: 'member',
    scope: 'payment_pages:read',
    body: Draft,
    async handle({ caller, body, request }) {
      const html = await previewPage(deps, caller, body, localeOf(request.headers))
      return { status: 'success', message: 'The page.', data: { html } }
    },
  }),
]
