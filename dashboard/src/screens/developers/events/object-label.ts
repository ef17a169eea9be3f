import type { EventRecord } from '../../../../../sdk/src/operations.ts'
import type { RecordsScreen, ScreenAddress } from '../../../ui/navigation.ts'
import { words } from '../../../ui/values.tsx'

/** What an event happened to, in a few words: "Invoice INV_…". */
export function objectLabel({ object, objectId, data }: EventRecord): string {
  const name = [data.reference, data.name, data.title].find((one) => typeof one === 'string')
  return `${words(object)} ${name ?? objectId}`
}

/** The screens of what events happen to, by the name of the object. */
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

/** Those whose screens are at their numbers. */
const SCREENS_BY_ID: Record<string, RecordsScreen> = {
  payment_page: 'pages',
  product: 'products',
  split_page: 'splits',
}

/** Those that have no screen of their own: where they stand among others. */
const LISTS: Record<string, ScreenAddress> = {
  discount: 'discounts',
  api_key: 'keys',
  wallet: 'wallet',
  business: 'settings',
}

/** Where the object is shown, if it has a screen of its own by its reference. */
export function objectScreen({ object, objectId, data }: EventRecord): ScreenAddress | undefined {
  const [screen, byId] = [SCREENS[object], SCREENS_BY_ID[object]]
  if (screen) return typeof data.reference === 'string' ? `${screen}/${data.reference}` : undefined
  return byId ? `${byId}/${objectId}` : LISTS[object]
}
