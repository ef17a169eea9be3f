import type { EventRecord } from '../../../../../sdk/src/operations.ts'
import type { RecordsScreen, ScreenAddress } from '../../../ui/navigation.ts'
import { formatState } from '../../../ui/values.tsx'

/** `Invoice INV_…` */
export function objectLabel({ object, objectId, data }: EventRecord): string {
  const name = [data.reference, data.name, data.title].find((one) => typeof one === 'string')
  return `${formatState(object)} ${name ?? objectId}`
}

/** The screens of objects with a reference in their URL, by object type. */
const SCREENS: Record<string, RecordsScreen> = {
  transaction: 'payments',
  invoice: 'invoices',
  order: 'orders',
  transfer: 'transfers',
  refund: 'refunds',
  dispute: 'disputes',
  deposit: 'deposits',
  settlement: 'settlements',
  utility_payment: 'utility',
  webhook: 'webhooks',
}

/** The screens of objects with an id in their URL, by object type. */
const SCREENS_BY_ID: Record<string, RecordsScreen> = {
  payment_page: 'pages',
  product: 'products',
  split_page: 'splits',
  virtual_account: 'virtual-accounts',
}

/** The lists with the objects that have no screens themselves, by object type. */
const LISTS: Record<string, ScreenAddress> = {
  discount: 'discounts',
  api_key: 'keys',
  wallet: 'wallet',
  business: 'settings',
}

/** Returns the address of the object's screen, or of a list that contains the object. */
export function objectScreen({ object, objectId, data }: EventRecord): ScreenAddress | undefined {
  const screen = SCREENS[object]
  const byId = SCREENS_BY_ID[object]
  if (screen) return typeof data.reference === 'string' ? `${screen}/${data.reference}` : undefined
  return byId ? `${byId}/${objectId}` : LISTS[object]
}
