import type { Minor } from '../lib/money.ts'
import type { MerchantView } from './views.ts'

/** A payment page as its payer fills it in: /pay/{customLink}. */
export interface PaymentPageView {
  /** Where its form posts: `/pay/{customLink}`. */
  path: string
  test: boolean
  merchant: MerchantView
  title: string
  description?: string
  /** Path of a picture on this server, in small. */
  image?: string
  /** The same in its whole size, for wide screens. */
  imageWhole?: string
  /** `#0b7a4b` */
  color?: string
  currency: string
  timeZone: string
  /** Where no products are sold. */
  amount?: PageAmountView
  products: readonly PageProductView[]
  /** Where the chosen products can be delivered to; empty where that costs nothing anywhere. */
  locations: readonly { value: string; isElsewhere: boolean; feeMinor: Minor }[]
  fields: readonly PageFieldView[]
  asks: { phone: boolean; address: boolean; discount: boolean }
  /** What was typed or is proposed, by the names of the form's fields. */
  values: Readonly<Record<string, string>>
  /** Somebody filled it in before, and would have to do it again if it were lost. */
  isTyped?: boolean
  /** What is wrong with it, in the order of the form. */
  faults: readonly PageFault[]
  /** Names this one filling in: sent twice, it begins one checkout. */
  once: string
}

export type PageAmountView =
  | { kind: 'fixed'; minor: Minor }
  | { kind: 'chosen'; leastMinor?: Minor; suggested: readonly Minor[] }

export interface PageProductView {
  id: number
  name: string
  description?: string
  /** Path of a picture on this server, in small; of its first variant where it has none itself. */
  image?: string
  /** Of the cheapest that can be had. */
  priceMinor: Minor
  /** Names of its options: `Size, Colour`. Absent where there is one kind. */
  optionNames?: string
  variants: readonly PageVariantView[]
  /** One kind is chosen from a list, since a line for each would be too many of them. */
  isListed: boolean
  isSoldOut: boolean
  /** How many are left, where that is counted and the same for all. */
  left?: number
}

export interface PageVariantView {
  id: number
  /** `M, Red` */
  name: string
  priceMinor: Minor
  /** Path of its own picture on this server. */
  image?: string
  isSoldOut: boolean
  /** How many are left, where that is counted. */
  left?: number
}

export interface PageFieldView {
  name: string
  label: string
  type: 'text' | 'number' | 'select' | 'date' | 'phone'
  required: boolean
  options: readonly string[]
}

/** Codes of what can be wrong with a field: each has a text in every language. */
export type FaultCode =
  | 'required'
  | 'email'
  | 'phone'
  | 'number'
  | 'date'
  | 'choice'
  | 'long'
  | 'unreadable'
  | 'least'
  | 'most'
  | 'quantity'
  | 'stock'
  | 'gone'
  | 'nothing'
  | 'delivery'
  | 'discount'

export interface PageFault {
  /** Name of the field. */
  field: string
  code: FaultCode
  /** With `least` and `most`. */
  minor?: Minor
  /** With `stock`. */
  count?: number
}
