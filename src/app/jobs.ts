import { WATCHED } from '../audit.ts'
import { BRANDING_REFERENCES } from '../business/account/branding.ts'
import { partnerTokenSweeper } from '../business/partners/service.ts'
import { requestLogSweeper } from '../developers/request-log/log.ts'
import { webhookSweepers } from '../developers/webhooks/jobs.ts'
import { blobSweeper } from '../files/jobs.ts'
import type { Sweeper } from '../jobs/jobs.ts'
import { pruneSweeper } from '../jobs/jobs.ts'
import { planSweeper } from '../jobs/plans.ts'
import { textSweeper } from '../jobs/text-index.ts'
import { digestSeal, ledgerSeal } from '../ledger/seals.ts'
import { oldRowSweeper } from '../ledger/watched.ts'
import { letterSweeper } from '../mail/kept.ts'
import { enquirySweeper } from '../money/bills/jobs.ts'
import { settlementSweeper } from '../money/settlements/jobs.ts'
import { holderSweeper } from '../money/subaccounts/holders.ts'
import { TRANSFERS } from '../money/transfers/list.ts'
import { expirySweeper } from '../payments/attempts/jobs.ts'
import { TRANSACTIONS } from '../payments/attempts/read.ts'
import { noticesTo, orderJob } from '../provider-orders/orders.ts'
import { simulatorSweeper } from '../provider-orders/simulator/simulator.ts'
import { checkoutExpirySweeper } from '../sales/checkout/close.ts'
import { discountExpirySweeper } from '../sales/discounts/jobs.ts'
import { INVOICES } from '../sales/invoices/list.ts'
import { invoiceScheduleSweeper } from '../sales/invoices/reminders.ts'
import { pageViewSweeper } from '../sales/payment-pages/paying.ts'
import { FILE_REFERENCES } from '../sales/products/downloads/service.ts'
import { mediaSweepers } from '../sales/products/media/jobs.ts'
import { MEDIA_REFERENCES } from '../sales/products/media/service.ts'
import { stockExpirySweeper } from '../sales/products/stock/jobs.ts'
import { peopleSweeper } from './console.ts'
import type { Shared } from './shared.ts'

/** The tables that refer to stored content, which is kept for as long as a row refers to it. */
const REFERENCES = [...MEDIA_REFERENCES, ...FILE_REFERENCES, ...BRANDING_REFERENCES]

/** The jobs from every slice, one per line. */
export const sweepersOf = ({
  options,
  deps,
  orderKinds,
  storage,
  requestLog,
  deliverer,
  mail,
}: Shared): Sweeper[] => [
  planSweeper(),
  simulatorSweeper(options, noticesTo(deps, orderKinds)),
  ...Object.values(orderKinds).map((kind) => orderJob(deps, kind)),
  expirySweeper(deps),
  checkoutExpirySweeper(deps),
  enquirySweeper,
  holderSweeper(deps),
  settlementSweeper(deps),
  stockExpirySweeper,
  discountExpirySweeper,
  invoiceScheduleSweeper(deps),
  // Transfers index themselves; this covers transfers created before they became searchable.
  textSweeper([INVOICES, TRANSACTIONS, TRANSFERS]),
  ledgerSeal,
  digestSeal,
  oldRowSweeper(WATCHED),
  mail,
  letterSweeper(options.mailDays ?? 365),
  pageViewSweeper,
  ...mediaSweepers(deps),
  ...webhookSweepers(deliverer),
  blobSweeper({ directory: options.storage.directory, storage, references: REFERENCES }),
  partnerTokenSweeper,
  peopleSweeper,
  pruneSweeper,
  requestLogSweeper(requestLog.days),
]
