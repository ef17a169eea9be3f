import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSwitch, servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/payer-limits.ts'
import type { Mounted } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import { type PageFault, renderMessagePage, renderPaymentPage, textsOf } from '../../pages/pages.ts'
import { merchantOf } from '../branding/shown.ts'
import { giveUp } from '../checkout/close.ts'
import { type Payer, payerOf } from '../checkout/payer.ts'
import type { NewCheckout } from '../checkout/schemas.ts'
import { accessCodeOf, type CheckoutRow, findCheckout } from '../checkout/service.ts'
import { startCheckout } from '../checkout/start.ts'
import type { Deps } from '../deps.ts'
import { type Form, faultsOf, readForm } from './page-form.ts'
import { CLOSED_STATUS, type OpenedPage, openPage } from './page-service.ts'
import { pageView, type Typed } from './page-view.ts'
import { cameFrom, filledFor, withOwnGoods } from './prefill.ts'
import { isWrongCode, quoteOf, redone } from './redo.ts'
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
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'form')
    const { page, back } = servePages(pages, limits.take, (url) => url)
    pages.addHook('onRequest', async ({ ip, params }) =>
      limits.takeOfPage(ip, (params as Params).customLink),
    )

    type Request = FastifyRequest<{ Params: Params }>
    const show = (request: Request, reply: FastifyReply, opened: OpenedPage, typed?: Typed) => {
      const { closed, terms } = opened
      if (!closed) {
        const view = pageView(opened, deps.publicUrl, typed)
        const isRefused = typed && typed.faults.length > 0 && !isSwitch(request)
        return page(request, reply.code(isRefused ? 400 : 200), (ctx) =>
          renderPaymentPage(view, ctx),
        )
      }
      const status = CLOSED_STATUS[closed]
      if (closed === 'notYet') reply.header('retry-after', NO_WAY_SECONDS)
      return page(request, reply.code(status), (ctx) => {
        const [title, text] = textsOf(ctx.locale).shop.closed[closed](terms.name)
        const icon = status === 410 ? 'clock' : 'stopped'
        return renderMessagePage({ status, title, text, icon, ...shownAs(opened) }, ctx)
      })
    }

    /** The page, and the checkout of it that its payer comes back from. */
    const opening = async (link: string, code: unknown) => {
      const seen = await openPage(deps, link)
      const from = await cameFrom(deps.db, seen, code)
      return { from, opened: from ? await withOwnGoods(deps.db, seen, from) : seen }
    }

    pages.get<{ Params: Params; Querystring: Form }>(SHOW.url, async (request, reply) => {
      const { opened, from } = await opening(request.params.customLink, request.query.from)
      const isLook = request.method === 'GET' && !opened.closed && opened.page
      if (isLook) countView(deps.db, opened.tenant, opened.page!.id)
      if (!from || opened.closed) return show(request, reply, opened)
      const values = await filledFor(deps.db, opened, from)
      const typed = { values, faults: [], once: newOnce(), from: accessCodeOf(from) }
      return show(request, reply, opened, typed)
    })

    pages.post<{ Params: Params }>(FILL_IN.url, async (request, reply) => {
      const form = (request.body ?? {}) as Form
      const { opened, from } = await opening(request.params.customLink, form.from)
      const once = onceOf(form)
      const reference = referenceOf(opened, form, once)
      // Before all else: it may itself have taken the last of what it is refused for now.
      const earlier = await checkoutOf(deps, opened, reference)
      if (earlier) return back(reply, `/checkout/${accessCodeOf(earlier)}`)
      if (opened.closed) return show(request, reply, opened)
      const filled = readForm(opened, form)
      const { values } = filled
      const kept = { once, ...(from && { from: accessCodeOf(from) }) }
      const guess = limits.guess(request.ip, opened.link)
      if (typeof form.do === 'string') {
        const again = await redone(deps.db, opened, filled, form.do, guess)
        return show(request, reply, opened, { ...again, ...kept })
      }
      const refuse = async (now: OpenedPage, faults: PageFault[]) => {
        const isKnown = faults.some(({ field }) => field === 'discountCode')
        const { quote } = isKnown ? {} : await quoteOf(deps.db, now, filled, guess)
        return show(request, reply, now, { values, ...kept, faults, ...(quote && { quote }) })
      }
      if (filled.faults.length > 0 || isSwitch(request)) return refuse(opened, filled.faults)
      if (values.discountCode && !guess.begin()) {
        return refuse(opened, [{ field: 'discountCode', code: 'tooMany' }])
      }
      try {
        const payer = await payerOf(deps.db, limits.networkOf(request.ip))
        const asked = { ...filled.request, reference }
        const checkout = await begin(deps, opened, asked, from, payer)
        if (values.discountCode) guess.right()
        return back(reply, `/checkout/${accessCodeOf(checkout)}`)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        if (values.discountCode && !isWrongCode(error)) guess.right()
        const first = await checkoutOf(deps, opened, reference)
        if (first) return back(reply, `/checkout/${accessCodeOf(first)}`)
        // It may have been closed, or sold, since it was shown.
        const now = await openPage(deps, request.params.customLink)
        if (now.closed) return show(request, reply, now)
        const again = readForm(now, form).faults
        const faults = again.length > 0 ? again : faultsOf(error, now, values)
        if (!faults) throw error
        return refuse(now, faults)
      }
    })
  })
  return [SHOW, FILL_IN]
}

/** A page that is closed is the merchant's still. */
const shownAs = ({ terms, tenant, page }: OpenedPage) => ({
  merchant: merchantOf(terms),
  test: !tenant.live,
  ...(page?.color && { color: page.color }),
})

const ONCE = /^[\w-]{22}$/

/** Names one filling in; a form without it is sent for the first time whenever it comes. */
const onceOf = ({ once }: Form): string =>
  typeof once === 'string' && ONCE.test(once) ? once : newOnce()

const newOnce = () => randomBytes(16).toString('base64url')

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

/** A checkout that the payer came back from to change it makes way for the new one. */
const begin = (
  deps: Deps,
  { tenant, now }: OpenedPage,
  request: NewCheckout,
  from: CheckoutRow | undefined,
  payer: Payer,
) =>
  deps.db.transaction(async (tx) => {
    const caller = { ...tenant, now }
    if (from) await giveUp(tx, deps, caller, from.id)
    return startCheckout(tx, deps, caller, request, payer)
  })
