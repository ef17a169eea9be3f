import type { Static, TSchema } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { dayIn } from '../../lib/dates.ts'
import { invoiceCreator } from './create.ts'
import { exportInvoices, listInvoices } from './list.ts'
import { invoicePdf } from './page.ts'
import { remindInvoice, sendInvoice } from './reminders.ts'
import {
  InvoiceFilters,
  InvoiceList,
  InvoiceQuery,
  InvoiceReference,
  MarkPaid,
  NewInvoice,
  OneInvoice,
  UpdateInvoice,
} from './schemas.ts'
import { editablePartOf, getInvoice, type InvoiceDeps, lockInvoiceRecord } from './service.ts'
import { markPaid } from './settle.ts'
import { updateInvoice, voidInvoice } from './update.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const

export function invoiceRoutes(deps: Deps, create = invoiceCreator(deps)): Route[] {
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
      response: OneInvoice,
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
      response: InvoiceList,
      handle: async ({ caller, query }) => {
        const { records, meta } = await listInvoices(deps.db, deps, caller, query)
        return success('Invoices retrieved.', records, meta)
      },
    }),
    route({
      ...slice,
      operation: 'export_invoices',
      summary: 'Export invoices as CSV',
      method: 'GET',
      path: '/invoices/export',
      scope: 'invoices:read',
      query: InvoiceFilters,
      response: FileOf('text/csv'),
      handle: async ({ caller, query }) =>
        new Download(await exportInvoices(deps, caller, query), {
          type: 'text/csv; charset=utf-8',
          name: `invoices-${dayIn(caller.timeZone, caller.now)}.csv`,
          disposition: 'attachment',
        }),
    }),
    route({
      ...slice,
      operation: 'get_invoice',
      summary: 'Get an invoice',
      method: 'GET',
      path: '/invoices/:reference',
      scope: 'invoices:read',
      params: InvoiceReference,
      response: OneInvoice,
      editable: editablePartOf,
      handle: async ({ caller, params }) =>
        success('Invoice retrieved.', await getInvoice(deps.db, deps, caller, params.reference)),
    }),
    route({
      ...slice,
      operation: 'get_invoice_pdf',
      summary: 'Get an invoice as a PDF',
      method: 'GET',
      path: '/invoices/:reference/pdf',
      scope: 'invoices:read',
      params: InvoiceReference,
      response: FileOf('application/pdf'),
      handle: async ({ caller, params }) => {
        const { bytes, name } = await invoicePdf(deps, caller, params.reference)
        return new Download(bytes, { type: 'application/pdf', name, disposition: 'inline' })
      },
    }),
    change(deps, {
      operation: 'update_invoice',
      summary: 'Update an invoice',
      method: 'PUT',
      path: '/invoices/:reference',
      body: UpdateInvoice,
      done: 'Invoice updated.',
      act: updateInvoice,
    }),
    change(deps, {
      operation: 'send_invoice',
      summary: 'Send or resend an invoice',
      method: 'POST',
      path: '/invoices/:reference/send',
      done: 'Invoice sent.',
      act: sendInvoice,
    }),
    change(deps, {
      operation: 'remind_invoice',
      summary: 'Send a payment reminder for an invoice',
      method: 'POST',
      path: '/invoices/:reference/remind',
      done: 'Reminder sent.',
      act: remindInvoice,
    }),
    change(deps, {
      operation: 'mark_invoice_paid',
      summary: 'Mark an invoice as paid',
      method: 'POST',
      path: '/invoices/:reference/mark-paid',
      body: MarkPaid,
      done: 'Payment recorded.',
      act: markPaid,
    }),
    change(deps, {
      operation: 'void_invoice',
      summary: 'Void an invoice',
      method: 'POST',
      path: '/invoices/:reference/void',
      done: 'Invoice voided.',
      act: voidInvoice,
    }),
  ]
}

interface Change<Body extends TSchema> {
  operation: string
  summary: string
  method: 'POST' | 'PUT'
  path: `/${string}`
  body?: Body
  done: string
  act(
    tx: Tx,
    deps: InvoiceDeps,
    caller: Caller,
    reference: string,
    request: Static<Body>,
  ): Promise<Static<typeof OneInvoice>['data']>
}

/** A route that changes one invoice and returns it. */
const change = <Body extends TSchema>(deps: Deps, { done, act, ...spec }: Change<Body>): Route =>
  route({
    ...slice,
    ...spec,
    scope: 'invoices:write',
    params: InvoiceReference,
    response: OneInvoice,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockInvoiceRecord(tx, deps, caller, params.reference),
    handle: ({ once, caller, params, body }) =>
      once(async (tx) =>
        success(done, await act(tx, deps, caller, params.reference, body as Static<Body>)),
      ),
  })
