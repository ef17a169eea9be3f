import type { EventKind } from '../../events/kind.ts'
import { invoiceEvents } from '../invoices/event-kinds.ts'
import { keyEvents } from '../keys/event-kinds.ts'
import { orderEvents } from '../orders/event-kinds.ts'
import { paymentPageEvents } from '../payment-pages/event-kinds.ts'
import { productEvents } from '../products/catalogue/event-kinds.ts'
import { discountEvents } from '../products/discounts/event-kinds.ts'
import { downloadEvents } from '../products/downloads/event-kinds.ts'
import { stockEventKinds } from '../products/inventory/event-kinds.ts'
import { accountEvents } from '../profile/event-kinds.ts'
import { refundEvents } from '../refunds/event-kinds.ts'
import { settlementEvents } from '../settlements/event-kinds.ts'
import { splitPageEvents } from '../split-pages/event-kinds.ts'
import { subaccountEvents } from '../subaccounts/event-kinds.ts'
import { transactionEvents } from '../transactions/event-kinds.ts'
import { transferEvents } from '../transfers/event-kinds.ts'
import { utilityEvents } from '../utility/event-kinds.ts'
import { walletEvents } from '../wallet/event-kinds.ts'
import { webhookEvents } from '../webhooks/event-kinds.ts'

/** Every type of event there is, in the order in which docs/EVENTS.md shows them. */
export const EVENT_KINDS: readonly EventKind[] = [
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
]

export const EVENT_TYPES: readonly string[] = EVENT_KINDS.map(({ type }) => type)

const byType = new Map(EVENT_KINDS.map((kind) => [kind.type, kind]))

const wildcards = new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`))

/** `invoice.*`: every type that begins with that word, now and later. */
export const isEventWildcard = (text: string): boolean => wildcards.has(text)

export const isEventType = (type: string): boolean => byType.has(type)

/** What `data` of such an event looks like; a copy. Throws for a type that there is not. */
export function exampleOf(type: string): object {
  const kind = byType.get(type)
  if (!kind) throw new Error(`No event has the type ${type}`)
  return structuredClone(kind.example)
}
