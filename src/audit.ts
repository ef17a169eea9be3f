import { consoleChecks } from './console/audit.ts'
import { watchedAsked, watchedBusinesses, watchedMembers } from './console/watched.ts'
import { type AuditCheck, auditChecks } from './ledger/audit.ts'
import type { Watched } from './ledger/watched.ts'
import { brandingChecks } from './resources/branding/audit.ts'
import { checkoutChecks } from './resources/checkout/audit.ts'
import { eventChecks } from './resources/events/audit.ts'
import { digestChecks, watchedCheck } from './resources/events/audit-digests.ts'
import { invoiceChecks } from './resources/invoices/audit.ts'
import { pageLinkChecks } from './resources/page-links/audit.ts'
import { partnerChecks } from './resources/partners/audit.ts'
import { paymentPageChecks } from './resources/payment-pages/audit.ts'
import { productChecks } from './resources/products/catalogue/audit.ts'
import { discountChecks } from './resources/products/discounts/audit.ts'
import { downloadChecks } from './resources/products/downloads/audit.ts'
import { stockChecks } from './resources/products/inventory/audit.ts'
import { mediaChecks } from './resources/products/media/audit.ts'
import { watchedSettings } from './resources/profile/watched.ts'
import { refundChecks } from './resources/refunds/audit.ts'
import { settlementChecks } from './resources/settlements/audit.ts'
import { watchedSettlements } from './resources/settlements/watched.ts'
import { splitPageChecks } from './resources/split-pages/audit.ts'
import { subaccountChecks } from './resources/subaccounts/audit.ts'
import { watchedSubaccounts } from './resources/subaccounts/watched.ts'
import { transactionChecks } from './resources/transactions/audit.ts'
import { transferChecks } from './resources/transfers/audit.ts'
import { watchedTransfers } from './resources/transfers/watched.ts'
import { utilityChecks } from './resources/utility/audit.ts'
import { walletChecks } from './resources/wallet/audit.ts'
import { webhookChecks } from './resources/webhooks/audit.ts'

/** Every kind of row that the audit compares with what was last noted of it. */
export const WATCHED: readonly Watched[] = [
  watchedTransfers,
  watchedSettlements,
  watchedSubaccounts,
  watchedSettings,
  watchedMembers,
  watchedBusinesses,
  watchedAsked,
]

/** Every check of `tradepost audit`: the books, and what the slices say of them. */
export const allChecks: readonly AuditCheck[] = [
  ...auditChecks,
  ...walletChecks,
  ...transactionChecks,
  ...transferChecks,
  ...refundChecks,
  ...utilityChecks,
  ...invoiceChecks,
  ...subaccountChecks,
  ...productChecks,
  ...stockChecks,
  ...discountChecks,
  ...mediaChecks,
  ...downloadChecks,
  ...brandingChecks,
  ...checkoutChecks,
  ...settlementChecks,
  ...splitPageChecks,
  ...paymentPageChecks,
  ...pageLinkChecks,
  ...partnerChecks,
  ...webhookChecks,
  ...eventChecks,
  ...digestChecks,
  ...WATCHED.map(watchedCheck),
  ...consoleChecks,
]
