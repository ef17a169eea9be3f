import { PROTECTED_ROWS } from '../audit.ts'
import { BRANDING_REFERENCES } from '../business/account/branding.ts'
import { partnerTokenJob } from '../business/partners/service.ts'
import { eventExpiryJob } from '../developers/events/retention.ts'
import { requestLogJob } from '../developers/request-log/log.ts'
import { webhookJobs } from '../developers/webhooks/jobs.ts'
import { blobJob } from '../files/files.ts'
import type { Job } from '../jobs/jobs.ts'
import { pruneJob } from '../jobs/jobs.ts'
import { planJob, secretJob, sharedLimitJob, textJob } from '../jobs/maintenance.ts'
import { oldRowJob } from '../ledger/row-notes.ts'
import { digestSeal, ledgerSeal } from '../ledger/seals.ts'
import { mailExpiryJob, sentMailJob } from '../mail/sent-mails.ts'
import { enquiryJob } from '../money/bills/provider-order.ts'
import { fundingJob } from '../money/funding/service.ts'
import { payoutJob } from '../money/payouts/jobs.ts'
import { settlementJob } from '../money/settlements/jobs.ts'
import { holderJob } from '../money/subaccounts/holders.ts'
import { TRANSFERS } from '../money/transfers/list.ts'
import { recoveryJob } from '../money/wallet/jobs.ts'
import { expiryJob } from '../payments/attempts/jobs.ts'
import { TRANSACTIONS } from '../payments/attempts/record.ts'
import { disputeNotices } from '../payments/disputes/apply-report.ts'
import { disputeJobs } from '../payments/disputes/jobs.ts'
import { EVIDENCE_REFERENCES } from '../payments/disputes/respond.ts'
import { noticeHandler, simulatorNoticeHandler } from '../provider-orders/notices.ts'
import { orderJob } from '../provider-orders/orders.ts'
import { balanceExpiryJob, balanceJob } from '../providers/balances.ts'
import { bankListJob } from '../providers/bank-lists.ts'
import { callExpiryJob } from '../providers/calls/calls.ts'
import { noticeExpiryJob, noticeJob } from '../providers/inbox/jobs.ts'
import { itemListJob } from '../providers/item-lists.ts'
import { simulatorJob } from '../providers/simulator/simulator.ts'
import { reconciliationJob } from '../reconciliation/jobs.ts'
import { unresolvedJob } from '../reconciliation/unresolved.ts'
import { checkoutExpiryJob } from '../sales/checkout/close.ts'
import { discountExpiryJob } from '../sales/discounts/service.ts'
import { INVOICES } from '../sales/invoices/record.ts'
import { invoiceScheduleJob } from '../sales/invoices/reminders.ts'
import { pageViewJob } from '../sales/payment-pages/service.ts'
import { FILE_REFERENCES } from '../sales/products/downloads/service.ts'
import { mediaJobs } from '../sales/products/media/jobs.ts'
import { MEDIA_REFERENCES } from '../sales/products/media/service.ts'
import { stockExpiryJob } from '../sales/products/stock/service.ts'
import { peopleJob } from './console.ts'
import { ENCRYPTED_COLUMNS } from './encrypted.ts'
import { erasureJob } from './erasure/service.ts'
import type { Shared } from './shared.ts'

/** The tables that refer to stored content, which is kept for as long as a row refers to it. */
const REFERENCES = [
  ...MEDIA_REFERENCES,
  ...FILE_REFERENCES,
  ...BRANDING_REFERENCES,
  ...EVIDENCE_REFERENCES,
]

export const jobsOf = ({
  options,
  deps,
  orderKinds,
  disputes,
  inbox,
  storage,
  requestLog,
  deliverer,
  mail,
}: Shared): Job[] => [
  planJob(),
  simulatorJob(options, simulatorNoticeHandler(deps, orderKinds)),
  ...Object.values(orderKinds).map((kind) => orderJob(deps, kind)),
  noticeJob(deps, noticeHandler(deps, orderKinds, disputeNotices(disputes))),
  ...disputeJobs({ ...disputes, log: deps.log }),
  noticeExpiryJob,
  inbox.job,
  callExpiryJob,
  expiryJob(deps),
  checkoutExpiryJob(deps),
  enquiryJob,
  holderJob(deps),
  bankListJob(deps),
  itemListJob(deps),
  balanceJob(deps),
  balanceExpiryJob,
  reconciliationJob({ ...deps, orderKinds }),
  unresolvedJob(deps),
  settlementJob(deps),
  payoutJob(deps),
  recoveryJob(deps),
  fundingJob(deps),
  stockExpiryJob,
  discountExpiryJob,
  invoiceScheduleJob(deps),
  // Transfers are indexed when they are created; this covers those created before they became
  // searchable.
  textJob([INVOICES, TRANSACTIONS, TRANSFERS]),
  ledgerSeal,
  digestSeal,
  oldRowJob(PROTECTED_ROWS),
  secretJob(options.keyring, ENCRYPTED_COLUMNS),
  mail,
  sentMailJob(options.mailDays ?? 365, options.archive),
  mailExpiryJob(options.mailListDays, options.archive),
  pageViewJob,
  ...mediaJobs(deps),
  ...webhookJobs(deliverer, options.deliveryDays ?? 30, options.archive),
  eventExpiryJob({ owner: options.db, ...options.eventRetention }, options.archive),
  erasureJob(options.eventRetention?.owner ?? options.db),
  blobJob({ directory: options.storage.directory, storage, references: REFERENCES }),
  partnerTokenJob,
  peopleJob,
  pruneJob,
  sharedLimitJob,
  requestLogJob(requestLog.days, options.archive),
]
