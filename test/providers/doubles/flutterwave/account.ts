import type { Answer, DoubleRequest, Kit } from '../double.ts'
import { type Digits, digits } from '../json.ts'
import { koboOf, type Sender } from '../payers.ts'

/** One business's account with Flutterwave (v3), in one of its two worlds. */
export interface Account {
  kit: Kit
  settings: Settings
  customers: Customer[]
  checkouts: Checkout[]
  virtualAccounts: VirtualAccount[]
  transactions: Transaction[]
  transfers: Transfer[]
  /** How the next batches are refused. */
  batchRefusals: BatchRefusal[]
  refunds: Refund[]
  chargebacks: Chargeback[]
  deductions: Deduction[]
  settlements: Settlement[]
  bills: Bill[]
}

export interface Settings {
  /** Its prefix says which world it belongs to: `FLWSECK_TEST-` or `FLWSECK-`. */
  secretKey: string
  /** The text that the owner has chosen to prove notices with. */
  secretHash: string
  /** Whether notices are also signed, as those of newer accounts are. */
  signs: boolean
  /** Whether a notice that was not accepted is sent again, which the owner must switch on. */
  retriesNotices: boolean
  /** The only addresses that may order transfers and bills; any if null. */
  addresses: readonly string[] | null
  /** Whether a transfer waits until a person approves it on the dashboard. */
  needsApproval: boolean
  /** Who pays Flutterwave's fees for a payment. */
  feesPaidBy: 'business' | 'payer'
  /** How transfers of the live world end. */
  transfers: 'by_hand' | { afterMs: number }
  bills: 'by_hand' | 'at_once' | { afterMs: number }
  /** Whether a bill is found by the business's reference too, or only by Flutterwave's own. */
  findsBillsBy: 'any_reference' | 'own_reference'
  /**
   * What a lookup of a bill shows. Two shapes are documented: one has the business's reference, and
   * a status only of an item with a token; the other has a status, and not the reference.
   */
  billsShow: 'reference' | 'status' | 'both'
  /** Whether the list of transfers heeds `reference` and `batch_id`, or lists everything. */
  filtersTransfers: boolean
  /** Whether a transfer with a used reference is refused, or paid like any other. */
  refusesUsedReferences: boolean
}

export interface Customer {
  id: number
  email: string
  name: string
  phone: string
  createdAt: Date
}

/** A link to the hosted page. It is no transaction until somebody pays. */
export interface Checkout {
  token: string
  txRef: string
  amount: bigint
  customer: Customer
  redirectUrl: string
  options: readonly string[]
  meta: unknown
  state: 'open' | 'declined' | 'paid'
}

/** A bank account that takes payments. Each of them becomes a transaction. */
export interface VirtualAccount {
  number: string
  txRef: string
  flwRef: string
  orderRef: string
  customer: Customer
  narration: string
  /** What the payer should send; nobody enforces it. */
  amount: bigint | null
  /** Null for a permanent account. */
  expiresAt: Date | null
  usesLeft: number
  meta: unknown
  createdAt: Date
}

export type PaymentType = 'card' | 'bank_transfer' | 'ussd' | 'account'

export interface Transaction {
  id: number
  /** The business's reference, which several transactions can have. */
  txRef: string
  flwRef: string
  type: PaymentType
  status: 'pending' | 'successful' | 'failed'
  processorResponse: string
  amount: bigint
  /** What the payer paid: more than the amount, if they pay the fees. */
  charged: bigint
  currency: string
  customer: Customer
  narration: string
  meta: unknown
  sender: Sender | null
  ussdNote: string | null
  settlement: Settlement | null
  createdAt: Date
}

export interface Transfer {
  id: number
  reference: string
  batchId: number | null
  accountNumber: string
  bankCode: string
  bankName: string
  name: string
  amount: bigint
  currency: string
  narration: string | null
  meta: unknown
  status: TransferStatus
  message: string
  isApproved: boolean
  needsApproval: boolean
  isDebited: boolean
  /** Whether its money has ever left. */
  isExecuted: boolean
  createdAt: Date
}

/** A refusal of a batch of which the first transfers were taken all the same. */
interface BatchRefusal {
  status: number
  message: string
  taken: number
}

export type TransferStatus = 'NEW' | 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export interface Refund {
  id: number
  transaction: Transaction
  amount: bigint
  /** `completed` means that it was taken, not that it was paid, and `successful` that it was. */
  status: RefundStatus
  comment: string | null
  deduction: Deduction | null
  createdAt: Date
}

export type RefundStatus =
  | 'new'
  | 'pending'
  | 'completed'
  | 'completed-bank-transfer'
  | 'completed-mpgs'
  | 'completed-momo'
  | 'completed-offline'
  | 'completed-preauth'
  | 'successful'
  | 'failed'

export interface Chargeback {
  id: number
  transaction: Transaction
  amount: bigint
  status: 'initiated' | 'accepted' | 'declined' | 'won' | 'lost'
  comment: string
  proof: string | null
  deduction: Deduction
  history: { action: string; date: Date; description: string }[]
  dueAt: Date
  createdAt: Date
}

/** What a refund or a chargeback takes: from the wallet, or from what is settled next. */
interface Deduction {
  kind: 'refund' | 'chargeback'
  amount: bigint
  source: 'availablebalance' | 'ledgerbalance'
  settlement: Settlement | null
}

export interface Settlement {
  id: number
  transactions: readonly Transaction[]
  deductions: readonly Deduction[]
  destination: 'wallet' | 'account'
  net: bigint
  at: Date
}

export interface Bill {
  /** Flutterwave's references. */
  txRef: string
  flwRef: string
  /** The business's. */
  reference: string | null
  itemCode: string
  billerCode: string
  product: string
  customer: string
  amount: bigint
  fee: bigint
  commission: bigint
  batchId: number
  status: 'pending' | 'successful' | 'failed'
  token: string | null
  createdAt: Date
}

/** The number of the business at Flutterwave. */
export const ACCOUNT_ID = 118_468

export const isTest = ({ settings }: Account) => settings.secretKey.startsWith('FLWSECK_TEST-')

// ------------------------------------------------------------------------------ amounts

/** 2 %, at most ₦2,000, in thousandths of a naira. */
export function feeOf(kobo: bigint): bigint {
  const fee = (kobo + 2n) / 5n
  return fee > 2_000_000n ? 2_000_000n : fee
}

/** What is left of a payment after the fee and VAT of 7.5 % on it. Fractions of a kobo are lost. */
export function settledOf(charged: bigint): bigint {
  const fee = feeOf(charged)
  return (charged * 10n - fee - (fee * 75n) / 1_000n) / 10n
}

/** What a payer pays so that the amount is left. */
export function withFees({ settings }: Pick<Account, 'settings'>, amount: bigint): bigint {
  if (settings.feesPaidBy === 'business') return amount
  // The fee cannot be more than ₦2,000 and VAT.
  const most = 215_000n
  const guess = (amount * 22n) / 978n
  let charged = amount + (guess > most ? most : guess)
  while (settledOf(charged) > amount) charged -= 1n
  while (settledOf(charged) < amount) charged += 1n
  return charged
}

/** Naira as a number, without ending zeros, as JavaScript prints it. */
export const nairaOf = (kobo: bigint): Digits => decimal(kobo, 2)
/** The same from thousandths of a naira: 26.875. */
export const fromThousandths = (thousandths: bigint): Digits => decimal(thousandths, 3)
/** Naira as text with two decimals. */
export const nairaText = (kobo: bigint) => `${kobo / 100n}.${`${kobo % 100n}`.padStart(2, '0')}`

function decimal(value: bigint, places: number): Digits {
  const text = `${value < 0n ? -value : value}`.padStart(places + 1, '0')
  const fraction = text.slice(-places).replace(/0+$/, '')
  const sign = value < 0n ? '-' : ''
  return digits(`${sign}${text.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`)
}

/** The amount of a request in kobo; undefined for nothing, or for fractions of a kobo. */
export const amountOf = (request: DoubleRequest, ...path: string[]) =>
  koboOf(request.digits(...path, 'amount')) || undefined

// ------------------------------------------------------------------------------ answers

export const ok = (message: string, data: unknown, more: object = {}): Answer => ({
  status: 200,
  body: { status: 'success', message, data, ...more },
})

export const refuse = (status: number, message: string): Answer => ({
  status,
  body: { status: 'error', message, data: null },
})

/** Most lists have 20 rows a page and say so; those of transactions and transfers have 10. */
const PAGE_SIZE = 20
const SHORT_PAGE_SIZE = 10

/** Answers one page of a list, newest first. The rows are given oldest first. */
export function listAnswer<Row>(
  message: string,
  rows: readonly Row[],
  { query }: DoubleRequest,
  toJson: (row: Row) => unknown,
  isShort = false,
): Answer {
  const size = isShort ? SHORT_PAGE_SIZE : PAGE_SIZE
  const page = Number(query.page ?? 1)
  const shown = rows.toReversed().slice((page - 1) * size, page * size)
  const page_info = {
    total: rows.length,
    current_page: page,
    total_pages: Math.max(1, Math.ceil(rows.length / size)),
    ...(!isShort && { page_size: size }),
  }
  return ok(message, shown.map(toJson), { meta: { page_info } })
}

/** Whether a time is on the days that a list asks for, which are days of Lagos. */
export function isWithin(at: Date, { query: { from, to } }: DoubleRequest): boolean {
  const day = lagosDay(at)
  return (!from || day >= from) && (!to || day <= to)
}

const HOUR_MS = 3_600_000
export const lagosDay = (at: Date) => new Date(at.getTime() + HOUR_MS).toISOString().slice(0, 10)

export const isoOf = (at: Date): string => at.toISOString()

export function customerJson({ id, email, name, phone, createdAt }: Customer) {
  return { id, name, phone_number: phone, email, created_at: isoOf(createdAt) }
}

/** Finds the customer with an address, or creates one. */
export function customerOf(
  { kit, customers }: Account,
  email: string,
  name: string | undefined,
  phone: string | undefined,
): Customer {
  const known = customers.find((one) => one.email === email.toLowerCase())
  if (known) return known
  const customer = {
    id: kit.nextId(),
    email: email.toLowerCase(),
    name: name ?? 'Anonymous customer',
    phone: phone ?? 'N/A',
    createdAt: kit.clock.now(),
  }
  customers.push(customer)
  return customer
}

// ----------------------------------------------------------------------------- balances

/** What was collected and is not settled yet: the ledger balance. */
export function unsettled({ transactions, deductions }: Account): bigint {
  const collected = transactions
    .filter(({ status, settlement }) => status === 'successful' && !settlement)
    .reduce((sum, { charged }) => sum + settledOf(charged), 0n)
  return deductions
    .filter(({ source, settlement }) => source === 'ledgerbalance' && !settlement)
    .reduce((sum, { amount }) => sum - amount, collected)
}

/** What transfers, bills and refunds can take: the wallet. */
export const available = (account: Account): bigint =>
  account.kit.books.balance_minor('NGN') - unsettled(account)

/** Takes money from the wallet, or from the next settlement if the wallet has too little. */
export function deduct(account: Account, kind: Deduction['kind'], amount: bigint): Deduction {
  const isInWallet = available(account) >= amount || unsettled(account) < amount
  const source = isInWallet ? 'availablebalance' : 'ledgerbalance'
  const deduction: Deduction = { kind, amount, source, settlement: null }
  account.deductions.push(deduction)
  return deduction
}

/** Gives it back: to what is settled next, or to the wallet. */
export function takeBack({ deductions }: Account, deduction: Deduction): void {
  if (deduction.settlement) return
  deductions.splice(deductions.indexOf(deduction), 1)
}
