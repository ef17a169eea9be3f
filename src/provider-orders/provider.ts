import type { Tenant } from '../lib/caller.ts'
import { isCurrency, type Minor } from '../lib/money.ts'
import { invalid } from '../lib/problem.ts'

/** The provider's own names for an order, for its support and for people. */
export interface ProviderRefs {
  /** Its id, as text: some exceed 2^53. */
  id?: string
  /** What banks call it, such as a NIP session id. */
  session?: string
}

/**
 * What a call to the outside world can end in. After `refused` and `notNow` definitely nothing
 * happened: `refused` is about the order, which is over, and `notNow` is about the provider, which
 * may take the same order later. A time-out is `unknown`, and so is the refusal of a reference that
 * was used before: it may have happened, and only a later look-up decides.
 */
export type Outcome<T> =
  | { kind: 'done'; value: T; refs?: ProviderRefs }
  | { kind: 'refused'; code: string; message: string; refs?: ProviderRefs }
  | { kind: 'notNow'; code: string; message: string; retryAfterMs?: number }
  | { kind: 'unknown' }

export interface ChargeRequest {
  tenant: Tenant
  /** Our transaction's reference: unique, and the provider's idempotency key. */
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
  /** The bank is not certain of it: money sent there waits for somebody to look. */
  isUncertain?: boolean
}

/** Money that we want paid into a bank account. */
export interface PayoutOrder {
  tenant: Tenant
  /** Of this attempt: unique, and the provider's idempotency key. */
  reference: string
  amount_minor: Minor
  currency: string
  bankCode: string
  accountNumber: string
  narration: string | null
  /** 1, and one more each time that a blocked payout is ordered again. */
  attempt: number
  now: Date
}

/** Money that we want given back to whoever paid. */
export interface RefundOrder {
  tenant: Tenant
  /** Of the refund: unique, and the provider's idempotency key. */
  reference: string
  /** Of the payment that it is given back of. */
  chargeReference: string
  amount_minor: Minor
  currency: string
  now: Date
}

/**
 * Where an order to move money out stands. `Blocked`: held up, and may yet be paid until it is
 * withdrawn; `Returned`: paid, and sent back by the bank; `Rejected`: never accepted, or withdrawn.
 */
export interface PayoutState {
  status: 'Pending' | 'Successful' | 'Failed' | 'Blocked' | 'Rejected' | 'Returned'
  /** For people: why it failed, or that it was paid. */
  message: string
}

/** `NeedsAttention`: somebody has to do something, such as naming another account. */
export interface RefundState {
  status: 'Pending' | 'Successful' | 'Failed' | 'NeedsAttention'
  message: string
}

/** Something of a biller's that a customer is to have. */
export interface VendOrder {
  tenant: Tenant
  /** Of this attempt: unique, and the provider's idempotency key. */
  reference: string
  packageSlug: string
  /** A telephone, meter or smart card number, as the biller knows its customer. */
  customerId: string
  amount_minor: Minor
  currency: string
  now: Date
}

export interface VendState {
  status: 'Pending' | 'Successful' | 'Failed'
  /** For people: why it failed, or that it was delivered. */
  message: string
  /** What is typed into a prepaid meter, and the kilowatt hours that it is good for. */
  token?: { value: string; units: string }
  pins?: string[]
}

export interface UtilityCustomer {
  customerName: string
}

/** One rail to the outside world. The simulator is one; each live connector is another. */
export interface Provider {
  readonly name: string
  /** Which account at which provider it is; each order is noted with it. */
  readonly connectionId: number
  /** An account made for one payment. Money that comes is told by a notice. */
  openVirtualAccount(
    request: ChargeRequest & { accountName: string },
  ): Promise<Outcome<VirtualAccount>>
  /** Codes that the payer dials, one for each bank that can. */
  startUssd(request: ChargeRequest): Promise<Outcome<UssdCode[]>>
  /** What became of a charge, by our reference. Asking changes nothing. */
  lookUpCharge(tenant: Tenant, reference: string): Promise<Outcome<ChargeState>>
  /** Whose account it is. Asking changes nothing. */
  resolveAccount(bankCode: string, accountNumber: string): Promise<Outcome<AccountHolder>>
  /** Orders a payout. The same reference again is the same order. */
  payOut(order: PayoutOrder): Promise<Outcome<PayoutState>>
  /**
   * What became of a payout; `refused` with the code `unknown_order`: it never arrived. Asking
   * changes nothing.
   */
  lookUpPayout(tenant: Tenant, reference: string): Promise<Outcome<PayoutState>>
  /**
   * Withdraws a payout that is held up, and answers where it stands then. `Rejected` and `Failed`:
   * it will never be paid; `Successful` and `Returned`: too late; any other: ask again.
   */
  cancelPayout(tenant: Tenant, reference: string): Promise<Outcome<PayoutState>>
  /** Orders a refund. The same reference again is the same order. */
  giveBack(order: RefundOrder): Promise<Outcome<RefundState>>
  /** What became of a refund, as `lookUpPayout`. */
  lookUpRefund(tenant: Tenant, reference: string): Promise<Outcome<RefundState>>
  /** Who would be served; `refused` when the biller has no such customer. Changes nothing. */
  enquireCustomer(packageSlug: string, customerId: string): Promise<Outcome<UtilityCustomer>>
  /** Has a biller serve a customer. The same reference again is the same order. */
  vend(order: VendOrder): Promise<Outcome<VendState>>
  /** What became of it, as `lookUpPayout`. */
  lookUpVend(tenant: Tenant, reference: string): Promise<Outcome<VendState>>
}

/** A provider's notice says only that it is worth looking; the look-up decides. */
export interface Notice {
  tenant: Tenant
  about: 'charge' | 'payout' | 'refund' | 'utility'
  /** As it was ordered: of a transaction, of an attempt at a payout or utility, of a refund. */
  reference: string
}

/** Money that arrived on a virtual account. */
export interface DepositNotice {
  tenant: Tenant
  /** The provider's own number of this deposit; a repeated notice has the same. */
  depositReference: string
  accountNumber: string
  amount_minor: Minor
  currency: string
  /** Who sent it, as far as the bank says. */
  sender?: { accountName: string | null; accountNumber: string | null; bankName: string | null }
}

export type Channel = 'BANK_TRANSFER' | 'USSD'

/** What a provider can be configured for: to be paid, whose accounts are, to pay out, to buy. */
export type Service = Channel | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY'

/** Which provider serves what in a mode, and which has an order. */
export interface Providers {
  /** Throws `unavailable` `live_provider_missing` when none is configured for live mode. */
  of(live: boolean, service: Service): Provider
  /** The provider that has an order, whichever serves new ones by now. Throws if there is none. */
  holder(connectionId: number): Provider
  /** The channels that payers can be offered. */
  channels(live: boolean): Channel[]
}

/** What the channels of this server can take and pay out, connected or not. */
const CARRIED: readonly string[] = ['NGN']

export const isCarried = (currency: string): boolean => CARRIED.includes(currency)

/** Throws 400 on `currency` for one that no channel can take. */
export function requireCarried(currency: string): void {
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  if (!isCarried(currency)) {
    throw invalid({
      currency: [`must be ${CARRIED.join(' or ')}: no channel can take ${currency}`],
    })
  }
}
