import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'

/**
 * What asking the outside world can end in. A time-out is `unknown`: it may have happened, and only
 * a later look decides. `refused` means that definitely nothing happened.
 */
export type Outcome<T> =
  | { kind: 'done'; value: T }
  | { kind: 'refused'; code: string; message: string }
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
}

/** One rail to the outside world. The simulator is one; each live connector is another. */
export interface Provider {
  readonly name: string
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
}

/** A provider's notice says only that it is worth looking; the look-up decides. */
export interface ChargeNotice {
  tenant: Tenant
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
}

export type Channel = 'BANK_TRANSFER' | 'USSD'

/** Which provider serves a channel in a mode. */
export interface Providers {
  /** Throws `unavailable` `live_provider_missing` when none is configured for live mode. */
  of(live: boolean, channel: Channel | 'ACCOUNTS'): Provider
  /** The channels that payers can be offered. */
  channels(live: boolean): Channel[]
}
