import { brandingChecks, protectedSettings } from './business/account/audit.ts'
import {
  consoleChecks,
  protectedBusinesses,
  protectedIntents,
  protectedMembers,
} from './business/audit-log/audit.ts'
import { pageLinkChecks } from './business/links/audit.ts'
import { partnerChecks } from './business/partners/audit.ts'
import { digestChecks, eventChecks, protectedRowsCheck } from './developers/events/audit.ts'
import { webhookChecks } from './developers/webhooks/audit.ts'
import { type AuditCheck, auditChecks } from './ledger/audit.ts'
import type { ProtectedRows } from './ledger/row-notes.ts'
import { utilityChecks } from './money/bills/audit.ts'
import { fundingChecks } from './money/funding/audit.ts'
import { payoutChecks } from './money/payouts/audit.ts'
import { protectedSettlements, settlementChecks } from './money/settlements/audit.ts'
import { splitPageChecks } from './money/split-pages/audit.ts'
import { protectedSubaccounts, subaccountChecks } from './money/subaccounts/audit.ts'
import { protectedTransfers, transferChecks } from './money/transfers/audit.ts'
import { walletChecks } from './money/wallet/audit.ts'
import { transactionChecks } from './payments/attempts/audit.ts'
import { depositChecks } from './payments/deposits/audit.ts'
import { disputeChecks } from './payments/disputes/audit.ts'
import { refundChecks } from './payments/refunds/audit.ts'
import { providerOrderChecks } from './provider-orders/audit.ts'
import { reconciliationChecks } from './reconciliation/audit.ts'
import { checkoutChecks } from './sales/checkout/audit.ts'
import { discountChecks } from './sales/discounts/audit.ts'
import { invoiceChecks } from './sales/invoices/audit.ts'
import { paymentPageChecks } from './sales/payment-pages/audit.ts'
import { productChecks } from './sales/products/catalogue/audit.ts'
import { downloadChecks } from './sales/products/downloads/audit.ts'
import { mediaChecks } from './sales/products/media/audit.ts'
import { stockChecks } from './sales/products/stock/audit.ts'

/** Every kind of row that the audit compares with its last recorded digest. */
export const PROTECTED_ROWS: readonly ProtectedRows[] = [
  protectedTransfers,
  protectedSettlements,
  protectedSubaccounts,
  protectedSettings,
  protectedMembers,
  protectedBusinesses,
  protectedIntents,
]

export const allChecks: readonly AuditCheck[] = [
  ...auditChecks,
  ...walletChecks,
  ...fundingChecks,
  ...transactionChecks,
  ...depositChecks,
  ...transferChecks,
  ...payoutChecks,
  ...refundChecks,
  ...disputeChecks,
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
  ...providerOrderChecks,
  ...reconciliationChecks,
  ...splitPageChecks,
  ...paymentPageChecks,
  ...pageLinkChecks,
  ...partnerChecks,
  ...webhookChecks,
  ...eventChecks,
  ...digestChecks,
  ...PROTECTED_ROWS.map(protectedRowsCheck),
  ...consoleChecks,
]
