import { WATCHED } from '../audit.ts'
import { BRANDING_REFERENCES } from '../business/account/branding.ts'
import { partnerTokenSweeper } from '../business/partners/service.ts'
import { requestLogSweeper } from '../developers/request-log/log.ts'
import { webhookSweepers } from '../developers/webhooks/jobs.ts'
import { blobSweeper } from '../files/jobs.ts'
import type { Sweeper } from '../jobs/jobs.ts'
import { pruneSweeper } from '../jobs/jobs.ts'
import { digestSeal, ledgerSeal } from '../ledger/seals.ts'
import { oldRowSweeper } from '../ledger/watched.ts'
import { letterSweeper } from '../mail/kept.ts'
import { enquirySweeper, lookUpUtility, utilitySweeper } from '../money/bills/jobs.ts'
import { settlementSweeper } from '../money/settlements/jobs.ts'
import { lookUpSettlement, settlementPayoutSweeper } from '../money/settlements/payout.ts'
import { holderSweeper } from '../money/subaccounts/holders.ts'
import { lookUpTransfer, transferSweeper } from '../money/transfers/jobs.ts'
import { transferTextSweeper } from '../money/transfers/search.ts'
import { expirySweeper, lookUpCharge, lookUpSweeper } from '../payments/attempts/jobs.ts'
import { transactionTextSweeper } from '../payments/attempts/search.ts'
import { lookUpRefund, refundSweeper } from '../payments/refunds/jobs.ts'
import { noticesTo } from '../provider-orders/orders.ts'
import { simulatorSweeper } from '../provider-orders/simulator/simulator.ts'
import { checkoutExpirySweeper } from '../sales/checkout/close.ts'
import { discountExpirySweeper } from '../sales/discounts/jobs.ts'
import { invoiceTextSweeper } from '../sales/invoices/list.ts'
import { invoiceScheduleSweeper } from '../sales/invoices/reminders.ts'
import { pageViewSweeper } from '../sales/payment-pages/paying.ts'
import { FILE_REFERENCES } from '../sales/products/downloads/service.ts'
import { mediaSweepers } from '../sales/products/media/jobs.ts'
import { MEDIA_REFERENCES } from '../sales/products/media/service.ts'
import { stockExpirySweeper } from '../sales/products/stock/jobs.ts'
import { peopleSweeper } from './console.ts'
import type { Shared } from './shared.ts'

/** Whose rows refer to content of the store, which stays as long as one does. */
const REFERENCES = [...MEDIA_REFERENCES, ...FILE_REFERENCES, ...BRANDING_REFERENCES]

/** What falls due, of every slice, one a line. */
export const sweepersOf = ({
  options,
  deps,
  withPurposes,
  storage,
  requestLog,
  deliverer,
  mail,
}: Shared): Sweeper[] => [
  simulatorSweeper(
    options,
    // What is ordered from providers, and who asks about it.
    noticesTo({
      charge: { about: 'charge', lookUp: (...order) => lookUpCharge(withPurposes, ...order) },
      refund: { about: 'refund', lookUp: (...order) => lookUpRefund(withPurposes, ...order) },
      transfer: { about: 'payout', lookUp: (...order) => lookUpTransfer(deps, ...order) },
      settlement: { about: 'payout', lookUp: (...order) => lookUpSettlement(deps, ...order) },
      bill: { about: 'utility', lookUp: (...order) => lookUpUtility(deps, ...order) },
    }),
  ),
  expirySweeper(deps),
  checkoutExpirySweeper(deps),
  lookUpSweeper(withPurposes),
  transferSweeper(deps),
  refundSweeper(withPurposes),
  utilitySweeper(deps),
  enquirySweeper,
  holderSweeper(deps),
  settlementSweeper(deps),
  stockExpirySweeper,
  discountExpirySweeper,
  settlementPayoutSweeper(deps),
  invoiceScheduleSweeper(deps),
  invoiceTextSweeper,
  transactionTextSweeper,
  transferTextSweeper,
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
