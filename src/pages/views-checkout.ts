import type { Minor } from '../lib/money.ts'
import type { MerchantView, PayChannel, PaymentAttempt, PaymentMade } from './views.ts'

/** Everything that the payer of one checkout may see: /checkout/{accessCode} and its receipt. */
export interface CheckoutView {
  /** Opens the page; the receipt has the same: `/receipt/{accessCode}`. */
  accessCode: string
  /** What links begin with. */
  publicUrl?: string
  /** The same text as the page's state answers; it changes when anything below changes. */
  version: string
  test: boolean
  merchant: MerchantView
  /** The merchant's own or ours, for people to quote. */
  reference: string
  /**
   * Open: to be paid. Paid: thank the payer, and give the downloads. Expired and Cancelled: nothing
   * can be paid any more; what came all the same stands in `payments` and `owed`.
   */
  status: 'Open' | 'Paid' | 'Expired' | 'Cancelled'
  /** All of what was paid was given back. */
  isRefunded: boolean
  /** The payment page that it was begun on, as it is now. */
  page?: CheckoutPageView
  customer: { email: string; name?: string; phone?: string }
  /** Empty where only an amount is paid. */
  lines: readonly OrderLineView[]
  /** What the lines or the chosen amount come to. */
  subtotalMinor: Minor
  discount?: { code: string; amountMinor: Minor }
  delivery?: { location?: string; address?: string; feeMinor: Minor }
  /** To be paid, before a fee on top; 0 is Paid from the start. */
  amountMinor: Minor
  /** While it is Open: what is left to pay, after a part of it came in. */
  leftMinor?: Minor
  /** Its goods are delivered: without an address, that is asked for before it can be paid. */
  asksAddress?: boolean
  /** Why the address that was sent cannot be taken; the form for it is shown again. */
  address?: { typed: string; isFault: boolean }
  /** It ended, and its payer can start it again at its own address. */
  canReopen?: boolean
  /** On top of it, in what was paid. */
  feeMinor: Minor
  currency: string
  /** Ways to pay that work now, in the order to offer them; empty unless it is Open. */
  channels: readonly ChannelView[]
  /** Banks to choose from before a USSD payment is started; empty: the choice is not offered. */
  ussdBanks: readonly { code: string; name: string }[]
  /** The newest attempt that was begun, unless the payer put it aside or it was paid. */
  payment?: PaymentAttempt
  /** What came in, oldest first. */
  payments: readonly PaymentMade[]
  /** What came too late, too much or twice. It is under way back by itself only where this says. */
  owed?: { amountMinor: Minor; state: 'Kept' | 'Refunding' | 'Refunded' }
  /** What the payer answered to the page's own fields. */
  answers: readonly { label: string; value: string }[]
  /** Files that were bought, once it is Paid. */
  downloads: readonly DownloadView[]
  /** With products or a page. */
  orderReference?: string
  /** Where to lead the payer back to, signed; only once it is not Open. Pass it by `safeUrl`. */
  returnUrl?: string
  /** What came in the wrong amount, or too late, and was not taken: it goes back by itself. */
  sentBackMinor?: Minor
  /** Until when its goods are put aside; absent without goods, and once others can have them. */
  keptUntil?: Date
  /** Until when it can be paid. */
  expiresAt: Date
  paidAt?: Date
  createdAt: Date
  now: Date
  /** The merchant's, as IANA name. */
  timeZone: string
}

/** What a page looks like around its checkout. */
export interface CheckoutPageView {
  title: string
  description?: string
  /** `#0b7a4b` */
  color?: string
  /** Given by the merchant: an address of a picture. */
  image?: string
  successMessage?: string
  /** Its link, to begin again: `/pay/{customLink}`; absent when it is not there any more. */
  customLink?: string
}

export interface OrderLineView {
  name: string
  quantity: number
  unitAmountMinor: Minor
  amountMinor: Minor
  /** Path of a small picture on this server. */
  image?: string
}

/** A way to pay, and what it costs the payer. */
export interface ChannelView {
  channel: PayChannel
  /** On top, where the payer bears it; else 0. */
  feeMinor: Minor
  /** With the fee: exactly what is to be sent. */
  payableMinor: Minor
}

export interface DownloadView {
  name: string
  bytes: number
  /** A path of this server: `/d/{token}`. */
  path: string
  expiresAt?: Date
  /** How often it can still be downloaded; absent without a limit. */
  left?: number
}
