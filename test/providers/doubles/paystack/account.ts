import type { Answer, DoubleRequest, Kit } from '../double.ts'
import type { Sender } from '../payers.ts'

/** One business's account with Paystack, in one of its two worlds. */
export interface Account {
  kit: Kit
  settings: Settings
  customers: Customer[]
  dedicated: DedicatedAccount[]
  recipients: Recipient[]
  transactions: Transaction[]
  transfers: Transfer[]
  refunds: Refund[]
  disputes: Dispute[]
  settlements: Settlement[]
}

export interface Settings {
  /** Its prefix says which world it belongs to: `sk_test_` or `sk_live_`. */
  secretKey: string
  /** Whether a transfer waits for a code that the owner gets by phone, as is the default. */
  hasOtp: boolean
  /** A business that may not pay anybody else. */
  isStarter: boolean
  /** The only address that may call; any if null. */
  address: string | null
  /** The USSD codes of the banks that this account can create. */
  ussdTypes: readonly string[]
  /** How transfers end: by hand, at once as in Paystack's test world, or after a time. */
  transfers: 'by_hand' | 'at_once' | { afterMs: number }
  /** Whether lists say how many pages they have. If not, a page has at most 50 rows. */
  countsPages: boolean
  /** Whether the list of settlements heeds `from` and `to`, or lists those of any time. */
  filtersSettlements: boolean
}

export interface Customer {
  id: number
  code: string
  email: string
  firstName: string | null
  lastName: string | null
  phone: string | null
  createdAt: Date
}

export interface DedicatedAccount {
  id: number
  number: string
  bank: { slug: string; name: string; id: number }
  customer: Customer
  createdAt: Date
}

export interface Recipient {
  id: number
  code: string
  name: string
  accountNumber: string
  bankCode: string
  bankName: string
  currency: string
  createdAt: Date
}

export interface Transaction {
  /** Unsigned 64 bits, of which JavaScript's numbers cannot hold all. */
  id: bigint
  reference: string
  channel: 'bank_transfer' | 'ussd' | 'card' | 'bank' | 'dedicated_nuban'
  status: 'pending' | 'abandoned' | 'success' | 'failed' | 'reversed'
  gatewayResponse: string
  /** What was asked for; for a permanent account, what came. */
  requested: bigint
  paid: bigint
  fees: bigint | null
  currency: string
  customer: Customer
  metadata: unknown
  createdAt: Date
  paidAt: Date | null
  /** The temporary or permanent account that is paid into. */
  account: { number: string; expiresAt: Date | null } | null
  ussdCode: string | null
  hosted: { accessCode: string; callbackUrl: string | null; channels: readonly string[] } | null
  sender: Sender | null
  settlement: Settlement | null
}

export interface Transfer {
  id: number
  code: string
  reference: string
  recipient: Recipient
  amount: bigint
  fee: bigint
  currency: string
  reason: string
  status: TransferStatus
  /** Whether the money has left the balance. */
  isDebited: boolean
  /** Whether it has ever been a success. */
  wasPaid: boolean
  createdAt: Date
  updatedAt: Date
}

export type TransferStatus =
  | 'pending'
  | 'success'
  | 'failed'
  | 'reversed'
  | 'otp'
  | 'abandoned'
  | 'blocked'
  | 'rejected'

export interface Refund {
  id: number
  transaction: Transaction
  amount: bigint
  status: 'pending' | 'processing' | 'processed' | 'failed' | 'needs-attention'
  deducted: bigint
  /** The dispute that took the money, if it was no request. */
  dispute: Dispute | null
  customerNote: string
  merchantNote: string
  createdAt: Date
  updatedAt: Date
}

export interface Dispute {
  id: number
  transaction: Transaction
  amount: bigint
  status: 'awaiting-merchant-feedback' | 'awaiting-bank-feedback' | 'resolved'
  resolution: 'merchant-accepted' | 'declined' | 'auto-accepted' | null
  evidence: { id: number } | null
  messages: { sender: string; body: string; createdAt: Date }[]
  dueAt: Date
  createdAt: Date
  resolvedAt: Date | null
}

export interface Settlement {
  id: number
  /** The code of the subaccount that was paid, from money that never was on the balance. */
  subaccount: string | null
  processed: bigint
  fees: bigint
  paid: bigint
  /** When it is paid, and when it was made, by which it is listed. */
  at: Date
  createdAt: Date
}

/** The number of the business at Paystack. */
export const INTEGRATION = 463_433

export const domainOf = ({ settings }: Account) =>
  settings.secretKey.startsWith('sk_live_') ? 'live' : 'test'

/** A code such as `RCP_1a2b3c4d5e6f7g8`. */
export const codeOf = (prefix: string, id: number) =>
  `${prefix}_${(id * 7_919 + 1e9).toString(36).padStart(15, 'x')}`

// ------------------------------------------------------------------------------ answers

export const ok = (message: string, data: unknown, more: object = {}): Answer => ({
  status: 200,
  body: { status: true, message, data, ...more },
})

type ErrorType = 'validation_error' | 'api_error' | 'processor_error'

export function refuse(
  status: number,
  message: string,
  code: string,
  nextStep = "Ensure that the value(s) you're passing are valid.",
  type: ErrorType = 'validation_error',
): Answer {
  return { status, body: { status: false, message, meta: { nextStep }, type, code } }
}

/** Paystack's own file says that some answers have no code. */
export const plainRefusal = (status: number, message: string): Answer => ({
  status,
  body: { status: false, message },
})

const SHORT_PAGE_SIZE = 50

/** Answers one page of a list, newest first. */
export function listAnswer<Row>(
  { settings: { countsPages } }: Account,
  message: string,
  rows: readonly Row[],
  { query }: DoubleRequest,
  toJson: (row: Row) => unknown,
  more: object = {},
): Answer {
  const asked = Number(query.perPage ?? query.per_page ?? SHORT_PAGE_SIZE)
  const perPage = countsPages ? asked : Math.min(asked, SHORT_PAGE_SIZE)
  const page = Number(query.page ?? 1)
  const skipped = query.next ? Number(query.next) : (page - 1) * perPage
  const shown = rows.slice(skipped, skipped + perPage)
  const end = skipped + shown.length
  const meta = {
    total: rows.length,
    skipped,
    perPage,
    page,
    ...(countsPages && { pageCount: Math.max(1, Math.ceil(rows.length / perPage)) }),
    ...more,
    ...(query.use_cursor === 'true' && {
      next: end < rows.length ? `${end}` : null,
      previous: null,
    }),
  }
  return ok(message, shown.map(toJson), { meta })
}

/** Whether a time is within the days that a list asks for. */
export function isWithin(at: Date, { query: { from, to } }: DoubleRequest): boolean {
  return (!from || at >= new Date(from)) && (!to || at <= new Date(to))
}

export const isoOf = (at: Date | null): string | null => at?.toISOString() ?? null

export function customerJson(customer: Customer) {
  return {
    id: customer.id,
    first_name: customer.firstName,
    last_name: customer.lastName,
    email: customer.email,
    customer_code: customer.code,
    phone: customer.phone,
    metadata: null,
    risk_action: 'default',
    international_format_phone: null,
  }
}

/** Finds the customer with an address, or creates one. */
export function customerOf({ kit, customers }: Account, email: string): Customer {
  const known = customers.find((one) => one.email === email.toLowerCase())
  if (known) return known
  const id = kit.nextId()
  const customer = {
    id,
    code: codeOf('CUS', id),
    email: email.toLowerCase(),
    firstName: null,
    lastName: null,
    phone: null,
    createdAt: kit.clock.now(),
  }
  customers.push(customer)
  return customer
}
