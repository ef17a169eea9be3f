import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSwitch, servePages, takeForms } from '../../http/pages.ts'
import type { Mounted } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import { renderMessagePage, renderPaymentPage, textsOf } from '../../pages/pages.ts'
import { accessCodeOf, type CheckoutRow, findCheckout } from '../checkout/service.ts'
import { startCheckout } from '../checkout/start.ts'
import type { Deps } from '../deps.ts'
import { type Filled, type Form, faultsOf, readForm } from './page-form.ts'
import { CLOSED_STATUS, type OpenedPage, openPage } from './page-service.ts'
import { pageView, type Typed } from './page-view.ts'
import { countView } from './service.ts'

interface Params {
  customLink: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/pay/:customLink',
  operation: 'show_payment_page',
  status: 200,
  errors: 'fields',
}

const FILL_IN: Mounted = {
  ...SHOW,
  method: 'POST',
  operation: 'fill_in_payment_page',
  status: 303,
}

/** When to look again whether there is a way to pay, as the API says it. */
const NO_WAY_SECONDS = '3600'

/** The hosted payment pages, and the form that begins a checkout; every failure is a page too. */
export function mountPaymentPage(
  server: FastifyInstance,
  deps: Deps,
  takeToken: (ip: string) => void,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'form')
    const { page, back } = servePages(pages, takeToken, (url) => url)

    type Request = FastifyRequest<{ Params: Params }>
    const show = (request: Request, reply: FastifyReply, opened: OpenedPage, typed?: Typed) => {
      const { closed, terms } = opened
      if (!closed) {
        const view = pageView(opened, deps.publicUrl, typed)
        const isRefused = typed && !isSwitch(request)
        return page(request, reply.code(isRefused ? 400 : 200), (ctx) =>
          renderPaymentPage(view, ctx),
        )
      }
      const status = CLOSED_STATUS[closed]
      if (closed === 'notYet') reply.header('retry-after', NO_WAY_SECONDS)
      return page(request, reply.code(status), (ctx) => {
        const [title, text] = textsOf(ctx.locale).shop.closed[closed](terms.name)
        const icon = status === 410 ? 'clock' : 'cross'
        return renderMessagePage({ status, title, text, icon }, ctx)
      })
    }

    pages.get<{ Params: Params }>(SHOW.url, async (request, reply) => {
      const opened = await openPage(deps, request.params.customLink)
      const isLook = request.method === 'GET' && !opened.closed && opened.page
      if (isLook) countView(deps.db, opened.tenant, opened.page!.id)
      return show(request, reply, opened)
    })

    pages.post<{ Params: Params }>(FILL_IN.url, async (request, reply) => {
      const form = (request.body ?? {}) as Form
      const opened = await openPage(deps, request.params.customLink)
      const once = onceOf(form)
      const reference = referenceOf(opened, form, once)
      // Before all else: it may itself have taken the last of what it is refused for now.
      const earlier = await checkoutOf(deps, opened, reference)
      if (earlier) return back(reply, `/checkout/${accessCodeOf(earlier)}`)
      if (opened.closed) return show(request, reply, opened)
      const filled = readForm(opened, form)
      const { values } = filled
      if (filled.faults.length > 0 || isSwitch(request)) {
        return show(request, reply, opened, { values, faults: filled.faults, once })
      }
      try {
        const checkout = await begin(deps, opened, filled, reference)
        return back(reply, `/checkout/${accessCodeOf(checkout)}`)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const first = await checkoutOf(deps, opened, reference)
        if (first) return back(reply, `/checkout/${accessCodeOf(first)}`)
        // It may have been closed, or sold, since it was shown.
        const now = await openPage(deps, request.params.customLink)
        if (now.closed) return show(request, reply, now)
        const again = readForm(now, form).faults
        const faults = again.length > 0 ? again : faultsOf(error, now, values)
        if (!faults) throw error
        return show(request, reply, now, { values, faults, once })
      }
    })
  })
  return [SHOW, FILL_IN]
}

const ONCE = /^[\w-]{22}$/

/** Names one filling in; a form without it is sent for the first time whenever it comes. */
const onceOf = ({ once }: Form): string =>
  typeof once === 'string' && ONCE.test(once) ? once : randomBytes(16).toString('base64url')

/**
 * Names the checkout of a form: the same form sent twice, by two taps or a reload, leads to the
 * same. Only who has the form can make its reference, so a reference leads nobody else there.
 */
function referenceOf({ tenant, link }: OpenedPage, form: Form, once: string): string {
  const fields = Object.entries(form).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const said = JSON.stringify([link, tenant, once, fields])
  return `CHK_${createHash('sha256').update(said).digest('base64url').slice(0, 22)}`
}

async function checkoutOf(
  { db }: Deps,
  { tenant }: OpenedPage,
  reference: string,
): Promise<CheckoutRow | undefined> {
  try {
    return await findCheckout(db, tenant, reference)
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return undefined
    throw error
  }
}

const begin = (deps: Deps, { tenant, now }: OpenedPage, { request }: Filled, reference: string) =>
  deps.db.transaction((tx) =>
    startCheckout(tx, deps, { ...tenant, now }, { ...request, reference }, { isPayer: true }),
  )
