import { Type } from 'typebox'
import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { localeOf } from '../http/pages.ts'
import { type Route, route } from '../http/route.ts'
import { Envelope } from '../lib/schemas.ts'
import { InvoiceDraft, previewInvoice } from '../sales/invoices/page.ts'
import { Draft, previewPage } from '../sales/payment-pages/payer/view.ts'

const PageHtml = Envelope(Type.Object({ html: Type.String() }))

/** Previews of unsaved pages, as payers will see them, but not interactive. */
export const pagePreviewRoutes = (
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'publicUrl' | 'providers'>,
): Route[] => [
  route({
    operation: 'preview_payment_page',
    method: 'POST',
    path: '/page-preview',
    caller: 'member',
    scope: 'payment_pages:read',
    body: Draft,
    bodyBytes: 'form',
    response: PageHtml,
    async handle({ caller, body, request }) {
      const html = await previewPage(deps, caller, body, localeOf(request.headers))
      return success('Preview rendered.', { html })
    },
  }),
  route({
    operation: 'preview_invoice',
    method: 'POST',
    path: '/invoice-preview',
    caller: 'member',
    scope: 'invoices:read',
    body: InvoiceDraft,
    bodyBytes: 'form',
    response: PageHtml,
    async handle({ caller, body, request }) {
      const html = await previewInvoice(deps, caller, body, localeOf(request.headers))
      return success('Preview rendered.', { html })
    },
  }),
]
