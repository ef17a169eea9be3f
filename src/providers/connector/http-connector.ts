import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { HttpClient } from './transport.ts'
import type * as plain from './types.ts'
import type {
  Absence,
  AccountHolder,
  Balance,
  BillItem,
  Connection,
  DisputePage,
  DisputeResponse,
  DisputeState,
  IncomingPayment,
  ListedBank,
  Outcome,
  ProviderName,
  Range,
  SentOrder,
  Service,
  UssdCode,
  UtilityCustomer,
  VendState,
  VirtualAccount,
} from './types.ts'

export type {
  Balance,
  BillItem,
  DisputePage,
  DisputeResponse,
  DisputeState,
  EntryKind,
  EntryPage,
  IncomingPayment,
  ProviderEntry,
  Range,
  SettledPage,
  VirtualAccount,
} from './types.ts'

/**
 * What a connector implements that calls its provider over HTTP. It has no state, reads no clock
 * and writes no log: whatever an operation needs is in its `Call`. Some types here extend those of
 * the same name in `types.ts`, which the rest of the code uses.
 */
export interface HttpConnector {
  readonly provider: ProviderName
  readonly title: string
  readonly currencies: readonly string[]
  readonly credentials: readonly CredentialField[]
  readonly baseUrls: Readonly<Partial<Record<Connection['environment'], string>>>
  readonly deadlinesMs: Readonly<Record<CallClass, number>>
  readonly limits: { perSecond: number; ordersPerSecond: number; atOnce: number }
  /** The amounts that the provider accepts for a service. */
  readonly amounts: Readonly<
    Partial<Record<Service, { least_minor: Minor; most_minor: Minor | null }>>
  >
  readonly absence: Readonly<Record<'charge' | 'payout' | 'refund' | 'bill', Absence>>
  /** Whether starting a charge again under one reference returns the same account or codes. */
  readonly startIsRepeatable: boolean
  /** Where its hosted pages are, as sources for a Content Security Policy. */
  readonly pageSources: readonly string[]
  /** Which deposits an account for one payment can keep. */
  readonly depositAmounts: 'exact' | 'any'
  /** Our codes of the banks whose USSD codes it can create; absent if it cannot create any. */
  readonly ussdBanks?: readonly string[]
  /** Checks the account and its settings. Changes nothing. */
  probe(call: Call): Promise<Outcome<ProbeReport>>
  readonly collections?: Collections
  readonly payouts?: Payouts
  readonly refunds?: Refunds
  readonly bills?: Bills
  readonly accounts?: Accounts
  readonly balances?: Balances
  readonly reports?: Reports
  readonly disputes?: Disputes
  readonly notices?: Notices
  /** What this connector assumes and only the provider can confirm. */
  readonly facts: readonly Fact[]
}

export interface Fact {
  id: string
  /** C: other people report it. K: common knowledge, without a source. */
  mark: 'C' | 'K'
  claim: string
  ifWrong: string
}

/** Which deadline a call has. */
export type CallClass = 'resolve' | 'open' | 'order' | 'lookUp' | 'list'

/** No call takes longer, because another process may act on an order whose call has not ended. */
export const DEADLINE_MS_MAX = 45_000

export interface CredentialField {
  name: string
  label: string
  isSecret: boolean
  isRequired: boolean
  /** The provider accepts any value, so one is made if none is given. */
  isOurChoice?: boolean
  /** Completes "NAME …" for a value that must not be stored, such as a test key in live mode. */
  faultOf(value: string, environment: Connection['environment']): string | undefined
}

export interface Credentials {
  /** Returns the current value, for calls that we make. Throws if there is none. */
  current(name: string): string
  /** Returns the current value and those that it has recently replaced, to check signatures. */
  accepted(name: string): readonly string[]
}

export interface Call {
  tenant: Tenant
  connection: Connection
  credentials: Credentials
  now: Date
  /** Has the connection's base URL, and one deadline for all requests of this call. */
  http: HttpClient
}

export interface ProbeReport {
  accountName: string | null
  environment: Connection['environment']
  balances: readonly Balance[]
  /** What someone has to do in the provider's dashboard. `isDone` is null if we cannot check it. */
  checks: readonly { name: string; isDone: boolean | null; instruction: string }[]
}

// --------------------------------------------------------------------- money in

/** Providers need an email address, so the connection's own replaces a missing one. */
interface Payer extends plain.Payer {
  email: string
}

export interface ChargeOrder extends plain.ChargeOrder {
  payer: Payer
  description: string
}

/** A provider's page where the payer chooses how to pay. */
export interface HostedPage {
  url: string
  expiresAt: Date | null
}

export interface ChargeState {
  /** `Reversed`: it was paid, and the money has gone back to the payer. */
  status: 'Pending' | 'Successful' | 'Failed' | 'Reversed'
  message: string
  /** Every payment for this charge. A Successful charge has at least one. */
  payments: readonly IncomingPayment[]
}

export interface Collections {
  openVirtualAccount?(
    call: Call,
    order: ChargeOrder & { accountName: string },
  ): Promise<Outcome<VirtualAccount>>
  /** `bankCode` is ours; null asks for every bank's code, if the provider can do that. */
  startUssd?(
    call: Call,
    order: ChargeOrder & { bankCode: string | null },
  ): Promise<Outcome<readonly UssdCode[]>>
  openHostedPage?(
    call: Call,
    order: ChargeOrder & { returnUrl: string },
  ): Promise<Outcome<HostedPage>>
  lookUpCharge(call: Call, sent: SentOrder): Promise<Outcome<ChargeState>>
}

// -------------------------------------------------------------------- money out

/** A bank as this provider names it. */
export type ProviderBank = Pick<ListedBank, 'code' | 'id' | 'name'>

export interface BankAccount {
  bank: ProviderBank
  accountNumber: string
  accountName: string | null
}

export interface PayoutOrder
  extends Omit<plain.PayoutOrder, 'bankCode' | 'accountNumber' | 'accountName'> {
  to: BankAccount
  /** The provider's recipient for this account, if we have one. */
  recipient: string | null
}

export interface PayoutState extends plain.PayoutState {
  /** To be stored for the next payout to this account. */
  recipient?: string
}

export interface Payouts {
  /** The largest batch; absent if the provider has none. */
  batchMax?: number
  payOut(call: Call, order: PayoutOrder): Promise<Outcome<PayoutState>>
  /** Returns one outcome for each order, in the same sequence. */
  payOutMany?(
    call: Call,
    orders: readonly PayoutOrder[],
  ): Promise<Outcome<readonly Outcome<PayoutState>[]>>
  lookUpPayout(call: Call, sent: SentOrder): Promise<Outcome<PayoutState>>
  /** Absent if the provider cannot withdraw a payout. */
  cancelPayout?(call: Call, sent: SentOrder): Promise<Outcome<PayoutState>>
}

export interface RefundOrder extends plain.RefundOrder {
  /** The provider's id of the payment to refund, if the charge had several. */
  paymentId: string | null
}

export interface RefundState extends plain.RefundState {
  /** What the provider took from the balance; null until it says. */
  deducted_minor: Minor | null
}

export interface Refunds {
  refund(call: Call, order: RefundOrder): Promise<Outcome<RefundState>>
  lookUpRefund(call: Call, sent: SentOrder & { charge: SentOrder }): Promise<Outcome<RefundState>>
  /** Gives a refund that needs attention the payer's bank account. */
  retryRefund?(call: Call, sent: SentOrder, account: BankAccount): Promise<Outcome<RefundState>>
}

export interface VendOrder extends Omit<plain.VendOrder, 'packageSlug'> {
  item: Pick<BillItem, 'billerCode' | 'itemCode'>
}

export interface Bills {
  /** Reads all items of the categories that Tradepost knows. */
  items(call: Call): Promise<Outcome<readonly BillItem[]>>
  lookUpCustomer(
    call: Call,
    customer: Pick<VendOrder, 'item' | 'customerId'>,
  ): Promise<Outcome<UtilityCustomer>>
  vend(call: Call, order: VendOrder): Promise<Outcome<VendState>>
  lookUpVend(call: Call, sent: SentOrder): Promise<Outcome<VendState>>
}

export interface Accounts {
  banks(call: Call): Promise<Outcome<readonly ListedBank[]>>
  resolveAccount(
    call: Call,
    account: { bank: ProviderBank; accountNumber: string },
  ): Promise<Outcome<AccountHolder>>
}

// -------------------------------------------------------- books, disputes, notices

type Balances = plain.Balances<Call>
export type Reports = plain.Reports<Call>

export interface Disputes {
  list(call: Call, range: Range, cursor: string | null): Promise<Outcome<DisputePage>>
  lookUpDispute(
    call: Call,
    providerId: string,
    paymentId?: string | null,
  ): Promise<Outcome<DisputeState>>
  respond?(
    call: Call,
    providerId: string,
    response: DisputeResponse,
  ): Promise<Outcome<DisputeState>>
}

export interface RawNotice {
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The bytes as received. Nothing parses them before they are verified. */
  body: Buffer
}

/** What a provider's notification is about. It only says what to look up. */
export interface Notice {
  /** The same for every delivery of one event. */
  key: string
  /** As the provider names it: `transfer.success`. */
  type: string
  about: 'charge' | 'payment' | 'payout' | 'refund' | 'bill' | 'dispute' | 'settlement' | 'none'
  /** Of the order; of a refund or a dispute that the provider does not name, of its charge. */
  reference: string | null
  providerId: string | null
  /** Of a `payment` into a permanent account. */
  accountNumber: string | null
}

export interface Notices {
  verify(notice: RawNotice, credentials: Credentials): 'authentic' | 'forged' | 'unsigned'
  /** Throws for a body that it cannot read. */
  read(notice: RawNotice): readonly Notice[]
}
