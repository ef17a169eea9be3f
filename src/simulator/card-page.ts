import type { FastifyInstance, FastifyRequest } from 'fastify'
import { merchantOf } from '../business/account/branding.ts'
import type { Deps } from '../deps.ts'
import { servePages, takeForms } from '../http/pages.ts'
import type { PayerLimits } from '../http/rate-limit.ts'
import type { Mounted } from '../http/route.ts'
import { notFound } from '../lib/problem.ts'
import { type PageContext, renderCardPage } from '../pages/pages.ts'
import { hostedContext } from '../payments/attempts/hosted.ts'
import {
  CARD_CHOICES,
  type CardChoice,
  type CardPayment,
  cardPagePath,
  chooseOnCardPage,
  findCardPayment,
} from '../providers/simulator/card-page.ts'
import type { SimulatorOptions } from '../providers/simulator/simulator.ts'

const SHOW: Mounted = {
  method: 'GET',
  url: '/simulator/pay/:token',
  operation: 'show_simulated_card_page',
  status: 200,
  errors: 'fields',
}

const CHOOSE: Mounted = {
  ...SHOW,
  method: 'POST',
  operation: 'choose_on_simulated_card_page',
  status: 303,
}

/** Mounts the page on which payers pay by card in test mode, as a provider's own page would be. */
export function mountCardPage(
  server: FastifyInstance,
  deps: Deps & SimulatorOptions,
  limits: PayerLimits,
): Mounted[] {
  type Request = FastifyRequest<{ Params: { token: string } }>
  const open = async ({ params: { token } }: Request): Promise<CardPayment> => {
    const payment = await findCardPayment(deps.db, token)
    if (payment) return payment
    throw notFound('transaction')
  }

  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const { page, back } = servePages(pages, limits.take, (url) => url)

    pages.get(SHOW.url, async (request: Request, reply) => {
      const { tenant, order } = await open(request)
      const { terms } = await hostedContext(deps, tenant)
      const { reference, amount_minor, currency, return_url, status } = order
      const view = {
        path: cardPagePath(tenant, reference),
        merchant: merchantOf(terms),
        amountMinor: amount_minor,
        currency,
        timeZone: terms.time_zone,
        returnUrl: return_url,
        isOver: status !== 'Pending' || order.due_at !== null,
      }
      const formTargets = [new URL(return_url).origin]
      return page(request, reply, (ctx: PageContext) => renderCardPage(view, ctx), formTargets)
    })

    pages.post(SHOW.url, async (request: Request, reply) => {
      limits.takeOfLink(request.params.token)
      const payment = await open(request)
      const { tenant, order } = payment
      const choice = choiceOf(request.body)
      if (!choice) return back(reply, cardPagePath(tenant, order.reference))
      const { now } = await hostedContext(deps, tenant)
      await chooseOnCardPage(deps, payment, choice, now)
      // A real provider adds its own fields too. They prove nothing, so nobody reads them.
      const to = new URL(order.return_url)
      to.searchParams.set('reference', order.reference)
      to.searchParams.set('status', choice === 'leave' ? 'cancelled' : 'completed')
      return back(reply, to.href)
    })
  })
  return [SHOW, CHOOSE]
}

function choiceOf(form: unknown): CardChoice | undefined {
  const { choice } = (form ?? {}) as { choice?: unknown }
  return CARD_CHOICES.find((one) => one === choice)
}
