import { success } from '../http/envelopes.ts'
import { localeOf } from '../http/language.ts'
import { InvoiceDraft, previewInvoice } from '../resources/invoices/preview.ts'
import { Draft, previewPage } from '../resources/payment-pages/preview.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/** Pages that are being written, as their payers will see them: to be shown, not to be used. */
export const pagePreviewRoutes = (
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'publicUrl' | 'providers'>,
): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/page-preview',
    asker: 'member',
    scope: 'payment_pages:read',
    body: Draft,
    bodyBytes: 'form',
    async handle({ caller, body, request }) {
      const html = await previewPage(deps, caller, body, localeOf(request.headers))
      return success('The page.', { html })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/invoice-preview',
    asker: 'member',
    scope: 'invoices:read',
    body: InvoiceDraft,
    bodyBytes: 'form',
    async handle({ caller, body, request }) {
      const html = await previewInvoice(deps, caller, body, localeOf(request.headers))
      return success('The page.', { html })
    },
  }),
]
