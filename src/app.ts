import type { FastifyInstance } from 'fastify'
import { consoleRoutes } from './app/console.ts'
import { EVENT_CATALOGUE } from './app/event-catalogue.ts'
import { jobsOf } from './app/jobs.ts'
import { COLLECTION_WORDS, routesOf } from './app/routes.ts'
import { type AppOptions, openShared, type Shared } from './app/shared.ts'
import { lastBackup } from './backup/make.ts'
import { walArchiveAge } from './backup/wal/archive.ts'
import { mountLogos } from './business/account/routes.ts'
import { auditOperations } from './business/audit-log/log.ts'
import {
  authenticator,
  keysBeingForgotten,
  shareForgottenKeys,
} from './business/keys/authenticate.ts'
import { isWellFormed } from './business/keys/format.ts'
import { partnerAuthenticator } from './business/partners/authenticate.ts'
import { partnerTokenRoutes, tokenLimiter } from './business/partners/routes.ts'
import { callerOf, sessionAuthenticator, sessionVerifier } from './business/people/sessions.ts'
import { mountNotices } from './business/providers/notices.ts'
import { eventWebhooks } from './developers/events/openapi.ts'
import { mountMailbox } from './developers/mailbox/routes.ts'
import type { RequestLog } from './developers/request-log/log.ts'
import type { Deliverer } from './developers/webhooks/deliver.ts'
import { WEBHOOK_JOB } from './developers/webhooks/jobs.ts'
import { openBackground } from './http/after-response.ts'
import { mountAssets, mountDashboard } from './http/dashboard.ts'
import { mountDocs } from './http/docs.ts'
import { mountOperations, type OperationsDeps } from './http/health-and-metrics.ts'
import { isLoopbackUrl, networkOf } from './http/ip-addresses.ts'
import { consoleDocument, documentRoutes } from './http/openapi.ts'
import { guessLimiter, openLimiter, payerLimits } from './http/rate-limit.ts'
import { type Kernel, type Mounted, mount } from './http/route.ts'
import { buildServer, HANDLER_TIMEOUT_MS, mountMethodGuards } from './http/server.ts'
import type { Job } from './jobs/jobs.ts'
import type { Peers } from './lib/peers.ts'
import { lateWork, moneyMetrics } from './overview/money-metrics.ts'
import { unresolvedOrders } from './provider-orders/decisions.ts'
import type { Pauses } from './providers/pauses.ts'
import { mountCheckoutPage } from './sales/checkout/page.ts'
import { mountInvoicePage } from './sales/invoices/page.ts'
import { mountPaymentPage } from './sales/payment-pages/payer/page.ts'
import { mountDownloads } from './sales/products/downloads/routes.ts'
import { mountMedia } from './sales/products/media/routes.ts'
import { mountCardPage } from './simulator/card-page.ts'
import { simulateAttempt } from './simulator/service.ts'
import { VERSION } from './version.ts'

export type { AppOptions } from './app/shared.ts'

export interface App {
  server: FastifyInstance
  mounted: Mounted[]
  jobs: Job[]
  deliverer: Deliverer
  requestLog: RequestLog
  /** The dashboard's own routes as an OpenAPI document, which is not served. */
  describeConsole(): ReturnType<typeof consoleDocument>
}

/** Builds the server, ready to listen. The caller starts its jobs. */
export async function buildApp(options: AppOptions): Promise<App> {
  const shared = await openShared(options)
  const { deps, requestLog, deliverer } = shared
  const jobs = restingJobs(shared)
  const nudgeClock = () => {
    for (const { name, followsTestClock } of jobs) if (followsTestClock) deps.nudge(name)
  }

  const { log, publicUrl, trustProxy, peers } = options
  const server = buildServer({
    logger: log,
    trustProxy,
    isSecure: publicUrl.startsWith('https:'),
    ...(options.slowRequests && { slowRequests: options.slowRequests }),
  })
  // The write may have created an event. Waking the job a moment later lets one run cover many
  // requests.
  server.addHook('onResponse', ({ method }, _reply, done) => {
    if (method !== 'GET') deps.nudge(WEBHOOK_JOB, 10)
    done()
  })
  refuseWrites(server, deps.pauses)
  options.draining?.watch(server.server)
  if (peers) forgetKeysEverywhere(server, peers)
  server.addHook('onClose', shared.close)
  const take = openLimiter(options, 'requests')
  const limited = guessLimiter({
    ...options,
    networkOf,
    isCostly: ({ session, key }) => session !== undefined || isWellFormed(key),
  })
  await documentRoutes(server, {
    publicUrl,
    version: VERSION,
    webhooks: eventWebhooks(EVENT_CATALOGUE.kinds),
    collections: COLLECTION_WORDS,
  })
  const kernel = kernelOf(shared, take, limited)
  const background = openBackground(log)
  server.addHook('onClose', background.settled)
  const { emailComposers, httpProviders, calls } = shared
  const hosts = options.providerHosts ?? []
  const baseUrls = { allowsLoopback: options.webhooks.allowsLoopback, hosts }
  const people = { ...options, ...deps, emailComposers, background, httpProviders, calls, baseUrls }
  auditOperations(server, people)
  const routes = [...routesOf(shared, nudgeClock), ...consoleRoutes(server, people)]
  const mounted = [
    ...mountOperations(server, operationsOf(shared)),
    ...mount(server, kernel, routes),
    ...mount(server, { ...kernel, takeToken: tokenLimiter(options) }, partnerTokenRoutes(options)),
    ...mountPages(server, shared, take),
    ...mountNotices(server, shared, options),
    ...mountDocs(server, publicUrl),
  ]
  mountAssets(server)
  mountDashboard(server)
  const takePicture = takerOfPictures(options)
  mountMedia(server, shared.mediaDeps, takePicture)
  mountLogos(server, deps, takePicture)
  mountMethodGuards(server, mounted)
  await server.ready()
  const describeConsole = () => consoleDocument(routes)
  return { server, mounted, jobs, deliverer, requestLog, describeConsole }
}

/**
 * Builds what runs the jobs of a server if other processes handle its requests. Its own server has
 * only the routes for the operator.
 */
export async function buildJobs(
  options: AppOptions,
): Promise<Pick<App, 'server' | 'jobs' | 'deliverer'>> {
  const shared = await openShared(options)
  const { log, trustProxy } = options
  const server = buildServer({ logger: log, trustProxy })
  server.addHook('onClose', shared.close)
  mountOperations(server, operationsOf(shared))
  await server.ready()
  return { server, jobs: restingJobs(shared), deliverer: shared.deliverer }
}

const operationsOf = ({
  options,
  requestLog,
  inbox,
  calls,
  deliverer,
  mail,
}: Shared): OperationsDeps => ({
  db: options.db,
  metricsToken: options.metricsToken,
  peers: options.peers,
  draining: options.draining,
  exchanges: requestLog,
  measures: [
    deliverer,
    mail,
    inbox,
    calls,
    unresolvedOrders(options.db),
    lateWork(options.db, options.clock),
    lastBackup(options.db, options.clock),
    walArchiveAge(options.walArchiveOf, options.clock),
    moneyMetrics(options),
  ],
})

const READS = ['GET', 'HEAD', 'OPTIONS']

/** While the server only reads, refuses everything else, before it is authenticated. */
function refuseWrites(server: FastifyInstance, pauses: Pauses): void {
  server.addHook('onRequest', async ({ method, is404, routeOptions }) => {
    if (READS.includes(method) || is404 || routeOptions.config.reads) return
    await pauses.requireWritable()
  })
}

/** Jobs rest while the server only reads. */
const restingJobs = (shared: Shared): Job[] =>
  jobsOf(shared).map((job) => ({
    ...job,
    run: async (...args) => ((await shared.deps.pauses.isReadOnly()) ? 0 : job.run(...args)),
  }))

/**
 * Makes all processes forget a business's keys before the response to a revocation is sent, so that
 * whichever process handles the next request refuses it.
 */
function forgetKeysEverywhere(server: FastifyInstance, peers: Peers): void {
  shareForgottenKeys(peers)
  server.addHook('onSend', (_request, _reply, payload, done) => {
    const others = keysBeingForgotten()
    if (!others) return done(null, payload)
    void others.then(() => done(null, payload))
  })
}

type Take = (who: string | number) => Record<string, string>
type Limited = ReturnType<typeof guessLimiter>

/** Sets up authentication, rate limits and the request log. */
const kernelOf = (
  { options, deps, requestLog }: Shared,
  takeToken: Take,
  limited: Limited,
): Kernel => ({
  ...options,
  db: deps.db,
  pauses: deps.pauses,
  sessions: { verify: limited(sessionVerifier(deps)), callerOf },
  authenticate: limited(
    sessionAuthenticator(deps, partnerAuthenticator(deps, authenticator(deps))),
  ),
  takeToken,
  idempotencyMs: options.idempotencyMs,
  handlerTimeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
  spool: deps.files.spool,
  exchanges: requestLog.days > 0 ? requestLog : undefined,
})

/** Mounts the payer pages, which are outside the contract's route families. */
function mountPages(server: FastifyInstance, shared: Shared, take: Take): Mounted[] {
  const { options, deps, withPayables, emailComposers } = shared
  const withButtons = {
    ...withPayables,
    simulateAttempt: simulateAttempt.bind(undefined, withPayables),
  }
  const takeOfPayer = (ip: string) => void take(`payer ${networkOf(ip)}`)
  const limits = payerLimits(options, takeOfPayer, networkOf)
  return [
    ...mountInvoicePage(server, withButtons, limits),
    ...mountPaymentPage(server, withPayables, limits),
    ...mountCheckoutPage(server, withButtons, limits),
    ...mountCardPage(server, { ...options, ...deps }, limits),
    ...mountDownloads(server, deps, takeOfPayer),
    ...(isMailboxOpen(options)
      ? mountMailbox(server, { ...deps, emailComposers }, (ip) => void take(`mailbox ${ip}`))
      : []),
  ]
}

/**
 * How many image requests are allowed for each other request. A shop page shows this many images,
 * which browsers cache for a year.
 */
const PICTURES_FOR_EACH = 10

/** Returns a separate rate limiter for image requests, which counts them by IP address. */
function takerOfPictures(options: AppOptions) {
  const { perSecond, burst } = options.rateLimit
  const take = openLimiter(options, 'pictures', {
    perSecond: perSecond * PICTURES_FOR_EACH,
    burst: burst * PICTURES_FOR_EACH,
  })
  return (ip: string) => void take(networkOf(ip))
}

/**
 * The mailbox can be viewed only if there is no mail server and only this machine can reach the
 * server.
 */
const isMailboxOpen = ({ smtp, publicUrl }: AppOptions) => !smtp && isLoopbackUrl(publicUrl)
