import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Download, sendDownload } from '../../http/download.ts'
import { localeOf } from '../../http/language.ts'
import { mountVersion } from '../../http/page-version.ts'
import { servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/payer-limits.ts'
import type { Mounted } from '../../http/route.ts'
import { renderInvoicePage } from '../../pages/pages.ts'
import type { InvoiceView } from '../../pages/views.ts'
import type { Deps } from '../deps.ts'
import { chosenChannel, type SimulateAttempt } from '../transactions/attempt-view.ts'
import { keepLanguage } from '../transactions/language.ts'
import {
  invoiceView,
  openAttempt,
  openPage,
  pageVersion,
  payInvoice,
  putAside,
  recordView,
} from './page-service.ts'
import { chosenPart, typedAmount } from './part.ts'
import { openedPdf } from './pdf.ts'
import { INVOICE_PURPOSE } from './service.ts'

type Form = Record<string, unknown>
interface Params {
  token: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/i/:token',
  operation: 'show_invoice_page',
  status: 200,
  errors: 'fields',
}

const PDF: Mounted = { ...SHOW, url: `${SHOW.url}/pdf`, operation: 'show_invoice_pdf' }

/** The hosted page of an invoice and its forms; every failure is a page in the same look. */
export function mountInvoicePage(
  server: FastifyInstance,
  deps: Deps & { simulateAttempt: SimulateAttempt },
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const { page, back } = servePages(pages, limits.take)

    pages.get<{ Params: Params; Querystring: Form }>(SHOW.url, async (request, reply) => {
      const opened = await openPage(deps, request.params.token)
      if (request.method === 'GET') await recordView(deps, opened)
      const view = await invoiceView(deps, opened, typedAmount(request.query))
      return page(request, reply, (ctx) => renderInvoicePage(view, ctx))
    })

    mountVersion(pages, SHOW.url, ({ token }: Params) => pageVersion(deps, token), limits.networkOf)

    pages.get<{ Params: Params }>(PDF.url, async (request, reply) => {
      const opened = await openPage(deps, request.params.token)
      const { bytes, name } = await openedPdf(deps, opened)
      const file = { type: 'application/pdf', name, disposition: 'inline' } as const
      return sendDownload(request, reply, new Download(bytes, file))
    })

    // What an act answers is added to the address of the page that the payer is led back to, or it
    // is the page itself for a form that no page of ours sends.
    const form = (
      path: string,
      act: (
        request: FastifyRequest<{ Params: Params }>,
        form: Form,
      ) => Promise<string | InvoiceView>,
    ) => {
      const url = `${SHOW.url}/${path}`
      pages.post<{ Params: Params }>(url, async (request, reply: FastifyReply) => {
        limits.takeOfLink(request.params.token)
        const done = await act(request, (request.body ?? {}) as Form)
        if (typeof done === 'string') return back(reply, pathOf(request.params) + done)
        return page(request, reply.code(400), (ctx) => renderInvoicePage(done, ctx))
      })
      // Whoever reloads or shares the address of a form is led to the page.
      pages.get<{ Params: Params }>(url, async ({ params }, reply) => back(reply, pathOf(params)))
    }

    form('pay', async ({ params, headers }, sent) => {
      const opened = await openPage(deps, params.token)
      const typed = typedAmount(sent)
      const chosen = chosenPart(opened.row, typed)
      if (chosen === 'unclear') return invoiceView(deps, opened, typed)
      // The page then says what is wrong, beside the field, and a reload posts nothing.
      if (typeof chosen !== 'bigint') return `?${new URLSearchParams({ amount: typed ?? '' })}#part`
      await payInvoice(deps, opened, {
        amount_minor: chosen,
        channel: chosenChannel(sent.channel),
        bankCode: textOf(sent.bankCode) ?? null,
      })
      const paidFor = { purpose: INVOICE_PURPOSE, purposeId: opened.row.id }
      await keepLanguage(deps.db, opened.tenant, paidFor, localeOf(headers))
      return ''
    })

    form('cancel-payment', async ({ params }) =>
      putAside(deps.db, await openPage(deps, params.token)),
    )

    form('simulate', async ({ params }, { outcome }) => {
      const opened = await openPage(deps, params.token)
      const { tenant, now } = opened
      const attempt = await openAttempt(deps.db, opened)
      const ending = outcome === 'failed' ? 'failed' : 'success'
      await deps.simulateAttempt({ ...tenant, now }, attempt, ending)
      return ''
    })
  })
  return [SHOW, PDF]
}

/** A router has taken the escapes out of it. */
const pathOf = ({ token }: Params): string => `/i/${encodeURIComponent(token)}`

const TYPED_MAX = 40

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, TYPED_MAX) : undefined
