import type { Route } from '../http/route.ts'
import { bankRoutes } from '../resources/banks/routes.ts'
import { checkoutRoutes } from '../resources/checkout/routes.ts'
import { eventRoutes } from '../resources/events/routes.ts'
import { invoiceRoutes } from '../resources/invoices/routes.ts'
import { orderRoutes } from '../resources/orders/routes.ts'
import { partnerRoutes } from '../resources/partners/routes.ts'
import { amountOn, openPage } from '../resources/payment-pages/open.ts'
import { paymentPageRoutes } from '../resources/payment-pages/routes.ts'
import { digitalFileRoutes } from '../resources/products/downloads/routes.ts'
import { mediaRoutes } from '../resources/products/media/routes.ts'
import { productRoutes } from '../resources/products/routes.ts'
import { profileRoutes } from '../resources/profile/routes.ts'
import { refundRoutes } from '../resources/refunds/routes.ts'
import { requestRoutes } from '../resources/requests/routes.ts'
import { settlementRoutes } from '../resources/settlements/routes.ts'
import { simulatorRoutes } from '../resources/simulator/routes.ts'
import { splitPageRoutes } from '../resources/split-pages/routes.ts'
import { subaccountRoutes } from '../resources/subaccounts/routes.ts'
import { transactionReadRoutes } from '../resources/transactions/read-routes.ts'
import { transactionRoutes } from '../resources/transactions/routes.ts'
import { transferRoutes } from '../resources/transfers/routes.ts'
import { utilityRoutes } from '../resources/utility/routes.ts'
import { walletRoutes } from '../resources/wallet/routes.ts'
import { webhookRoutes } from '../resources/webhooks/routes.ts'
import type { Shared } from './shared.ts'

const MIB = 1024 * 1024

/** The operations of every slice, one a line. `nudgeClock` tells that a test clock was moved. */
export const routesOf = (
  { options, deps, withPurposes, mediaDeps, requestLog, deliverer }: Shared,
  nudgeClock: () => void,
): Route[] => [
  ...profileRoutes(deps),
  ...partnerRoutes(deps),
  ...walletRoutes(deps),
  ...eventRoutes(deps),
  ...requestRoutes(deps, requestLog),
  ...bankRoutes(deps),
  ...invoiceRoutes(deps),
  ...transactionRoutes({ ...deps, pages: { openPage, amountOn } }),
  ...transactionReadRoutes(withPurposes),
  ...transferRoutes(deps),
  ...refundRoutes(deps),
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
  ...simulatorRoutes({ ...withPurposes, nudgeClock, rateLimit: options.rateLimit }),
]
