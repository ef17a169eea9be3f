import type { EventRecord } from '../../../../../sdk/src/operations.ts'
import type { RecordsScreen, ScreenAddress } from '../../../ui/navigation.ts'
import { formatState } from '../../../ui/values.tsx'

/** Names the object that an event is about, such as "Invoice INV_…". */
export function objectLabel({ object, objectId, data }: EventRecord): string {
  const name = [data.reference, data.name, data.title].find((one) => typeof one === 'string')
  return `${formatState(object)} ${name ?? objectId}`
}

/** The screens for objects looked up by reference, keyed by object type. */
const SCREENS: Record<string, RecordsScreen> = {
  transaction: 'payments',
  invoice: 'invoices',
  order: 'orders',
  transfer: 'transfers',
  refund: 'refunds',
  settlement: 'settlements',
  utility_payment: 'utility',
  webhook: 'webhooks',
}

/** The screens for objects looked up by id. */
const SCREENS_BY_ID: Record<string, RecordsScreen> = {
  payment_page: 'pages',
  product: 'products',
  split_page: 'splits',
}

/** The lists that show objects that don't have their own screen. */
const LISTS: Record<string, ScreenAddress> = {
  discount: 'discounts',
  api_key: 'keys',
  wallet: 'wallet',
  business: 'settings',
}

/** Returns the object's screen, if it has one. */
export function objectScreen({ object, objectId, data }: EventRecord): ScreenAddress | undefined {
  const [screen, byId] = [SCREENS[object], SCREENS_BY_ID[object]]
  if (screen) return typeof data.reference === 'string' ? `${screen}/${data.reference}` : undefined
  return byId ? `${byId}/${objectId}` : LISTS[object]
}
