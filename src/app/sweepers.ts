import { WATCHED } from '../audit.ts'
import { peopleSweeper } from '../console/console.ts'
import { digestSeal } from '../ledger/digest-seals.ts'
import { ledgerSeal } from '../ledger/seals.ts'
import { oldRowSweeper } from '../ledger/watched.ts'
import type { Tenant } from '../lib/tenant.ts'
import { letterSweeper } from '../mail/kept.ts'
import type { Notice } from '../providers/provider.ts'
import { simulatorSweeper } from '../providers/simulator/simulator.ts'
import { BRANDING_REFERENCES } from '../resources/branding/service.ts'
import { checkoutExpirySweeper } from '../resources/checkout/close.ts'
import { invoiceTextSweeper } from '../resources/invoices/search-index.ts'
import { invoiceScheduleSweeper } from '../resources/invoices/sweep.ts'
import { partnerTokenSweeper } from '../resources/partners/sweep.ts'
import { pageViewSweeper } from '../resources/payment-pages/views.ts'
import { discountExpirySweeper } from '../resources/products/discounts/expire.ts'
import { FILE_REFERENCES } from '../resources/products/downloads/service.ts'
import { stockExpirySweeper } from '../resources/products/inventory/expire.ts'
import { MEDIA_REFERENCES } from '../resources/products/media/service.ts'
import { mediaSweepers } from '../resources/products/media/sweep.ts'
import { lookUpRefund, refundSweeper } from '../resources/refunds/sweeper.ts'
import { requestLogSweeper } from '../resources/requests/prune.ts'
import { lookUpSettlement, settlementPayoutSweeper } from '../resources/settlements/payouts.ts'
import { settlementSweeper } from '../resources/settlements/schedule.ts'
import { holderSweeper } from '../resources/subaccounts/holders.ts'
import { expirySweeper } from '../resources/transactions/expire.ts'
import { lookUp, lookUpSweeper } from '../resources/transactions/look-up.ts'
import { transactionTextSweeper } from '../resources/transactions/search-index.ts'
import { lookUpTransfer, transferSweeper } from '../resources/transfers/sweeper.ts'
import { transferTextSweeper } from '../resources/transfers/texts.ts'
import { enquirySweeper, lookUpUtility, utilitySweeper } from '../resources/utility/sweeper.ts'
import { webhookSweepers } from '../resources/webhooks/sweeper.ts'
import { blobSweeper } from '../storage/sweeper.ts'
import { pruneSweeper } from '../sweepers/prune.ts'
import type { Sweeper } from '../sweepers/sweepers.ts'
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
    noticeOf({
      charge: (...about) => lookUp(withPurposes, ...about),
      refund: (...about) => lookUpRefund(withPurposes, ...about),
      utility: (...about) => lookUpUtility(deps, ...about),
      payout: whoever([
        (...about) => lookUpTransfer(deps, ...about),
        (...about) => lookUpSettlement(deps, ...about),
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
