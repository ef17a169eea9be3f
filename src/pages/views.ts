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

/** Everything that the payer of one invoice may see, as plain data. Pages know no database. */
export interface InvoiceView {
  /** Shown where no online channel is connected. */
  manual?: ManualPaymentView
  token: string
  /** What links begin with; absent where the page is not at an address of its own. */
  publicUrl?: string
  /** The same text as `GET /i/{token}/state` answers; it changes when anything below changes. */
  version: string
  test: boolean
  merchant: MerchantView
  invoice: InvoiceFacts
  /** Ways to pay that work now, in the order to offer them; empty when no provider serves them. */
  channels: readonly PayChannel[]
  /** Banks to choose from before a USSD payment is started; empty: the choice is not offered. */
  ussdBanks: readonly { code: string; name: string }[]
  /** Where the payer may choose how much to pay now, and more than the least is due. */
  part?: PartView
  /** The open attempt, or the last one when it ended without success. Absent after a cancel. */
  payment?: PaymentAttempt
  /** What was paid, oldest first. */
  payments: readonly PaymentMade[]
  now: Date
  /** The merchant's, as IANA name: `Africa/Lagos`. */
  timeZone: string
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
