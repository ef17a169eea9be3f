import type { Logger } from 'pino'
import { keyEmailComposer } from '../business/keys/mails.ts'
import type { SharedLimits } from '../db/shared-limits.ts'
import type { ConsoleDeps, Deps } from '../deps.ts'
import type { EventRetention } from '../developers/events/retention.ts'
import { openRequestLog, type RequestLogOptions } from '../developers/request-log/log.ts'
import { openDeliverer, type WebhookOptions } from '../developers/webhooks/deliver.ts'
import { webhookEmailComposer } from '../developers/webhooks/mails.ts'
import { openFiles, storeDirectory } from '../files/files.ts'
import { openStorage } from '../files/storage.ts'
import type { Draining } from '../http/draining.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { SlowRequests } from '../http/server.ts'
import type { Archive } from '../jobs/archive.ts'
import type { Peers } from '../lib/peers.ts'
import type { S3Address } from '../lib/service-urls.ts'
import type { Secret } from '../lib/tokens.ts'
import type { EmailComposers } from '../mail/email.ts'
import { mailJob } from '../mail/jobs.ts'
import { openSmtp, type SmtpOptions } from '../mail/smtp.ts'
import { billOrders } from '../money/bills/provider-order.ts'
import { settlementOrders } from '../money/settlements/provider-order.ts'
import { transferOrders } from '../money/transfers/provider-order.ts'
import { chargeOrders } from '../payments/attempts/jobs.ts'
import type { Payables } from '../payments/attempts/settle.ts'
import { CHARGE_PURPOSE, chargePayable } from '../payments/attempts/settle.ts'
import { incomingPayments } from '../payments/deposits/receive.ts'
import { depositReturnOrders } from '../payments/deposits/return.ts'
import type { DisputeReportDeps } from '../payments/disputes/apply-report.ts'
import { responseOrders } from '../payments/disputes/provider-order.ts'
import { refundEmailComposer } from '../payments/refunds/mails.ts'
import { refundOrders } from '../payments/refunds/provider-order.ts'
import { openPrinter } from '../pdf/printer.ts'
import type { OrderKind, OrderKindName } from '../provider-orders/orders.ts'
import { openCalls } from '../providers/calls/calls.ts'
import type { Connector } from '../providers/connector/types.ts'
import { type HttpProviders, openHttpProviders } from '../providers/http-provider.ts'
import { openInbox } from '../providers/inbox/inbox.ts'
import { openPauses } from '../providers/pauses.ts'
import { type Connectors, openProviders } from '../providers/providers.ts'
import { HTTP_CONNECTORS, NOTICE_READERS } from '../providers/registry.ts'
import { openSimulator } from '../providers/simulator/simulator.ts'
import { checkoutPayable } from '../sales/checkout/close.ts'
import { orderEmailComposer } from '../sales/checkout/mails.ts'
import { CHECKOUT_PURPOSE } from '../sales/checkout/payable.ts'
import { invoiceEmailComposers } from '../sales/invoices/mails.ts'
import { INVOICE_PURPOSE } from '../sales/invoices/service.ts'
import { invoicePayable } from '../sales/invoices/settle.ts'
import { closeViews } from '../sales/payment-pages/service.ts'
import { mediaLimits } from '../sales/products/media/service.ts'
import { memberEmailComposer, openPeople, personEmailComposer } from './console.ts'
import { EVENT_CATALOGUE } from './event-catalogue.ts'

export interface AppOptions
  extends Omit<Deps, 'providers' | 'pauses' | 'printer' | 'files' | 'people' | 'events'>,
    Pick<ConsoleDeps, 'passwordCost'> {
  log: Logger
  /** The hosts that connections to providers can use instead of their provider's own. */
  providerHosts?: readonly string[]
  rateLimit: RateLimit
  sharedLimits?: SharedLimits | undefined
  simulatorDelayMs: number
  /** Returns connectors to use instead of the server's own. */
  connectors?(simulator: Connector): Connectors
  idempotencyMs: number
  handlerTimeoutMs?: number
  slowRequests?: SlowRequests
  /** How often the dashboard's live update stream checks that its session is still valid. */
  proveStreamsMs?: number
  trustProxy: string[]
  /** If unset, emails stay in the mailbox on this machine. */
  smtp?: SmtpOptions | undefined
  /** How long the content of emails is kept; one year by default. */
  mailDays?: number
  /** How long emails stay in the lists; for ever by default. */
  mailListDays?: number | undefined
  /** How long webhook deliveries are kept; 30 days by default. */
  deliveryDays?: number
  /** By default, events are kept for ever. */
  eventRetention?: Partial<EventRetention>
  /** Where old rows are written before they are deleted; nowhere by default. */
  archive?: Archive | undefined
  /** The directory of the embedded database, if its WAL is archived. */
  walArchiveOf?: string | undefined
  metricsToken: Secret | undefined
  /** The other processes of this server, if there are any. */
  peers?: Peers | undefined
  /** Tells when this process is being taken out of service. */
  draining?: Draining | undefined
  storage: StorageOptions
  requestLog?: RequestLogOptions
  webhooks: WebhookOptions
}

interface StorageOptions {
  /** The directory for uploads, and for all files if there is no bucket; created when needed. */
  directory: string
  bucket?: S3Address | undefined
  mediaBytesMax?: number
  fileBytesMax?: number
  /**
   * Returns whether the server can fetch images from an IP address. By default, only public
   * addresses are allowed.
   */
  allowsAddress?(address: string): boolean
}

export type Shared = Awaited<ReturnType<typeof openShared>>

function connectorsOf(options: AppOptions, { bind }: HttpProviders): Connectors {
  const simulator = openSimulator(options)
  const paystack = bind(HTTP_CONNECTORS.paystack)
  const flutterwave = bind(HTTP_CONNECTORS.flutterwave)
  return { simulator, paystack, flutterwave, ...options.connectors?.(simulator) }
}

/** Opens the dependencies that slices share. */
export async function openShared(options: AppOptions) {
  const { log } = options
  const printer = openPrinter()
  const { directory, bucket } = options.storage
  const storage = await openStorage(storeDirectory(directory), bucket)
  const files = openFiles({ ...options, storage, directory })
  const requestLog = openRequestLog(options, options.requestLog)
  const calls = openCalls(options)
  const httpProviders = openHttpProviders(options, calls)
  const pauses = openPauses(options.db)
  const connectors = connectorsOf(options, httpProviders)
  const providers = openProviders(options.db, connectors, calls, pauses)
  const people = openPeople(options)
  const deps: Deps = {
    ...options,
    printer,
    providers,
    pauses,
    files,
    people,
    events: EVENT_CATALOGUE,
  }
  const inbox = openInbox({ ...options, log }, NOTICE_READERS)
  const payables: Payables = {
    [INVOICE_PURPOSE]: invoicePayable(deps),
    [CHARGE_PURPOSE]: chargePayable(deps),
    [CHECKOUT_PURPOSE]: checkoutPayable(deps),
  }
  const incoming = incomingPayments({ db: deps.db, ids: deps.ids, payables })
  const withPayables = { ...deps, payables, incoming, log }
  const orderKinds: Record<OrderKindName, OrderKind> = {
    charge: chargeOrders(withPayables),
    transfer: transferOrders(withPayables),
    settlement: settlementOrders(withPayables),
    refund: refundOrders(withPayables),
    deposit_return: depositReturnOrders(deps),
    bill: billOrders(withPayables),
    dispute_response: responseOrders(withPayables),
  }
  const disputes: DisputeReportDeps = { ...withPayables, charges: orderKinds.charge }
  const deliverer = openDeliverer({ ...deps, ...options.webhooks, log })
  const emailComposers: EmailComposers = {
    ...invoiceEmailComposers(deps),
    order_receipt: orderEmailComposer(deps),
    refund: refundEmailComposer(deps),
    owner_notice: keyEmailComposer,
    webhook_disabled: webhookEmailComposer,
    person_notice: personEmailComposer(deps),
    person_news: memberEmailComposer(deps),
  }
  const smtp = options.smtp && (await openSmtp(options.smtp))

  async function close(): Promise<void> {
    await deliverer.stop()
    await printer.close()
    httpProviders.close()
    storage.close()
    await requestLog.close()
    await inbox
      .flush()
      .catch((error) => log.warn({ err: error }, 'counts of notifications were lost'))
    await closeViews(options.db).catch((error) => log.warn({ err: error }, 'page views were lost'))
  }
  return {
    options,
    deps: { ...deps, log },
    withPayables: { ...withPayables, orderKinds, disputes },
    orderKinds,
    disputes,
    mediaDeps: { ...deps, ...mediaLimits(options.storage), log },
    storage,
    requestLog,
    inbox,
    calls,
    httpProviders,
    deliverer,
    emailComposers,
    mail: mailJob({ ...options, emailComposers, smtp }),
    close,
  }
}
