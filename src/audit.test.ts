import { events } from '../test/corruption/events.ts'
import { testDamages } from '../test/corruption/findings.ts'
import { arrivals, invoices, payments } from '../test/corruption/money-in.ts'
import { products } from '../test/corruption/products.ts'
import { openShop } from '../test/corruption/shop.ts'
import { splits } from '../test/corruption/splits.ts'
import { transfers } from '../test/corruption/transfers.ts'
import { startServer } from '../test/harness.ts'
import { allChecks } from './audit.ts'
import { auditChecks } from './ledger/audit.ts'

const server = await startServer({ jobs: false, plantsEvents: true })

const damages = [
  ...invoices,
  ...payments,
  ...arrivals,
  ...transfers,
  ...splits,
  ...products,
  ...events,
]

/** Damaged in separate tests, beside the code that they check. */
const ELSEWHERE = [
  /^refund/,
  /^deposit_return-/,
  /^dispute/,
  /^funding-/,
  /^payouts$/,
  /^settlement-/,
  /^utility/,
  /^bill-orders$/,
  /^share-/,
  /^stock-/,
  /^media-/,
  /^branding-/,
  /^digital-/,
  /^download-/,
  /^discount-/,
  /^published-/,
  /payment.page/,
  /^checkout-/,
  /^order/,
  /^page-counts$/,
  /^simulated_event-/,
  /^webhook/,
  /^partner-/,
  /^audit-log/,
  /^owners$/,
  /^(known-causes|opening-money|simulated-money)$/,
  /^(connection-accounts|connections-used|provider-fees|recoveries)$/,
  /^(event-digests|forgotten-events|lost-events|digest-seals|digest-chain-ends)$/,
  /^charge-orders$/,
  /^(closed-differences|difference-journals|reconciled-days|provider-settlement)/,
  /-notes$/,
]

testDamages('the audit of the slices', {
  server,
  shop: () => openShop(server),
  damages,
  checks: allChecks.filter(
    (check) => !auditChecks.includes(check) && !ELSEWHERE.some((names) => names.test(check.name)),
  ),
})
