import type { FastifyInstance } from 'fastify'
import { mountPeople } from './app/console.ts'
import { EVENT_CATALOGUE } from './app/event-catalogue.ts'
import { sweepersOf } from './app/jobs.ts'
import { COLLECTION_WORDS, routesOf } from './app/routes.ts'
import { type AppOptions, openShared, type Shared } from './app/shared.ts'
import { mountLogos } from './business/account/routes.ts'
import { authenticator } from './business/keys/authenticate.ts'
import { isWellFormed } from './business/keys/format.ts'
import { partnerAuthenticator } from './business/partners/authenticate.ts'
import { mountPartnerTokens } from './business/partners/routes.ts'
import { sessionAuthenticator } from './business/people/sessions.ts'
import { eventWebhooks } from './developers/events/openapi.ts'
import { mountMailbox } from './developers/mailbox/routes.ts'
import type { RequestLog } from './developers/request-log/log.ts'
import type { Deliverer } from './developers/webhooks/deliver.ts'
import { WEBHOOK_SWEEPER } from './developers/webhooks/jobs.ts'
import { mountAssets } from './http/dashboard.ts'
import { mountDocs } from './http/docs.ts'
import { mountOperations } from './http/health-and-metrics.ts'
import { networkOf } from './http/ip-addresses.ts'
import { isLoopbackUrl } from './http/loopback.ts'
import { mountMethodGuards } from './http/method-guards.ts'
import { documentRoutes } from './http/openapi.ts'
import { guessLimiter, payerLimits, rateLimiter } from './http/rate-limit.ts'
import { type Kernel, type Mounted, mount } from './http/route.ts'
import { buildServer, HANDLER_TIMEOUT_MS } from './http/server.ts'
import type { Sweeper } from './jobs/jobs.ts'
import { mountCheckoutPage } from './sales/checkout/page.ts'
import { mountInvoicePage } from './sales/invoices/page.ts'
import { mountPaymentPage } from './sales/payment-pages/payer/page.ts'
import { mountDownloads } from './sales/products/downloads/routes.ts'
import { mountMedia } from './sales/products/media/routes.ts'
import { simulateAttempt } from './simulator/service.ts'
import { VERSION } from './version.ts'

export type { AppOptions } from './app/shared.ts'

export interface App {
  server: FastifyInstance
  mounted: Mounted[]
  sweepers: Sweeper[]
  deliverer: Deliverer
  requestLog: RequestLog
}

/** The whole server, ready to listen; whoever builds it runs its sweepers. */
export async function buildApp(options: AppOptions): Promise<App> {
  const shared = await openShared(options)
  const { deps, requestLog, deliverer, mail } = shared
  const sweepers = sweepersOf(shared)
  const nudgeClock = () => {
    for (const { name, followsTestClock } of sweepers) if (followsTestClock) deps.nudge(name)
  }

  const { db, log, clock, publicUrl, rateLimit, trustProxy, metricsToken } = options
  const server = buildServer({
    logger: log,
    trustProxy,
    isSecure: publicUrl.startsWith('https:'),
    ...(options.slowRequests && { slowRequests: options.slowRequests }),
  })
  // What was done may have told something: one look a moment later serves many requests.
  server.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') deps.nudge(WEBHOOK_SWEEPER, 10)
  })
  server.addHook('onClose', shared.close)
  const takeToken = rateLimiter(rateLimit)
  const take = (who: string | number) => takeToken(who, clock.now().getTime())
  const limited = guessLimiter({
    clock,
    isOff: rateLimit.perSecond === 0,
    networkOf,
    isCostly: ({ session, key }) => session !== undefined || isWellFormed(key),
  })
  await documentRoutes(server, {
    publicUrl,
    version: VERSION,
    webhooks: eventWebhooks(EVENT_CATALOGUE.kinds),
    collections: COLLECTION_WORDS,
  })
  const mounted = [
    ...mountOperations(server, {
      db,
      metricsToken,
      exchanges: requestLog,
      measures: [deliverer, mail],
    }),
    ...mount(server, kernelOf(shared, take, limited), routesOf(shared, nudgeClock)),
    ...mountPages(server, shared, take),
    ...mountDocs(server, publicUrl),
  ]
  mountAssets(server)
  const people = { ...options, ...deps, mailings: shared.mailings }
  mountPeople(server, people, take, limited)
  const takePicture = takerOfPictures(options)
  mountMedia(server, shared.mediaDeps, takePicture)
  mountLogos(server, deps, takePicture)
  mountMethodGuards(server, mounted)
  await server.ready()
  return { server, mounted, sweepers, deliverer, requestLog }
}

type Take = (who: string | number) => Record<string, string>
type Limited = ReturnType<typeof guessLimiter>

/** Who may ask, how often, and what is kept of it. */
const kernelOf = (
  { options, deps, requestLog }: Shared,
  takeToken: Take,
  limited: Limited,
): Kernel => ({
  db: deps.db,
  authenticate: limited(
    sessionAuthenticator(deps, partnerAuthenticator(deps, authenticator(deps))),
  ),
  takeToken,
  idempotencyMs: options.idempotencyMs,
  handlerTimeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
  spool: deps.files.spool,
  exchanges: requestLog.days > 0 ? requestLog : undefined,
})

/** What is outside the contract's families: pages for payers, and partners' tokens. */
function mountPages(server: FastifyInstance, shared: Shared, take: Take): Mounted[] {
  const { options, deps, withPurposes, mailings } = shared
  const withButtons = {
    ...withPurposes,
    simulateAttempt: simulateAttempt.bind(undefined, withPurposes),
  }
  const takeOfPayer = (ip: string) => void take(`payer ${networkOf(ip)}`)
  const limits = payerLimits(options, takeOfPayer, networkOf)
  return [
    ...mountPartnerTokens(server, options),
    ...mountInvoicePage(server, withButtons, limits),
    ...mountPaymentPage(server, withPurposes, limits),
    ...mountCheckoutPage(server, withButtons, limits),
    ...mountDownloads(server, deps, takeOfPayer),
    ...(isMailboxOpen(options)
      ? mountMailbox(server, { ...deps, mailings }, (ip) => void take(`mailbox ${ip}`))
      : []),
  ]
}

/** A page of a shop shows so many, each of which a browser keeps for a year. */
const PICTURES_FOR_EACH = 10

/** Counts pictures of an address, which have a limit of their own. */
function takerOfPictures({ rateLimit, clock }: AppOptions) {
  const { perSecond, burst } = rateLimit
  const take = rateLimiter({
    perSecond: perSecond * PICTURES_FOR_EACH,
    burst: burst * PICTURES_FOR_EACH,
  })
  return (ip: string) => void take(networkOf(ip), clock.now().getTime())
}

/** Mails that nobody can send are read here, while the server is for this machine alone. */
const isMailboxOpen = ({ smtp, publicUrl }: AppOptions) => !smtp && isLoopbackUrl(publicUrl)
