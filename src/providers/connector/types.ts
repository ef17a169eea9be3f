import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { DisputeOperations } from './disputes.ts'
import type { BillOperations, SoldPackage } from './utilities.ts'

export type { DisputePage, DisputeResponse, DisputeState } from './disputes.ts'
export type { BillItem, SoldPackage, UtilityCustomer, VendOrder, VendState } from './utilities.ts'

const PROVIDERS = ['simulator', 'paystack', 'flutterwave'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** `CARD` is the provider's own page, where payers pay by card or from a bank account. */
export type Channel = 'BANK_TRANSFER' | 'USSD' | 'CARD'

export type Service = Channel | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING'

/** Our account with a provider. Orders refer to its id. */
export interface Connection {
  id: number
  provider: ProviderName
  /** Null only for the simulator, which serves every business's test mode. */
  businessId: number | null
  live: boolean
  environment: 'simulated' | 'sandbox' | 'production'
  status: 'Draft' | 'Active' | 'Paused' | 'Removed'
  name: string
  baseUrl: string
  settings: ConnectionSettings
  /** When its credentials were last replaced; absent if they never were. */
  credentialsSince?: Date | null
}

export interface ConnectionSettings {
  /** What the business uses this connection for. */
  services: readonly Service[]
  /** Our codes of the banks whose USSD codes this account can create. */
  ussdBanks: readonly string[]
  /** Who pays the provider's fees. */
  feesPaidBy: 'business' | 'operator'
  /** Whether the provider pays the balance out to a bank account by itself; null if unknown. */
  automaticSettlement: boolean | null
  /** Sent where the provider requires an email address and the payer gave none. */
  payerEmail?: string | null
}

/** The provider's own identifiers for an order, which its support team can find. */
export interface ProviderRefs {
  /** A string, because some ids exceed 2^53. */
  id?: string
  /** The reference that banks use, such as a NIP session id. */
  session?: string
}

/** Why a provider refused something that it will never do. */
export type RefusalCode =
  | 'unknown_order'
  | 'unknown_account'
  | 'unknown_bank'
  | 'unknown_customer'
  | 'unknown_package'
  | 'declined'
  | 'amount_out_of_range'
  | 'not_refundable'
  | 'unsupported'
  | 'bad_request'

/** Why a provider, or our connection to it, cannot do something at the moment. */
export type NotNowCode =
  | 'not_reached'
  | 'rate_limited'
  | 'provider_down'
  | 'insufficient_provider_balance'
  | 'credentials_refused'
  | 'address_not_allowed'
  | 'feature_off'
  | 'limit_reached'

/**
 * Why it is not known whether a call took effect. `duplicate`: the provider refuses the reference
 * because it has already been used. `inconclusive`: the response does not say what happened to the
 * order.
 */
export type UnknownReason =
  | 'timed_out'
  | 'disconnected'
  | 'server_error'
  | 'duplicate'
  | 'unreadable'
  | 'not_found_yet'
  | 'inconclusive'

/**
 * The outcome of a call to the outside world. `refused` and `notNow` both guarantee that nothing
 * happened: `refused` is about the order, and `notNow` about the connection, so this or another
 * provider can accept the same order later. After `unknown`, the call may have taken effect, and
 * only a later lookup can show whether it did.
 */
export type Outcome<T> =
  | { kind: 'done'; value: T; refs?: ProviderRefs }
  | { kind: 'refused'; code: RefusalCode; message: string; refs?: ProviderRefs }
  | {
      kind: 'notNow'
      code: NotNowCode
      message: string
      retryAfterMs?: number
      /** True if we have not sent the order itself; false if it was in a batch that we sent. */
      isUnsent?: boolean
    }
  | { kind: 'unknown'; reason: UnknownReason; message?: string }

/** The order that a call is about, and when. */
export interface About {
  tenant: Tenant
  order: {
    kind: string
    subjectId: number
    /** Starts at 1. It increases by one each time that the record is ordered again. */
    attempt: number
  }
  now: Date
}

/** The orders of one kind that a call is about, and when. */
interface AboutMany {
  tenant: Tenant
  orders: readonly About['order'][]
  now: Date
}

/** On whose behalf, and when, a call is made that need not be about an order. */
export type Moment = Omit<About, 'order'> &
  Partial<Pick<About, 'order'> & Pick<AboutMany, 'orders'>>

/** What is known about an order that may have been sent. */
export interface SentOrder {
  reference: string
  refs: ProviderRefs
  sentAt: Date
  /** The last state that the provider reported; null or absent if there is none. */
  state?: string | null
  /** Null for orders that were stored before orders had amounts. */
  amount_minor: Minor | null
  currency: string | null
}

/** As far as the payer has named themselves. */
export interface Payer {
  email: string | null
  name: string | null
  phone: string | null
}

export interface ChargeOrder {
  /** Unique, and the provider's idempotency key, like the reference of every order. */
  reference: string
  amount_minor: Minor
  currency: string
  expiresAt: Date
  payer: Payer
}

/** An account that a provider has opened for one payment, or for funding the wallet. */
export interface VirtualAccount {
  accountNumber: string
  accountName: string
  /** Our code; null if the provider's bank is not in our list. */
  bankCode: string | null
  bankName: string
  /** As the provider set it, whatever we asked for; null if it does not say. */
  expiresAt: Date | null
}

/** The business for which a funding account is opened. */
interface FundingHolder {
  reference: string
  name: string
  email: string | null
  phone: string | null
}

/** A provider's page where the payer chooses how to pay. */
export interface HostedPage {
  url: string
}

export interface UssdCode {
  bankCode: string
  bankName: string
  ussdCode: string
}

/** One amount that reached the provider for a charge or an account. */
export interface IncomingPayment {
  /** The provider's id, unique within the connection. */
  providerId: string
  amount_minor: Minor
  currency: string
  /** What the provider keeps, VAT included; null until it says. */
  fee_minor: Minor | null
  receivedAt: Date
  /**
   * `kept`: it is on our balance, whatever we decide. `returning`: the provider sends it back by
   * itself, and it is never on our balance. `asking`: the provider sends it back if we do not
   * accept it.
   */
  disposition: 'kept' | 'returning' | 'asking'
  sender: { name: string | null; bankName: string | null; accountLast4: string | null } | null
}

export interface ChargeState {
  status: 'Pending' | 'Successful' | 'Failed' | 'Reversed'
  /** Of the only payment; absent if the provider lists payments. */
  amount_minor?: Minor
  currency?: string
  /** Every payment for this charge, in order of arrival. */
  payments?: readonly IncomingPayment[]
  /** What the provider keeps; null or absent until it says. */
  fee_minor?: Minor | null
  /** A human-readable message that says why the order failed, or that it was approved. */
  message: string
}

export interface AccountHolder {
  accountName: string
  /**
   * True if the bank is unsure about the name. Money for this account waits until a person has
   * checked the name.
   */
  isUncertain?: boolean
}

/** A bank as a provider lists it. */
export interface ListedBank {
  /** By which the provider's operations name it. */
  code: string
  /** The provider's own number for it, if it has one. */
  id: string | null
  name: string
  nipCode: string | null
  isActive: boolean
}

export interface PayoutAccount {
  bankCode: string
  accountNumber: string
  accountName: string | null
}

export interface PayoutOrder extends PayoutAccount {
  reference: string
  amount_minor: Minor
  currency: string
  narration: string | null
}

export interface RefundOrder {
  reference: string
  /** The payment being refunded. */
  charge: SentOrder
  /** The provider's id of the payment, if the charge can have several. */
  paymentId: string | null
  amount_minor: Minor
  currency: string
  reason: string | null
}

/** Figures that the provider reports, which are compared with the order; absent if it does not. */
export interface ReportedAmounts {
  amount_minor?: Minor | null
  currency?: string | null
  /** What the provider takes for it, in addition; null or absent until it says. */
  fee_minor?: Minor | null
  /** The provider's word for the state, if we do not know it. The state is Pending then. */
  unknownWord?: string
}

/**
 * The state of an order that pays money out. `Blocked`: held up, but can still be paid until it is
 * withdrawn. `Returned`: paid, and later returned by the bank. `Rejected`: never accepted, or
 * withdrawn.
 */
export interface PayoutState extends ReportedAmounts {
  status: 'Pending' | 'Successful' | 'Failed' | 'Blocked' | 'Rejected' | 'Returned'
  /** A human-readable message that says why the payout failed, or that it was paid. */
  message: string
  /** What a person has to do before a blocked payout can be paid. */
  action?: string
  /**
   * Why a payout failed, if the reason is the connection's: the same payout can still be paid,
   * under another reference.
   */
  notNow?: NotNowCode
}

/** `NeedsAttention`: a person has to act, for example by providing another account. */
export interface RefundState extends ReportedAmounts {
  status: 'Pending' | 'Successful' | 'Failed' | 'NeedsAttention'
  message: string
}

/** What "unknown order" proves about one kind of order. */
export interface Absence {
  /**
   * How long after the last possible sending the response proves that the order never arrived; null
   * if it never does.
   */
  provenAfterMs: number | null
  /** Whether the provider refuses a second order with the same reference. */
  repeatIsSafe: boolean
}

export interface Balance {
  currency: string
  available_minor: Minor
  /** What is not available yet; null if the provider does not say. */
  pending_minor: Minor | null
}

/** `Asker`: what a connector needs to make a call. */
export interface Balances<Asker = Asking> {
  balances(asker: Asker): Promise<Outcome<readonly Balance[]>>
}

/** Who asks about an account as a whole, and when. */
interface Asking {
  tenant: Tenant
  now: Date
}

export type EntryKind =
  | 'charge'
  | 'payout'
  | 'refund'
  | 'bill'
  | 'dispute'
  | 'settlement'
  | 'reversal'
  | 'fee'
  | 'other'

/** One line of the provider's own records. */
export interface ProviderEntry {
  kind: EntryKind
  /** Unique for this kind within the connection. */
  providerId: string
  /** The reference that we sent, if the provider repeats it. */
  reference: string | null
  status: 'Pending' | 'Successful' | 'Failed' | 'Reversed'
  /** Without the fee; never negative, because the kind says which way it went. */
  amount_minor: Minor
  fee_minor: Minor | null
  currency: string
  at: Date
  /** The settlement that contains it, if the provider says so here. */
  settlementId: string | null
}

export interface EntryPage {
  entries: readonly ProviderEntry[]
  /** Null on the last page. */
  next: string | null
}

/** The payments in a settlement, by their ids. */
export interface SettledPage {
  providerIds: readonly string[]
  next: string | null
}

/** Times from `from` up to, but without, `until`. */
export interface Range {
  from: Date
  until: Date
}

/** The provider's own records. Reading them changes nothing. */
export interface Reports<Asker = Asking> {
  /** The kinds of which the provider lists every entry. */
  kinds: readonly EntryKind[]
  entries(
    asker: Asker,
    kind: EntryKind,
    range: Range,
    cursor: string | null,
  ): Promise<Outcome<EntryPage>>
  /** Lists the payments in a settlement; absent if entries name their settlement themselves. */
  settled?(asker: Asker, settlementId: string, cursor: string | null): Promise<Outcome<SettledPage>>
}

/** What a provider's connector can do for any connection. */
export type Connector = Omit<Provider, 'connection'>

/** A connection that can be called: its connector with its account. */
export interface Provider extends BillOperations, DisputeOperations {
  readonly connection: Connection
  readonly absence: Readonly<Record<'charge' | 'payout' | 'refund' | 'bill', Absence>>
  /** Whether starting a charge again under one reference returns the same account or codes. */
  readonly startIsRepeatable: boolean
  /** The services and the amounts that the provider accepts; absent if it accepts all. */
  readonly offers?: Readonly<
    Partial<Record<Service, { least_minor: Minor; most_minor: Minor | null }>>
  >
  /** How many orders jobs can send at once; absent if that does not matter. */
  readonly slots?: number
  /** Whether a person decides the outcome of its orders in the simulator. */
  readonly isSimulator?: boolean
  /** Where its hosted pages are, as sources for a Content Security Policy. */
  readonly pageSources?: readonly string[]
  /** Opens an account for one payment. The provider sends a notification when money arrives. */
  openVirtualAccount(
    about: About,
    order: ChargeOrder & { accountName: string },
  ): Promise<Outcome<VirtualAccount>>
  /**
   * Returns codes for the payer to dial. The code of the given bank is among them, if there is one:
   * some providers create one code for one bank only.
   */
  startUssd(
    about: About,
    order: ChargeOrder & { bankCode: string | null },
  ): Promise<Outcome<UssdCode[]>>
  /**
   * Opens a page at the provider, which sends the payer back to `returnUrl`. What the URL then says
   * proves nothing. Absent if the provider has no such page.
   */
  openHostedPage?(
    about: About,
    order: ChargeOrder & { returnUrl: string },
  ): Promise<Outcome<HostedPage>>
  /** Looks up the outcome of a charge, like `lookUpPayout`. */
  lookUpCharge(about: About, sent: SentOrder): Promise<Outcome<ChargeState>>
  /** Looks up the holder of an account. Changes nothing. */
  resolveAccount(bankCode: string, accountNumber: string): Promise<Outcome<AccountHolder>>
  /**
   * Lists all the banks of a provider whose codes are not ours. Its other operations are called
   * with its own codes. Changes nothing.
   */
  listBanks?(): Promise<Outcome<readonly ListedBank[]>>
  /**
   * Requests a payout. Whether a repeated reference refers to the same order is in `absence`; if
   * the provider refuses it as a duplicate, the outcome is unknown.
   */
  payOut(about: About, order: PayoutOrder): Promise<Outcome<PayoutState>>
  /**
   * Requests several payouts at once, and returns the outcome of each, in the same sequence. The
   * batch as a whole can fail, too. After `refused`, each can be requested alone, if a repeated
   * reference is safe. Absent if the provider has no batches.
   */
  payOutMany?(
    about: AboutMany,
    orders: readonly PayoutOrder[],
  ): Promise<Outcome<readonly Outcome<PayoutState>[]>>
  /** The largest batch; absent if the provider has none. */
  readonly batchMax?: number
  /**
   * Looks up the outcome of a payout; `refused` with the code `unknown_order` means that the
   * provider does not know it. `absence` says what that proves. Changes nothing.
   */
  lookUpPayout(about: About, sent: SentOrder): Promise<Outcome<PayoutState>>
  /**
   * Withdraws a blocked payout and returns its resulting state. `Rejected` and `Failed` mean that
   * it will never be paid. `Successful` and `Returned` mean that the withdrawal is too late. For
   * any other state, try again. Absent if the provider cannot withdraw payouts.
   */
  cancelPayout?(about: About, sent: SentOrder): Promise<Outcome<PayoutState>>
  /** Requests a refund, like `payOut`. */
  refund(about: About, order: RefundOrder): Promise<Outcome<RefundState>>
  /** Looks up the outcome of a refund, like `lookUpPayout`. */
  lookUpRefund(about: About, sent: SentOrder & { charge: SentOrder }): Promise<Outcome<RefundState>>
  /**
   * Pays a refund that needs attention to a bank account of the payer. `bankId` is the provider's
   * own number for the bank. If the provider has already been given an account, the outcome is
   * unknown. Absent if the provider pays only the account that paid.
   */
  retryRefund?(
    about: About,
    sent: SentOrder & { charge: SentOrder },
    account: PayoutAccount & { bankId?: string | null },
  ): Promise<Outcome<RefundState>>
  /**
   * Opens a permanent account into which a business pays to fund its wallet. A repeated reference
   * returns the same account. Absent if the provider has no such accounts.
   */
  openFundingAccount?(about: About, holder: FundingHolder): Promise<Outcome<VirtualAccount>>
  /** Lists all payments into such an account since a time. Changes nothing. */
  listFundingPayments?(
    about: About,
    account: { reference: string; accountNumber: string; refs: ProviderRefs },
    since: Date,
  ): Promise<Outcome<readonly IncomingPayment[]>>
  readonly balances?: Balances
  readonly reports?: Reports
}

/**
 * A provider's notification. It only shows that a lookup is worthwhile; the lookup gives the
 * outcome.
 */
export interface Notification {
  tenant: Tenant
  /** The reference under which the order was sent. */
  reference: string
}

/** What routing looks at. */
export interface RoutingQuery {
  service: Service
  currency: string
  /** If it is known. */
  amount_minor?: Minor
  /** Our code of the payer's or the recipient's bank, if it is known. */
  bankCode?: string | undefined
  /** Text, such as a reference, that always selects the same of several equal connections. */
  key?: string
  /** Ids of connections that cannot serve this order. */
  except?: readonly number[]
  /** Whether the order can wait for a connection whose last calls have failed. */
  canWait?: boolean
}

/**
 * Why a route cannot take an order: it is `off`; its connection is `not_active`; this version does
 * not know its provider; the provider or the business does not use it for the service
 * (`not_offered`); it serves other currencies, amounts or banks; the last calls have failed
 * (`suspended`); or the caller has `excluded` the connection.
 */
const ROUTE_FAULTS = [
  'off',
  'not_active',
  'unknown_provider',
  'not_offered',
  'currency',
  'amount',
  'bank',
  'suspended',
  'excluded',
] as const
export type RouteFault = (typeof ROUTE_FAULTS)[number]

type NamedConnection = { connectionId: number } & Pick<Connection, 'provider' | 'name'>

/** Where an order would go. */
export interface RoutePreview {
  /**
   * The connections that can take it, each with its chance to be the first, from 0 to 1. An order
   * that can wait also goes to one that is suspended, if there is no other.
   */
  candidates: (NamedConnection & { share: number; isSuspended: boolean })[]
  skipped: (NamedConnection & { why: RouteFault })[]
}

/**
 * Finds the connections of a business. A function that is called inside a transaction gets it as
 * `tx`, so that it does not wait for a second connection to the database.
 */
export interface Providers {
  /**
   * Returns the connections that can take a new order now, best first. Throws `unavailable`
   * `provider_unavailable` if the business's routes lead to none that fit, and
   * `live_provider_missing` if it has no routes for a service in live mode.
   */
  candidates(
    tenant: Tenant,
    query: RoutingQuery,
    tx?: Db,
  ): Promise<readonly [Provider, ...Provider[]]>
  /**
   * Returns what `candidates` would decide by the present routes. If it would throw, there are no
   * candidates.
   */
  preview(db: Db, tenant: Tenant, query: RoutingQuery): Promise<RoutePreview>
  /** Returns the first candidate. */
  choose(tenant: Tenant, query: RoutingQuery, tx?: Db): Promise<Provider>
  /**
   * Returns the connection that holds an order, even if another one now takes new orders. Throws if
   * there is none.
   */
  holder(connectionId: number, tx?: Db): Promise<Provider>
  /** Returns whether a connection gets no new orders now, because its last calls have failed. */
  isSuspended(connectionId: number, service: Service): boolean
  /** Returns whether the business has stopped its payouts, as known a second ago at the latest. */
  arePayoutsStopped(tenant: Tenant): Promise<boolean>
  /**
   * Returns the packages of billers that the business's connections sell, by slug, with their
   * prices; null if they sell all our packages at our prices.
   */
  packages(tenant: Tenant, tx?: Db): Promise<ReadonlyMap<string, SoldPackage> | null>
  /** Returns the channels that payers can be offered. */
  channels(tenant: Tenant, tx?: Db): Promise<readonly Channel[]>
  /** Returns whether the business has a connection that takes new transfers. */
  canPayOut(tenant: Tenant): Promise<boolean>
  /** Returns the `pageSources` of the connections that take new card payments. */
  pageSources(tenant: Tenant): Promise<readonly string[]>
  /**
   * Returns our codes of the banks whose USSD codes the business's connections can create; null if
   * they can create every bank's.
   */
  ussdBanks(tenant: Tenant, tx?: Db): Promise<readonly string[] | null>
}
