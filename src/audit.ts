import { type AuditCheck, auditChecks } from './ledger/audit.ts'
import { eventChecks } from './resources/events/audit.ts'
import { invoiceChecks } from './resources/invoices/audit.ts'
import { transactionChecks } from './resources/transactions/audit.ts'

/** Every check of `tradepost audit`: the books, and what the slices say of them. */
export const allChecks: readonly AuditCheck[] = [
  ...auditChecks,
  ...transactionChecks,
  ...invoiceChecks,
  ...eventChecks,
]
