import type { Minor } from '../lib/money.ts'
import type { Scheme } from './accent.ts'

/**
 * The context for rendering any page. `nonce` is new for each response, and the response's CSP
 * header contains it.
 */
export interface PageContext {
  nonce: string
  /** The BCP 47 locale for wording (if supported), amounts and dates: `en-NG`. */
  locale: string
  /** The query string of the requested URL, which the language switch keeps: `amount=50`. */
  query?: string
  /** Set if the page is a preview in one scheme, without the script and the language switch. */
  preview?: Scheme
}

export type PayChannel = 'BANK_TRANSFER' | 'USSD' | 'CARD'

/** The merchant's own bank account, used if no payment method is connected. */
export interface ManualPaymentView {
  bankName: string
  accountNumber: string
  accountName: string
  instructions: string | null
}

/** Data that invoice pages and checkout pages share. */
interface HostedView {
  /** The base URL for links; absent if the page has no public URL. */
  publicUrl?: string
  /**
   * The same value as in the page's `/state`. It changes whenever anything that the page shows
   * changes.
   */
  version: string
  test: boolean
  merchant: MerchantView
  /** Banks to choose from before a USSD payment starts. If empty, no choice is offered. */
  ussdBanks: readonly { code: string; name: string }[]
  /** The newest attempt, unless the payer dismissed it or it succeeded. */
  payment?: PaymentAttempt
  /** Oldest first. */
  payments: readonly PaymentMade[]
  now: Date
  /** The merchant's time zone, as an IANA name: `Africa/Lagos`. */
  timeZone: string
}

/** Everything that the payer of an invoice can see. */
export interface InvoiceView extends HostedView {
  /** Shown if no online channel is connected. */
  manual?: ManualPaymentView
  token: string
  invoice: InvoiceFacts
  /** The methods that are available now, in display order. Empty if no provider offers any. */
  channels: readonly PayChannel[]
  /** Present if the payer can choose how much to pay now, and if more than the minimum is due. */
  part?: PartView
}

export interface PartView {
  /** The minimum partial payment. */
  leastMinor: Minor
  /** The amount in the field, or the rejected input. */
  value: Minor | string
  fault?: 'unclear' | 'unreadable' | 'too_little' | 'too_much'
}

export interface MerchantView {
  name: string
  email?: string
  phone?: string
  /** The merchant sets this, so never use it in an `href` without `safeUrl`. */
  website?: string
  /** The postal address, with line breaks, for PDFs. */
  address?: string
  /** `#0b7a4b` */
  color?: string
  logo?: LogoView
}

/** What chat apps show for a link to a page. All URLs are absolute. */
export interface ShareView {
  url: string
  title: string
  description: string
  /** Defaults to our own image. */
  image?: string | undefined
}

/** An image on this server, with its size. */
interface LogoView {
  path: string
  width: number
  height: number
}

export interface InvoiceFacts {
  /** The number that people see: `INV-000123`. */
  number: string
  /** The machine reference: `INV_…`. */
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
  /** Path of a thumbnail on this server. */
  image?: string
}

export interface PaymentAttempt {
  reference: string
  channel: PayChannel
  /**
   * The exact amount to send, including the fee. If the payer sends another amount, it is returned.
   */
  amountMinor: Minor
  /** The part of `amountMinor` that is a fee added on top of the invoice. */
  feeMinor?: Minor
  expiresAt: Date
  /**
   * While it is Pending, the page waits for the money. For any other outcome, the page gives the
   * reason and offers payment methods again.
   */
  outcome: 'Pending' | 'Failed' | 'Abandoned'
  /** Whether a real provider has it, so that nobody can simulate its payment. */
  isReal?: boolean
  /** The provider's public message about a failure. */
  message?: string
  /** Set for `BANK_TRANSFER`. */
  account?: { number: string; name: string; bankName: string }
  /** Set for `USSD`. */
  ussd?: UssdCodes
  /** The provider's page. Set for `CARD`. */
  hosted?: { url: string; hasReturned: boolean }
}

export interface UssdCodes {
  banks: readonly { code: string; name: string; ussdCode: string }[]
  /**
   * The bank whose code is shown. While the attempt is open, posting `/pay` again with another
   * `bankCode` changes only this bank.
   */
  chosen?: string
  /** The code to dial: `*737*000*48211#`. */
  ussdCode: string
}

export interface PaymentMade {
  reference: string
  channel: PayChannel | 'WALLET' | 'OFFLINE'
  amountMinor: Minor
  paidAt: Date
  /** An overpayment is money that arrived after the invoice was settled and will be refunded. */
  kind: 'Payment' | 'Overpayment'
  /**
   * The overpaid amount that has not been refunded yet. Defaults to the full amount of an
   * overpayment.
   */
  owedBackMinor?: Minor
  refundedMinor?: Minor
}

/** The simulator's page for a card payment. */
export interface CardPageView {
  path: string
  merchant: MerchantView
  amountMinor: Minor
  currency: string
  timeZone: string
  /** Where the payer came from. */
  returnUrl: string
  isOver: boolean
}

/** A page with a single message: not found, expired, too many requests, error. */
export interface MessageView {
  status: number
  title: string
  text: string
  merchant?: MerchantView
  color?: string
  test?: boolean
  /** The icon to show instead of the one for the status. */
  icon?: 'clock' | 'stopped'
  /** The path of the page to return to after a failed form submission. */
  back?: string
  /** The id for the payer to quote when asking for help. */
  requestId?: string
}

export interface MailboxView {
  mails: readonly MailListed[]
}

export interface MailListed {
  path: string
  /** Null if there is no longer a reason to send the email. */
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

/** Everything that the payer of a checkout can see: /checkout/{accessCode} and its receipt. */
export interface CheckoutView extends HostedView {
  /** Part of the page's URL, and of its receipt's: `/receipt/{accessCode}`. */
  accessCode: string
  /** The reference for people to quote, which is the merchant's or ours. */
  reference: string
  /**
   * Open: can be paid. Paid: thank the payer and show the downloads. Expired and Cancelled: nothing
   * can be paid any more; money that arrived anyway is in `payments` and `owed`.
   */
  status: 'Open' | 'Paid' | 'Expired' | 'Cancelled'
  /**
   * Who cancelled the checkout. If the payer did, they can start again; if the business did, it
   * stays cancelled.
   */
  cancelledBy?: 'payer' | 'business'
  isRefunded: boolean
  /** The payment page where the checkout started, in its current version. */
  page?: CheckoutPageView
  customer: { email: string; name?: string; phone?: string }
  /** Empty if the payer only pays an amount. */
  lines: readonly OrderLineView[]
  /** The sum of the lines, or the chosen amount. */
  subtotalMinor: Minor
  discount?: { code: string; amountMinor: Minor }
  delivery?: { location?: string; address?: string; feeMinor: Minor }
  /**
   * The amount to pay, before any fee is added. A checkout with nothing to pay is Paid immediately.
   */
  amountMinor: Minor
  /** While Open: the amount left after a partial payment. */
  leftMinor?: Minor
  /** Whether goods are delivered, which requires an address before payment. */
  asksAddress?: boolean
  /** The address to show in the form, and whether it was rejected. */
  address?: { typed: string; isFault: boolean }
  /** Whether the checkout has ended but the payer can start it again at its own URL. */
  canReopen?: boolean
  /** The fee added on top, which is part of the amount paid. */
  feeMinor: Minor
  currency: string
  /** The methods that are available now, in display order. Empty unless the checkout is Open. */
  channels: readonly ChannelView[]
  /**
   * Money that arrived too late, twice, or in excess of the amount due. Money in the state Kept is
   * not refunded.
   */
  owed?: { amountMinor: Minor; state: 'Kept' | 'Refunding' | 'Refunded' }
  answers: readonly { label: string; value: string }[]
  /** The purchased files, once the checkout is Paid. */
  downloads: readonly DownloadView[]
  /** Present if there are products or a payment page. */
  orderReference?: string
  /**
   * The signed URL to send the payer back to. Only set once the checkout is no longer Open. Pass it
   * through `safeUrl`.
   */
  returnUrl?: string
  /**
   * The amount of a payment that was wrong or too late. It was not accepted, and is returned
   * automatically.
   */
  sentBackMinor?: Minor
  /**
   * When the reservation of the goods ends. Absent if there are no goods, or if the reservation has
   * already ended.
   */
  keptUntil?: Date
  expiresAt: Date
  paidAt?: Date
  createdAt: Date
}

export interface CheckoutPageView {
  title: string
  description?: string
  /** `#0b7a4b` */
  color?: string
  /** An image URL, set by the merchant. */
  image?: string
  successMessage?: string
  /**
   * Allows the payer to start again at `/pay/{customLink}`. Absent if the page no longer exists.
   */
  customLink?: string
}

interface OrderLineView {
  name: string
  quantity: number
  unitAmountMinor: Minor
  amountMinor: Minor
  /** Path of a thumbnail on this server. */
  image?: string
}

/** A payment method and what it costs the payer. */
export interface ChannelView {
  channel: PayChannel
  /** The fee added on top. 0 if the payer doesn't pay it. */
  feeMinor: Minor
  /** The exact amount to send, including the fee. */
  payableMinor: Minor
}

export interface DownloadView {
  name: string
  bytes: number
  /** A path on this server: `/d/{token}`. */
  path: string
  expiresAt?: Date
  /** The number of downloads left; absent if unlimited. */
  left?: number
}

/** A payment page as the payer fills it in: /pay/{customLink}. */
export interface PaymentPageView {
  /** The path that the form posts to: `/pay/{customLink}`. */
  path: string
  /** The base URL for links; absent in a preview. */
  publicUrl?: string
  test: boolean
  merchant: MerchantView
  title: string
  description?: string
  /** The path of a small image on this server. */
  image?: string
  /** The path of the same image in full size, for wide screens. */
  imageWhole?: string
  /** `#0b7a4b` */
  color?: string
  currency: string
  timeZone: string
  /** Present if the page sells no products. */
  amount?: PageAmountView
  products: readonly PageProductView[]
  /** The delivery locations for the chosen products. Empty if delivery is free everywhere. */
  locations: readonly { value: string; isElsewhere: boolean; feeMinor: Minor }[]
  fields: readonly PageFieldView[]
  asks: {
    phone: boolean
    address: boolean
    /** Whether to ask for the address even if nothing is delivered. */
    always?: boolean
    discount: boolean
  }
  /** The typed or suggested values, by field name. */
  values: Readonly<Record<string, string>>
  totals?: PageTotalsView
  /** Whether the payer has typed anything that must not be lost. */
  isTyped?: boolean
  /** In the order of the form's fields. */
  faults: readonly FieldError[]
  /** Identifies this form, so that submitting it twice starts only one checkout. */
  once: string
  /** The access code of the checkout that is being changed or started again. */
  from?: string
}

type PageAmountView =
  | { kind: 'fixed'; minor: Minor }
  | { kind: 'chosen'; leastMinor?: Minor; suggested: readonly Minor[] }

export interface PageProductView {
  id: number
  name: string
  description?: string
  /** The paths on this server: first the product's own images, then those of its variants. */
  pictures: readonly { small: string; whole: string }[]
  /** The price of the cheapest available variant. */
  priceMinor: Minor
  /** Empty if the product has no options. */
  options: readonly { name: string; values: readonly string[] }[]
  variants: readonly PageVariantView[]
  /** Whether the product needs a delivery address. */
  isDelivered: boolean
  /** Delivery fees by location, in lower case. */
  fees: readonly (readonly [place: string, minor: Minor])[]
  isSoldOut: boolean
  /** How many are left, if inventory is tracked and there are no variants. */
  left?: number
}

export interface PageVariantView {
  id: number
  /** `M, Red` */
  name: string
  /** The values, in the same order as the options. */
  values: readonly string[]
  priceMinor: Minor
  /** The index of the variant's first image among the product's images. */
  picture?: number
  isSoldOut: boolean
  /** How many are left, if inventory is tracked. */
  left?: number
}

/** The order's total so far. */
export interface PageTotalsView {
  subtotalMinor: Minor
  discount?: { code: string; minor: Minor }
  /** The terms of the discount, for recalculating the total while the payer chooses. */
  terms?: {
    type: 'percentage' | 'fixed'
    value: string
    max?: string
    min?: string
    products: readonly number[]
  }
  /** `none` if delivery is free, `unknown` until a deliverable location is chosen. */
  delivery: Minor | 'none' | 'unknown'
  totalMinor: Minor
  isDelivered: boolean
}

export interface PageFieldView {
  name: string
  label: string
  type: 'text' | 'number' | 'select' | 'date' | 'phone'
  required: boolean
  options: readonly string[]
}

/** The error codes for a field. Each has a message in every language. */
export type FieldErrorCode =
  | 'required'
  | 'email'
  | 'phone'
  | 'number'
  | 'date'
  | 'choice'
  | 'long'
  | 'unreadable'
  | 'twoAmounts'
  | 'least'
  | 'most'
  | 'quantity'
  | 'stock'
  | 'gone'
  | 'nothing'
  | 'delivery'
  | 'discount'
  | 'tooMany'

export interface FieldError {
  field: string
  code: FieldErrorCode
  /** Set for `twoAmounts`, which names the suggested amount, and for `least` and `most`. */
  minor?: Minor
  /** Set for `stock`. */
  count?: number
}
