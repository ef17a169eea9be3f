import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { mountAssets } from './http/assets.ts'
import { mountDocs } from './http/docs.ts'
import { isLoopbackUrl } from './http/local.ts'
import { documentRoutes } from './http/openapi.ts'
import { mountOperations } from './http/operations.ts'
import { type RateLimit, rateLimiter } from './http/rate-limit.ts'
import { type Mounted, mount, mountMethodGuards } from './http/route.ts'
import { buildServer, HANDLER_TIMEOUT_MS } from './http/server.ts'
import { ledgerSeal } from './ledger/seals.ts'
import type { Secret } from './lib/secret.ts'
import type { Mailings } from './mail/letter.ts'
import { openSmtp, type SmtpOptions } from './mail/smtp.ts'
import { mailSweeper } from './mail/sweeper.ts'
import { openProviders } from './providers/providers.ts'
import { openSimulator, simulatorSweeper } from './providers/simulator/simulator.ts'
import type { Deps } from './resources/deps.ts'
import { eventRoutes } from './resources/events/routes.ts'
import { invoiceMailings } from './resources/invoices/letters.ts'
import { mountInvoicePage } from './resources/invoices/page-routes.ts'
import { invoiceRoutes } from './resources/invoices/routes.ts'
import { invoiceTextSweeper } from './resources/invoices/search-index.ts'
import { INVOICE_PURPOSE } from './resources/invoices/service.ts'
import { invoicePurpose } from './resources/invoices/settle.ts'
import { invoiceScheduleSweeper } from './resources/invoices/sweep.ts'
import { authenticator } from './resources/keys/authenticate.ts'
import { keyMailing } from './resources/keys/notices.ts'
import { mountMailbox } from './resources/mailbox/routes.ts'
import { profileRoutes } from './resources/profile/routes.ts'
import { simulatorRoutes } from './resources/simulator/routes.ts'
import { expirySweeper } from './resources/transactions/expire.ts'
import { lookUp, lookUpSweeper } from './resources/transactions/look-up.ts'
import type { Purposes } from './resources/transactions/purposes.ts'
import { walletRoutes } from './resources/wallet/routes.ts'
import { pruneSweeper } from './sweepers/prune.ts'
import type { Sweeper } from './sweepers/sweepers.ts'
import { VERSION } from './version.ts'

export interface AppOptions extends Omit<Deps, 'providers'> {
  log: Logger
  rateLimit: RateLimit
  simulatorDelayMs: number
  idempotencyMs: number
  handlerTimeoutMs?: number
  trustProxy: string[]
  /** Unset, mails stay in the mailbox of this machine. */
  smtp?: SmtpOptions | undefined
  metricsToken: Secret | undefined
}

export interface App {
  server: FastifyInstance
  mounted: Mounted[]
  sweepers: Sweeper[]
}

/** Every slice of the server, one a line. */
export async function buildApp(options: AppOptions): Promise<App> {
  const deps: Deps = { ...options, providers: openProviders(openSimulator(options)) }
  const purposes: Purposes = { [INVOICE_PURPOSE]: invoicePurpose(deps) }
  const withPurposes = { ...deps, purposes }

  const mailings: Mailings = { ...invoiceMailings(deps), owner_notice: keyMailing }
  const smtp = options.smtp && (await openSmtp(options.smtp))
  const sweepers: Sweeper[] = [
    simulatorSweeper(({ tenant, reference }, now) => lookUp(withPurposes, tenant, reference, now)),
    expirySweeper(deps),
    lookUpSweeper(withPurposes),
    invoiceScheduleSweeper(deps),
    invoiceTextSweeper,
    ledgerSeal,
    mailSweeper({ ...options, mailings, smtp }),
    pruneSweeper,
  ]
  const nudgeClock = () => {
    for (const { name, followsTestClock } of sweepers) if (followsTestClock) deps.nudge(name)
  }

  const routes = [
    ...profileRoutes(deps),
    ...walletRoutes(deps),
    ...eventRoutes(deps),
    ...invoiceRoutes(deps),
    ...simulatorRoutes({ ...withPurposes, nudgeClock }),
  ]

  const { db, clock, log, publicUrl, rateLimit, trustProxy, metricsToken } = options
  const server = buildServer({ logger: log, trustProxy })
  const takeToken = rateLimiter(rateLimit)
  const take = (who: string | number) => takeToken(who, clock.now().getTime())
  await documentRoutes(server, { publicUrl, version: VERSION })
  const kernel = {
    db,
    authenticate: authenticator({ ...deps, log }),
    takeToken: take,
    idempotencyMs: options.idempotencyMs,
    handlerTimeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
  }
  const mounted = [
    ...mountOperations(server, { db, metricsToken }),
    ...mount(server, kernel, routes),
    ...mountInvoicePage(server, withPurposes, (ip) => void take(`payer ${ip}`)),
    ...(isMailboxOpen(options)
      ? mountMailbox(server, { db, clock, mailings }, (ip) => void take(`mailbox ${ip}`))
      : []),
    ...mountDocs(server),
  ]
  mountAssets(server)
  mountMethodGuards(server, mounted)
  await server.ready()
  return { server, mounted, sweepers }
}

/** Mails that nobody can send are read here, while the server is for this machine alone. */
const isMailboxOpen = ({ smtp, publicUrl }: AppOptions) => !smtp && isLoopbackUrl(publicUrl)
