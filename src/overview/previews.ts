import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { localeOf } from '../http/pages.ts'
import { type ConsoleRoute, consoleRoute } from '../http/session-route.ts'
import { InvoiceDraft, previewInvoice } from '../sales/invoices/page.ts'
import { Draft, previewPage } from '../sales/payment-pages/payer/view.ts'

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
