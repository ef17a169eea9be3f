import type { Minor } from '../../lib/money.ts'
import type { About, Outcome, ReportedAmounts, SentOrder } from './types.ts'
import type { UtilityCategory } from './utilities.ts'

/** An order asking a biller to serve a customer. */
export interface VendOrder {
  reference: string
  packageSlug: string
  /** The phone, meter or smart card number by which the biller identifies the customer. */
  customerId: string
  amount_minor: Minor
  currency: string
}

export interface VendState extends ReportedAmounts {
  status: 'Pending' | 'Successful' | 'Failed'
  /** A human-readable message that says why the order failed, or that it was delivered. */
  message: string
  /** The token to enter on a prepaid meter, and the kilowatt hours it is worth. */
  token?: { value: string; units: string }
  pins?: string[]
  /** What the provider gives the business for it. */
  commission_minor?: Minor | null
}

/** A product of a biller, as a provider sells it. */
export interface BillItem {
  billerCode: string
  itemCode: string
  billerName: string
  name: string
  category: UtilityCategory
  /** Null if the customer chooses the amount. */
  amount_minor: Minor | null
  /** What the provider takes in addition; null if it does not say. */
  fee_minor: Minor | null
}

export interface UtilityCustomer {
  customerName: string
}

export interface SoldPackage {
  /** Null if the customer chooses the amount. */
  amount_minor: Minor | null
}

/** What a provider does for the customers of billers. */
export interface BillOperations {
  /**
   * Lists all that a provider sells for billers whose products are not named as ours. `packageSlug`
   * is then its own codes, `BILLER ITEM`. Changes nothing.
   */
  listItems?(): Promise<Outcome<readonly BillItem[]>>
  /** Looks up the biller's customer; returns `refused` if there is none. Changes nothing. */
  enquireCustomer(packageSlug: string, customerId: string): Promise<Outcome<UtilityCustomer>>
  /** Sends a biller an order for a vend, like `payOut`. */
  vend(about: About, order: VendOrder): Promise<Outcome<VendState>>
  /** Looks up the outcome of a vend, like `lookUpPayout`. */
  lookUpVend(about: About, sent: SentOrder): Promise<Outcome<VendState>>
}
