import type { Minor } from '../lib/money.ts'
import type { Scheme } from './accent.ts'

/** What every page is rendered with. `nonce` is fresh per answer and stands in its CSP header. */
export interface PageContext {
  nonce: string
  /** BCP 47, decides texts (where we have them), amounts and dates: `en-NG`. */
  locale: string
  /** Of the address that was asked for, which the switch of languages keeps: `amount=50`. */
  query?: string
  /** The page is only looked at, in one scheme: it has no script and no switch of languages. */
  preview?: Scheme
}

export type PayChannel = 'BANK_TRANSFER' | 'USSD'

/** How a business is paid where nothing can be paid online. */
export interface ManualPaymentView {
  bankName: string
  accountNumber: string
  accountName: string
  instructions: string | null
}

/** What the pages of an invoice and of a checkout both show, as plain data. */
interface HostedView {
  /** What links begin with; absent where the page is not at an address of its own. */
  publicUrl?: string
  /** The same text as the page's `/state` answers; it changes when anything on the page changes. */
  version: string
  test: boolean
  merchant: MerchantView
  /** Banks to choose from before a USSD payment is started; empty: the choice is not offered. */
  ussdBanks: readonly { code: string; name: string }[]
  /** The newest attempt, unless the payer put it aside or it was paid. */
  payment?: PaymentAttempt
  /** What came in, oldest first. */
  payments: readonly PaymentMade[]
  now: Date
  /** The merchant's, as IANA name: `Africa/Lagos`. */
  timeZone: string
}

/** Everything that the payer of one invoice may see. Pages know no database. */
export interface InvoiceView extends HostedView {
  /** Shown where no online channel is connected. */
  manual?: ManualPaymentView
  token: string
  invoice: InvoiceFacts
  /** Ways to pay that work now, in the order to offer them; empty when no provider serves them. */
  channels: readonly PayChannel[]
  /** Where the payer may choose how much to pay now, and more than the least is due. */
  part?: PartView
}

export interface PartView {
  /** A part is no less than this. */
  leastMinor: Minor
  /** What is in the field: an amount, or what was typed and cannot be taken. */
  value: Minor | string
  /** Why what was typed cannot be taken. */
  fault?: 'unclear' | 'unreadable' | 'too_little' | 'too_much'
}

export interface MerchantView {
  name: string
  email?: string
  phone?: string
  /** Given by the merchant, so never put into an `href` but through `safeUrl`. */
  website?: string
  /** For papers, in lines. */
  address?: string
  /** `#0b7a4b` */
  color?: string
  logo?: LogoView
}

/** What a chat shows of a link to a page; all addresses are absolute. */
export interface ShareView {
  url: string
  title: string
  description: string
  /** Ours unless given. */
  image?: string | undefined
}

/** A picture on this server, and its own size. */
export interface LogoView {
  path: string
  width: number
  height: number
}

export interface InvoiceFacts {
  /** For people: `INV-000123`. */
  number: string
  /** For machines: `INV_…`. */
  reference: string
  status: 'Sent' | 'PartiallyPaid' | 'Paid' | 'Void'
  note?: string
  customerName?: string
  lineItems: readonly LineItemView[]
  amountMinor: Minor
  paidMinor: Minor
  dueMinor: Minor
  currency: string
  /** `YYYY-MM-DD` in the merchant's time zone. */
  dueDate?: string
  isOverdue: boolean
  createdAt: Date
  paidAt?: Date
}

export interface LineItemView {
  name: string
  quantity: number
  unitAmountMinor: Minor
  amountMinor: Minor
  /** Path of a small picture on this server. */
  image?: string
}

export interface PaymentAttempt {
  reference: string
  channel: PayChannel
  /** What the payer is to send, fee included: exactly this, or it comes back. */
  amountMinor: Minor
  /** The part of `amountMinor` that is a fee on top of the invoice. */
  feeMinor?: Minor
  expiresAt: Date
  /** Pending waits for the money; the others offer the ways to pay again, with a reason. */
  outcome: 'Pending' | 'Failed' | 'Abandoned'
  /** Public words of the provider about a failure. */
  message?: string
  /** With `BANK_TRANSFER`. */
  account?: { number: string; name: string; bankName: string }
  /** With `USSD`. */
  ussd?: UssdCodes
}

export interface UssdCodes {
  banks: readonly { code: string; name: string; ussdCode: string }[]
  /**
   * Code of the bank whose code is shown. Posting `/pay` again with another `bankCode` while the
   * attempt is open changes this only.
   */
  chosen?: string
  /** The code to dial: `*737*000*48211#`. */
  ussdCode: string
}

export interface PaymentMade {
  reference: string
  channel: PayChannel | 'CARD' | 'WALLET' | 'OFFLINE'
  amountMinor: Minor
  paidAt: Date
  /** An overpayment came after the invoice was settled and will be given back. */
  kind: 'Payment' | 'Overpayment'
  /** What was more than was due and did not go back yet; unless given, all of an overpayment. */
  owedBackMinor?: Minor
  /** What went back to the payer of it. */
  refundedMinor?: Minor
}

/** A page that says one thing: not found, expired, too many requests, failure. */
export interface MessageView {
  status: number
  title: string
  text: string
  /** Whose page it would be, where that is known. */
  merchant?: MerchantView
  color?: string
  test?: boolean
  /** In place of what the status is drawn as. */
  icon?: 'clock' | 'stopped'
  /** Path of the page to go back to, after a form that failed. */
  back?: string
  /** For the payer to quote when asking for help. */
  requestId?: string
}

/** The mailbox of a machine in development. */
export interface MailboxView {
  mails: readonly MailListed[]
}

export interface MailListed {
  path: string
  /** Null when there is no reason to send it any more. */
  subject: string | null
  to: string
  status: 'Queued' | 'Sent' | 'Failed' | 'Captured' | 'Dropped'
  createdAt: Date
}

export interface MailView extends MailListed {
  attempts: number
  error: string | null
  letter?: { from: string; replyTo: string | undefined; text: string }
}

/** Everything that the payer of one checkout may see: /checkout/{accessCode} and its receipt. */
export interface CheckoutView extends HostedView {
  /** Opens the page; the receipt has the same: `/receipt/{accessCode}`. */
  accessCode: string
  /** The merchant's own or ours, for people to quote. */
  reference: string
  /**
   * Open: to be paid. Paid: thank the payer, and give the downloads. Expired and Cancelled: nothing
   * can be paid any more; what came all the same stands in `payments` and `owed`.
   */
  status: 'Open' | 'Paid' | 'Expired' | 'Cancelled'
  /** Who cancelled it: a payer can start again, what the business cancelled stays so. */
  cancelledBy?: 'payer' | 'business'
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
