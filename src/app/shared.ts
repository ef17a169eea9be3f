import type { Logger } from 'pino'
import { newsMailing, openPeople, personMailing } from '../console/console.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { SlowRequests } from '../http/server.ts'
import type { Secret } from '../lib/secret.ts'
import type { S3Address } from '../lib/storage-url.ts'
import type { Mailings } from '../mail/letter.ts'
import { openSmtp, type SmtpOptions } from '../mail/smtp.ts'
import { mailSweeper } from '../mail/sweeper.ts'
import { openPrinter } from '../pdf/printer.ts'
import { openProviders } from '../providers/providers.ts'
import { openSimulator } from '../providers/simulator/simulator.ts'
import { orderMailing } from '../resources/checkout/letters.ts'
import { CHECKOUT_PURPOSE } from '../resources/checkout/paid-for.ts'
import { checkoutPurpose } from '../resources/checkout/settle.ts'
import type { Deps } from '../resources/deps.ts'
import { invoiceMailings } from '../resources/invoices/letters.ts'
import { INVOICE_PURPOSE } from '../resources/invoices/service.ts'
import { invoicePurpose } from '../resources/invoices/settle.ts'
import { keyMailing } from '../resources/keys/notices.ts'
import { closeViews } from '../resources/payment-pages/views.ts'
import { mediaLimits } from '../resources/products/media/service.ts'
import { refundMailing } from '../resources/refunds/letters.ts'
import { openRequestLog, type RequestLogOptions } from '../resources/requests/log.ts'
import { CHARGE_PURPOSE, chargePurpose } from '../resources/transactions/charges.ts'
import type { Purposes } from '../resources/transactions/purposes.ts'
import { openDeliverer, type WebhookOptions } from '../resources/webhooks/deliver.ts'
import { webhookMailing } from '../resources/webhooks/letters.ts'
import { openFiles, storeOf } from '../storage/blobs.ts'
import { openStorage } from '../storage/storage.ts'
import { EVENT_CATALOGUE } from './events.ts'

export interface AppOptions
  extends Omit<Deps, 'providers' | 'printer' | 'files' | 'people' | 'events'> {
  log: Logger
  rateLimit: RateLimit
  simulatorDelayMs: number
  idempotencyMs: number
  handlerTimeoutMs?: number
  slowRequests?: SlowRequests
  /** How often a stream of the dashboard proves its session again. */
  proveStreamsMs?: number
  trustProxy: string[]
  /** Unset, mails stay in the mailbox of this machine. */
  smtp?: SmtpOptions | undefined
  /** How long letters are kept; a year unless given. */
  mailDays?: number
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

export type Shared = Awaited<ReturnType<typeof openShared>>

/** What the slices are built with, each opened once. */
export async function openShared(options: AppOptions) {
  const { log } = options
  const printer = openPrinter()
  const { directory, bucket } = options.storage
  const storage = await openStorage(storeOf(directory), bucket)
  const files = openFiles({ ...options, storage, directory })
  const requestLog = openRequestLog(options, options.requestLog)
  const providers = openProviders(openSimulator(options))
  const people = openPeople(options)
  const deps: Deps = { ...options, printer, providers, files, people, events: EVENT_CATALOGUE }
  const purposes: Purposes = {
    [INVOICE_PURPOSE]: invoicePurpose(deps),
    [CHARGE_PURPOSE]: chargePurpose(deps),
    [CHECKOUT_PURPOSE]: checkoutPurpose(deps),
  }
  const deliverer = openDeliverer({ ...deps, ...options.webhooks, log })
  const mailings: Mailings = {
    ...invoiceMailings(deps),
    order_receipt: orderMailing(deps),
    refund: refundMailing(deps),
    owner_notice: keyMailing,
    webhook_disabled: webhookMailing,
    person_notice: personMailing(deps),
    person_news: newsMailing(deps),
  }
  const smtp = options.smtp && (await openSmtp(options.smtp))

  async function close(): Promise<void> {
    await deliverer.stop()
    await printer.close()
    storage.close()
    await requestLog.close()
    await closeViews(options.db).catch((error) =>
      log.warn({ err: error }, 'views of pages were lost'),
    )
  }
  return {
    options,
    deps: { ...deps, log },
    withPurposes: { ...deps, purposes, log },
    mediaDeps: { ...deps, ...mediaLimits(options.storage), log },
    storage,
    requestLog,
    deliverer,
    mailings,
    mail: mailSweeper({ ...options, mailings, smtp }),
    close,
  }
}
