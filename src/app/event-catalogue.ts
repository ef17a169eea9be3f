import { accountEvents } from '../business/account/record.ts'
import { keyEvents } from '../business/keys/record.ts'
import { webhookEvents } from '../developers/webhooks/record.ts'
import { type EventCatalogue, eventCatalogue } from '../events/catalogue.ts'
import { utilityEvents } from '../money/bills/record.ts'
import { settlementEvents } from '../money/settlements/record.ts'
import { splitPageEvents } from '../money/split-pages/record.ts'
import { subaccountEvents } from '../money/subaccounts/record.ts'
import { transferEvents } from '../money/transfers/record.ts'
import { walletEvents } from '../money/wallet/record.ts'
import { transactionEvents } from '../payments/attempts/record.ts'
import { depositEvents } from '../payments/deposits/record.ts'
import { disputeEvents } from '../payments/disputes/record.ts'
import { refundEvents } from '../payments/refunds/record.ts'
import { discountEvents } from '../sales/discounts/record.ts'
import { invoiceEvents } from '../sales/invoices/record.ts'
import { orderEvents } from '../sales/orders/record.ts'
import { paymentPageEvents } from '../sales/payment-pages/record.ts'
import { downloadEvents } from '../sales/products/downloads/record.ts'
import { productEvents } from '../sales/products/record/record.ts'
import { stockEventKinds } from '../sales/products/stock/record.ts'

/** In the same order as docs/EVENTS.md. */
export const EVENT_CATALOGUE: EventCatalogue = eventCatalogue([
  ...walletEvents,
  ...accountEvents,
  ...transactionEvents,
  ...depositEvents,
  ...transferEvents,
  ...refundEvents,
  ...disputeEvents,
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
