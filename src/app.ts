import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { hasOtherApprover, mountPeople, peopleSweeper, personMailing } from './console/console.ts'
import { sessionAuthenticator } from './console/sessions.ts'
import { mountAssets } from './http/assets.ts'
import { mountDocs } from './http/docs.ts'
import { isLoopbackUrl } from './http/local.ts'
import { mountMethodGuards } from './http/method-guards.ts'
import { documentRoutes } from './http/openapi.ts'
import { mountOperations } from './http/operations.ts'
import { type RateLimit, rateLimiter } from './http/rate-limit.ts'
import { type Mounted, mount } from './http/route.ts'
import { buildServer, HANDLER_TIMEOUT_MS } from './http/server.ts'
import { ledgerSeal } from './ledger/seals.ts'
import type { Secret } from './lib/secret.ts'
import type { S3Address } from './lib/storage-url.ts'
import type { Tenant } from './lib/tenant.ts'
import type { Mailings } from './mail/letter.ts'
import { openSmtp, type SmtpOptions } from './mail/smtp.ts'
import { mailSweeper } from './mail/sweeper.ts'
import { openPrinter } from './pdf/printer.ts'
import type { Notice } from './providers/provider.ts'
import { openProviders } from './providers/providers.ts'
import { openSimulator, simulatorSweeper } from './providers/simulator/simulator.ts'
import { bankRoutes } from './resources/banks/routes.ts'
import { mountLogos } from './resources/branding/routes.ts'
import { BRANDING_REFERENCES } from './resources/branding/service.ts'
import { checkoutExpirySweeper } from './resources/checkout/close.ts'
import { orderMailing } from './resources/checkout/letters.ts'
import { mountCheckoutPage } from './resources/checkout/page-routes.ts'
import { CHECKOUT_PURPOSE } from './resources/checkout/paid-for.ts'
import { checkoutRoutes } from './resources/checkout/routes.ts'
import { checkoutPurpose } from './resources/checkout/settle.ts'
import type { Deps } from './resources/deps.ts'
import { eventWebhooks } from './resources/events/openapi.ts'
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
import { orderRoutes } from './resources/orders/routes.ts'
import { partnerAuthenticator } from './resources/partners/authenticate.ts'
import { partnerRoutes } from './resources/partners/routes.ts'
import { partnerTokenSweeper } from './resources/partners/sweep.ts'
import { mountPartnerTokens } from './resources/partners/token-routes.ts'
import { mountPaymentPage } from './resources/payment-pages/page-routes.ts'
import { paymentPageRoutes } from './resources/payment-pages/routes.ts'
import { closeViews, pageViewSweeper } from './resources/payment-pages/views.ts'
import { discountExpirySweeper } from './resources/products/discounts/expire.ts'
import { digitalFileRoutes, mountDownloads } from './resources/products/downloads/routes.ts'
import { FILE_REFERENCES } from './resources/products/downloads/service.ts'
import { stockExpirySweeper } from './resources/products/inventory/expire.ts'
import { mediaRoutes, mountMedia } from './resources/products/media/routes.ts'
import { MEDIA_REFERENCES, mediaLimits } from './resources/products/media/service.ts'
import { mediaSweepers } from './resources/products/media/sweep.ts'
import { productRoutes } from './resources/products/routes.ts'
import { profileRoutes } from './resources/profile/routes.ts'
import { refundRoutes } from './resources/refunds/routes.ts'
import { lookUpRefund, refundSweeper } from './resources/refunds/sweeper.ts'
import {
  openRequestLog,
  type RequestLog,
  type RequestLogOptions,
} from './resources/requests/log.ts'
import { requestLogSweeper } from './resources/requests/prune.ts'
import { requestRoutes } from './resources/requests/routes.ts'
import { lookUpSettlement, settlementPayoutSweeper } from './resources/settlements/payouts.ts'
import { settlementRoutes } from './resources/settlements/routes.ts'
import { settlementSweeper } from './resources/settlements/schedule.ts'
import { simulatorRoutes } from './resources/simulator/routes.ts'
import { splitPageRoutes } from './resources/split-pages/routes.ts'
import { subaccountRoutes } from './resources/subaccounts/routes.ts'
import { CHARGE_PURPOSE, chargePurpose } from './resources/transactions/charges.ts'
import { expirySweeper } from './resources/transactions/expire.ts'
import { lookUp, lookUpSweeper } from './resources/transactions/look-up.ts'
import type { Purposes } from './resources/transactions/purposes.ts'
import { transactionReadRoutes } from './resources/transactions/read-routes.ts'
import { transactionRoutes } from './resources/transactions/routes.ts'
import { transactionTextSweeper } from './resources/transactions/search-index.ts'
import { transferRoutes } from './resources/transfers/routes.ts'
import { lookUpTransfer, transferSweeper } from './resources/transfers/sweeper.ts'
import { utilityRoutes } from './resources/utility/routes.ts'
import { enquirySweeper, lookUpUtility, utilitySweeper } from './resources/utility/sweeper.ts'
import { walletRoutes } from './resources/wallet/routes.ts'
import { type Deliverer, openDeliverer, type WebhookOptions } from './resources/webhooks/deliver.ts'
import { webhookMailing } from './resources/webhooks/letters.ts'
import { webhookRoutes } from './resources/webhooks/routes.ts'
import { WEBHOOK_SWEEPER, webhookSweepers } from './resources/webhooks/sweeper.ts'
import { openFiles, storeOf } from './storage/blobs.ts'
import { openStorage } from './storage/storage.ts'
import { blobSweeper } from './storage/sweeper.ts'
import { pruneSweeper } from './sweepers/prune.ts'
import type { Sweeper } from './sweepers/sweepers.ts'
import { VERSION } from './version.ts'

export interface AppOptions extends Omit<Deps, 'providers' | 'printer' | 'files'> {
  log: Logger
  rateLimit: RateLimit
  simulatorDelayMs: number
  idempotencyMs: number
  handlerTimeoutMs?: number
  trustProxy: string[]
  /** Unset, mails stay in the mailbox of this machine. */
  smtp?: SmtpOptions | undefined
  metricsToken: Secret | undefined
  storage: StorageOptions
  requestLog?: RequestLogOptions
  webhooks: WebhookOptions
}

interface StorageOptions {
  /** Of files that come in, and of all files where no bucket is given; made when it is needed. */
  directory: string
  bucket?: S3Address | undefined
  mediaBytesMax?: number
  fileBytesMax?: number
  /** From which addresses the server fetches pictures; public ones, unless a test says so. */
  allowsAddress?(address: string): boolean
}

export interface App {
  server: FastifyInstance
  mounted: Mounted[]
  sweepers: Sweeper[]
  deliverer: Deliverer
  requestLog: RequestLog
}

/** Every slice of the server, one a line. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { log } = options
  const printer = openPrinter()
  const { directory, bucket } = options.storage
  const storage = await openStorage(storeOf(directory), bucket)
  const files = openFiles({ ...options, storage, directory })
  const requestLog = openRequestLog(options, options.requestLog)
  const providers = openProviders(openSimulator(options))
  const deps: Deps = { ...options, printer, providers, files }
  const purposes: Purposes = {
    [INVOICE_PURPOSE]: invoicePurpose(deps),
    [CHARGE_PURPOSE]: chargePurpose(deps),
    [CHECKOUT_PURPOSE]: checkoutPurpose(deps),
  }
  const withPurposes = { ...deps, purposes, log }
  const deliverer = openDeliverer({ ...deps, ...options.webhooks, log })

  const mailings: Mailings = {
    ...invoiceMailings(deps),
    order_receipt: orderMailing(deps),
    owner_notice: keyMailing,
    webhook_disabled: webhookMailing,
    person_notice: personMailing(deps),
  }
  const smtp = options.smtp && (await openSmtp(options.smtp))
  const references = [...MEDIA_REFERENCES, ...FILE_REFERENCES, ...BRANDING_REFERENCES]
  const mail = mailSweeper({ ...options, mailings, smtp })
  const sweepers: Sweeper[] = [
    simulatorSweeper(
      options,
      noticeOf({
        charge: (...about) => lookUp(withPurposes, ...about),
        refund: (...about) => lookUpRefund(withPurposes, ...about),
        utility: (...about) => lookUpUtility({ ...deps, log }, ...about),
        payout: whoever([
          (...about) => lookUpTransfer({ ...deps, log }, ...about),
          (...about) => lookUpSettlement({ ...deps, log }, ...about),
        ]),
      }),
    ),
    expirySweeper(deps),
    checkoutExpirySweeper(deps),
    lookUpSweeper(withPurposes),
    transferSweeper(deps),
    refundSweeper(withPurposes),
    utilitySweeper(deps),
    enquirySweeper,
    settlementSweeper(deps),
    stockExpirySweeper,
    discountExpirySweeper,
    settlementPayoutSweeper({ ...deps, log }),
    invoiceScheduleSweeper(deps),
    invoiceTextSweeper,
    transactionTextSweeper,
    ledgerSeal,
    mail,
    pageViewSweeper,
    ...mediaSweepers({ ...deps, log: options.log }),
    ...webhookSweepers(deliverer),
    blobSweeper({ directory, storage, references }),
    partnerTokenSweeper,
    peopleSweeper,
    pruneSweeper,
    requestLogSweeper(requestLog.days),
  ]
  const nudgeClock = () => {
    for (const { name, followsTestClock } of sweepers) if (followsTestClock) deps.nudge(name)
  }

  const mediaDeps = { ...deps, ...mediaLimits(options.storage) }
  const routes = [
    ...profileRoutes(deps),
    ...partnerRoutes(deps),
    ...walletRoutes(deps),
    ...eventRoutes(deps),
    ...requestRoutes(deps, requestLog),
    ...bankRoutes(deps),
    ...invoiceRoutes(deps),
    ...transactionRoutes(deps),
    ...transactionReadRoutes(withPurposes),
    ...transferRoutes({ ...deps, hasOtherApprover }),
    ...refundRoutes(deps),
    ...utilityRoutes({ ...deps, log }),
    ...checkoutRoutes(deps),
    ...orderRoutes(deps),
    ...subaccountRoutes(deps),
    ...productRoutes(deps),
    ...mediaRoutes(mediaDeps),
    ...digitalFileRoutes({ ...deps, fileBytesMax: options.storage.fileBytesMax ?? 500 * MIB }),
    ...settlementRoutes(deps),
    ...splitPageRoutes(deps),
    ...paymentPageRoutes(mediaDeps),
    ...webhookRoutes({ ...deps, webhooks: options.webhooks, deliverer }),
    ...simulatorRoutes({ ...withPurposes, nudgeClock }),
  ]

  const { db, clock, publicUrl, rateLimit, trustProxy, metricsToken } = options
  const server = buildServer({ logger: log, trustProxy })
  // What was done may have told something: one look a moment later serves many requests.
  server.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') deps.nudge(WEBHOOK_SWEEPER, 10)
  })
  server.addHook('onClose', async () => {
    await deliverer.stop()
    await printer.close()
    storage.close()
    await requestLog.close()
    await closeViews(db).catch((error) => log.warn({ err: error }, 'views of pages were lost'))
  })
  const takeToken = rateLimiter(rateLimit)
  const take = (who: string | number) => takeToken(who, clock.now().getTime())
  await documentRoutes(server, { publicUrl, version: VERSION, webhooks: eventWebhooks() })
  const kernel = {
    db,
    authenticate: sessionAuthenticator(
      { ...deps, log },
      partnerAuthenticator({ ...deps, log }, authenticator({ ...deps, log })),
    ),
    takeToken: take,
    idempotencyMs: options.idempotencyMs,
    handlerTimeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
    spool: files.spool,
    exchanges: requestLog.days > 0 ? requestLog : undefined,
  }
  const mounted = [
    ...mountOperations(server, {
      db,
      metricsToken,
      exchanges: requestLog,
      measures: [deliverer, mail],
    }),
    ...mount(server, kernel, routes),
    ...mountPartnerTokens(server, options),
    ...mountInvoicePage(server, withPurposes, (ip) => void take(`payer ${ip}`)),
    ...mountPaymentPage(server, withPurposes, (ip) => void take(`payer ${ip}`)),
    ...mountCheckoutPage(server, withPurposes, (ip) => void take(`payer ${ip}`)),
    ...mountDownloads(server, deps, (ip) => void take(`payer ${ip}`)),
    ...(isMailboxOpen(options)
      ? mountMailbox(server, { db, clock, mailings }, (ip) => void take(`mailbox ${ip}`))
      : []),
    ...mountDocs(server, publicUrl),
  ]
  mountAssets(server)
  mountPeople(server, { ...deps, mailings, log }, take)
  mountMedia(server, mediaDeps)
  mountLogos(server, deps)
  mountMethodGuards(server, mounted)
  await server.ready()
  return { server, mounted, sweepers, deliverer, requestLog }
}

const MIB = 1024 * 1024

type Heard = (tenant: Tenant, reference: string, now: Date) => Promise<void>

/** Whom each kind of a provider's notice is told. */
const noticeOf =
  (listeners: Partial<Record<Notice['about'], Heard>>) =>
  async ({ tenant, about, reference }: Notice, now: Date) =>
    listeners[about]?.(tenant, reference, now)

/** The first whose it is acts on it; what is nobody's is ignored. */
const whoever =
  (asked: readonly ((...about: Parameters<Heard>) => Promise<boolean>)[]): Heard =>
  async (...about) => {
    for (const act of asked) if (await act(...about)) return
  }

/** Mails that nobody can send are read here, while the server is for this machine alone. */
const isMailboxOpen = ({ smtp, publicUrl }: AppOptions) => !smtp && isLoopbackUrl(publicUrl)
