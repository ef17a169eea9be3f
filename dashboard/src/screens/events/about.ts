import type { EventRecord } from '../../../../sdk/src/operations.ts'
import { words } from '../../parts/values.tsx'

/** What an event happened to, in a few words: "Invoice INV_…". */
export function aboutOf({ object, objectId, data }: EventRecord): string {
  const name = [data.reference, data.name, data.title].find((one) => typeof one === 'string')
  return `${words(object)} ${name ?? objectId}`
}

/** The screens of what events happen to, by the name of the object. */
const SCREENS: Record<string, string> = {
  transaction: 'payments',
  invoice: 'invoices',
  transfer: 'transfers',
  refund: 'refunds',
  webhook: 'webhooks',
}

/** Where the object is shown, if it has a screen of its own by its reference. */
export function screenOf({ object, data }: EventRecord): string | undefined {
  const screen = SCREENS[object]
  return screen && typeof data.reference === 'string' ? `${screen}/${data.reference}` : undefined
}
