import { profileRoutes } from '../business/account/routes.ts'
import { partnerRoutes } from '../business/partners/routes.ts'
import type { Deps } from '../deps.ts'
import { eventRoutes } from '../developers/events/routes.ts'
import { requestRoutes } from '../developers/request-log/routes.ts'
import { webhookRoutes } from '../developers/webhooks/routes.ts'
import type { Route } from '../http/route.ts'
import type { COLLECTIONS } from '../lib/scopes.ts'
import { bankRoutes } from '../money/banks/routes.ts'
import { utilityRoutes } from '../money/bills/routes.ts'
import { fundingRoutes } from '../money/funding/routes.ts'
import { payoutRoutes } from '../money/payouts/routes.ts'
import { settlementRoutes } from '../money/settlements/routes.ts'
import { splitPageRoutes } from '../money/split-pages/routes.ts'
import { subaccountRoutes } from '../money/subaccounts/routes.ts'
import { transferRoutes } from '../money/transfers/routes.ts'
import { walletRoutes } from '../money/wallet/routes.ts'
import { transactionReadRoutes, transactionRoutes } from '../payments/attempts/routes.ts'
import { depositRoutes } from '../payments/deposits/routes.ts'
import { disputeRoutes } from '../payments/disputes/routes.ts'
import { refundRoutes } from '../payments/refunds/routes.ts'
import { reconciliationRoutes } from '../reconciliation/routes.ts'
import { unresolvedRoutes } from '../reconciliation/unresolved.ts'
import { checkoutRoutes } from '../sales/checkout/routes.ts'
import { discountRoutes } from '../sales/discounts/routes.ts'
import { invoiceRoutes } from '../sales/invoices/routes.ts'
import { orderRoutes } from '../sales/orders/routes.ts'
import { paymentPageRoutes } from '../sales/payment-pages/routes.ts'
import { amountOn, openPage } from '../sales/payment-pages/service.ts'
import { catalogueRoutes } from '../sales/products/catalogue/routes.ts'
import { deliveryFeeRoutes } from '../sales/products/delivery/routes.ts'
import { digitalFileRoutes } from '../sales/products/downloads/routes.ts'
import { mediaRoutes } from '../sales/products/media/routes.ts'
import { optionRoutes, variantRoutes } from '../sales/products/options/routes.ts'
import { simulatorRoutes } from '../simulator/routes.ts'
import type { Shared } from './shared.ts'

const MIB = 1024 * 1024

/** The operations from every slice. They call `nudgeClock` after moving a test clock. */
export const routesOf = (
  { options, deps, withPayables, mediaDeps, requestLog, deliverer }: Shared,
  nudgeClock: () => void,
): Route[] => [
  ...profileRoutes(deps),
  ...partnerRoutes(deps),
  ...walletRoutes(deps),
  ...fundingRoutes(deps),
  ...eventRoutes(deps),
  ...requestRoutes(deps, requestLog),
  ...bankRoutes(deps),
  ...invoiceRoutes(deps),
  ...transactionRoutes({ ...deps, pages: { openPage, amountOn } }),
  ...transactionReadRoutes(withPayables),
  ...depositRoutes(withPayables),
  ...transferRoutes(deps),
  ...payoutRoutes(deps),
  ...refundRoutes(withPayables),
  ...disputeRoutes(deps),
  ...utilityRoutes(deps),
  ...checkoutRoutes(deps),
  ...orderRoutes(deps),
  ...subaccountRoutes(deps),
  ...productRoutes(deps),
  ...mediaRoutes(mediaDeps),
  ...digitalFileRoutes({ ...deps, fileBytesMax: options.storage.fileBytesMax ?? 500 * MIB }),
  ...settlementRoutes(deps),
  ...splitPageRoutes(deps),
  ...paymentPageRoutes(mediaDeps),
  ...webhookRoutes({
    ...deps,
    webhooks: { ...options.webhooks, publicUrl: options.publicUrl },
    deliverer,
  }),
  ...reconciliationRoutes(withPayables),
  ...unresolvedRoutes(withPayables),
  ...simulatorRoutes({ ...withPayables, nudgeClock, rateLimit: options.rateLimit }),
]

/** Descriptions for readers of the API reference. */
export const COLLECTION_WORDS: Record<(typeof COLLECTIONS)[number] | 'authentication', string> = {
  authentication: 'Exchange a partner’s credentials for an access token.',
  profile: 'The business that the key belongs to, its settings and its partners.',
  keys: 'What the key used for the request can do.',
  invoices: 'Bill customers, track payments and send reminders.',
  transactions: 'Payments that customers have made or started, and new USSD payments.',
  transfers: 'Send money from the wallet to bank accounts.',
  refunds: 'Return money to the customer who paid it.',
  disputes: 'Respond to customers who ask their bank for the return of a payment.',
  banks: 'Banks, their codes, and account name lookups.',
  subaccounts: 'Third-party bank accounts that receive a share of payments.',
  split_pages: 'Rules that divide a payment between subaccounts.',
  settlements: 'Payouts to the business and to subaccounts.',
  payment_pages: 'Public pages where customers pay an amount or buy products.',
  products: 'What the business sells, with options, inventory, images, files and delivery fees.',
  discounts: 'Codes that reduce a checkout’s total.',
  orders: 'What customers have ordered and paid for.',
  checkout: 'Payments that customers make on pages hosted by this server.',
  utility: 'Buy airtime, data, television, electricity and exam pins from the wallet.',
  wallet: 'The balance and every transaction that changed it.',
  events: 'Everything that has happened in the business, in order.',
  webhooks: 'The endpoints that receive events, and every delivery to them.',
  requests: 'This business’s API requests and their responses.',
  simulator: 'Test mode only: simulate the bank, the customer and the passage of time.',
}

const productRoutes = (deps: Deps): Route[] => [
  ...catalogueRoutes(deps),
  ...optionRoutes(deps),
  ...variantRoutes(deps),
  ...deliveryFeeRoutes(deps),
  ...discountRoutes(deps),
]
