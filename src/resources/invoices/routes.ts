import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { invoiceCreator } from './create.ts'
import { InvoiceList, InvoiceQuery, InvoiceReference, NewInvoice, OneInvoice } from './schemas.ts'
import { getInvoice, listInvoices, sendInvoice, voidInvoice } from './service.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const

export function invoiceRoutes(deps: Deps): Route[] {
  const create = invoiceCreator(deps)
  return [
    route({
      ...slice,
      operation: 'create_invoice',
      summary: 'Create an invoice',
      method: 'POST',
      path: '/invoices',
      scope: 'invoices:write',
      status: 201,
      body: NewInvoice,
      answer: OneInvoice,
      handle: ({ caller, body, claim }) => create(caller, body, claim),
    }),
    route({
      ...slice,
      operation: 'list_invoices',
      summary: 'List invoices',
      method: 'GET',
      path: '/invoices',
      scope: 'invoices:read',
      query: InvoiceQuery,
      answer: InvoiceList,
      handle: async ({ caller, query }) => {
        const { records, meta } = await listInvoices(deps.db, deps, caller, query)
        return success('Invoices.', records, meta)
      },
    }),
    route({
      ...slice,
      operation: 'get_invoice',
      summary: 'Get an invoice',
      method: 'GET',
      path: '/invoices/:reference',
      scope: 'invoices:read',
      params: InvoiceReference,
      answer: OneInvoice,
      handle: async ({ caller, params }) =>
        success('Invoice.', await getInvoice(deps.db, deps, caller, params.reference)),
    }),
    route({
      ...slice,
      operation: 'send_invoice',
      summary: 'Send an invoice, or send it again',
      method: 'POST',
      path: '/invoices/:reference/send',
      scope: 'invoices:write',
      params: InvoiceReference,
      answer: OneInvoice,
      handle: ({ once, caller, params }) =>
        once(async (tx) =>
          success('Invoice sent.', await sendInvoice(tx, deps, caller, params.reference)),
        ),
    }),
    route({
      ...slice,
      operation: 'void_invoice',
      summary: 'Void an invoice',
      method: 'POST',
      path: '/invoices/:reference/void',
      scope: 'invoices:write',
      params: InvoiceReference,
      answer: OneInvoice,
      handle: ({ once, caller, params }) =>
        once(async (tx) =>
          success('Invoice voided.', await voidInvoice(tx, deps, caller, params.reference)),
        ),
    }),
  ]
}
