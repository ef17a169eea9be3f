import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Download, sendDownload } from '../../http/download.ts'
import { localeOf } from '../../http/language.ts'
import { mountVersion } from '../../http/page-version.ts'
import { servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/payer-limits.ts'
import type { Mounted } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import {
  accentStyle,
  renderCheckoutPage,
  renderMessagePage,
  renderOrderReceipt,
  textsOf,
} from '../../pages/pages.ts'
import type { Deps } from '../deps.ts'
import { chosenChannel, type SimulateAttempt } from '../transactions/attempt-view.ts'
import { keepLanguage } from '../transactions/language.ts'
import { setAddress, typedAddress } from './address.ts'
import { cancelCheckout } from './close.ts'
import {
  checkoutByCode,
  checkoutVersion,
  checkoutView,
  lacksAddress,
  type OpenedCheckout,
  openAttempt,
  putAside,
} from './page-service.ts'
import { CHECKOUT_PURPOSE } from './paid-for.ts'
import { payCheckout } from './pay.ts'
import { receiptPdf } from './pdf.ts'
import { reopenCheckout } from './reopen.ts'

type Form = Record<string, unknown>
interface Params {
  accessCode: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/checkout/:accessCode',
  operation: 'show_checkout_page',
  status: 200,
  errors: 'fields',
}

const RECEIPT: Mounted = { ...SHOW, url: '/receipt/:token', operation: 'show_receipt_page' }
const PDF: Mounted = { ...SHOW, url: `${RECEIPT.url}/pdf`, operation: 'show_receipt_pdf' }

/** The hosted page of a checkout, its forms, and its receipt; every failure is a page too. */
export function mountCheckoutPage(
  server: FastifyInstance,
  deps: Deps & { simulateAttempt: SimulateAttempt },
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const { page, back } = servePages(pages, limits.take)

    pages.get<{ Params: Params }>(SHOW.url, async (request, reply) => {
      const view = await checkoutView(deps, await checkoutByCode(deps, request.params.accessCode))
      return page(request, reply, (ctx) => renderCheckoutPage(view, ctx))
    })

    pages.get<{ Params: { token: string } }>(RECEIPT.url, async (request, reply) => {
      const { token } = request.params
      const view = await checkoutView(deps, await checkoutByCode(deps, token))
      // There is nothing to keep yet: the page says how it stands.
      if (view.status !== 'Paid') return back(reply, `/checkout/${encodeURIComponent(token)}`)
      return page(request, reply, (ctx) => renderOrderReceipt(view, ctx))
    })

    pages.get<{ Params: { token: string } }>(PDF.url, async (request, reply) => {
      const { token } = request.params
      const locale = localeOf(request.headers)
      const pdf = await receiptPdf(deps, await checkoutByCode(deps, token), locale)
      if (!pdf) return back(reply, `/checkout/${encodeURIComponent(token)}`)
      const file = { type: 'application/pdf', name: pdf.name, disposition: 'inline' } as const
      reply.header('vary', 'accept-language, cookie')
      return sendDownload(request, reply, new Download(pdf.bytes, file))
    })

    mountVersion(
      pages,
      SHOW.url,
      ({ accessCode }: Params) => checkoutVersion(deps, accessCode),
      limits.networkOf,
    )

    pages.get<{ Params: { name: string } }>('/accent/:name', async (request, reply) => {
      const style = accentStyle(request.params.name)
      if (!style) throw new Problem('not_found', 'route_not_found', 'There is nothing here.')
      reply.header('cache-control', 'public, max-age=31536000, immutable')
      return reply.type('text/css; charset=utf-8').send(style)
    })

    type Request = FastifyRequest<{ Params: Params }>
    const pathOf = ({ params }: Request) => `/checkout/${encodeURIComponent(params.accessCode)}`
    const toPage = (request: Request, reply: FastifyReply) => back(reply, pathOf(request))

    pages.get<{ Params: Params }>(`${SHOW.url}/address`, async (request, reply) => {
      const view = await checkoutView(deps, await checkoutByCode(deps, request.params.accessCode))
      if (!view.asksAddress) return toPage(request, reply)
      const address = { typed: view.delivery?.address ?? '', isFault: false }
      return page(request, reply, (ctx) => renderCheckoutPage({ ...view, address }, ctx))
    })

    pages.post<{ Params: Params }>(`${SHOW.url}/address`, async (request, reply) => {
      limits.takeOfLink(request.params.accessCode)
      const opened = await checkoutByCode(deps, request.params.accessCode)
      const { row, tenant, now } = opened
      const given = (request.body as Form | undefined)?.address
      const address = typedAddress(given)
      if (address !== undefined) {
        await deps.db.transaction((tx) => setAddress(tx, { ...tenant, now }, row.id, address))
        return toPage(request, reply)
      }
      const typed = typeof given === 'string' ? given.slice(0, 2_000) : ''
      const view = await checkoutView(deps, opened)
      const shown = { ...view, address: { typed, isFault: true } }
      return page(request, reply.code(400), (ctx) => renderCheckoutPage(shown, ctx))
    })

    const form = (
      path: string,
      act: (opened: OpenedCheckout, form: Form, request: FastifyRequest) => Promise<unknown>,
    ) => {
      const url = `${SHOW.url}/${path}`
      pages.post<{ Params: Params }>(url, async (request, reply) => {
        limits.takeOfLink(request.params.accessCode)
        const opened = await checkoutByCode(deps, request.params.accessCode)
        try {
          await act(opened, (request.body ?? {}) as Form, request)
        } catch (error) {
          // It was put aside for a while only, and somebody else has it now.
          if (!(error instanceof Problem && error.code === 'out_of_stock')) throw error
          return page(request, reply.code(409), (ctx) => {
            const [title, text] = textsOf(ctx.locale).shop.closed.soldOut(opened.terms.name)
            const shown = { status: 409, title, text, icon: 'stopped' } as const
            return renderMessagePage({ ...shown, back: pathOf(request) }, ctx)
          })
        }
        return toPage(request, reply)
      })
      // Whoever reloads or shares the address of a form is led to the page.
      pages.get<{ Params: Params }>(url, async (request, reply) => toPage(request, reply))
    }

    form('pay', async (opened, sent, { headers }) => {
      const { row, tenant, now } = opened
      // The page asks for it in place of the ways to pay.
      if (await lacksAddress(deps.db, opened)) return
      const bankCode = typeof sent.bankCode === 'string' ? sent.bankCode : null
      const way = { channel: chosenChannel(sent.channel), bankCode }
      await payCheckout(deps, { ...tenant, now }, row.id, way)
      const paidFor = { purpose: CHECKOUT_PURPOSE, purposeId: row.id }
      await keepLanguage(deps.db, tenant, paidFor, localeOf(headers))
    })

    form('cancel-payment', (opened) => putAside(deps.db, opened))

    form('cancel', ({ row, tenant, now }) =>
      deps.db.transaction((tx) => cancelCheckout(tx, deps, { ...tenant, now }, row.id, 'payer')),
    )

    form('again', ({ row, tenant, now }) =>
      deps.db.transaction((tx) => reopenCheckout(tx, deps, { ...tenant, now }, row.id)),
    )

    form('simulate', async (opened, { outcome }) => {
      const { tenant, now } = opened
      const attempt = await openAttempt(deps.db, opened)
      const ending = outcome === 'failed' ? 'failed' : 'success'
      await deps.simulateAttempt({ ...tenant, now }, attempt, ending)
    })
  })
  return [SHOW, RECEIPT, PDF]
}
