import { type EventCatalogue, eventCatalogue } from '../events/catalogue.ts'
import { invoiceEvents } from '../resources/invoices/event-kinds.ts'
import { keyEvents } from '../resources/keys/event-kinds.ts'
import { orderEvents } from '../resources/orders/event-kinds.ts'
import { paymentPageEvents } from '../resources/payment-pages/event-kinds.ts'
import { productEvents } from '../resources/products/catalogue/event-kinds.ts'
import { discountEvents } from '../resources/products/discounts/event-kinds.ts'
import { downloadEvents } from '../resources/products/downloads/event-kinds.ts'
import { stockEventKinds } from '../resources/products/inventory/event-kinds.ts'
import { accountEvents } from '../resources/profile/event-kinds.ts'
import { refundEvents } from '../resources/refunds/event-kinds.ts'
import { settlementEvents } from '../resources/settlements/event-kinds.ts'
import { splitPageEvents } from '../resources/split-pages/event-kinds.ts'
import { subaccountEvents } from '../resources/subaccounts/event-kinds.ts'
import { transactionEvents } from '../resources/transactions/event-kinds.ts'
import { transferEvents } from '../resources/transfers/event-kinds.ts'
import { utilityEvents } from '../resources/utility/event-kinds.ts'
import { walletEvents } from '../resources/wallet/event-kinds.ts'
import { webhookEvents } from '../resources/webhooks/event-kinds.ts'

/** Every type of event there is, in the order in which docs/EVENTS.md shows them. */
export const EVENT_CATALOGUE: EventCatalogue = eventCatalogue([
  ...walletEvents,
  ...accountEvents,
  ...transactionEvents,
  ...transferEvents,
  ...refundEvents,
  ...invoiceEvents,
  ...paymentPageEvents,
  ...productEvents,
  ...stockEventKinds,
  ...orderEvents,
  ...discountEvents,
  ...downloadEvents,
  ...subaccountEvents,
  ...splitPageEvents,
  ...settlementEvents,
  ...utilityEvents,
  ...keyEvents,
  ...webhookEvents,
])
