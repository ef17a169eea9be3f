import type { Tenant } from '../lib/caller.ts'
import { isCurrency, type Minor } from '../lib/money.ts'
import { invalid } from '../lib/problem.ts'

/** The provider's own names for an order, for its support and for people. */
export interface ProviderRefs {
  /** Its id, as text, because some exceed 2^53. */
  id?: string
  /** The reference that banks use, such as a NIP session id. */
  session?: string
}

/**
 * The outcome of a call to the outside world. After `refused` and `notNow`, definitely nothing
 * happened: `refused` ends the order, and after `notNow` the provider can accept the same order
 * later. A time-out is `unknown`, and so is a refusal because the reference was already used: it
 * can have happened, and only a later look-up decides.
 */
export type Outcome<T> =
  | { kind: 'done'; value: T; refs?: ProviderRefs }
  | { kind: 'refused'; code: string; message: string; refs?: ProviderRefs }
  | { kind: 'notNow'; code: string; message: string; retryAfterMs?: number }
  | { kind: 'unknown' }

export interface ChargeRequest {
  tenant: Tenant
  /** The reference of our transaction: unique, and the provider's idempotency key. */
  reference: string
  amount_minor: Minor
  currency: string
  expiresAt: Date
  now: Date
}

export interface VirtualAccount {
  accountNumber: string
  accountName: string
  bankCode: string
  bankName: string
}

export interface UssdCode {
  bankCode: string
  bankName: string
  ussdCode: string
}

export interface ChargeState {
  status: 'Pending' | 'Successful' | 'Failed'
  amount_minor: Minor
  currency: string
  /** For people: why it failed, or that it was approved. */
  message: string
}

export interface AccountHolder {
  accountName: string
  bankName: string
  /** Whether the bank is unsure about the name. Money sent there waits for a person to check. */
  isUncertain?: boolean
}

/** A payout of money into a bank account. */
export interface PayoutOrder {
  tenant: Tenant
  /** The reference of this attempt: unique, and the provider's idempotency key. */
  reference: string
  amount_minor: Minor
  currency: string
  bankCode: string
  accountNumber: string
  narration: string | null
  /** Starts at 1 and goes up by one each time a blocked payout is ordered again. */
  attempt: number
  now: Date
}

/** A refund of money to the payer. */
export interface RefundOrder {
  tenant: Tenant
  /** The reference of the refund: unique, and the provider's idempotency key. */
  reference: string
  /** The reference of the payment to refund. */
  chargeReference: string
  amount_minor: Minor
  currency: string
  now: Date
}

/**
 * The state of an order that moves money out. `Blocked`: held up, and can still be paid until it is
 * withdrawn; `Returned`: paid, then returned by the bank; `Rejected`: never accepted, or withdrawn.
 */
export interface PayoutState {
  status: 'Pending' | 'Successful' | 'Failed' | 'Blocked' | 'Rejected' | 'Returned'
  /** For people: why it failed, or that it was paid. */
  message: string
}

/** `NeedsAttention`: a person has to act, for example by giving another account. */
export interface RefundState {
  status: 'Pending' | 'Successful' | 'Failed' | 'NeedsAttention'
  message: string
}

/** An order to a biller to serve a customer. */
export interface VendOrder {
  tenant: Tenant
  /** The reference of this attempt: unique, and the provider's idempotency key. */
  reference: string
  packageSlug: string
  /** A phone, meter or smart card number that identifies the customer at the biller. */
  customerId: string
  amount_minor: Minor
  currency: string
  now: Date
}

export interface VendState {
  status: 'Pending' | 'Successful' | 'Failed'
  /** For people: why it failed, or that it was delivered. */
  message: string
  /** The token to enter into a prepaid meter, and the kilowatt hours it is worth. */
  token?: { value: string; units: string }
  pins?: string[]
}

export interface UtilityCustomer {
  customerName: string
}

/** A payment provider. The simulator is one; each live connector is another. */
export interface Provider {
  readonly name: string
  /** Identifies the account at the provider. Each order is stored with it. */
  readonly connectionId: number
  /** Opens an account for one payment. A notification reports money that arrives. */
  openVirtualAccount(
    request: ChargeRequest & { accountName: string },
  ): Promise<Outcome<VirtualAccount>>
  /** Returns codes for the payer to dial, one for each bank that supports it. */
  startUssd(request: ChargeRequest): Promise<Outcome<UssdCode[]>>
  /** Looks up the outcome of a charge, like `lookUpPayout`. */
  lookUpCharge(tenant: Tenant, reference: string): Promise<Outcome<ChargeState>>
  /** Looks up the holder of an account. Changes nothing. */
  resolveAccount(bankCode: string, accountNumber: string): Promise<Outcome<AccountHolder>>
  /** Orders a payout. The same reference again is the same order. */
  payOut(order: PayoutOrder): Promise<Outcome<PayoutState>>
  /**
   * Looks up the outcome of a payout; `refused` with the code `unknown_order` means that the order
   * never arrived. Changes nothing.
   */
  lookUpPayout(tenant: Tenant, reference: string): Promise<Outcome<PayoutState>>
  /**
   * Withdraws a held-up payout and returns its state afterwards. `Rejected` and `Failed`: it will
   * never be paid; `Successful` and `Returned`: too late; any other: try again.
   */
  cancelPayout(tenant: Tenant, reference: string): Promise<Outcome<PayoutState>>
  /** Orders a refund. The same reference again is the same order. */
  giveBack(order: RefundOrder): Promise<Outcome<RefundState>>
  /** Looks up the outcome of a refund, like `lookUpPayout`. */
  lookUpRefund(tenant: Tenant, reference: string): Promise<Outcome<RefundState>>
  /** Looks up the biller's customer; `refused` if there is none. Changes nothing. */
  enquireCustomer(packageSlug: string, customerId: string): Promise<Outcome<UtilityCustomer>>
  /** Orders a vend from a biller. The same reference again is the same order. */
  vend(order: VendOrder): Promise<Outcome<VendState>>
  /** Looks up the outcome of a vend, like `lookUpPayout`. */
  lookUpVend(tenant: Tenant, reference: string): Promise<Outcome<VendState>>
}

/** A provider's notification only says that a look-up is worthwhile; the look-up decides. */
export interface Notice {
  tenant: Tenant
  /** The reference that the order was sent under. */
  reference: string
}

/** Money that arrived on a virtual account. */
export interface DepositNotice {
  tenant: Tenant
  /** The provider's own number for this deposit; a repeated notification has the same number. */
  depositReference: string
  accountNumber: string
  amount_minor: Minor
  currency: string
  /** The sender, as far as the bank reports it. */
  sender?: { accountName: string | null; accountNumber: string | null; bankName: string | null }
}

export type Channel = 'BANK_TRANSFER' | 'USSD'

/**
 * What a provider can be configured for: taking payments, resolving accounts, paying out, buying.
 */
export type Service = Channel | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY'

/** Finds the provider for a service in a mode, and the provider that has an order. */
export interface Providers {
  /** Throws `unavailable` `live_provider_missing` when none is configured for live mode. */
  of(live: boolean, service: Service): Provider
  /**
   * Returns the provider that has an order, even if another one serves new orders now. Throws if
   * there is none.
   */
  holder(connectionId: number): Provider
  /** Returns the channels that payers can be offered. */
  channels(live: boolean): Channel[]
}

/** The currencies that this server's channels can take and pay out, connected or not. */
const CARRIED: readonly string[] = ['NGN']

export const isCarried = (currency: string): boolean => CARRIED.includes(currency)

/** Throws 400 on `currency` for a currency that no channel can take. */
export function requireCarried(currency: string): void {
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  if (!isCarried(currency)) {
    throw invalid({
      currency: [`must be ${CARRIED.join(' or ')}: no channel can take ${currency}`],
    })
  }
}
