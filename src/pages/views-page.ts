import type { Minor } from '../lib/money.ts'
import type { MerchantView } from './views.ts'

/** A payment page as its payer fills it in: /pay/{customLink}. */
export interface PaymentPageView {
  /** Where its form posts: `/pay/{customLink}`. */
  path: string
  /** What links begin with; absent where the page is only looked at. */
  publicUrl?: string
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
  asks: {
    phone: boolean
    address: boolean
    /** The address also of what is not delivered. */
    always?: boolean
    discount: boolean
  }
  /** What was typed or is proposed, by the names of the form's fields. */
  values: Readonly<Record<string, string>>
  /** Where products are sold. */
  totals?: PageTotalsView
  /** Somebody filled it in before, and would have to do it again if it were lost. */
  isTyped?: boolean
  /** What is wrong with it, in the order of the form. */
  faults: readonly PageFault[]
  /** Names this one filling in: sent twice, it begins one checkout. */
  once: string
  /** The access code of the checkout that is changed, or started again. */
  from?: string
}

export type PageAmountView =
  | { kind: 'fixed'; minor: Minor }
  | { kind: 'chosen'; leastMinor?: Minor; suggested: readonly Minor[] }

export interface PageProductView {
  id: number
  name: string
  description?: string
  /** Paths on this server: of the product, then of its variants. */
  pictures: readonly { small: string; whole: string }[]
  /** Of the cheapest that can be had. */
  priceMinor: Minor
  /** Empty where there is one kind. */
  options: readonly { name: string; values: readonly string[] }[]
  variants: readonly PageVariantView[]
  /** An address is needed for it. */
  isDelivered: boolean
  /** What delivery costs, by the place in small letters. */
  fees: readonly (readonly [place: string, minor: Minor])[]
  isSoldOut: boolean
  /** How many are left, where that is counted and there is one kind. */
  left?: number
}

export interface PageVariantView {
  id: number
  /** `M, Red` */
  name: string
  /** In the order of the options. */
  values: readonly string[]
  priceMinor: Minor
  /** Of its own first picture among those of the product. */
  picture?: number
  isSoldOut: boolean
  /** How many are left, where that is counted. */
  left?: number
}

/** What a form comes to so far. */
export interface PageTotalsView {
  subtotalMinor: Minor
  discount?: { code: string; minor: Minor }
  /** Of the discount, for working it out again while the payer chooses. */
  terms?: {
    type: 'percentage' | 'fixed'
    value: string
    max?: string
    min?: string
    products: readonly number[]
  }
  /** None where it costs nothing, unknown until a place is chosen that it goes to. */
  delivery: Minor | 'none' | 'unknown'
  totalMinor: Minor
  /** Whether an address is asked for. */
  isDelivered: boolean
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
  | 'tooMany'

export interface PageFault {
  /** Name of the field. */
  field: string
  code: FaultCode
  /** With `least` and `most`. */
  minor?: Minor
  /** With `stock`. */
  count?: number
}
