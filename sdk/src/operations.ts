// Generated from the server's own OpenAPI by `npm test -- test/sdk/generated -u`: do not edit.
import type { CallOptions, Operation } from './call.ts'
import type { CursorMeta, List, PageMeta } from './lists.ts'

export interface Profile {
  /** The same as businessId. */
  id: number
  businessId: number
  businessName: string
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  country: string
  currency: string
  timeZone: string
  /** The mode of the key: test or live. */
  mode: string
  status: string
  /** Whether the bank has confirmed settlementAccount. */
  accountVerified: boolean
  settlementAccount: {
    bankName: string
    /** The last 4 digits. */
    accountNumber: string
    accountName: string
  } | null
  key: {
    /** secret, or partner for a partner’s token. */
    type: string
    /** null means full access. */
    scopes: string[] | null
    expiresAt: string | null
  }
  createdAt: string
  reference: string
}

export interface ProfileSettings {
  reference: string
  status: string
  settlementAccount: {
    bankCode: string
    bankName: string
    accountNumber: string
    accountName: string
  } | null
  /** In live mode, 24 hours after a change of settlementAccount; no payouts before that. */
  payoutsPausedUntil: string | null
  /** When we pay out the available balance to settlementAccount. */
  payoutSchedule: string
  manualPayment: {
    bankName: string
    accountNumber: string
    accountName: string
    instructions: string | null
  } | null
  feeBearer: string
  origins: string[]
  transferApprovalAbove: number | null
  transferApprovalAboveMinor: number | null
  dailyApprovalAbove: number | null
  dailyApprovalAboveMinor: number | null
  /** When the limits were suspended because fewer than two members could approve. */
  approvalSuspendedAt: string | null
  /** A change that a second person must confirm in the dashboard. */
  pendingApprovalChange: {
    transferApprovalAbove: number | null
    dailyApprovalAbove: number | null
    requestedBy: {
      personId: number
      name: string
    }
    requestedAt: string
  } | null
  currency: string
  virtualAccountPolicy: string
  timeZone: string
  invoicePrefix: string
  nextInvoiceNumber: number
  /**
   * Signs redirect URLs. null for keys without profile:write, for partners, for requests from
   * the dashboard, and when a request is repeated with the same Idempotency-Key.
   */
  redirectSecret: string | null
  updatedAt: string
}

export interface WalletBalance {
  currency: string
  /** Can be paid out now. */
  available: number
  availableMinor: number
  /** Not settled yet. */
  pending: number
  pendingMinor: number
  /** Reserved by transfers in progress. */
  held: number
  heldMinor: number
  /** The sum of available, pending and held. */
  ledger: number
  ledgerMinor: number
}

export interface FundingAccount {
  id: number
  reference: string
  status: string
  accountNumber: string
  accountName: string
  bankCode: string | null
  bankName: string
  currency: string
  createdAt: string
}

export interface EventRecord {
  id: string
  /** The same as id. */
  reference: string
  /** Always Recorded, because an event never changes. */
  status: string
  type: string
  timestamp: string
  /** test or live */
  mode: string
  businessId: number
  /** The event’s object. */
  object: string
  objectId: number
  /** The event’s position among its object’s events, numbered consecutively from 1. */
  sequence: number
  data: Record<string, unknown>
}

export interface RequestRecord {
  id: number
  /** The same as requestId. */
  reference: string
  requestId: string
  /** When the server responded, according to its own clock. */
  at: string
  /** test or live */
  mode: string
  keyReference: string | null
  /** The client id of the partner that sent the request. */
  partner: string | null
  method: string
  operation: string
  /** Path and query. */
  url: string
  /** The HTTP status. */
  status: number
  errorCode: string | null
  durationMs: number
  ip: string
  userAgent: string | null
  idempotencyKey: string | null
  /** Whether the stored response to an earlier request was returned. */
  replayed: boolean
  requestBytes: number | null
  responseBytes: number | null
  /** The first 4 KiB of the JSON, as a string. */
  requestBody: string | null
  /** The first 4 KiB of the JSON, as a string. */
  responseBody: string | null
  /** Whether a body was truncated. */
  truncated: boolean
  /** Whether the bodies were dropped because of high load. */
  bodiesDropped: boolean
}

export interface Invoice {
  reference: string
  id: number
  invoiceNumber: string
  status: string
  customerEmail: string
  customerName: string | null
  customerPhone: string | null
  amount: number
  amountMinor: number
  amountPaid: number
  amountPaidMinor: number
  amountDue: number
  amountDueMinor: number
  currency: string
  note: string | null
  lineItems: {
    name: string
    quantity: number
    unitAmount: number
    unitAmountMinor: number
    amount: number
    amountMinor: number
  }[]
  dueDate: string | null
  isOverdue: boolean
  allowPartialPayment: boolean
  hostedUrl: string
  /** Whether the invoice can be paid at hostedUrl through a connected channel. */
  payableOnline: boolean
  pdfUrl: string
  emailStatus: string | null
  sentAt: string | null
  viewedAt: string | null
  paidAt: string | null
  voidedAt: string | null
  payments: {
    transactionId: number
    reference: string
    channel: string
    amount: number
    amountMinor: number
    overpaidAmount: number
    /** overpayment if the whole payment has to be refunded, otherwise payment. */
    kind: string
    paidAt: string | null
  }[]
  metadata: Record<string, unknown> | null
  createdAt: string
  updatedAt: string
}

export interface TransactionTotals {
  reference: string
  /** Open during its period, then Closed. */
  status: string
  currency: string
  from: string
  /** Exclusive. */
  until: string
  count: number
  amount: number
  amountMinor: number
  fees: number
  feesMinor: number
  netAmount: number
  netAmountMinor: number
  netAfterRefunds: number
  netAfterRefundsMinor: number
  /** The part of the received amount that has to be refunded. */
  overpaidAmount: number
  overpaidAmountMinor: number
  refundedAmount: number
  refundedAmountMinor: number
  byStatus: {
    status: string
    count: number
    amount: number
    amountMinor: number
  }[]
  byChannel: {
    channel: string
    count: number
    amount: number
    amountMinor: number
  }[]
}

export interface VirtualAccount {
  id: number
  /** The reference of the transaction. */
  reference: string
  /** Open, Paid, Expired. */
  status: string
  accountNumber: string
  accountName: string
  bankName: string
  bankCode: string | null
  /** The amount to transfer. */
  amount: number
  amountMinor: number
  currency: string
  expiresAt: string
  transactionId: number
  createdAt: string
}

export interface Deposit {
  id: number
  reference: string
  /** The provider’s own reference. */
  providerReference: string
  /** Accepted, Rejected. */
  status: string
  /** Why the deposit was not accepted at first. */
  reason: string | null
  /** ReturnedByProvider, Held, Returning or Returned, if the deposit was not accepted. */
  returnStatus: string | null
  /** Null if the payment was not made to an account. */
  accountNumber: string | null
  amount: number
  amountMinor: number
  currency: string
  /** What the provider keeps; null until it says. */
  providerFee: number | null
  /** The sender; null if the bank does not name one. */
  sender: {
    accountName?: string | null
    accountNumber?: string | null
    bankName?: string | null
  } | null
  transactionId: number | null
  transactionReference: string | null
  createdAt: string
}

export interface TransferFee {
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  /** The fee charged on top of the amount. */
  fee: number
  /** The same amount in minor units. */
  feeMinor: number
  /** What would leave the wallet: the amount plus the fee. */
  total: number
  /** The same amount in minor units. */
  totalMinor: number
  currency: string
  /** Whether the amount is above the approval limit. */
  needsApproval: boolean
}

export interface Transfer {
  id: number
  reference: string
  transferReference: string
  businessId: number
  /** transfer, or payout for a payout to your own settlement account. */
  origin: string
  status: string
  amount: number
  amountMinor: number
  /** The fee charged on top of the amount. */
  fee: number
  currency: string
  bankId: number | null
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  narration: string | null
  /** Why the transfer needs approval, was blocked, failed or was returned. */
  failureReason: string | null
  /** null for a payout that the schedule made. */
  createdBy: {
    /** person, key or partner. */
    type: string
    name: string
    /** The dashboard user who did this; for a key, the person who created the key, if known. */
    personId: number | null
  } | null
  approvedBy: {
    /** person, key or partner. */
    type: string
    name: string
    /** The dashboard user who did this; for a key, the person who created the key, if known. */
    personId: number | null
  } | null
  /**
   * Whether someone other than the creator must approve the transfer, because it is above a
   * limit.
   */
  needsSecondPerson: boolean
  /** Whether the transfer can still be cancelled, because no provider can have it yet. */
  canCancel: boolean
  /** Starts at 1, and increases by 1 with each retry or move to another provider. */
  attempt: number
  metadata: Record<string, unknown> | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  createdAt: string
  completedAt: string | null
  reversedAt: string | null
}

export interface NextPayout {
  schedule: 'manual' | 'daily' | 'weekly'
  /** When the schedule makes the next payout; null if it makes none. */
  nextAt: string | null
  /** The next dates of the schedule. */
  dates: string[]
  /**
   * Why nothing is paid out at the moment: automatic_settlement, settlement_account_missing,
   * payouts_paused, payouts_stopped.
   */
  blockedBy: string | null
  pausedUntil: string | null
  account: {
    bankCode: string
    bankName: string
    accountNumberLast4: string
    accountName: string | null
  } | null
  currency: string
  available: number
  availableMinor: number
  /** What a payout of the whole balance would pay now. */
  amount: number
  amountMinor: number
  /** The fee charged on top of the amount. */
  fee: number
  feeMinor: number
  /** Whether a payout of the whole balance would be above an approval limit. */
  needsApproval: boolean
}

export interface Refund {
  id: number
  reference: string
  status: string
  transactionId: number
  transactionReference: string
  amount: number
  amountMinor: number
  currency: string
  reason: string | null
  /** The latest human-readable message from the bank. */
  message: string | null
  /** The parts of the refund that subaccounts pay; the business pays the rest. */
  shares: {
    subaccount: number
    subaccountCode: string
    amount: number
    amountMinor: number
  }[]
  /** The part of the refund that returns an overpayment. */
  overpaidAmount: number
  /** Whether the refund needs attention and can be retried. */
  canRetry: boolean
  /** Whether the refund can still be cancelled, because no provider can have it yet. */
  canCancel: boolean
  businessId: number
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  processedAt: string | null
  createdAt: string
}

export interface Dispute {
  id: number
  reference: string
  status: string
  transactionId: number
  transactionReference: string
  amount: number
  amountMinor: number
  /** What was put on hold. It is less if the wallet did not have enough. */
  heldAmount: number
  /** What the provider took. Null until it has decided. */
  lostAmount: number | null
  currency: string
  /** What the payer says. */
  reason: string
  /** When the provider expects the response. Null if it has no deadline. */
  dueAt: string | null
  provider: string
  /** The provider’s number for the dispute. */
  providerReference: string
  response: {
    /** accept or contest */
    action: string
    /** Sending, Sent or Failed */
    status: string
    amount: number
    message: string
    customer: {
      email: string
      name: string
      phone: string
      serviceDetails: string
      deliveryAddress: string | null
      deliveredOn: string | null
    } | null
    evidenceId: number | null
    /** Why it failed, in the provider’s words. Respond again. */
    result: string | null
    createdAt: string
  } | null
  evidence: {
    id: number
    name: string
    contentType: string
    bytes: number
    createdAt: string
  }[]
  businessId: number
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  closedAt: string | null
  createdAt: string
}

export interface UtilityPayment {
  error: boolean
  status: 'success'
  message: string
  /** 00 done, 09 Pending, 06 failed. */
  responseCode: string
  responseData: ListedUtilityPayment
}

export interface Checkout {
  id: number
  reference: string
  /** The status of the checkout’s transaction. */
  status: string
  /** Open, Paid, Expired, Cancelled: whether the checkout can be paid. */
  state: string
  accessCode: string
  authorizationUrl: string
  amount: number
  amountMinor: number
  currency: string
  feeBearer: string | null
  channels: string[]
  customer: {
    email: string
    name: string | null
    phone: string | null
  }
  customFields: {
    label: string
    name: string
    value: string
  }[]
  pageId: number | null
  orderId: number | null
  orderReference: string | null
  shippingAddress: string | null
  splitPageId: number | null
  subaccountCode: string | null
  callbackUrl: string | null
  metadata: Record<string, unknown> | null
  transactionId: number | null
  transactionReference: string | null
  expiresAt: string
  paidAt: string | null
  createdAt: string
  updatedAt: string
}

export interface Order {
  id: number
  reference: string
  status: string
  checkoutId: number
  checkoutReference: string
  pageId: number | null
  transactionId: number | null
  customer: {
    email: string
    name: string | null
    phone: string | null
  }
  /** The payer’s answers to the page’s custom fields. */
  customFields: {
    label: string
    name: string
    value: string
  }[]
  lines: {
    productId: string
    variantId: number | null
    /** The name of the item when the order was created. */
    name: string
    quantity: number
    unitPrice: number
    amount: number
    amountMinor: number
  }[]
  subtotal: number
  discountCode: string | null
  discount: number
  deliveryFee: number
  amount: number
  amountMinor: number
  currency: string
  delivery: {
    location: string | null
    address: string | null
  }
  downloads: {
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    url: string
    status: string
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
  }[]
  paidAt: string | null
  createdAt: string
  updatedAt: string
}

export interface Subaccount {
  reference: string
  /** Active or Inactive */
  status: string
  id: number
  business_name: string
  account_number: string
  percentage_charge: number
  currency: string
  /** The bank’s id. */
  bank: number | null
  account_name: string | null
  subaccount_code: string
  bankCode: string | null
  bankName: string | null
  /** Whether the bank confirmed account_name as the account holder’s name. */
  verified: boolean
  /** The name of the account holder, as given by the bank. */
  bankAccountName: string | null
  /**
   * Why payouts are blocked: bank_missing (there is no bank account), name_mismatch (the bank
   * has a different name for the account) or account_unverified (the bank could not confirm
   * the name, or has not responded for 24 hours).
   */
  payoutsBlocked: string | null
  /** When payouts will be blocked, unless the account is corrected or confirmed first. */
  payoutsBlockedFrom: string | null
  /** The end of the 24 hours for which live payouts pause after the bank account changes. */
  payoutsPausedUntil: string | null
  createdAt: string
  updatedAt: string
}

export interface Product {
  productId: string
  reference: string
  name: string
  slug: string
  description: string | null
  price: number
  priceMinor: number
  currency: string
  type: string
  sku: string | null
  /** Draft, Active or Archived, or Deleted once the product has been deleted. */
  status: string
  tracked: boolean
  /**
   * For a product with variants, the total of all its variants; the same applies to reserved,
   * available and sold.
   */
  quantity: number
  reserved: number
  available: number
  sold: number
  lowStockThreshold: number | null
  media: ProductMedia[]
  options: {
    optionId: number
    name: string
    values: {
      optionVariantId: number
      value: string
    }[]
  }[]
  variants: {
    variantId: number
    optionValues: Record<string, string>
    sku: string | null
    /** The variant’s own price if it has one, otherwise the product’s. */
    price: number
    priceMinor: number
    tracked: boolean
    quantity: number
    reserved: number
    available: number
    media: ProductMedia[]
    active: boolean
  }[]
  deliveryFees: DeliveryFee[]
  digitalFiles: DigitalDownloadFile[]
  /** Always null, because products are sold on payment pages. */
  url: string | null
  metadata: Record<string, unknown> | null
  createdAt: string
  updatedAt: string
}

export interface ProductInventory {
  productId: string
  reference: string
  status: string
  sku: string | null
  tracked: boolean
  onHand: number
  reserved: number
  available: number
  sold: number
  lowStockThreshold: number | null
  lowStock: boolean
  inStock: boolean
  variants: {
    variantId: number
    optionValues: Record<string, string>
    sku: string | null
    tracked: boolean
    onHand: number
    reserved: number
    available: number
    sold: number
    lowStockThreshold: number | null
    lowStock: boolean
    inStock: boolean
  }[]
}

export interface Settlement {
  id: number
  reference: string
  status: string
  /** The subaccount’s id. */
  subaccount: number
  subaccountCode: string | null
  /** The subaccount’s name. */
  business_name: string | null
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  currency: string
  /** The number of lines that the settlement had when it was created. */
  count: number
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  /** Why the settlement failed or is delayed, or why the bank returned it. */
  failureReason: string | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  paidAt: string | null
  /** When the bank returned the payout; the settlement is then Failed. */
  returnedAt: string | null
  createdAt: string
  lines: {
    /** share, refund or refund_failed. */
    kind: string
    transactionId: number
    transactionReference: string
    refundReference: string | null
    /** Negative for a refund. */
    amount: number
    /** The same amount in minor units. */
    amountMinor: number
    createdAt: string
  }[]
  linesMeta: {
    /** Exact up to 10,000 matches. */
    total: number
    totalIsExact: boolean
    page: number
    limit: number
    /** Beyond 10,000 matches, it grows as you page through them; follow `hasNext` instead. */
    pageCount: number
    hasNext: boolean
    hasPrevious: boolean
  }
}

export interface SubaccountBalance {
  reference: string
  /** The status of the subaccount: Active or Inactive. */
  status: string
  subaccount_code: string
  currency: string
  /** Shares that are not part of a settlement yet. */
  owed: number
  /** The same amount in minor units. */
  owedMinor: number
  /** In settlements that the bank has not paid yet. */
  pending: number
  /** The same amount in minor units. */
  pendingMinor: number
  /** In settlements that the bank has paid. */
  paidOut: number
  /** The same amount in minor units. */
  paidOutMinor: number
  /** When the next settlement is due; null while nothing can be paid. */
  nextSettlementAt: string | null
}

export interface SplitPage {
  reference: string
  /** Whether the page is active. */
  status: boolean
  id: number
  name: string
  slug: string
  url: string
  splitType: string
  category: boolean
  currency: string
  feeBearer: string | null
  subaccounts: {
    subaccount: string
    share: number
    business_name: string
  }[]
  totalShare: number
  createdAt: string
  updatedAt: string
}

export interface PaymentPage {
  id: number
  /** The same as id. */
  pageId: number
  reference: string
  title: string
  description: string | null
  /** Published or Unpublished, or Deleted once the page has been deleted. */
  status: string
  customLink: string
  url: string
  amountType: string
  /** The minimum amount if amountType is minimum. */
  amount: number | null
  amountMinor: number | null
  currency: string
  suggestedAmounts: number[]
  image: string | null
  color: string | null
  customFields: {
    label: string
    name: string
    type: string
    required: boolean
    options: string[]
  }[]
  collectPhone: boolean
  collectAddress: boolean
  allowDiscountCodes: boolean
  maxPayments: number | null
  expiresAt: string | null
  redirectUrl: string | null
  successMessage: string | null
  splitPageId: number | null
  feeBearer: string | null
  channels: string[]
  products: {
    productId: string
    reference: string
    name: string
    slug: string
    price: number
    priceMinor: number
    currency: string
    type: string
    status: string
  }[]
  stats: {
    views: number
    checkouts: number
    payments: number
    /** The sum of the payments. */
    amount: number
    amountMinor: number
    /** Payments divided by views, at most 1. */
    conversion: number
  }
  metadata: Record<string, unknown> | null
  createdAt: string
  updatedAt: string
}

export interface Webhook {
  id: number
  reference: string
  url: string
  /** ["*"] means all types, including future ones. */
  events: string[]
  description: string | null
  /** Active or Disabled, or Deleted once the endpoint has been deleted. */
  status: string
  /** When attempts started to fail; null if the last attempt succeeded. */
  failingSince: string | null
  lastSuccessAt: string | null
  createdAt: string
}

export interface WebhookDelivery {
  /** The id of the event, the same as in the `webhook-id` header. */
  id: string
  /** The same as id. */
  reference: string
  /** The same as id. */
  eventId: string
  type: string
  /** Pending, Delivered or Failed. */
  status: string
  attempts: number
  /** When the next attempt is due, for a Pending delivery. */
  nextAttemptAt: string | null
  /** The status of the endpoint’s last response. */
  lastStatus: number | null
  lastError: string | null
  /** When the delivery was first queued. */
  createdAt: string
  finishedAt: string | null
  attemptLog: {
    number: number
    at: string
    url: string
    headers: Record<string, string>
    status: number | null
    error: string | null
    /** The start of the response body. */
    response: string | null
    durationMs: number
  }[]
  /** The body that is sent. */
  body: Record<string, unknown>
}

export interface Transaction {
  id: number
  reference: string
  amount: number
  amountMinor: number
  fees: number
  netAmount: number
  feeBearer: string
  currency: string
  channel: string
  status: string
  gatewayResponse: string | null
  message: string | null
  customer: {
    id: number | null
    email: string | null
    name: string | null
    phone: string | null
  }
  customerId: number | null
  pageId: number | null
  splitPageId: number | null
  orderId: number | null
  invoiceReference: string | null
  businessId: number
  ipAddress: string | null
  location: string | null
  split: {
    subaccount: number
    subaccountCode: string
    /** The agreed share, as a percentage or in naira. */
    share: number
    amount: number
    amountMinor: number
    fee: number
    netAmount: number
    refundedAmount: number
  }[]
  /** The amount received, including any fee on top and any overpayment; null until paid. */
  paidAmount: number | null
  overpaidAmount: number
  refundedAmount: number
  /** What disputes have taken, or may still take if they are lost. */
  disputedAmount: number
  /** What disputes have taken. */
  reversedAmount: number
  /** Whether the payment succeeded after it had been Abandoned. */
  late: boolean
  paidAt: string | null
  /** The provider’s page for a card payment, while it is Pending; null until it is open. */
  payUrl: string | null
  expiresAt: string
  metadata: Record<string, unknown> | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  createdAt: string
}

export interface Partner {
  reference: string
  /** Active or Revoked. */
  status: string
  id: number
  clientId: string
  name: string
  /** As granted. */
  scopes: string[] | null
  /** The granted scopes that the partner still has. */
  effectiveScopes: string[]
  lastUsedAt: string | null
  revokedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface WalletLedger {
  id: number
  reference: string
  /** Always Posted, because an entry never changes. */
  status: string
  /** credit, which adds to the available balance, or debit. */
  type: string
  /** charge, fee, hold, void, return, opening, funding, … */
  kind: string
  amount: number
  amountMinor: number
  currency: string
  cause: {
    /** transaction, transfer, refund, … */
    type: string
    id: number
    reference: string | null
  }
  createdAt: string
}

export interface EventType {
  type: string
  /** When the event is raised. */
  description: string
  /** The event’s object; `business or subaccount` if it can be either. */
  object: string
  example: Record<string, unknown>
  /** The JSON schema for `data`. */
  schema: Record<string, unknown>
}

export interface ListedRequestRecord {
  id: number
  /** The same as requestId. */
  reference: string
  requestId: string
  /** When the server responded, according to its own clock. */
  at: string
  /** test or live */
  mode: string
  keyReference: string | null
  /** The client id of the partner that sent the request. */
  partner: string | null
  method: string
  operation: string
  /** Path and query. */
  url: string
  /** The HTTP status. */
  status: number
  errorCode: string | null
  durationMs: number
  ip: string
  userAgent: string | null
  idempotencyKey: string | null
  /** Whether the stored response to an earlier request was returned. */
  replayed: boolean
  requestBytes: number | null
  responseBytes: number | null
}

export interface Bank {
  /** The code as a number; above 1,000,000 if the code is not a number. */
  id: number
  name: string
  slug: string
  code: string
  nipCode: string | null
  ussdTemplate: string | null
  country: string
  currency: string
  type:
    | 'commercial'
    | 'non_interest'
    | 'merchant'
    | 'microfinance'
    | 'payment_service'
    | 'mobile_money'
    | 'mortgage'
    | 'finance'
  supportsTransfer: boolean
  supportsUssd: boolean
  supportsVirtualAccount: boolean
  active: boolean
}

export interface UtilityCategory {
  slug: 'airtime' | 'data' | 'electricity' | 'television' | 'exams'
  name: string
  billers: number
}

export interface UtilityBiller {
  slug: string
  name: string
  category: 'airtime' | 'data' | 'electricity' | 'television' | 'exams'
  packages: number
}

export interface UtilityPackage {
  packageSlug: string
  name: string
  billerSlug: string
  billerName: string
  category: 'airtime' | 'data' | 'electricity' | 'television' | 'exams'
  amountType: 'fixed' | 'variable'
  amount: number | null
  amountMinor: number | null
  minimumAmount: number | null
  minimumAmountMinor: number | null
  maximumAmount: number | null
  maximumAmountMinor: number | null
  currency: string
}

export interface ListedUtilityPayment {
  transactionId: number
  reference: string
  paymentReference: string
  /** Pending, Successful or Failed. */
  status: string
  /** Pending, Successful or Failed. */
  vendStatus: string
  customerId: string
  customerName: string
  packageSlug: string
  packageName: string
  billerSlug: string
  billerName: string
  category: string
  amount: number
  amountMinor: number
  /** The fee charged on top of the amount. */
  fee: number
  total: number
  totalMinor: number
  currency: string
  channel: string | null
  phoneNumber: string | null
  email: string | null
  accountNumber: string | null
  /** The token to enter on a prepaid meter, and the number of kilowatt-hours that it buys. */
  token: {
    value?: string
    units?: number
  } | null
  pins: string[]
  /** The same PINs as in pins, with each serial number in a separate field. */
  pinDetails: {
    pin: string
    serial: string | null
  }[]
  failureReason: string | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  createdAt: string
  completedAt: string | null
}

export interface DeliveryFee {
  reference: string
  /** Active, or Deleted once the fee has been deleted. */
  status: string
  id: number
  productId: string
  location: string
  /** A decimal string. */
  fees: string
  currency: string
}

export interface DiscountCode {
  id: number
  reference: string
  code: string
  type: string
  /** A percentage, or an amount in major units. */
  value: number
  currency: string
  /** Empty means every product. */
  productIds: string[]
  minSpend: number | null
  maxDiscount: number | null
  startsAt: string | null
  /** The time from which the code is no longer valid. */
  endsAt: string | null
  maxUses: number | null
  maxUsesPerCustomer: number | null
  usedCount: number
  /** The number of uses reserved by open checkouts. */
  reservedCount: number
  /** Active or Inactive. */
  status: string
  createdAt: string
  updatedAt: string
}

export interface ProductMedia {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed, or Deleted once the image has been deleted. */
  status: string
  productId: string
  variantId: number | null
  /** The URL of the original image while status is Processing; null if status is Failed. */
  url: string | null
  /** Null until status is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  isPrimary: boolean
  /** Starts at 1. */
  position: number
  createdAt: string
}

export interface DigitalDownloadFile {
  digitalDownloadFileId: string
  reference: string
  productId: string
  name: string
  contentType: string
  bytes: number
  sha256: string
  downloads: number
  expiryValue: number | null
  expiryUnit: 'minutes' | 'hours' | 'days' | null
  maxDownloads: number | null
  status: string
  createdAt: string
}

export interface ListedSettlement {
  id: number
  reference: string
  status: string
  /** The subaccount’s id. */
  subaccount: number
  subaccountCode: string | null
  /** The subaccount’s name. */
  business_name: string | null
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  currency: string
  /** The number of lines that the settlement had when it was created. */
  count: number
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  /** Why the settlement failed or is delayed, or why the bank returned it. */
  failureReason: string | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  paidAt: string | null
  /** When the bank returned the payout; the settlement is then Failed. */
  returnedAt: string | null
  createdAt: string
}

export interface ListedWebhookDelivery {
  /** The id of the event, the same as in the `webhook-id` header. */
  id: string
  /** The same as id. */
  reference: string
  /** The same as id. */
  eventId: string
  type: string
  /** Pending, Delivered or Failed. */
  status: string
  attempts: number
  /** When the next attempt is due, for a Pending delivery. */
  nextAttemptAt: string | null
  /** The status of the endpoint’s last response. */
  lastStatus: number | null
  lastError: string | null
  /** When the delivery was first queued. */
  createdAt: string
  finishedAt: string | null
}

export interface ResolveBankAccountResponse {
  reference: string
  status: string
  accountNumber: string
  accountName: string
  bankCode: string
  bankName: string
  bankId: number
  /** Whether the check digit is correct; null if the bank’s account numbers have none. */
  nubanValid: boolean | null
  warning: string | null
}

export interface CreateUssdTransactionResponse {
  reference: string
  transactionId: number
  status: string
  /**
   * The code for the requested bank or, if none was requested, for the first one; null until
   * known.
   */
  ussdCode: string | null
  ussdBanks: {
    bankCode: string
    bankName: string
    ussdCode: string
  }[]
  amount: number
  amountMinor: number
  fees: number
  /** The amount that the payer must pay, including any fee on top. */
  payable: number
  currency: string
  expiresAt: string
  /** Instructions for the payer. */
  instructions: string
}

export interface EnquireUtilityCustomerResponse {
  error: boolean
  status: 'success'
  message: string
  /** 00 done, 09 Pending, 06 failed. */
  responseCode: string
  responseData: {
    enquiryReference: string
    customerId: string
    customerName: string
    packageSlug: string
    packageName: string
    billerName: string
    category: 'airtime' | 'data' | 'electricity' | 'television' | 'exams'
    amountType: 'fixed' | 'variable'
    amount: number | null
    amountMinor: number | null
    minimumAmount: number | null
    minimumAmountMinor: number | null
    maximumAmount: number | null
    maximumAmountMinor: number | null
    /** The fee charged on top of the amount. */
    fee: number
    currency: string
    expiresAt: string
  }
}

export interface CreateCheckoutVirtualAccountResponse {
  /** The checkout’s reference. */
  reference: string
  status: string
  accountNumber: string | null
  accountName: string | null
  bankName: string | null
  bankCode: string | null
  /** The exact amount to send. */
  amount: number
  amountMinor: number
  currency: string
  expiresAt: string
  transactionId: number
  transactionReference: string
  accessCode: string
  authorizationUrl: string
}

export interface CheckProductSlugResponse {
  exists: boolean
  available: boolean
  /** Up to three slugs that are available. */
  suggestions: string[]
}

export interface FilterProductVariantsResponse {
  productId: string
  /** The product’s reference. */
  reference: string
  /** Active or Inactive. */
  status: string
  variantId: number
  optionValues: Record<string, string>
  sku: string | null
  /** The variant’s own price if it has one, otherwise the product’s. */
  price: number
  priceMinor: number
  tracked: boolean
  quantity: number
  reserved: number
  available: number
  media: ProductMedia[]
  active: boolean
  currency: string
}

export interface VerifyDiscountCodeResponse {
  valid: true
  code: string
  type: string
  value: number
  amount: number
  amountMinor: number
  discountAmount: number
  discountAmountMinor: number
  finalAmount: number
  finalAmountMinor: number
  currency: string
}

export interface OrderProductMediaResponse {
  status: 'success'
  message: string
  data: ProductMedia[]
  meta?: {
    /** Exact up to 10,000 matches. */
    total: number
    totalIsExact: boolean
    page: number
    limit: number
    /** Beyond 10,000 matches, it grows as you page through them; follow `hasNext` instead. */
    pageCount: number
    hasNext: boolean
    hasPrevious: boolean
  }
}

export interface SetDownloadLinkExpiryResponse {
  reference: string
  status: string
  productId: string
  expiryValue: number | null
  expiryUnit: 'minutes' | 'hours' | 'days' | null
  maxDownloads: number | null
  digitalDownloadFileId?: string
  name?: string
  contentType?: string
  bytes?: number
  sha256?: string
  downloads?: number
  createdAt?: string
}

export interface CreateWebhookResponse {
  id: number
  reference: string
  url: string
  /** ["*"] means all types, including future ones. */
  events: string[]
  description: string | null
  /** Active or Disabled, or Deleted once the endpoint has been deleted. */
  status: string
  /** When attempts started to fail; null if the last attempt succeeded. */
  failingSince: string | null
  lastSuccessAt: string | null
  createdAt: string
  /**
   * whsec_…, for any Standard Webhooks library. Shown only once: null when the request is
   * repeated with the same Idempotency-Key.
   */
  secret: string | null
}

export interface TestWebhookResponse {
  reference: string
  status: string
  delivery: ListedWebhookDelivery
  attempt: {
    number: number
    at: string
    url: string
    headers: Record<string, string>
    status: number | null
    error: string | null
    /** The start of the response body. */
    response: string | null
    durationMs: number
  }
}

export interface ReplayWebhookResponse {
  reference: string
  status: string
  /** The number of deliveries queued. */
  queued: number
  /** The `from` value for replaying the rest; null if nothing remains. */
  continueFrom: string | null
}

export interface SimulateDepositResponse {
  reference: string
  status: string
  accepted: boolean
  reason: string | null
  /** As in the deposit’s record. */
  returnStatus: string | null
}

export interface SimulateSettlementResponse {
  reference: string
  status: string
  /** At most 1,000 per request. Repeat the request for more. */
  count: number
  /** The first 100 settlements. */
  settlements: ListedSettlement[]
}

export interface SimulateWalletResponse {
  reference: string
  status: string
  amount: number
  amountMinor: number
  currency: string
}

export interface SimulateClockResponse {
  reference: string
  status: string
  now: string
  offsetSeconds: number
}

export interface CreatePartnerTokenResponse {
  accessToken: string
  tokenType: 'Bearer'
  /** The token’s lifetime in seconds. */
  expiresIn: number
  scope: string
}

export interface AddProductMediaResponse {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed, or Deleted once the image has been deleted. */
  status: string
  productId: string
  variantId: number | null
  /** The URL of the original image while status is Processing; null if status is Failed. */
  url: string | null
  /** Null until status is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  isPrimary: boolean
  /** Starts at 1. */
  position: number
  createdAt: string
  media: ProductMedia[]
}

export interface AddDigitalDownloadFileResponse {
  digitalDownloadFileId: string
  reference: string
  productId: string
  name: string
  contentType: string
  bytes: number
  sha256: string
  downloads: number
  expiryValue: number | null
  expiryUnit: 'minutes' | 'hours' | 'days' | null
  maxDownloads: number | null
  status: string
  createdAt: string
  files: DigitalDownloadFile[]
}

export interface UploadPaymentPageImageResponse {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed, or Deleted once the image has been deleted. */
  status: string
  /** The URL of the original image while status is Processing; null if status is Failed. */
  url: string | null
  /** Null until status is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  createdAt: string
}

export interface CreateOauthTokenResponse {
  access_token: string
  token_type: 'Bearer'
  /** The token’s lifetime in seconds. */
  expires_in: number
  scope: string
}

export interface UpdateProfileSettingsInput {
  /** null for none. The server looks up the account holder before storing the account. */
  settlementAccount?:
    | {
        /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
        bankCode?: number | string | undefined
        accountNumber?: string | undefined
        /** The same as bankCode. */
        bank?: number | string | undefined
        /** The same as bankCode. */
        bank_code?: number | string | undefined
        /** The same as bankCode. */
        settlement_bank?: number | string | undefined
        /** The same as accountNumber. */
        account_number?: string | undefined
      }
    | null
    | undefined
  /**
   * manual: only on request. daily and weekly: all of the available balance, at midnight,
   * each day or each Monday.
   */
  payoutSchedule?: 'manual' | 'daily' | 'weekly' | undefined
  /** How payers pay if no online channel is connected. Only an owner can set it. */
  manualPayment?:
    | {
        bankName: string
        accountNumber: string
        accountName: string
        instructions?: string | null | undefined
      }
    | null
    | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  /** The origins that redirect URLs can use: scheme, host and port. */
  origins?: string[] | undefined
  /**
   * Larger transfers need approval; null for no limit. Major units (naira, not kobo): a
   * number or a decimal string.
   */
  transferApprovalAbove?: number | string | null | undefined
  /**
   * Transfers that take the day’s total of transfers and bills above it need approval; null
   * for no limit. Major units (naira, not kobo): a number or a decimal string.
   */
  dailyApprovalAbove?: number | string | null | undefined
  virtualAccountPolicy?: 'exact' | 'accept_over' | 'accept_partial' | undefined
  timeZone?: string | undefined
  /** The prefix for new invoice numbers. */
  invoicePrefix?: string | undefined
  /** The number of the next invoice; it can only increase. */
  nextInvoiceNumber?: number | undefined
}

export interface GrantPartnerInput {
  clientId: string
  /** The scopes to grant; null or absent for all of the partner’s scopes. */
  scopes?: string[] | null | undefined
}

export interface ListPartnersInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 100. */
  limit?: number | undefined
}

export interface GetWalletBalanceInput {
  page?: number | undefined
  limit?: number | undefined
}

export interface ListWalletLedgerInput {
  /** `meta.next` or `meta.previous` from another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Default: the business’s currency. */
  currency?: string | undefined
  type?: 'credit' | 'debit' | undefined
}

export interface ListEventsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  type?: string | undefined
  /** The id of the event’s object. */
  objectId?: number | string | undefined
  /** Only events listed after this one; see `resume`. */
  after?: string | undefined
}

export type ListEventTypesInput = ListPartnersInput

export interface ListRequestsInput {
  /** `meta.next` or `meta.previous` from another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  status?: string | undefined
  /** The name of an operation, such as create_invoice. */
  operation?: string | undefined
  method?: string | undefined
  /** The X-Request-Id of a response. */
  requestId?: string | undefined
  /** The reference of the key that was used. */
  keyReference?: string | undefined
  idempotencyKey?: string | undefined
  /** Part of the URL, the request id or the error code. */
  search?: string | undefined
}

export interface ListBanksInput {
  country?: string | undefined
  currency?: string | undefined
  /** Part of the name, the slug, the code or a nickname, such as gtb or uba. */
  search?: string | undefined
  /** Has no effect: the key determines the mode. */
  isLive?: boolean | undefined
  /** true lists only banks with USSD payments; false lists only banks without them. */
  ussd?: boolean | undefined
  page?: number | undefined
  limit?: number | undefined
}

export type ListBanksDeprecatedInput = ListBanksInput

export interface ResolveBankAccountInput {
  accountNumber?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface CreateInvoiceInput {
  customerEmail: string
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount: number | string
  note?: string | undefined
  /** false keeps the invoice as a Draft. Default: true. */
  sendImmediately?: boolean | undefined
  customerName?: string | undefined
  customerPhone?: string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  /** YYYY-MM-DD, or a full ISO 8601 date and time; only the day is used. */
  dueDate?: string | undefined
  /** Must add up to amount. */
  lineItems?:
    | {
        name: string
        quantity: number
        /** Price of one unit. Major units (naira, not kobo): a number or a decimal string. */
        unitAmount: number | string
      }[]
    | undefined
  /** Default: false. */
  allowPartialPayment?: boolean | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
}

export interface ListInvoicesInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Draft, Sent, PartiallyPaid, Paid, Void or Overdue. */
  status?: string | undefined
  /** An id, an invoice number, or part of the customer’s name or email address. */
  search?: string | undefined
}

export interface ExportInvoicesInput {
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Draft, Sent, PartiallyPaid, Paid, Void or Overdue. */
  status?: string | undefined
  /** An id, an invoice number, or part of the customer’s name or email address. */
  search?: string | undefined
}

export interface UpdateInvoiceInput {
  customerEmail?: string | undefined
  /**
   * In the currency of the invoice. Major units (naira, not kobo): a number or a decimal
   * string.
   */
  amount?: number | string | undefined
  note?: string | null | undefined
  customerName?: string | null | undefined
  customerPhone?: string | null | undefined
  currency?: string | undefined
  /** YYYY-MM-DD, or a full ISO 8601 date and time; only the day is used. */
  dueDate?: string | null | undefined
  /** Must add up to amount. */
  lineItems?:
    | {
        name: string
        quantity: number
        /**
         * In the currency of the invoice. Major units (naira, not kobo): a number or a decimal
         * string.
         */
        unitAmount: number | string
      }[]
    | null
    | undefined
  allowPartialPayment?: boolean | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface MarkInvoicePaidInput {
  /**
   * In the currency of the invoice. Major units (naira, not kobo): a number or a decimal
   * string.
   */
  amount?: number | string | undefined
  note?: string | undefined
  /** A day in the business’s time zone or an ISO 8601 instant; defaults to now. */
  paidAt?: string | undefined
}

export interface CreateUssdTransactionInput {
  channel: 'USSD'
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount: number | string
  /** A split page, whose subaccounts share the payment, or a payment page. */
  pageId?: number | string | undefined
  /** Your own number, which is stored and returned. */
  orderId?: number | string | undefined
  /** Must be the id of the key’s business. */
  businessId?: number | string | undefined
  /** Your own number, which is stored and returned. */
  customerId?: number | string | undefined
  /**
   * The fee that the payer pays on top; can be 0. Major units (naira, not kobo): a number or
   * a decimal string.
   */
  fees?: number | string | undefined
  /** The IPv4 or IPv6 address of the payer. */
  ipAddress?: string | undefined
  message?: string | undefined
  location?: string | undefined
  /** Must match the mode of the key. */
  isLive?: true | false | 0 | 1 | 'true' | 'false' | undefined
  /** The payer’s bank. `ussdCode` is then the code for this bank. */
  bankCode?: number | string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
}

export interface ListTransactionsInput {
  /** `meta.next` or `meta.previous` from another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /**
   * Pending, Successful, Failed, Abandoned, PartiallyRefunded, Refunded, Reversed; not
   * case-sensitive.
   */
  status?: string | undefined
  /** USSD, BANK_TRANSFER, CARD, WALLET, OFFLINE; not case-sensitive. */
  channel?: string | undefined
  reference?: string | undefined
  /**
   * true leaves out checkouts for which no payment method was chosen; false lists only those.
   */
  methodChosen?: boolean | undefined
  /** An id, a reference (TRX_…), or part of the customer’s name or email address. */
  search?: string | undefined
}

export type ListTransactionsBareInput = ListTransactionsInput

export interface GetTransactionTotalsInput {
  /** Default: 30 days before the end. */
  startDate?: string | undefined
  /** Default: today. */
  endDate?: string | undefined
  /** Default: the business’s currency. */
  currency?: string | undefined
}

export interface ExportTransactionsInput {
  startDate?: string | undefined
  endDate?: string | undefined
  /**
   * Pending, Successful, Failed, Abandoned, PartiallyRefunded, Refunded, Reversed; not
   * case-sensitive.
   */
  status?: string | undefined
  /** USSD, BANK_TRANSFER, CARD, WALLET, OFFLINE; not case-sensitive. */
  channel?: string | undefined
  reference?: string | undefined
  /**
   * true leaves out checkouts for which no payment method was chosen; false lists only those.
   */
  methodChosen?: boolean | undefined
  /** An id, a reference (TRX_…), or part of the customer’s name or email address. */
  search?: string | undefined
}

export interface ListVirtualAccountsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Open, Paid, Expired. */
  status?: string | undefined
  /** Of the virtual account. */
  accountNumber?: string | undefined
  transactionReference?: string | undefined
  /** The whole number of an account, or the whole reference of its transaction. */
  search?: string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface ExportVirtualAccountsInput {
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Open, Paid, Expired. */
  status?: string | undefined
  /** Of the virtual account. */
  accountNumber?: string | undefined
  transactionReference?: string | undefined
  /** The whole number of an account, or the whole reference of its transaction. */
  search?: string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface ListDepositsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Accepted, Rejected. */
  status?: string | undefined
  /** Of the virtual account. */
  accountNumber?: string | undefined
  transactionReference?: string | undefined
  /** The whole number of an account, or the whole reference of a deposit or its transaction. */
  search?: string | undefined
  /** In any case: ReturnedByProvider, Held, Returning, Returned. */
  returnStatus?: string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface ExportDepositsInput {
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Accepted, Rejected. */
  status?: string | undefined
  /** Of the virtual account. */
  accountNumber?: string | undefined
  transactionReference?: string | undefined
  /** The whole number of an account, or the whole reference of a deposit or its transaction. */
  search?: string | undefined
  /** In any case: ReturnedByProvider, Held, Returning, Returned. */
  returnStatus?: string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface ListTransfersInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Your reference, or ours. */
  transferReference?: string | undefined
  /**
   * Part of the account name, bank, narration or reference; the last digits of the account
   * number; or a whole account number of 10 digits.
   */
  search?: string | undefined
  /** In any case: Unverified, Pending, Successful, Failed, Blocked, Rejected. */
  status?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** In any case: transfer or payout. */
  origin?: string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
  /** The same as transferReference. */
  reference?: string | undefined
}

export interface CreateTransferInput {
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount: number | string
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** Compared with the name at the bank. If they differ, the transfer needs approval. */
  accountName?: string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  /** The text that the recipient sees. */
  narration?: string | undefined
  /** Your own reference. Using it again returns 409. */
  transferReference?: string | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
  /** The same as transferReference. */
  reference?: string | undefined
}

export type ListTransfersBareInput = ListTransfersInput

export type CreateTransferBareInput = CreateTransferInput

export interface ListTransfersOfBusinessInput {
  /** Must be the id of the key’s business. */
  businessId: number
  page?: number | undefined
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Your reference, or ours. */
  transferReference?: string | undefined
  /**
   * Part of the account name, bank, narration or reference; the last digits of the account
   * number; or a whole account number of 10 digits.
   */
  search?: string | undefined
  /** In any case: Unverified, Pending, Successful, Failed, Blocked, Rejected. */
  status?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** In any case: transfer or payout. */
  origin?: string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
  /** The same as transferReference. */
  reference?: string | undefined
}

export interface ExportTransfersInput {
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Your reference, or ours. */
  transferReference?: string | undefined
  /**
   * Part of the account name, bank, narration or reference; the last digits of the account
   * number; or a whole account number of 10 digits.
   */
  search?: string | undefined
  /** In any case: Unverified, Pending, Successful, Failed, Blocked, Rejected. */
  status?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** In any case: transfer or payout. */
  origin?: string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
  /** The same as transferReference. */
  reference?: string | undefined
}

export interface GetTransferFeeInput {
  /**
   * What the recipient would receive. Major units (naira, not kobo): a number or a decimal
   * string.
   */
  amount: number | string
  /** Default: "NGN". */
  currency?: string | undefined
}

export interface CreatePayoutInput {
  /**
   * Default: all of the available balance, less the transfer fee. Major units (naira, not
   * kobo): a number or a decimal string.
   */
  amount?: number | string | undefined
}

export interface ListPayoutsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Your reference, or ours. */
  transferReference?: string | undefined
  /**
   * Part of the account name, bank, narration or reference; the last digits of the account
   * number; or a whole account number of 10 digits.
   */
  search?: string | undefined
  /** In any case: Unverified, Pending, Successful, Failed, Blocked, Rejected. */
  status?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
  /** The same as transferReference. */
  reference?: string | undefined
}

export interface GetNextPayoutInput {
  /** Returns the dates of this schedule instead of the one in the settings. */
  schedule?: 'manual' | 'daily' | 'weekly' | undefined
}

export interface CreateRefundInput {
  /** The id of the payment; send this or its reference. */
  transactionId?: number | string | undefined
  transactionReference?: string | undefined
  /**
   * In the currency of the payment. Default: everything left. Major units (naira, not kobo):
   * a number or a decimal string.
   */
  amount?: number | string | undefined
  reason?: string | undefined
  /** Your own reference. Default: a new one. */
  reference?: string | undefined
}

export interface ListRefundsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** One of Pending, Processing, Processed, Failed, NeedsAttention. */
  status?: string | undefined
  /** A number or a numeric string. */
  transactionId?: number | string | undefined
  transactionReference?: string | undefined
}

export interface GetRefundByReferenceInput {
  businessId: number
  reference: string
}

export interface RetryRefundInput {
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  /** The account to pay instead; requires bankCode. */
  accountNumber?: string | undefined
  /** If the bank gives another name for the account, the refund is not retried. */
  accountName?: string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
  /** The same as accountNumber. */
  account_number?: string | undefined
}

export interface ListDisputesInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** One of Open, UnderReview, Won, Lost, Accepted. */
  status?: string | undefined
  transactionReference?: string | undefined
}

export interface AcceptDisputeInput {
  /**
   * How much to accept, if the provider allows a part. Default: all of it. Major units
   * (naira, not kobo): a number or a decimal string.
   */
  amount?: number | string | undefined
  message?: string | undefined
}

export interface ContestDisputeInput {
  /** Why the payment was right, for the payer’s bank. */
  message: string
  /** What the customer bought. The fields below are only sent together with it. */
  serviceDetails?: string | undefined
  /** Default: that of the payment. */
  customerEmail?: string | undefined
  /** Default: that of the payment. */
  customerName?: string | undefined
  /** Default: that of the payment. */
  customerPhone?: string | undefined
  deliveryAddress?: string | undefined
  deliveredOn?: string | undefined
  /** The file to send, because providers take only one. Default: the newest file. */
  evidenceId?: number | string | undefined
}

export type ListUtilityCategoriesInput = GetWalletBalanceInput

export interface ListUtilityBillersInput {
  /** The slug of the category to list. */
  category?: string | undefined
  page?: number | undefined
  limit?: number | undefined
}

export interface ListUtilityPackagesInput {
  /** The slug of the biller to list. */
  biller?: string | undefined
  page?: number | undefined
  limit?: number | undefined
}

export interface ListUtilityPaymentsInput {
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Pending, Successful, Failed. */
  status?: string | undefined
  /** One of airtime, data, electricity, television, exams. */
  category?: string | undefined
  /** A complete reference, yours or ours, or the start of the customer’s number or name. */
  search?: string | undefined
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
}

export interface ExportUtilityPaymentsInput {
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Pending, Successful, Failed. */
  status?: string | undefined
  /** One of airtime, data, electricity, television, exams. */
  category?: string | undefined
  /** A complete reference, yours or ours, or the start of the customer’s number or name. */
  search?: string | undefined
}

export interface EnquireUtilityCustomerInput {
  /** The customer’s phone, meter or smart card number with the biller. */
  customerId: string
  packageSlug: string
}

export interface ProcessUtilityPaymentInput {
  /** Your reference. A reference can be used for only one purchase. Default: a new one. */
  paymentReference?: string | undefined
  /** The same as in the customer enquiry before the payment. */
  customerId?: string | undefined
  /** The same as in the customer enquiry before the payment. */
  packageSlug?: string | undefined
  channel?: string | undefined
  /** In naira (not kobo): the price of the package, or an amount within its limits. */
  amount?: number | string | undefined
  customerName?: string | undefined
  phoneNumber?: string | undefined
  email?: string | undefined
  accountNumber?: string | undefined
  /** The same as paymentReference. */
  reference?: string | undefined
}

export interface InitializeCheckoutInput {
  customerEmail: string
  customerName?: string | undefined
  customerPhone?: string | undefined
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount?: number | string | undefined
  /** The payment page to use. */
  pageId?: number | string | undefined
  products?:
    | {
        /** A number or a numeric string. */
        productId: number | string
        /** Required if the product has variants. */
        variantId?: number | string | undefined
        /** Default: 1. */
        quantity?: number | undefined
      }[]
    | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  reference?: string | undefined
  /** The URL that the payer returns to after payment. */
  callbackUrl?: string | undefined
  /** The channels to offer, in this order; defaults to all. */
  channels?: ('BANK_TRANSFER' | 'USSD' | 'CARD')[] | undefined
  discountCode?: string | undefined
  deliveryLocation?: string | undefined
  /** Where the goods are delivered. If absent, the hosted page asks for it before payment. */
  shippingAddress?: string | undefined
  /** An alias of shippingAddress. */
  deliveryAddress?: string | undefined
  /** The answers to the payment page’s custom fields, by field name. */
  customFields?: Record<string, string | number> | undefined
  /** The split page that divides the payment. */
  splitPageId?: number | string | undefined
  subaccountCode?: string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Default: 30. */
  expiresInMinutes?: number | undefined
}

export interface ListCheckoutsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** One of Open, Paid, Expired, Cancelled. */
  state?: string | undefined
  /** A whole reference, or the start of the customer’s email address. */
  search?: string | undefined
}

export interface CreateCheckoutVirtualAccountInput {
  accessCode?: string | undefined
  reference?: string | undefined
  email?: string | undefined
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount?: number | string | undefined
  /** The payment page to use. */
  pageId?: number | string | undefined
  /** Default: 30. */
  expiresInMinutes?: number | undefined
}

export interface ListOrdersInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** One of Pending, Paid, Cancelled, Refunded. */
  status?: string | undefined
  /**
   * Digits match an id; other text matches part of the reference or of the customer’s name or
   * email address. A # at the start is ignored.
   */
  search?: string | undefined
}

export interface CreateSubaccountInput {
  business_name: string
  account_number?: string | undefined
  /**
   * The percentage that the business keeps of payments for the subaccount; at most two
   * decimals.
   */
  percentage_charge: number
  /** Default: "NGN". */
  currency?: string | undefined
  /**
   * A bank’s id or code: 58, "58" and "058" are equivalent. Without it, nothing is paid out.
   */
  bank?: number | string | undefined
  /** Default: the name of the account holder at the bank. */
  account_name?: string | undefined
  /** The same as bank. */
  bankCode?: number | string | undefined
  /** The same as bank. */
  bank_code?: number | string | undefined
  /** The same as bank. */
  settlement_bank?: number | string | undefined
  /** The same as account_number. */
  accountNumber?: string | undefined
}

export interface ListSubaccountsInput {
  page?: number | undefined
  limit?: number | undefined
  sort: string
  sortKey: 'createdAt' | 'business_name' | 'percentage_charge' | 'id'
  /**
   * Part of the name or the code, ignoring case; the last digits of the account number; or a
   * whole account number of 10 digits.
   */
  searchString?: string | undefined
}

export interface UpdateSubaccountInput {
  business_name?: string | undefined
  account_number?: string | undefined
  /**
   * The percentage that the business keeps of payments for the subaccount; at most two
   * decimals.
   */
  percentage_charge?: number | undefined
  /** Cannot change; only the current value is accepted. */
  currency?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bank?: number | string | null | undefined
  account_name?: string | null | undefined
  /** false deactivates the subaccount; true reactivates it. */
  active?: boolean | undefined
  /** The same as bank. */
  bankCode?: number | string | null | undefined
  /** The same as bank. */
  bank_code?: number | string | null | undefined
  /** The same as bank. */
  settlement_bank?: number | string | null | undefined
  /** The same as account_number. */
  accountNumber?: string | undefined
}

export interface CreateProductInput {
  name: string
  /** 0 is free. Major units (naira, not kobo): a number or a decimal string. */
  price: number | string
  /** Default: "NGN". */
  currency?: string | undefined
  description?: string | undefined
  /** Default: "physical". */
  type?: 'physical' | 'digital' | 'service' | undefined
  sku?: string | undefined
  /** Default: "Active". */
  status?: 'Draft' | 'Active' | 'Archived' | undefined
  slug?: string | undefined
  quantity?: number | undefined
  /** Whether stock is tracked; defaults to true if quantity is given. */
  tracked?: boolean | undefined
  lowStockThreshold?: number | undefined
  /** A variant is created for each combination, up to 250. */
  options?:
    | {
        name: string
        values: string[]
      }[]
    | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
}

export interface ListProductsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  /** Part of the name or SKU, ignoring case, or the whole reference. */
  search?: string | undefined
  /** Draft, Active, Archived; not case-sensitive. */
  status?: string | undefined
  /** physical, digital, service; not case-sensitive. */
  type?: string | undefined
}

export interface GetProductInput {
  /** The id of a product, as a number or a string. */
  productId?: number | string | undefined
  slug?: string | undefined
}

export interface UpdateProductInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  name?: string | undefined
  /**
   * In the currency of the product; 0 is free. Major units (naira, not kobo): a number or a
   * decimal string.
   */
  price?: number | string | undefined
  /** Cannot change; only the current value is accepted. */
  currency?: string | undefined
  description?: string | null | undefined
  type?: 'physical' | 'digital' | 'service' | undefined
  sku?: string | null | undefined
  status?: 'Draft' | 'Active' | 'Archived' | undefined
  slug?: string | undefined
  quantity?: number | undefined
  tracked?: boolean | undefined
  lowStockThreshold?: number | null | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface ArchiveProductInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** false makes the product active again. Default: true. */
  archived?: boolean | undefined
}

export interface DeleteProductInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
}

export interface DuplicateProductInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  name?: string | undefined
}

export interface CheckProductSlugInput {
  slug: string
}

export type GetProductInventoryInput = DeleteProductInput

export interface AddProductOptionsInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** A variant is created for each combination, up to 250. */
  options: {
    name: string
    values: string[]
  }[]
}

export interface UpdateProductOptionInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  name: string
}

export interface DeleteProductOptionsInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
}

export interface AddProductOptionVariantInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  value: string
}

export interface UpdateProductOptionVariantInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  /** A value of the option. */
  optionVariantId: number | string
  value: string
}

export interface DeleteProductOptionVariantInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  /** A value of the option. */
  optionVariantId: number | string
}

export type FilterProductVariantsInput = {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** Whether the variant can be bought; if absent, all variants are listed. */
  inStock?: boolean | undefined
  page?: number | undefined
  limit?: number | undefined
} & { [name: string]: string | number | boolean | undefined }

export interface UpdateProductVariantInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** A variant of the product. */
  variantId: number | string
  /**
   * In the currency of the product; 0 is free. Major units (naira, not kobo): a number or a
   * decimal string.
   */
  price?: number | string | null | undefined
  quantity?: number | undefined
  sku?: string | null | undefined
  /** false takes the variant off sale. */
  active?: boolean | undefined
}

export interface AddDeliveryFeeInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** Not case-sensitive; Everywhere applies to every location without its own fee. */
  location: string
  /**
   * In the currency of the product, in major units (naira, not kobo), as a decimal string; 0
   * is free.
   */
  fees: string
}

export interface ListDeliveryFeesInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  page?: number | undefined
  limit?: number | undefined
}

export interface UpdateDeliveryFeeInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** Not case-sensitive; Everywhere applies to every location without its own fee. */
  location?: string | undefined
  /** The id of the fee, as an alternative to its location. */
  deliveryFeeId?: number | string | undefined
  /**
   * In the currency of the product, in major units (naira, not kobo), as a decimal string; 0
   * is free.
   */
  fees: string
}

export interface DeleteDeliveryFeeInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** Not case-sensitive; Everywhere applies to every location without its own fee. */
  location?: string | undefined
  /** The id of the fee, as an alternative to its location. */
  deliveryFeeId?: number | string | undefined
}

export interface CreateDiscountCodeInput {
  /** Not case-sensitive; stored in upper case. */
  code: string
  type: 'percentage' | 'fixed'
  /**
   * For a percentage, more than 0 and up to 100 with at most two decimals; otherwise an
   * amount in major units (naira, not kobo).
   */
  value: number | string
  /** Defaults to the currency of its products, otherwise NGN. */
  currency?: string | undefined
  /** The id of a product, as a number or a string. */
  productId?: number | string | undefined
  /** The products that the discount applies to; defaults to all. */
  productIds?: (number | string)[] | undefined
  /**
   * The smallest purchase that the code can be used for; 0 is allowed. Major units (naira,
   * not kobo): a number or a decimal string.
   */
  minSpend?: number | string | undefined
  /**
   * The maximum amount that the code can take off. Major units (naira, not kobo): a number or
   * a decimal string.
   */
  maxDiscount?: number | string | undefined
  /** A date (from the start of that day) or an instant. */
  startsAt?: string | undefined
  /** A date (until the end of that day) or an instant. */
  endsAt?: string | undefined
  maxUses?: number | undefined
  maxUsesPerCustomer?: number | undefined
  /** Default: "Active". */
  status?: 'Active' | 'Inactive' | undefined
}

export interface ListDiscountCodesInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  /** Only discounts that list this product. */
  productId?: number | string | undefined
  /** The whole code, ignoring case. */
  code?: string | undefined
}

export interface UpdateDiscountCodeInput {
  /** The id of the discount; without it, `code` identifies the discount. */
  discountId?: number | string | undefined
  /** If discountId is given, the new code. */
  code?: string | undefined
  type?: 'percentage' | 'fixed' | undefined
  /**
   * For a percentage, more than 0 and up to 100 with at most two decimals; otherwise an
   * amount in major units (naira, not kobo).
   */
  value?: number | string | undefined
  /** Cannot change; only the current value is accepted. */
  currency?: string | undefined
  /** The id of a product, as a number or a string. */
  productId?: number | string | null | undefined
  /** The products that the discount applies to; defaults to all. */
  productIds?: (number | string)[] | null | undefined
  /**
   * The smallest purchase that the code can be used for. Major units (naira, not kobo): a
   * number or a decimal string.
   */
  minSpend?: number | string | null | undefined
  /**
   * The maximum amount that the code can take off. Major units (naira, not kobo): a number or
   * a decimal string.
   */
  maxDiscount?: number | string | null | undefined
  /** A date (from the start of that day) or an instant. */
  startsAt?: string | null | undefined
  /** A date (until the end of that day) or an instant. */
  endsAt?: string | null | undefined
  maxUses?: number | null | undefined
  maxUsesPerCustomer?: number | null | undefined
  status?: 'Active' | 'Inactive' | undefined
}

export interface VerifyDiscountCodeInput {
  code: string
  /**
   * The amount of the purchase. Major units (naira, not kobo): a number or a decimal string.
   */
  amount: number | string
  /** The currency of the amount; defaults to the product’s currency, otherwise the code’s. */
  currency?: string | undefined
  /** The id of a product, as a number or a string. */
  productId?: number | string | undefined
  /** The payment page used for the purchase. */
  pageId?: number | string | undefined
  /** The buyer’s email address, to check the per-customer limit too. */
  email?: string | undefined
}

export type ListProductMediaInput = ListDeliveryFeesInput

export interface DeleteProductMediaInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its images. */
  mediaId: number | string
}

export interface OrderProductMediaInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its variants. */
  variantId?: number | string | undefined
  /** Every image of the product or variant, each exactly once. */
  mediaIds: (number | string)[]
}

export interface ListProductVariantMediaInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its variants. */
  variantId: number | string
  page?: number | undefined
  limit?: number | undefined
}

export interface DeleteProductVariantMediaInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its variants. */
  variantId: number | string
  /** The id of one of its images. */
  mediaId: number | string
}

export interface ListDigitalDownloadFilesInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** Default: 1. */
  page?: number | undefined
  /** Default: 100. */
  limit?: number | undefined
}

export interface RenameDigitalDownloadFileInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its digital files, as a number or a string. */
  digitalDownloadFileId: number | string
  /** The file name for buyers. */
  name: string
}

export interface DeleteDigitalDownloadFileInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its digital files, as a number or a string. */
  digitalDownloadFileId: number | string
  /** Whether buyers also lose access to the file. */
  status: boolean
}

export interface SetDownloadLinkExpiryInput {
  /** The id of a product, as a number or a string. */
  productId: number | string
  /** The id of one of its digital files, as a number or a string. */
  digitalDownloadFileId?: number | string | undefined
  expiryValue?: number | null | undefined
  expiryUnit?: 'minutes' | 'hours' | 'days' | null | undefined
  maxDownloads?: number | null | undefined
}

export interface ListSettlementsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** In any case: Pending, Paid, Failed. */
  status?: string | undefined
  /** The code or id of a subaccount. */
  subaccount?: string | undefined
}

export type GetSettlementInput = ListPartnersInput

export interface ListSplitPagesInput {
  page?: number | undefined
  limit?: number | undefined
  sort: string
  /** Part of the name, the slug or the reference, ignoring case. */
  searchString?: string | undefined
  /** Active or inactive. */
  status?: boolean | undefined
  splitType?: 'percentage' | 'fixed' | undefined
  category?: boolean | undefined
}

export interface CreateSplitPageInput {
  name: string
  slug?: string | undefined
  /** Default: "percentage". */
  splitType?: 'percentage' | 'fixed' | undefined
  /** true for a group page. Default: false. */
  category?: boolean | undefined
  /** Whether it is active. Default: true. */
  status?: boolean | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  subaccounts?:
    | {
        /** A percentage of each payment or, for a fixed page, an amount in naira (not kobo). */
        shere?: number | undefined
        /** A percentage of each payment or, for a fixed page, an amount in naira (not kobo). */
        share?: number | undefined
        /** A subaccount_code. */
        sub_account_id?: string | undefined
        /** A subaccount_code. */
        subaccount?: string | undefined
      }[]
    | undefined
}

export interface UpdateSplitPageInput {
  name?: string | undefined
  slug?: string | undefined
  splitType?: 'percentage' | 'fixed' | undefined
  category?: boolean | undefined
  status?: boolean | undefined
  currency?: string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | null | undefined
}

export interface AddSplitPageSubaccountInput {
  /** A percentage of each payment or, for a fixed page, an amount in naira (not kobo). */
  shere?: number | undefined
  /** A percentage of each payment or, for a fixed page, an amount in naira (not kobo). */
  share?: number | undefined
  /** A subaccount_code. */
  sub_account_id?: string | undefined
  /** A subaccount_code. */
  subaccount?: string | undefined
}

export interface RemoveSplitPageSubaccountInput {
  /** A subaccount_code. */
  sub_account_id?: string | undefined
  /** A subaccount_code. */
  subaccount?: string | undefined
}

export interface CreatePaymentPageInput {
  title?: string | undefined
  /** An alias of title. */
  name?: string | undefined
  /** Defaults to fixed if an amount is given, otherwise to variable. */
  amountType?: 'fixed' | 'variable' | 'minimum' | undefined
  customLink?: string | undefined
  collectPhone?: boolean | undefined
  collectAddress?: boolean | undefined
  allowDiscountCodes?: boolean | undefined
  /** Optional; must be the key’s business. */
  businessId?: number | string | undefined
  /**
   * In the currency of the page. Major units (naira, not kobo): a number or a decimal string.
   */
  amount?: number | string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  suggestedAmounts?: (number | string)[] | undefined
  description?: string | undefined
  /** An http or https URL, or the URL of an image on this server. */
  image?: string | undefined
  color?: string | undefined
  customFields?:
    | {
        label: string
        name: string
        /** Default: "text". */
        type?: 'text' | 'number' | 'select' | 'date' | 'phone' | undefined
        /** Default: false. */
        required?: boolean | undefined
        /** Only for type select. */
        options?: string[] | undefined
      }[]
    | undefined
  maxPayments?: number | undefined
  expiresAt?: string | undefined
  /** In live mode, on one of the origins in your settings. */
  redirectUrl?: string | undefined
  successMessage?: string | undefined
  /** A split page in the same currency. */
  splitPageId?: number | string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  /** Empty means all available channels. */
  channels?: ('BANK_TRANSFER' | 'USSD' | 'CARD')[] | undefined
  /** Default: "Published". */
  status?: 'Published' | 'Unpublished' | undefined
  /** A list of ids, or a string of ids separated by commas. */
  productIds?: string | (number | string)[] | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
}

export type CreatePaymentPageOfTransactionsInput = CreatePaymentPageInput

export interface ListPaymentPagesOfTransactionsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  status?: 'Published' | 'Unpublished' | undefined
  /** Part of the title or description, ignoring case. */
  searchPageText?: string | undefined
}

export type ListPaymentPagesInput = ListPaymentPagesOfTransactionsInput

export interface GetPaymentPageInput {
  /** The payment page. */
  pageId?: number | string | undefined
  customLink?: string | undefined
}

export interface UpdatePaymentPageInput {
  /** The payment page. */
  pageId: number | string
  title?: string | undefined
  /** An alias of title. */
  name?: string | undefined
  /** Defaults to fixed if an amount is given, otherwise to variable. */
  amountType?: 'fixed' | 'variable' | 'minimum' | undefined
  customLink?: string | undefined
  collectPhone?: boolean | undefined
  collectAddress?: boolean | undefined
  allowDiscountCodes?: boolean | undefined
  /** Optional; must be the key’s business. */
  businessId?: number | string | undefined
  /**
   * In the currency of the page. Major units (naira, not kobo): a number or a decimal string.
   */
  amount?: number | string | null | undefined
  /** Cannot change; only the current value is accepted. */
  currency?: string | undefined
  suggestedAmounts?: (number | string)[] | null | undefined
  description?: string | null | undefined
  /** An http or https URL, or the URL of an image on this server. */
  image?: string | null | undefined
  color?: string | null | undefined
  customFields?:
    | {
        label: string
        name: string
        /** Default: "text". */
        type?: 'text' | 'number' | 'select' | 'date' | 'phone' | undefined
        /** Default: false. */
        required?: boolean | undefined
        /** Only for type select. */
        options?: string[] | undefined
      }[]
    | null
    | undefined
  maxPayments?: number | null | undefined
  expiresAt?: string | null | undefined
  /** In live mode, on one of the origins in your settings. */
  redirectUrl?: string | null | undefined
  successMessage?: string | null | undefined
  /** A split page in the same currency. */
  splitPageId?: number | string | null | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | null | undefined
  /** Empty means all available channels. */
  channels?: ('BANK_TRANSFER' | 'USSD' | 'CARD')[] | null | undefined
  status?: 'Published' | 'Unpublished' | undefined
  /** Your own data: up to 50 properties, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface SetPaymentPageStatusInput {
  /** The payment page. */
  pageId: number | string
  status: 'Published' | 'Unpublished'
}

export interface DeletePaymentPageInput {
  /** The payment page. */
  pageId: number | string
}

export interface CheckCustomLinkInput {
  /** Any text. If it cannot be used as a link, the response suggests others. */
  customLink: string
}

export interface AddPaymentPageProductsInput {
  /** The payment page. */
  pageId: number | string
  /** A list of ids, or a string of ids separated by commas. */
  productIds: string | (number | string)[]
  /** Optional; must be the key’s business. */
  businessId?: number | string | undefined
}

export interface ListPaymentPageProductsInput {
  /** The payment page. */
  pageId: number | string
  /** Default: 1. */
  page?: number | undefined
  /** Default: 100. */
  limit?: number | undefined
}

export interface RemovePaymentPageProductsInput {
  /** The payment page. */
  pageId: number | string
  /** The id of a product, as a number or a string. */
  productId?: number | string | undefined
  /** A list of ids, or a string of ids separated by commas. */
  productIds?: string | (number | string)[] | undefined
}

export interface ListWebhooksInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
}

export interface CreateWebhookInput {
  /** A public https:// URL (in test mode also http://), without a user name or password. */
  url: string
  /** Event types, or wildcards such as `invoice.*`; `["*"]` for all types. */
  events?: string[] | undefined
  description?: string | undefined
}

export interface UpdateWebhookInput {
  /** A public https:// URL (in test mode also http://), without a user name or password. */
  url?: string | undefined
  /** Event types, or wildcards such as `invoice.*`; `["*"]` for all types. */
  events?: string[] | undefined
  description?: string | null | undefined
  status?: 'Active' | 'Disabled' | undefined
}

export interface RotateWebhookSecretInput {
  /**
   * How many hours the previous secret also signs deliveries; 0 ends it immediately. Default:
   * 24.
   */
  graceHours?: number | undefined
}

export interface TestWebhookInput {
  /** Default: "webhook.test". */
  type?: string | undefined
  /** Merged into the type’s example data; at most 16 KiB as JSON. */
  data?: Record<string, unknown> | undefined
}

export interface ListWebhookDeliveriesInput {
  /** `meta.next` or `meta.previous` from another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  status?: 'Pending' | 'Delivered' | 'Failed' | undefined
  type?: string | undefined
}

export interface ReplayWebhookInput {
  /** A date (from the start of that day) or an instant. */
  from: string
  /** A date (until the end of that day) or an instant; defaults to now. */
  to?: string | undefined
  /**
   * Only deliveries that failed permanently, instead of all subscribed events. Default:
   * false.
   */
  failedOnly?: boolean | undefined
}

export interface SimulateUssdInput {
  reference: string
  outcome: 'success' | 'failed'
}

export type SimulateCardInput = SimulateUssdInput

export interface SimulateDepositInput {
  accountNumber: string
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount: number | string
  /**
   * If the payment is not accepted, the provider keeps it until you return or accept it,
   * instead of sending it back. Default: false.
   */
  keep?: boolean | undefined
}

export interface SimulateTransferInput {
  reference: string
  outcome: 'success' | 'failed' | 'blocked' | 'rejected' | 'returned'
}

export interface SimulateRefundInput {
  reference: string
  outcome: 'success' | 'failed' | 'needs_attention'
}

export interface SimulateDisputeInput {
  /** Of the payment. */
  reference: string
  /**
   * Default: the whole payment. Major units (naira, not kobo): a number or a decimal string.
   */
  amount?: number | string | undefined
  /** Default: "I did not get what I paid for". */
  reason?: string | undefined
  /** Without a response by then, the dispute is lost. Default: 48. */
  dueInHours?: number | undefined
}

export interface SimulateDisputeOutcomeInput {
  /** Of the dispute. */
  reference: string
  outcome: 'won' | 'lost'
}

export type SimulateUtilityInput = SimulateUssdInput

export interface SimulateWalletInput {
  /** Major units (naira, not kobo): a number or a decimal string. */
  amount: number | string
}

export interface SimulateEventInput {
  type: string
  /** Merged into the type’s example data; at most 16 KiB as JSON. */
  data?: Record<string, unknown> | undefined
}

export interface SimulateClockInput {
  advanceSeconds: number
}

export interface CreatePartnerTokenInput {
  clientId: string
  clientSecret: string
  /** Some of the partner’s scopes, separated by spaces; leave it out for all of them. */
  scope?: string | undefined
}

export type AddDisputeEvidenceInput = {
  file: Blob | Blob[]
}

export type AddProductMediaInput =
  | {
      /** The id of a product, as a number or a string. */
      productId: number | string
      file: Blob | Blob[]
    }
  | {
      /** The id of a product, as a number or a string. */
      productId: number | string
      /** The image, encoded as base64. */
      base64?: string | undefined
      /** A public URL, which the server fetches once. */
      url?: string | undefined
      filename?: string | undefined
    }

export type AddProductVariantMediaInput =
  | {
      /** The id of a product, as a number or a string. */
      productId: number | string
      /** The id of one of its variants. */
      variantId: number | string
      file: Blob | Blob[]
    }
  | {
      /** The id of a product, as a number or a string. */
      productId: number | string
      /** The id of one of its variants. */
      variantId: number | string
      /** The image, encoded as base64. */
      base64?: string | undefined
      /** A public URL, which the server fetches once. */
      url?: string | undefined
      filename?: string | undefined
    }

export type AddDigitalDownloadFileInput = {
  /** The id of a product, as a number or a string. */
  productId: number | string
  file: Blob | Blob[]
}

export type UploadPaymentPageImageInput =
  | {
      file: Blob | Blob[]
    }
  | {
      /** The image, encoded as base64. */
      base64?: string | undefined
      /** A public URL, which the server fetches once. */
      url?: string | undefined
      filename?: string | undefined
    }

export interface CreateOauthTokenInput {
  grant_type: string
  client_id?: string | undefined
  client_secret?: string | undefined
  /** Some of the partner’s scopes, separated by spaces; leave it out for all of them. */
  scope?: string | undefined
}

/** The event types, each with its `data`. */
export interface EventData {
  /**
   * Money was added to the wallet by a payment, a deposit into the funding account, a
   * returned transfer or a test top-up.
   */
  'wallet.funded': {
    /** The reference of the record that moved the money. */
    reference: string
    status: string
    amount: number
    amountMinor: number
    currency: string
    /** The available balance after this change. */
    availableAfter: number
    availableAfterMinor: number
    source: {
      /** The kind of record that moved the money: transaction, transfer, refund, … */
      type: string
      reference: string
    }
  }
  /**
   * A transfer, utility payment or refund succeeded, and the money held for it, including any
   * fee, left the wallet. Alternatively, the wallet paid money that the business owed, such
   * as a provider’s fee.
   */
  'wallet.debited': {
    /** The reference of the record that moved the money. */
    reference: string
    status: string
    amount: number
    amountMinor: number
    currency: string
    /** The available balance after this change. */
    availableAfter: number
    availableAfterMinor: number
    source: {
      /** The kind of record that moved the money: transaction, transfer, refund, … */
      type: string
      reference: string
    }
  }
  /** The bank confirmed the account holder’s name for a business or subaccount bank account. */
  'account.verified': {
    /** The reference of the settings record or the subaccount. */
    reference: string
    status: string
    bankCode: string
    bankName: string
    /** The last 4 digits, the same as accountNumberLast4. */
    accountNumber: string
    accountNumberLast4: string
    /** The owner of the account: business or subaccount. */
    subject: string
    accountName: string
  }
  /** A payer started a payment. */
  'transaction.pending': Transaction
  /** A payment succeeded. If it had already been Abandoned, `late` is true. */
  'transaction.successful': Transaction
  /** The bank or the payer’s provider declined a payment. */
  'transaction.failed': Transaction
  /** A payment was not made in time, or was no longer due. */
  'transaction.abandoned': Transaction
  /** The payer got back what was left of a payment, because a dispute was lost or accepted. */
  'transaction.reversed': Transaction
  /** A virtual account was opened for one payment. */
  'virtual_account.created': {
    /** The transaction’s reference. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string | null
    /** The amount to transfer. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
  }
  /** A virtual account was closed before the payment arrived. */
  'virtual_account.expired': {
    /** The transaction’s reference. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string | null
    /** The amount to transfer. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
  }
  /** A deposit into a virtual account was not accepted. */
  'bank.transfer.rejected': {
    /** The transaction’s reference. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string | null
    /** The amount to transfer. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
    receivedAmount: number
    /** amount_too_low, amount_too_high, account_expired, already_paid or wrong_currency */
    reason: string | null
    /** ReturnedByProvider, or Held if the provider keeps the money for now */
    returnStatus: string
    receivedAmountMinor: number
    receivedCurrency: string
    /** The deposit’s reference. */
    depositReference: string
    /** The sender; null if the bank does not name one. */
    sender: {
      accountName?: string | null
      accountNumber?: string | null
      bankName?: string | null
    } | null
  }
  /**
   * A payment was not accepted, and the provider keeps it until someone returns or accepts
   * it. Sent again if the provider could not return it.
   */
  'deposit.held': Deposit
  /** The provider sent a held payment back to the payer. */
  'deposit.returned': Deposit
  /** Someone accepted a held payment for its transaction. */
  'deposit.accepted': Deposit
  /** A transfer was created and needs approval before it is sent. */
  'transfer.unverified': Transfer
  /** A transfer was created, approved or retried. */
  'transfer.pending': Transfer
  /** The bank completed a transfer. */
  'transfer.successful': Transfer
  /** A transfer failed, and the money is back in the wallet. */
  'transfer.failed': Transfer
  /**
   * The bank has put a transfer on hold. It stays Blocked until the bank decides or someone
   * retries it.
   */
  'transfer.blocked': Transfer
  /** A transfer was not approved, or the bank refused it; the money is back in the wallet. */
  'transfer.rejected': Transfer
  /**
   * The bank returned a transfer that it had completed; the transfer is now Failed, with
   * `reversedAt`.
   */
  'transfer.reversed': Transfer
  /** A refund was created; its amount is on hold. */
  'refund.pending': Refund
  /** A refund was paid to the payer. */
  'refund.processed': Refund
  /** A refund failed, and its amount was returned to the business and the subaccounts. */
  'refund.failed': Refund
  /** Someone has to act before the provider can complete a refund. */
  'refund.needs_attention': Refund
  /** A payer disputed a payment. The amount is on hold. */
  'dispute.opened': Dispute
  /**
   * The provider is reviewing the response or asks again, or the deadline or the response
   * changed.
   */
  'dispute.updated': Dispute
  /** A dispute was won. The amount is no longer on hold. */
  'dispute.won': Dispute
  /** A dispute was lost. The provider took the amount. */
  'dispute.lost': Dispute
  /** A dispute was accepted. The provider took the amount. */
  'dispute.accepted': Dispute
  /**
   * An invoice was created. If the invoice is sent immediately, its status is already `Sent`
   * and `invoice.sent` follows.
   */
  'invoice.created': Invoice
  /** An invoice was sent, either on creation or later. */
  'invoice.sent': Invoice
  /** The payer opened the invoice page for the first time. */
  'invoice.viewed': Invoice
  /** Part of an invoice was paid. */
  'invoice.partially_paid': Invoice
  /** An invoice was paid in full or marked as paid. */
  'invoice.paid': Invoice
  /** An invoice passed its due date before it was paid in full. */
  'invoice.overdue': Invoice
  /** An invoice was voided and can no longer be paid. */
  'invoice.voided': Invoice
  /** A payment page was created. */
  'payment_page.created': PaymentPage
  /** A payment page or its list of products was changed. */
  'payment_page.updated': PaymentPage
  /** A payment page was published and now accepts payments. */
  'payment_page.published': PaymentPage
  /** A payment page was unpublished and no longer accepts payments. */
  'payment_page.unpublished': PaymentPage
  /** A payment page was deleted. */
  'payment_page.deleted': PaymentPage
  /** A product was created. */
  'product.created': Product
  /**
   * A product, or one of its options, variants, images, files or delivery fees, was changed.
   */
  'product.updated': Product
  /** A product was archived and is no longer on sale. */
  'product.archived': Product
  /** A product was deleted. */
  'product.deleted': Product
  /** The available stock of a product or variant fell to its low-stock threshold. */
  'product.low_stock': {
    productId: string
    /** Null for the product itself. */
    variantId: number | null
    /** The product’s reference. */
    reference: string
    /** The product’s status. */
    status: string
    name: string
    sku: string | null
    /** The stock on hand, including reserved stock. */
    quantity: number
    reserved: number
    available: number
    lowStockThreshold: number | null
  }
  /** A product or variant is out of stock. */
  'product.out_of_stock': {
    productId: string
    /** Null for the product itself. */
    variantId: number | null
    /** The product’s reference. */
    reference: string
    /** The product’s status. */
    status: string
    name: string
    sku: string | null
    /** The stock on hand, including reserved stock. */
    quantity: number
    reserved: number
    available: number
    lowStockThreshold: number | null
  }
  /** A checkout created an order, which is not paid yet. */
  'order.created': Order
  /**
   * An order was paid. Its reserved stock is now sold, and the buyer can download its files.
   */
  'order.paid': Order
  /** An order was refunded in full. */
  'order.refunded': Order
  /** A discount code was created. */
  'discount.created': DiscountCode
  /** The terms of a discount code were changed. */
  'discount.updated': DiscountCode
  /** A discount code reached its usage limit. */
  'discount.exhausted': DiscountCode
  /** A discount code was used in a completed purchase. */
  'discount.redeemed': {
    id: number
    reference: string
    code: string
    type: string
    /** A percentage, or an amount in major units. */
    value: number
    currency: string
    /** Empty means every product. */
    productIds: string[]
    minSpend: number | null
    maxDiscount: number | null
    startsAt: string | null
    /** The time from which the code is no longer valid. */
    endsAt: string | null
    maxUses: number | null
    maxUsesPerCustomer: number | null
    usedCount: number
    /** The number of uses reserved by open checkouts. */
    reservedCount: number
    /** Active or Inactive. */
    status: string
    createdAt: string
    updatedAt: string
    /** The amount of the discount. */
    discountAmount: number
    discountAmountMinor: number
  }
  /** A buyer received a download link for a digital file. */
  'download.granted': {
    id: number
    /** The file’s reference. */
    reference: string
    /** Active or Revoked. */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The buyer’s download link. */
    url: string
    customerEmail: string | null
    /** The number of downloads by this buyer. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /** A buyer downloaded a digital file. */
  'download.accessed': {
    id: number
    /** The file’s reference. */
    reference: string
    /** Active or Revoked. */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The buyer’s download link. */
    url: string
    customerEmail: string | null
    /** The number of downloads by this buyer. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /**
   * A buyer’s download link was revoked because the file was deleted or the order was
   * refunded.
   */
  'download.revoked': {
    id: number
    /** The file’s reference. */
    reference: string
    /** Active or Revoked. */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The buyer’s download link. */
    url: string
    customerEmail: string | null
    /** The number of downloads by this buyer. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /** A subaccount was created. */
  'subaccount.created': Subaccount
  /** A subaccount was changed, deactivated or reactivated. */
  'subaccount.updated': Subaccount
  /** Payouts to a subaccount are blocked until its bank account is corrected or confirmed. */
  'settlement.blocked': Subaccount
  /** A split page was created. */
  'split_page.created': SplitPage
  /** A split page or one of its shares was changed. */
  'split_page.updated': SplitPage
  /** A subaccount’s open balance was paid out to its bank account. */
  'settlement.paid': ListedSettlement
  /** The bank returned a settlement that it had paid; its amount is open again. */
  'settlement.returned': ListedSettlement
  /** A utility payment was started. Its amount is on hold until the outcome is known. */
  'utility.pending': ListedUtilityPayment
  /** Airtime, data, electricity, a TV subscription or a PIN was bought. */
  'utility.successful': ListedUtilityPayment
  /** Nothing was bought, and the money is back in the wallet. */
  'utility.failed': ListedUtilityPayment
  /** A key was created, either as a new key or as a replacement. */
  'api_key.created': {
    id: number
    reference: string
    /** Active, Replaced, Expired or Revoked */
    status: string
    businessId: number
    /** test or live */
    mode: string
    /** secret or public */
    type: string
    label: string | null
    /** The first and last characters of the key, never the whole key. */
    hint: string
    scopes: string[] | null
    allowedIps: string[]
    expiresAt: string | null
    lastUsedAt: string | null
    browserSeenAt: string | null
    replacedBy: number | null
    revokedAt: string | null
    createdAt: string
  }
  /**
   * A key was rotated: a new key replaces it, and the old key expires after its grace period.
   */
  'api_key.rotated': {
    id: number
    reference: string
    /** Active, Replaced, Expired or Revoked */
    status: string
    businessId: number
    /** test or live */
    mode: string
    /** secret or public */
    type: string
    label: string | null
    /** The first and last characters of the key, never the whole key. */
    hint: string
    scopes: string[] | null
    allowedIps: string[]
    expiresAt: string | null
    lastUsedAt: string | null
    browserSeenAt: string | null
    replacedBy: number | null
    revokedAt: string | null
    createdAt: string
  }
  /** A key was revoked. */
  'api_key.revoked': {
    id: number
    reference: string
    /** Active, Replaced, Expired or Revoked */
    status: string
    businessId: number
    /** test or live */
    mode: string
    /** secret or public */
    type: string
    label: string | null
    /** The first and last characters of the key, never the whole key. */
    hint: string
    scopes: string[] | null
    allowedIps: string[]
    expiresAt: string | null
    lastUsedAt: string | null
    browserSeenAt: string | null
    replacedBy: number | null
    revokedAt: string | null
    createdAt: string
  }
  /**
   * An endpoint was disabled, either manually or because it returned 410 or failed for five
   * days.
   */
  'webhook.disabled': Webhook
  /** Someone sent a test event to an endpoint. Only that endpoint receives it. */
  'webhook.test': Record<string, unknown>
}

export interface BanksOperations {
  /**
   * List banks in Nigeria.
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank`
   */
  list(input?: ListBanksInput, options?: CallOptions): List<Bank, PageMeta | undefined>

  /**
   * List banks in Nigeria (old path).
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank-list`
   * @deprecated
   */
  listDeprecated(
    input?: ListBanksDeprecatedInput,
    options?: CallOptions,
  ): List<Bank, PageMeta | undefined>

  /**
   * Look up the name of a bank account holder.
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank/resolve`
   */
  resolveAccount(
    input?: ResolveBankAccountInput,
    options?: CallOptions,
  ): Promise<ResolveBankAccountResponse>
}

export interface CheckoutOperations {
  /**
   * Create a checkout.
   * A restricted key needs the scope `checkout:write`.
   * `POST /api/payment-service/external/v1/initialize-checkout`
   */
  initialize(input: InitializeCheckoutInput, options?: CallOptions): Promise<Checkout>

  /**
   * List checkouts.
   * A restricted key needs the scope `checkout:read`.
   * `GET /api/payment-service/external/v1/initialize-checkout`
   */
  list(input?: ListCheckoutsInput, options?: CallOptions): List<Checkout, PageMeta>

  /**
   * Get a checkout.
   * A restricted key needs the scope `checkout:read`.
   * `GET /api/payment-service/external/v1/initialize-checkout/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Checkout>

  /**
   * Cancel a checkout.
   * A restricted key needs the scope `checkout:write`.
   * `POST /api/payment-service/external/v1/initialize-checkout/{reference}/cancel`
   */
  cancel(reference: string, options?: CallOptions): Promise<Checkout>

  /**
   * Create a virtual account for a checkout.
   * A restricted key needs the scope `checkout:write`.
   * `POST /api/payment-service/external/v1/payment-pages/initiate-initialize-checkout-dynamic-virtual-account`
   */
  createVirtualAccount(
    input?: CreateCheckoutVirtualAccountInput,
    options?: CallOptions,
  ): Promise<CreateCheckoutVirtualAccountResponse>
}

export interface DeliveryFeesOperations {
  /**
   * Add or change the delivery fee for a location.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/add-delivery-fees`
   */
  add(
    input: AddDeliveryFeeInput,
    options?: CallOptions,
  ): Promise<{
    message: string
  }>

  /**
   * List the delivery fees of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-delivery-fees`
   */
  list(input: ListDeliveryFeesInput, options?: CallOptions): List<DeliveryFee, PageMeta | undefined>

  /**
   * Change the delivery fee for a location.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/update-delivery-fees`
   */
  update(input: UpdateDeliveryFeeInput, options?: CallOptions): Promise<DeliveryFee>

  /**
   * Delete the delivery fee for a location.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-delivery-fees`
   */
  delete(input: DeleteDeliveryFeeInput, options?: CallOptions): Promise<DeliveryFee>
}

export interface DigitalFilesOperations {
  /**
   * List the digital files of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-digital-download-files`
   */
  list(
    input: ListDigitalDownloadFilesInput,
    options?: CallOptions,
  ): List<DigitalDownloadFile, PageMeta>

  /**
   * Rename a digital file.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/rename-digital-download-files`
   */
  rename(input: RenameDigitalDownloadFileInput, options?: CallOptions): Promise<DigitalDownloadFile>

  /**
   * Delete a digital file, and optionally revoke it for its buyers.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-digital-download-files`
   */
  delete(
    input: DeleteDigitalDownloadFileInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Set the limits of download links.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/set-download-link-expiry`
   */
  setLinkExpiry(
    input: SetDownloadLinkExpiryInput,
    options?: CallOptions,
  ): Promise<SetDownloadLinkExpiryResponse>

  /**
   * Add digital files to a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/add-digital-download-files`
   */
  add(
    input: AddDigitalDownloadFileInput,
    options?: CallOptions,
  ): Promise<AddDigitalDownloadFileResponse>
}

export interface DiscountCodesOperations {
  /**
   * Create a discount code.
   * A restricted key needs the scope `discounts:write`.
   * `POST /api/payment-service/external/v1/products/add-discount-code`
   */
  create(input: CreateDiscountCodeInput, options?: CallOptions): Promise<DiscountCode>

  /**
   * List discount codes.
   * A restricted key needs the scope `discounts:read`.
   * `GET /api/payment-service/external/v1/products/get-discount-codes`
   */
  list(input?: ListDiscountCodesInput, options?: CallOptions): List<DiscountCode, PageMeta>

  /**
   * Update a discount code.
   * A restricted key needs the scope `discounts:write`.
   * `PUT /api/payment-service/external/v1/products/update-discount-code-details`
   */
  update(input?: UpdateDiscountCodeInput, options?: CallOptions): Promise<DiscountCode>

  /**
   * Check a discount code without using it.
   * A restricted key needs the scope `discounts:read`.
   * `POST /api/payment-service/external/v1/products/verify-discount-code`
   */
  verify(input: VerifyDiscountCodeInput, options?: CallOptions): Promise<VerifyDiscountCodeResponse>
}

export interface DisputesOperations {
  /**
   * List disputes.
   * A restricted key needs the scope `disputes:read`.
   * `GET /api/transaction-service/external/v1/disputes`
   */
  listDisputes(input?: ListDisputesInput, options?: CallOptions): List<Dispute, PageMeta>

  /**
   * Get a dispute.
   * A restricted key needs the scope `disputes:read`.
   * `GET /api/transaction-service/external/v1/disputes/{reference}`
   */
  getDispute(reference: string, options?: CallOptions): Promise<Dispute>

  /**
   * Download a file that was added to a dispute.
   * A restricted key needs the scope `disputes:read`.
   * `GET /api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}`
   */
  getDisputeEvidence(
    reference: string,
    evidenceId: number | string,
    options?: CallOptions,
  ): Promise<Response>

  /**
   * Delete a file that no response to a dispute has used.
   * A restricted key needs the scope `disputes:write`.
   * `POST /api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}/delete`
   */
  deleteDisputeEvidence(
    reference: string,
    evidenceId: number | string,
    options?: CallOptions,
  ): Promise<Dispute>

  /**
   * Accept a dispute, so that the payer gets the money back.
   * A restricted key needs the scope `disputes:write`.
   * `POST /api/transaction-service/external/v1/disputes/{reference}/accept`
   */
  acceptDispute(
    reference: string,
    input?: AcceptDisputeInput,
    options?: CallOptions,
  ): Promise<Dispute>

  /**
   * Contest a dispute.
   * A restricted key needs the scope `disputes:write`.
   * `POST /api/transaction-service/external/v1/disputes/{reference}/contest`
   */
  contestDispute(
    reference: string,
    input: ContestDisputeInput,
    options?: CallOptions,
  ): Promise<Dispute>

  /**
   * Add files that support a response to a dispute.
   * A restricted key needs the scope `disputes:write`.
   * `POST /api/transaction-service/external/v1/disputes/{reference}/evidence`
   */
  addDisputeEvidence(
    reference: string,
    input: AddDisputeEvidenceInput,
    options?: CallOptions,
  ): Promise<Dispute>
}

export interface EventsOperations {
  /**
   * List events.
   * A restricted key needs the scope `events:read`.
   * `GET /api/user-service/external/v1/events`
   */
  list(
    input?: ListEventsInput,
    options?: CallOptions,
  ): List<
    EventRecord,
    PageMeta & {
      /**
       * With sort=ASC: the `after` to use for the next request when you follow events. Events
       * less than a minute old are listed again, because concurrent events can become visible
       * late.
       */
      resume: string | null
    }
  >

  /**
   * Get an event.
   * A restricted key needs the scope `events:read`.
   * `GET /api/user-service/external/v1/events/{id}`
   */
  get(id: string, options?: CallOptions): Promise<EventRecord>

  /**
   * List event types.
   * A restricted key needs the scope `events:read`.
   * `GET /api/user-service/external/v1/event-types`
   */
  listTypes(input?: ListEventTypesInput, options?: CallOptions): List<EventType, PageMeta>
}

export interface InvoicesOperations {
  /**
   * Create an invoice.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices`
   */
  create(input: CreateInvoiceInput, options?: CallOptions): Promise<Invoice>

  /**
   * List invoices.
   * A restricted key needs the scope `invoices:read`.
   * `GET /api/payment-service/external/v1/invoices`
   */
  list(input?: ListInvoicesInput, options?: CallOptions): List<Invoice, PageMeta>

  /**
   * Export invoices as CSV.
   * A restricted key needs the scope `invoices:read`.
   * `GET /api/payment-service/external/v1/invoices/export`
   */
  export(input?: ExportInvoicesInput, options?: CallOptions): Promise<Response>

  /**
   * Get an invoice.
   * A restricted key needs the scope `invoices:read`.
   * `GET /api/payment-service/external/v1/invoices/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Invoice>

  /**
   * Update an invoice.
   * A restricted key needs the scope `invoices:write`.
   * `PUT /api/payment-service/external/v1/invoices/{reference}`
   */
  update(reference: string, input?: UpdateInvoiceInput, options?: CallOptions): Promise<Invoice>

  /**
   * Get an invoice as a PDF.
   * A restricted key needs the scope `invoices:read`.
   * `GET /api/payment-service/external/v1/invoices/{reference}/pdf`
   */
  getPdf(reference: string, options?: CallOptions): Promise<Response>

  /**
   * Send or resend an invoice.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices/{reference}/send`
   */
  send(reference: string, options?: CallOptions): Promise<Invoice>

  /**
   * Send a payment reminder for an invoice.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices/{reference}/remind`
   */
  remind(reference: string, options?: CallOptions): Promise<Invoice>

  /**
   * Mark an invoice as paid.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices/{reference}/mark-paid`
   */
  markPaid(reference: string, input?: MarkInvoicePaidInput, options?: CallOptions): Promise<Invoice>

  /**
   * Void an invoice.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices/{reference}/void`
   */
  void(reference: string, options?: CallOptions): Promise<Invoice>
}

export interface OrdersOperations {
  /**
   * List orders.
   * A restricted key needs the scope `orders:read`.
   * `GET /api/transaction-service/external/v1/orders`
   */
  list(input?: ListOrdersInput, options?: CallOptions): List<Order, PageMeta>

  /**
   * Get an order.
   * A restricted key needs the scope `orders:read`.
   * `GET /api/transaction-service/external/v1/orders/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Order>

  /**
   * Reorder the images of a product or variant.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/order-product-media`
   */
  productMedia(
    input: OrderProductMediaInput,
    options?: CallOptions,
  ): Promise<OrderProductMediaResponse>
}

export interface PartnersOperations {
  /**
   * Grant a partner access to the business.
   * A restricted key needs the scope `keys:write`.
   * `POST /api/user-service/external/v1/partners`
   */
  grant(input: GrantPartnerInput, options?: CallOptions): Promise<Partner>

  /**
   * List the business’s partners.
   * A restricted key needs the scope `keys:read`.
   * `GET /api/user-service/external/v1/partners`
   */
  list(input?: ListPartnersInput, options?: CallOptions): List<Partner, PageMeta>

  /**
   * Revoke a partner’s access to the business.
   * A restricted key needs the scope `keys:write`.
   * `POST /api/user-service/external/v1/partners/{clientId}/revoke`
   */
  revoke(clientId: string, options?: CallOptions): Promise<Partner>

  /**
   * Exchange a partner’s credentials for a token.
   * No key is required.
   * `POST /api/auth-service/external/v1/token`
   */
  createToken(
    input: CreatePartnerTokenInput,
    options?: CallOptions,
  ): Promise<CreatePartnerTokenResponse>

  /**
   * Exchange client credentials for a token (RFC 6749).
   * No key is required.
   * `POST /oauth/token`
   */
  createOauthToken(
    input: CreateOauthTokenInput,
    options?: CallOptions,
  ): Promise<CreateOauthTokenResponse>
}

export interface PaymentPagesOperations {
  /**
   * Create a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/create-pages`
   */
  create(input?: CreatePaymentPageInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Create a payment page (same as create-pages).
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/transaction-service/external/v1/payment-pages`
   */
  createOfTransactions(
    input?: CreatePaymentPageOfTransactionsInput,
    options?: CallOptions,
  ): Promise<PaymentPage>

  /**
   * List payment pages (same as get-pages).
   * A restricted key needs the scope `payment_pages:read`.
   * `GET /api/transaction-service/external/v1/payment-pages`
   */
  listOfTransactions(
    input?: ListPaymentPagesOfTransactionsInput,
    options?: CallOptions,
  ): List<PaymentPage, PageMeta>

  /**
   * List payment pages.
   * A restricted key needs the scope `payment_pages:read`.
   * `GET /api/payment-service/external/v1/payment-pages/get-pages`
   */
  list(input?: ListPaymentPagesInput, options?: CallOptions): List<PaymentPage, PageMeta>

  /**
   * Get a payment page by id or link.
   * A restricted key needs the scope `payment_pages:read`.
   * `GET /api/payment-service/external/v1/payment-pages/get-page-details`
   */
  get(input?: GetPaymentPageInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Update a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `PUT /api/payment-service/external/v1/payment-pages/update-page-details`
   */
  update(input: UpdatePaymentPageInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Publish or unpublish a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `PUT /api/payment-service/external/v1/payment-pages/update-page-status`
   */
  setStatus(input: SetPaymentPageStatusInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Delete a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/delete-page`
   */
  delete(input: DeletePaymentPageInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Check whether a link is available.
   * A restricted key needs the scope `payment_pages:read`.
   * `POST /api/payment-service/external/v1/payment-pages/custom-link-check-exist`
   */
  checkCustomLink(
    input: CheckCustomLinkInput,
    options?: CallOptions,
  ): Promise<CheckProductSlugResponse>

  /**
   * Add products to a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/payment-page-add-product`
   */
  addProducts(
    input: AddPaymentPageProductsInput,
    options?: CallOptions,
  ): Promise<{
    message: string
  }>

  /**
   * List the products of a payment page.
   * A restricted key needs the scope `payment_pages:read`.
   * `GET /api/payment-service/external/v1/payment-pages/payment-page-get-product`
   */
  listProducts(input: ListPaymentPageProductsInput, options?: CallOptions): List<Product, PageMeta>

  /**
   * Remove products from a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/payment-page-delete-product`
   */
  removeProducts(input: RemovePaymentPageProductsInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Upload an image for payment pages.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/upload-page-image`
   */
  uploadImage(
    input: UploadPaymentPageImageInput,
    options?: CallOptions,
  ): Promise<UploadPaymentPageImageResponse>
}

export interface ProductsOperations {
  /**
   * Create a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/create-product`
   */
  create(input: CreateProductInput, options?: CallOptions): Promise<Product>

  /**
   * List products.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-products`
   */
  list(input?: ListProductsInput, options?: CallOptions): List<Product, PageMeta>

  /**
   * Get a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-product-details`
   */
  get(input?: GetProductInput, options?: CallOptions): Promise<Product>

  /**
   * Update a product.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/update-product-details`
   */
  update(input: UpdateProductInput, options?: CallOptions): Promise<Product>

  /**
   * Archive a product, or make it active again.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/archive-product`
   */
  archive(input: ArchiveProductInput, options?: CallOptions): Promise<Product>

  /**
   * Delete a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-product`
   */
  delete(input: DeleteProductInput, options?: CallOptions): Promise<Product>

  /**
   * Duplicate a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/duplicate-product`
   */
  duplicate(input: DuplicateProductInput, options?: CallOptions): Promise<Product>

  /**
   * Check whether a slug is taken.
   * A restricted key needs the scope `products:read`.
   * `POST /api/payment-service/external/v1/products/slugExist`
   */
  checkSlug(input: CheckProductSlugInput, options?: CallOptions): Promise<CheckProductSlugResponse>

  /**
   * Get the inventory of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-product-inventory-details`
   */
  getInventory(input: GetProductInventoryInput, options?: CallOptions): Promise<ProductInventory>

  /**
   * Add options to a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/add-product-options`
   */
  addOptions(input: AddProductOptionsInput, options?: CallOptions): Promise<Product>

  /**
   * Rename an option of a product.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/v1/products/update-product-option-details`
   */
  updateOption(input: UpdateProductOptionInput, options?: CallOptions): Promise<Product>

  /**
   * Delete an option of a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/delete-product-options`
   */
  deleteOptions(input: DeleteProductOptionsInput, options?: CallOptions): Promise<Product>

  /**
   * Add a value to an option.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/add-product-option-variant`
   */
  addOptionVariant(input: AddProductOptionVariantInput, options?: CallOptions): Promise<Product>

  /**
   * Rename a value of an option.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/v1/products/update-product-option-variant`
   */
  updateOptionVariant(
    input: UpdateProductOptionVariantInput,
    options?: CallOptions,
  ): Promise<Product>

  /**
   * Delete a value of an option.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/delete-product-option-variant`
   */
  deleteOptionVariant(
    input: DeleteProductOptionVariantInput,
    options?: CallOptions,
  ): Promise<Product>

  /**
   * List the variants of a product, filtered by option values.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/v1/products/filter-for-products-variant`
   */
  filterVariants(
    input: FilterProductVariantsInput,
    options?: CallOptions,
  ): List<FilterProductVariantsResponse, PageMeta | undefined>

  /**
   * Update a variant of a product.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/v1/products/update-product-variant-details`
   */
  updateVariant(
    input: UpdateProductVariantInput,
    options?: CallOptions,
  ): Promise<FilterProductVariantsResponse>

  /**
   * List the images of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-product-media`
   */
  listMedia(
    input: ListProductMediaInput,
    options?: CallOptions,
  ): List<ProductMedia, PageMeta | undefined>

  /**
   * Delete an image of a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-product-media`
   */
  deleteMedia(input: DeleteProductMediaInput, options?: CallOptions): Promise<ProductMedia>

  /**
   * List the images of a variant.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/v1/products/get-product-variant-media`
   */
  listVariantMedia(
    input: ListProductVariantMediaInput,
    options?: CallOptions,
  ): List<ProductMedia, PageMeta | undefined>

  /**
   * Delete an image of a variant.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/delete-product-variant-media`
   */
  deleteVariantMedia(
    input: DeleteProductVariantMediaInput,
    options?: CallOptions,
  ): Promise<ProductMedia>

  /**
   * Add images to a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/product-upload-media`
   */
  addMedia(input: AddProductMediaInput, options?: CallOptions): Promise<AddProductMediaResponse>

  /**
   * Add images to a variant.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/add-product-variant-media`
   */
  addVariantMedia(
    input: AddProductVariantMediaInput,
    options?: CallOptions,
  ): Promise<AddProductMediaResponse>
}

export interface ProfileOperations {
  /**
   * Get the business that the key belongs to.
   * A restricted key needs the scope `profile:read`.
   * `GET /api/user-service/external/v1/profile`
   */
  get(options?: CallOptions): Promise<Profile>

  /**
   * Get the business’s settings.
   * A restricted key needs the scope `profile:read`.
   * `GET /api/user-service/external/v1/profile/settings`
   */
  getSettings(options?: CallOptions): Promise<ProfileSettings>

  /**
   * Update the business’s settings.
   * A restricted key needs the scope `profile:write`.
   * `PUT /api/user-service/external/v1/profile/settings`
   */
  updateSettings(
    input?: UpdateProfileSettingsInput,
    options?: CallOptions,
  ): Promise<ProfileSettings>
}

export interface RefundsOperations {
  /**
   * Return a payment that the provider holds.
   * A restricted key needs the scope `refunds:write`.
   * `POST /api/transaction-service/external/v1/deposits/{reference}/return`
   */
  returnDeposit(reference: string, options?: CallOptions): Promise<Deposit>

  /**
   * Accept a payment that the provider holds.
   * A restricted key needs the scope `refunds:write`.
   * `POST /api/transaction-service/external/v1/deposits/{reference}/accept`
   */
  acceptDeposit(reference: string, options?: CallOptions): Promise<Deposit>

  /**
   * Refund all or part of a payment.
   * A restricted key needs the scope `refunds:write`.
   * `POST /api/transaction-service/external/v1/refunds`
   */
  create(input?: CreateRefundInput, options?: CallOptions): Promise<Refund>

  /**
   * List refunds.
   * A restricted key needs the scope `refunds:read`.
   * `GET /api/transaction-service/external/v1/refunds`
   */
  list(input?: ListRefundsInput, options?: CallOptions): List<Refund, PageMeta>

  /**
   * Get a refund.
   * A restricted key needs the scope `refunds:read`.
   * `GET /api/transaction-service/external/v1/refunds/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Refund>

  /**
   * Get a refund by its reference.
   * A restricted key needs the scope `refunds:read`.
   * `GET /api/transaction-service/external/v1/refund-by-reference`
   */
  getByReference(input: GetRefundByReferenceInput, options?: CallOptions): Promise<Refund>

  /**
   * Retry a refund that needs attention.
   * A restricted key needs the scope `refunds:write`.
   * `POST /api/transaction-service/external/v1/refunds/{reference}/retry`
   */
  retry(reference: string, input?: RetryRefundInput, options?: CallOptions): Promise<Refund>

  /**
   * Cancel a refund that was not sent.
   * A restricted key needs the scope `refunds:write`.
   * `POST /api/transaction-service/external/v1/refunds/{reference}/cancel`
   */
  cancel(reference: string, options?: CallOptions): Promise<Refund>
}

export interface RequestsOperations {
  /**
   * List API requests.
   * A restricted key needs the scope `requests:read`.
   * `GET /api/user-service/external/v1/requests`
   */
  list(input?: ListRequestsInput, options?: CallOptions): List<ListedRequestRecord, CursorMeta>

  /**
   * Get an API request with its bodies.
   * A restricted key needs the scope `requests:read`.
   * `GET /api/user-service/external/v1/requests/{requestId}`
   */
  get(requestId: string, options?: CallOptions): Promise<RequestRecord>
}

export interface SettlementsOperations {
  /**
   * List settlements.
   * A restricted key needs the scope `settlements:read`.
   * `GET /api/transaction-service/external/v1/settlements`
   */
  list(input?: ListSettlementsInput, options?: CallOptions): List<ListedSettlement, PageMeta>

  /**
   * Get a settlement with its lines.
   * A restricted key needs the scope `settlements:read`.
   * `GET /api/transaction-service/external/v1/settlements/{reference}`
   */
  get(reference: string, input?: GetSettlementInput, options?: CallOptions): Promise<Settlement>

  /**
   * Export the lines of a settlement as CSV.
   * A restricted key needs the scope `settlements:read`.
   * `GET /api/transaction-service/external/v1/settlements/{reference}/export`
   */
  export(reference: string, options?: CallOptions): Promise<Response>
}

export interface SimulatorOperations {
  /**
   * Approve or decline a USSD payment.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/ussd`
   */
  ussd(
    input: SimulateUssdInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Pay by card, or have the card declined.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/card`
   */
  card(
    input: SimulateCardInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Pay into a virtual account or the funding account.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/deposit`
   */
  deposit(input: SimulateDepositInput, options?: CallOptions): Promise<SimulateDepositResponse>

  /**
   * Simulate the bank’s decision on a transfer.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/transfer`
   */
  transfer(
    input: SimulateTransferInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Simulate the bank’s decision on a refund.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/refund`
   */
  refund(
    input: SimulateRefundInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Dispute a payment.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/dispute`
   */
  dispute(
    input: SimulateDisputeInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Simulate the bank’s decision on a dispute.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/dispute-outcome`
   */
  disputeOutcome(
    input: SimulateDisputeOutcomeInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Simulate the biller’s decision on a Pending utility payment.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/utility`
   */
  utility(
    input: SimulateUtilityInput,
    options?: CallOptions,
  ): Promise<{
    reference: string
    status: string
  }>

  /**
   * Settle subaccounts now instead of at midnight.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/settlement`
   */
  settlement(options?: CallOptions): Promise<SimulateSettlementResponse>

  /**
   * Top up the test wallet.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/wallet`
   */
  wallet(input: SimulateWalletInput, options?: CallOptions): Promise<SimulateWalletResponse>

  /**
   * Send a simulated event.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/events`
   */
  event(input: SimulateEventInput, options?: CallOptions): Promise<EventRecord>

  /**
   * Advance the test clock of this business.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/clock`
   */
  clock(input: SimulateClockInput, options?: CallOptions): Promise<SimulateClockResponse>
}

export interface SplitPagesOperations {
  /**
   * List split pages.
   * A restricted key needs the scope `split_pages:read`.
   * `GET /api/transaction-service/external/v1/split-page/all`
   */
  list(input: ListSplitPagesInput, options?: CallOptions): List<SplitPage, PageMeta>

  /**
   * Create a split page.
   * A restricted key needs the scope `split_pages:write`.
   * `POST /api/transaction-service/external/v1/split-page`
   */
  create(input: CreateSplitPageInput, options?: CallOptions): Promise<SplitPage>

  /**
   * Get a split page.
   * A restricted key needs the scope `split_pages:read`.
   * `GET /api/transaction-service/external/v1/split-page/{id}`
   */
  get(id: number | string, options?: CallOptions): Promise<SplitPage>

  /**
   * Update a split page.
   * A restricted key needs the scope `split_pages:write`.
   * `PUT /api/transaction-service/external/v1/split-page/{id}`
   */
  update(
    id: number | string,
    input?: UpdateSplitPageInput,
    options?: CallOptions,
  ): Promise<SplitPage>

  /**
   * Add a subaccount to a split page, or change its share.
   * A restricted key needs the scope `split_pages:write`.
   * `POST /api/transaction-service/external/v1/split-page/{id}/subaccount/add`
   */
  addSubaccount(
    id: number | string,
    input?: AddSplitPageSubaccountInput,
    options?: CallOptions,
  ): Promise<{
    share: number
    subaccount: string
  }>

  /**
   * Remove a subaccount from a split page.
   * A restricted key needs the scope `split_pages:write`.
   * `POST /api/transaction-service/external/v1/split-page/{id}/subaccount/remove`
   */
  removeSubaccount(
    id: number | string,
    input?: RemoveSplitPageSubaccountInput,
    options?: CallOptions,
  ): Promise<SplitPage>
}

export interface SubaccountsOperations {
  /**
   * Create a subaccount.
   * A restricted key needs the scope `subaccounts:write`.
   * `POST /api/transaction-service/external/v1/subaccounts`
   */
  create(input: CreateSubaccountInput, options?: CallOptions): Promise<Subaccount>

  /**
   * List subaccounts.
   * A restricted key needs the scope `subaccounts:read`.
   * `GET /api/transaction-service/external/v1/subaccounts/all`
   */
  list(input: ListSubaccountsInput, options?: CallOptions): List<Subaccount, PageMeta>

  /**
   * Get a subaccount.
   * A restricted key needs the scope `subaccounts:read`.
   * `GET /api/transaction-service/external/v1/subaccounts/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Subaccount>

  /**
   * Update a subaccount.
   * A restricted key needs the scope `subaccounts:write`.
   * `PUT /api/transaction-service/external/v1/subaccounts/{reference}`
   */
  update(
    reference: string,
    input?: UpdateSubaccountInput,
    options?: CallOptions,
  ): Promise<Subaccount>

  /**
   * Confirm the bank account of a subaccount whose payouts are blocked.
   * A restricted key needs the scope `subaccounts:write`.
   * `POST /api/transaction-service/external/v1/subaccounts/{reference}/confirm-account`
   */
  confirmAccount(reference: string, options?: CallOptions): Promise<Subaccount>

  /**
   * Deactivate a subaccount.
   * A restricted key needs the scope `subaccounts:write`.
   * `POST /api/transaction-service/external/v1/subaccounts/{reference}/deactivate`
   */
  deactivate(reference: string, options?: CallOptions): Promise<Subaccount>

  /**
   * Get the balance of a subaccount.
   * A restricted key needs the scope `subaccounts:read`.
   * `GET /api/transaction-service/external/v1/subaccounts/{reference}/balance`
   */
  getBalance(reference: string, options?: CallOptions): Promise<SubaccountBalance>
}

export interface TransactionsOperations {
  /**
   * Start a USSD payment.
   * A restricted key needs the scope `transactions:write`.
   * `POST /api/transaction-service/external/v1/transaction-with-ussd`
   */
  createUssd(
    input: CreateUssdTransactionInput,
    options?: CallOptions,
  ): Promise<
    CreateUssdTransactionResponse & {
      /** The id of the transaction. */
      transactionIdForSession: number
    }
  >

  /**
   * List transactions.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/transactions`
   */
  list(input?: ListTransactionsInput, options?: CallOptions): List<Transaction, CursorMeta>

  /**
   * List transactions.
   * A restricted key needs the scope `transactions:read`.
   * `GET /transactions`
   */
  listBare(input?: ListTransactionsBareInput, options?: CallOptions): List<Transaction, CursorMeta>

  /**
   * Fetch a transaction.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/fetch/{id}`
   */
  fetch(id: number | string, options?: CallOptions): Promise<Transaction>

  /**
   * Verify a transaction with the provider.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/transactions/verify/{reference}`
   */
  verify(reference: string, options?: CallOptions): Promise<Transaction>

  /**
   * Get transaction totals.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/transactions/totals`
   */
  getTotals(input?: GetTransactionTotalsInput, options?: CallOptions): Promise<TransactionTotals>

  /**
   * Export transactions as CSV.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/transactions/export`
   */
  export(input?: ExportTransactionsInput, options?: CallOptions): Promise<Response>

  /**
   * List virtual accounts.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/virtual-accounts`
   */
  listVirtualAccounts(
    input?: ListVirtualAccountsInput,
    options?: CallOptions,
  ): List<VirtualAccount, PageMeta>

  /**
   * Export virtual accounts as CSV.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/virtual-accounts/export`
   */
  exportVirtualAccounts(
    input?: ExportVirtualAccountsInput,
    options?: CallOptions,
  ): Promise<Response>

  /**
   * Get a virtual account.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/virtual-accounts/{id}`
   */
  getVirtualAccount(id: number | string, options?: CallOptions): Promise<VirtualAccount>

  /**
   * List deposits.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/deposits`
   */
  listDeposits(input?: ListDepositsInput, options?: CallOptions): List<Deposit, PageMeta>

  /**
   * Export deposits as CSV.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/deposits/export`
   */
  exportDeposits(input?: ExportDepositsInput, options?: CallOptions): Promise<Response>

  /**
   * Get a deposit.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/deposits/{reference}`
   */
  getDeposit(reference: string, options?: CallOptions): Promise<Deposit>
}

export interface TransfersOperations {
  /**
   * List transfers.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers`
   */
  list(input?: ListTransfersInput, options?: CallOptions): List<Transfer, PageMeta>

  /**
   * Send money to a bank account.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers`
   */
  create(input: CreateTransferInput, options?: CallOptions): Promise<Transfer>

  /**
   * List transfers.
   * A restricted key needs the scope `transfers:read`.
   * `GET /transfers`
   */
  listBare(input?: ListTransfersBareInput, options?: CallOptions): List<Transfer, PageMeta>

  /**
   * Send money to a bank account.
   * A restricted key needs the scope `transfers:write`.
   * `POST /transfers`
   */
  createBare(input: CreateTransferBareInput, options?: CallOptions): Promise<Transfer>

  /**
   * List transfers by the id of the business.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfer/get-transfer-list`
   */
  listOfBusiness(
    input: ListTransfersOfBusinessInput,
    options?: CallOptions,
  ): List<Transfer, PageMeta>

  /**
   * Export transfers as CSV.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers/export`
   */
  export(input?: ExportTransfersInput, options?: CallOptions): Promise<Response>

  /**
   * Calculate the fee and total of a transfer.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers/fee`
   */
  getFee(input: GetTransferFeeInput, options?: CallOptions): Promise<TransferFee>

  /**
   * Get a transfer.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Approve a transfer.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/approve`
   */
  approve(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Reject a transfer.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/reject`
   */
  reject(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Retry a blocked transfer.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/retry`
   */
  retry(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Cancel a transfer that was not sent.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/cancel`
   */
  cancel(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Pay out to the business’s own bank account.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/user-service/external/v1/wallet/payouts`
   */
  createPayout(input?: CreatePayoutInput, options?: CallOptions): Promise<Transfer>

  /**
   * List payouts to the business’s own bank account.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/user-service/external/v1/wallet/payouts`
   */
  listPayouts(input?: ListPayoutsInput, options?: CallOptions): List<Transfer, PageMeta>

  /**
   * Get what can be paid out, and when the next payout is due.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/user-service/external/v1/wallet/payouts/next`
   */
  getNextPayout(input?: GetNextPayoutInput, options?: CallOptions): Promise<NextPayout>

  /**
   * Get a payout.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/user-service/external/v1/wallet/payouts/{reference}`
   */
  getPayout(reference: string, options?: CallOptions): Promise<Transfer>
}

export interface UtilityOperations {
  /**
   * List bill categories.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/categories`
   */
  listCategories(
    input?: ListUtilityCategoriesInput,
    options?: CallOptions,
  ): List<UtilityCategory, PageMeta | undefined>

  /**
   * List billers.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/billers`
   */
  listBillers(
    input?: ListUtilityBillersInput,
    options?: CallOptions,
  ): List<UtilityBiller, PageMeta | undefined>

  /**
   * List packages and prices.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/packages`
   */
  listPackages(
    input?: ListUtilityPackagesInput,
    options?: CallOptions,
  ): List<UtilityPackage, PageMeta | undefined>

  /**
   * List utility payments.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/transactions`
   */
  listPayments(
    input?: ListUtilityPaymentsInput,
    options?: CallOptions,
  ): List<ListedUtilityPayment, PageMeta>

  /**
   * Export utility payments as CSV.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/transactions/export`
   */
  exportPayments(input?: ExportUtilityPaymentsInput, options?: CallOptions): Promise<Response>

  /**
   * Look up a biller’s customer before a payment.
   * A restricted key needs the scope `utility:write`.
   * `POST /api/payment-service/external/v1/utility/transactions/customer-enquiry`
   */
  enquireCustomer(
    input: EnquireUtilityCustomerInput,
    options?: CallOptions,
  ): Promise<EnquireUtilityCustomerResponse>

  /**
   * Buy airtime, data, electricity, a TV subscription or a PIN for a customer.
   * A restricted key needs the scope `utility:write`.
   * `POST /api/payment-service/external/v1/utility/transactions/process-payment`
   */
  processPayment(input?: ProcessUtilityPaymentInput, options?: CallOptions): Promise<UtilityPayment>

  /**
   * Get a utility payment.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/transactions/{paymentReference}`
   */
  getPayment(paymentReference: string, options?: CallOptions): Promise<UtilityPayment>
}

export interface WalletOperations {
  /**
   * Wallet balance.
   * A restricted key needs the scope `wallet:read`.
   * `GET /api/user-service/external/v1/wallet/balance`
   */
  getBalance(
    input?: GetWalletBalanceInput,
    options?: CallOptions,
  ): List<WalletBalance, PageMeta | undefined>

  /**
   * List the entries in the available balance.
   * A restricted key needs the scope `wallet:read`.
   * `GET /api/user-service/external/v1/wallet/ledger`
   */
  listLedger(input?: ListWalletLedgerInput, options?: CallOptions): List<WalletLedger, CursorMeta>

  /**
   * Get the account for funding the wallet.
   * A restricted key needs the scope `wallet:read`.
   * `GET /api/user-service/external/v1/wallet/funding-account`
   */
  getFundingAccount(options?: CallOptions): Promise<FundingAccount>

  /**
   * Open the account for funding the wallet.
   * A restricted key needs the scope `wallet:write`.
   * `POST /api/user-service/external/v1/wallet/funding-account`
   */
  openFundingAccount(options?: CallOptions): Promise<FundingAccount>
}

export interface WebhooksOperations {
  /**
   * List webhook endpoints.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks`
   */
  list(input?: ListWebhooksInput, options?: CallOptions): List<Webhook, PageMeta>

  /**
   * Register a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks`
   */
  create(input: CreateWebhookInput, options?: CallOptions): Promise<CreateWebhookResponse>

  /**
   * Get a webhook endpoint.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Webhook>

  /**
   * Update, disable or enable a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `PUT /api/user-service/external/v1/webhooks/{reference}`
   */
  update(reference: string, input?: UpdateWebhookInput, options?: CallOptions): Promise<Webhook>

  /**
   * Delete a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/delete`
   */
  delete(reference: string, options?: CallOptions): Promise<Webhook>

  /**
   * Rotate a webhook endpoint’s secret.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/rotate-secret`
   */
  rotateSecret(
    reference: string,
    input?: RotateWebhookSecretInput,
    options?: CallOptions,
  ): Promise<CreateWebhookResponse>

  /**
   * Send a sample event to a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/test`
   */
  test(
    reference: string,
    input?: TestWebhookInput,
    options?: CallOptions,
  ): Promise<TestWebhookResponse>

  /**
   * List deliveries to a webhook endpoint.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks/{reference}/deliveries`
   */
  listDeliveries(
    reference: string,
    input?: ListWebhookDeliveriesInput,
    options?: CallOptions,
  ): List<ListedWebhookDelivery, CursorMeta>

  /**
   * Get a delivery with its attempts and body.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}`
   */
  getDelivery(reference: string, id: string, options?: CallOptions): Promise<WebhookDelivery>

  /**
   * Redeliver an event to a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}/redeliver`
   */
  redeliver(reference: string, id: string, options?: CallOptions): Promise<ListedWebhookDelivery>

  /**
   * Replay events from a period to a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/replay`
   */
  replay(
    reference: string,
    input: ReplayWebhookInput,
    options?: CallOptions,
  ): Promise<ReplayWebhookResponse>
}

/** All operations, by the nouns of the contract. */
export interface Api {
  readonly banks: BanksOperations
  readonly checkout: CheckoutOperations
  readonly deliveryFees: DeliveryFeesOperations
  readonly digitalFiles: DigitalFilesOperations
  readonly discountCodes: DiscountCodesOperations
  readonly disputes: DisputesOperations
  readonly events: EventsOperations
  readonly invoices: InvoicesOperations
  readonly orders: OrdersOperations
  readonly partners: PartnersOperations
  readonly paymentPages: PaymentPagesOperations
  readonly products: ProductsOperations
  readonly profile: ProfileOperations
  readonly refunds: RefundsOperations
  readonly requests: RequestsOperations
  readonly settlements: SettlementsOperations
  readonly simulator: SimulatorOperations
  readonly splitPages: SplitPagesOperations
  readonly subaccounts: SubaccountsOperations
  readonly transactions: TransactionsOperations
  readonly transfers: TransfersOperations
  readonly utility: UtilityOperations
  readonly wallet: WalletOperations
  readonly webhooks: WebhooksOperations
}

export const OPERATIONS: { [G in keyof Api]: { [M in keyof Api[G]]: Operation } } = {
  banks: {
    list: {
      name: 'list_banks',
      method: 'GET',
      path: '/api/transaction-service/external/v1/bank',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    listDeprecated: {
      name: 'list_banks_deprecated',
      method: 'GET',
      path: '/api/transaction-service/external/v1/bank-list',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    resolveAccount: {
      name: 'resolve_bank_account',
      method: 'GET',
      path: '/api/transaction-service/external/v1/bank/resolve',
      input: 'query',
      answer: 'record',
    },
  },
  checkout: {
    initialize: {
      name: 'initialize_checkout',
      method: 'POST',
      path: '/api/payment-service/external/v1/initialize-checkout',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_checkouts',
      method: 'GET',
      path: '/api/payment-service/external/v1/initialize-checkout',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_checkout',
      method: 'GET',
      path: '/api/payment-service/external/v1/initialize-checkout/{reference}',
      answer: 'record',
    },
    cancel: {
      name: 'cancel_checkout',
      method: 'POST',
      path: '/api/payment-service/external/v1/initialize-checkout/{reference}/cancel',
      answer: 'record',
      isIdempotent: true,
    },
    createVirtualAccount: {
      name: 'create_checkout_virtual_account',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/initiate-initialize-checkout-dynamic-virtual-account',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
  deliveryFees: {
    add: {
      name: 'add_delivery_fee',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/add-delivery-fees',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
    list: {
      name: 'list_delivery_fees',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-delivery-fees',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    update: {
      name: 'update_delivery_fee',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/update-delivery-fees',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    delete: {
      name: 'delete_delivery_fee',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/delete-delivery-fees',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
  digitalFiles: {
    list: {
      name: 'list_digital_download_files',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-digital-download-files',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    rename: {
      name: 'rename_digital_download_file',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/rename-digital-download-files',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    delete: {
      name: 'delete_digital_download_file',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/delete-digital-download-files',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    setLinkExpiry: {
      name: 'set_download_link_expiry',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/set-download-link-expiry',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    add: {
      name: 'add_digital_download_file',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/add-digital-download-files',
      input: 'form',
      answer: 'record',
      isIdempotent: true,
    },
  },
  discountCodes: {
    create: {
      name: 'create_discount_code',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/add-discount-code',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_discount_codes',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-discount-codes',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    update: {
      name: 'update_discount_code',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/update-discount-code-details',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    verify: {
      name: 'verify_discount_code',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/verify-discount-code',
      input: 'body',
      answer: 'record',
      isRead: true,
    },
  },
  disputes: {
    listDisputes: {
      name: 'list_disputes',
      method: 'GET',
      path: '/api/transaction-service/external/v1/disputes',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    getDispute: {
      name: 'get_dispute',
      method: 'GET',
      path: '/api/transaction-service/external/v1/disputes/{reference}',
      answer: 'record',
    },
    getDisputeEvidence: {
      name: 'get_dispute_evidence',
      method: 'GET',
      path: '/api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}',
      answer: 'file',
    },
    deleteDisputeEvidence: {
      name: 'delete_dispute_evidence',
      method: 'POST',
      path: '/api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}/delete',
      answer: 'record',
      isIdempotent: true,
    },
    acceptDispute: {
      name: 'accept_dispute',
      method: 'POST',
      path: '/api/transaction-service/external/v1/disputes/{reference}/accept',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    contestDispute: {
      name: 'contest_dispute',
      method: 'POST',
      path: '/api/transaction-service/external/v1/disputes/{reference}/contest',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    addDisputeEvidence: {
      name: 'add_dispute_evidence',
      method: 'POST',
      path: '/api/transaction-service/external/v1/disputes/{reference}/evidence',
      input: 'form',
      answer: 'record',
      isIdempotent: true,
    },
  },
  events: {
    list: {
      name: 'list_events',
      method: 'GET',
      path: '/api/user-service/external/v1/events',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_event',
      method: 'GET',
      path: '/api/user-service/external/v1/events/{id}',
      answer: 'record',
    },
    listTypes: {
      name: 'list_event_types',
      method: 'GET',
      path: '/api/user-service/external/v1/event-types',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
  },
  invoices: {
    create: {
      name: 'create_invoice',
      method: 'POST',
      path: '/api/payment-service/external/v1/invoices',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_invoices',
      method: 'GET',
      path: '/api/payment-service/external/v1/invoices',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    export: {
      name: 'export_invoices',
      method: 'GET',
      path: '/api/payment-service/external/v1/invoices/export',
      input: 'query',
      answer: 'file',
    },
    get: {
      name: 'get_invoice',
      method: 'GET',
      path: '/api/payment-service/external/v1/invoices/{reference}',
      answer: 'record',
    },
    update: {
      name: 'update_invoice',
      method: 'PUT',
      path: '/api/payment-service/external/v1/invoices/{reference}',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    getPdf: {
      name: 'get_invoice_pdf',
      method: 'GET',
      path: '/api/payment-service/external/v1/invoices/{reference}/pdf',
      answer: 'file',
    },
    send: {
      name: 'send_invoice',
      method: 'POST',
      path: '/api/payment-service/external/v1/invoices/{reference}/send',
      answer: 'record',
      isIdempotent: true,
    },
    remind: {
      name: 'remind_invoice',
      method: 'POST',
      path: '/api/payment-service/external/v1/invoices/{reference}/remind',
      answer: 'record',
      isIdempotent: true,
    },
    markPaid: {
      name: 'mark_invoice_paid',
      method: 'POST',
      path: '/api/payment-service/external/v1/invoices/{reference}/mark-paid',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    void: {
      name: 'void_invoice',
      method: 'POST',
      path: '/api/payment-service/external/v1/invoices/{reference}/void',
      answer: 'record',
      isIdempotent: true,
    },
  },
  orders: {
    list: {
      name: 'list_orders',
      method: 'GET',
      path: '/api/transaction-service/external/v1/orders',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_order',
      method: 'GET',
      path: '/api/transaction-service/external/v1/orders/{reference}',
      answer: 'record',
    },
    productMedia: {
      name: 'order_product_media',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/order-product-media',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
  },
  partners: {
    grant: {
      name: 'grant_partner',
      method: 'POST',
      path: '/api/user-service/external/v1/partners',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_partners',
      method: 'GET',
      path: '/api/user-service/external/v1/partners',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    revoke: {
      name: 'revoke_partner',
      method: 'POST',
      path: '/api/user-service/external/v1/partners/{clientId}/revoke',
      answer: 'record',
      isIdempotent: true,
    },
    createToken: {
      name: 'create_partner_token',
      method: 'POST',
      path: '/api/auth-service/external/v1/token',
      input: 'body',
      answer: 'record',
      isKeyless: true,
    },
    createOauthToken: {
      name: 'create_oauth_token',
      method: 'POST',
      path: '/oauth/token',
      input: 'urlencoded',
      answer: 'body',
      isKeyless: true,
    },
  },
  paymentPages: {
    create: {
      name: 'create_payment_page',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/create-pages',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    createOfTransactions: {
      name: 'create_payment_page_of_transactions',
      method: 'POST',
      path: '/api/transaction-service/external/v1/payment-pages',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listOfTransactions: {
      name: 'list_payment_pages_of_transactions',
      method: 'GET',
      path: '/api/transaction-service/external/v1/payment-pages',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    list: {
      name: 'list_payment_pages',
      method: 'GET',
      path: '/api/payment-service/external/v1/payment-pages/get-pages',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_payment_page',
      method: 'GET',
      path: '/api/payment-service/external/v1/payment-pages/get-page-details',
      input: 'query',
      answer: 'record',
    },
    update: {
      name: 'update_payment_page',
      method: 'PUT',
      path: '/api/payment-service/external/v1/payment-pages/update-page-details',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    setStatus: {
      name: 'set_payment_page_status',
      method: 'PUT',
      path: '/api/payment-service/external/v1/payment-pages/update-page-status',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    delete: {
      name: 'delete_payment_page',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/delete-page',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    checkCustomLink: {
      name: 'check_custom_link',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/custom-link-check-exist',
      input: 'body',
      answer: 'record',
      isRead: true,
    },
    addProducts: {
      name: 'add_payment_page_products',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/payment-page-add-product',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
    listProducts: {
      name: 'list_payment_page_products',
      method: 'GET',
      path: '/api/payment-service/external/v1/payment-pages/payment-page-get-product',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    removeProducts: {
      name: 'remove_payment_page_products',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/payment-page-delete-product',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    uploadImage: {
      name: 'upload_payment_page_image',
      method: 'POST',
      path: '/api/payment-service/external/v1/payment-pages/upload-page-image',
      input: 'either',
      answer: 'record',
      isIdempotent: true,
    },
  },
  products: {
    create: {
      name: 'create_product',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/create-product',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_products',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-products',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_product',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-product-details',
      input: 'query',
      answer: 'record',
    },
    update: {
      name: 'update_product',
      method: 'PUT',
      path: '/api/payment-service/external/v1/products/update-product-details',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    archive: {
      name: 'archive_product',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/archive-product',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    delete: {
      name: 'delete_product',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/delete-product',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    duplicate: {
      name: 'duplicate_product',
      method: 'POST',
      path: '/api/payment-service/v1/products/duplicate-product',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    checkSlug: {
      name: 'check_product_slug',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/slugExist',
      input: 'body',
      answer: 'record',
      isRead: true,
    },
    getInventory: {
      name: 'get_product_inventory',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-product-inventory-details',
      input: 'query',
      answer: 'record',
    },
    addOptions: {
      name: 'add_product_options',
      method: 'POST',
      path: '/api/payment-service/v1/products/add-product-options',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    updateOption: {
      name: 'update_product_option',
      method: 'PUT',
      path: '/api/payment-service/v1/products/update-product-option-details',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    deleteOptions: {
      name: 'delete_product_options',
      method: 'POST',
      path: '/api/payment-service/v1/products/delete-product-options',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    addOptionVariant: {
      name: 'add_product_option_variant',
      method: 'POST',
      path: '/api/payment-service/v1/products/add-product-option-variant',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    updateOptionVariant: {
      name: 'update_product_option_variant',
      method: 'PUT',
      path: '/api/payment-service/v1/products/update-product-option-variant',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    deleteOptionVariant: {
      name: 'delete_product_option_variant',
      method: 'POST',
      path: '/api/payment-service/v1/products/delete-product-option-variant',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    filterVariants: {
      name: 'filter_product_variants',
      method: 'GET',
      path: '/api/payment-service/v1/products/filter-for-products-variant',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    updateVariant: {
      name: 'update_product_variant',
      method: 'PUT',
      path: '/api/payment-service/v1/products/update-product-variant-details',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listMedia: {
      name: 'list_product_media',
      method: 'GET',
      path: '/api/payment-service/external/v1/products/get-product-media',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    deleteMedia: {
      name: 'delete_product_media',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/delete-product-media',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listVariantMedia: {
      name: 'list_product_variant_media',
      method: 'GET',
      path: '/api/payment-service/v1/products/get-product-variant-media',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    deleteVariantMedia: {
      name: 'delete_product_variant_media',
      method: 'POST',
      path: '/api/payment-service/v1/products/delete-product-variant-media',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    addMedia: {
      name: 'add_product_media',
      method: 'POST',
      path: '/api/payment-service/external/v1/products/product-upload-media',
      input: 'either',
      answer: 'record',
      isIdempotent: true,
    },
    addVariantMedia: {
      name: 'add_product_variant_media',
      method: 'POST',
      path: '/api/payment-service/v1/products/add-product-variant-media',
      input: 'either',
      answer: 'record',
      isIdempotent: true,
    },
  },
  profile: {
    get: {
      name: 'get_profile',
      method: 'GET',
      path: '/api/user-service/external/v1/profile',
      answer: 'record',
    },
    getSettings: {
      name: 'get_profile_settings',
      method: 'GET',
      path: '/api/user-service/external/v1/profile/settings',
      answer: 'record',
    },
    updateSettings: {
      name: 'update_profile_settings',
      method: 'PUT',
      path: '/api/user-service/external/v1/profile/settings',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
  refunds: {
    returnDeposit: {
      name: 'return_deposit',
      method: 'POST',
      path: '/api/transaction-service/external/v1/deposits/{reference}/return',
      answer: 'record',
      isIdempotent: true,
    },
    acceptDeposit: {
      name: 'accept_deposit',
      method: 'POST',
      path: '/api/transaction-service/external/v1/deposits/{reference}/accept',
      answer: 'record',
      isIdempotent: true,
    },
    create: {
      name: 'create_refund',
      method: 'POST',
      path: '/api/transaction-service/external/v1/refunds',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_refunds',
      method: 'GET',
      path: '/api/transaction-service/external/v1/refunds',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_refund',
      method: 'GET',
      path: '/api/transaction-service/external/v1/refunds/{reference}',
      answer: 'record',
    },
    getByReference: {
      name: 'get_refund_by_reference',
      method: 'GET',
      path: '/api/transaction-service/external/v1/refund-by-reference',
      input: 'query',
      answer: 'record',
    },
    retry: {
      name: 'retry_refund',
      method: 'POST',
      path: '/api/transaction-service/external/v1/refunds/{reference}/retry',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    cancel: {
      name: 'cancel_refund',
      method: 'POST',
      path: '/api/transaction-service/external/v1/refunds/{reference}/cancel',
      answer: 'record',
      isIdempotent: true,
    },
  },
  requests: {
    list: {
      name: 'list_requests',
      method: 'GET',
      path: '/api/user-service/external/v1/requests',
      input: 'query',
      answer: 'list',
      paging: 'cursor',
    },
    get: {
      name: 'get_request',
      method: 'GET',
      path: '/api/user-service/external/v1/requests/{requestId}',
      answer: 'record',
    },
  },
  settlements: {
    list: {
      name: 'list_settlements',
      method: 'GET',
      path: '/api/transaction-service/external/v1/settlements',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_settlement',
      method: 'GET',
      path: '/api/transaction-service/external/v1/settlements/{reference}',
      input: 'query',
      answer: 'record',
    },
    export: {
      name: 'export_settlement',
      method: 'GET',
      path: '/api/transaction-service/external/v1/settlements/{reference}/export',
      answer: 'file',
    },
  },
  simulator: {
    ussd: {
      name: 'simulate_ussd',
      method: 'POST',
      path: '/api/simulator/ussd',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    card: {
      name: 'simulate_card',
      method: 'POST',
      path: '/api/simulator/card',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    deposit: {
      name: 'simulate_deposit',
      method: 'POST',
      path: '/api/simulator/deposit',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    transfer: {
      name: 'simulate_transfer',
      method: 'POST',
      path: '/api/simulator/transfer',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    refund: {
      name: 'simulate_refund',
      method: 'POST',
      path: '/api/simulator/refund',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    dispute: {
      name: 'simulate_dispute',
      method: 'POST',
      path: '/api/simulator/dispute',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    disputeOutcome: {
      name: 'simulate_dispute_outcome',
      method: 'POST',
      path: '/api/simulator/dispute-outcome',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    utility: {
      name: 'simulate_utility',
      method: 'POST',
      path: '/api/simulator/utility',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    settlement: {
      name: 'simulate_settlement',
      method: 'POST',
      path: '/api/simulator/settlement',
      answer: 'record',
      isIdempotent: true,
    },
    wallet: {
      name: 'simulate_wallet',
      method: 'POST',
      path: '/api/simulator/wallet',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    event: {
      name: 'simulate_event',
      method: 'POST',
      path: '/api/simulator/events',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    clock: {
      name: 'simulate_clock',
      method: 'POST',
      path: '/api/simulator/clock',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
  splitPages: {
    list: {
      name: 'list_split_pages',
      method: 'GET',
      path: '/api/transaction-service/external/v1/split-page/all',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    create: {
      name: 'create_split_page',
      method: 'POST',
      path: '/api/transaction-service/external/v1/split-page',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    get: {
      name: 'get_split_page',
      method: 'GET',
      path: '/api/transaction-service/external/v1/split-page/{id}',
      answer: 'record',
    },
    update: {
      name: 'update_split_page',
      method: 'PUT',
      path: '/api/transaction-service/external/v1/split-page/{id}',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    addSubaccount: {
      name: 'add_split_page_subaccount',
      method: 'POST',
      path: '/api/transaction-service/external/v1/split-page/{id}/subaccount/add',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
    removeSubaccount: {
      name: 'remove_split_page_subaccount',
      method: 'POST',
      path: '/api/transaction-service/external/v1/split-page/{id}/subaccount/remove',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
  subaccounts: {
    create: {
      name: 'create_subaccount',
      method: 'POST',
      path: '/api/transaction-service/external/v1/subaccounts',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_subaccounts',
      method: 'GET',
      path: '/api/transaction-service/external/v1/subaccounts/all',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    get: {
      name: 'get_subaccount',
      method: 'GET',
      path: '/api/transaction-service/external/v1/subaccounts/{reference}',
      answer: 'record',
    },
    update: {
      name: 'update_subaccount',
      method: 'PUT',
      path: '/api/transaction-service/external/v1/subaccounts/{reference}',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    confirmAccount: {
      name: 'confirm_subaccount_account',
      method: 'POST',
      path: '/api/transaction-service/external/v1/subaccounts/{reference}/confirm-account',
      answer: 'record',
      isIdempotent: true,
    },
    deactivate: {
      name: 'deactivate_subaccount',
      method: 'POST',
      path: '/api/transaction-service/external/v1/subaccounts/{reference}/deactivate',
      answer: 'record',
      isIdempotent: true,
    },
    getBalance: {
      name: 'get_subaccount_balance',
      method: 'GET',
      path: '/api/transaction-service/external/v1/subaccounts/{reference}/balance',
      answer: 'record',
    },
  },
  transactions: {
    createUssd: {
      name: 'create_ussd_transaction',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transaction-with-ussd',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    list: {
      name: 'list_transactions',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transactions',
      input: 'query',
      answer: 'list',
      paging: 'cursor',
    },
    listBare: {
      name: 'list_transactions_bare',
      method: 'GET',
      path: '/transactions',
      input: 'query',
      answer: 'list',
      paging: 'cursor',
    },
    fetch: {
      name: 'fetch_transaction',
      method: 'GET',
      path: '/api/transaction-service/external/v1/fetch/{id}',
      answer: 'record',
    },
    verify: {
      name: 'verify_transaction',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transactions/verify/{reference}',
      answer: 'record',
    },
    getTotals: {
      name: 'get_transaction_totals',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transactions/totals',
      input: 'query',
      answer: 'record',
    },
    export: {
      name: 'export_transactions',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transactions/export',
      input: 'query',
      answer: 'file',
    },
    listVirtualAccounts: {
      name: 'list_virtual_accounts',
      method: 'GET',
      path: '/api/transaction-service/external/v1/virtual-accounts',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    exportVirtualAccounts: {
      name: 'export_virtual_accounts',
      method: 'GET',
      path: '/api/transaction-service/external/v1/virtual-accounts/export',
      input: 'query',
      answer: 'file',
    },
    getVirtualAccount: {
      name: 'get_virtual_account',
      method: 'GET',
      path: '/api/transaction-service/external/v1/virtual-accounts/{id}',
      answer: 'record',
    },
    listDeposits: {
      name: 'list_deposits',
      method: 'GET',
      path: '/api/transaction-service/external/v1/deposits',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    exportDeposits: {
      name: 'export_deposits',
      method: 'GET',
      path: '/api/transaction-service/external/v1/deposits/export',
      input: 'query',
      answer: 'file',
    },
    getDeposit: {
      name: 'get_deposit',
      method: 'GET',
      path: '/api/transaction-service/external/v1/deposits/{reference}',
      answer: 'record',
    },
  },
  transfers: {
    list: {
      name: 'list_transfers',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfers',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    create: {
      name: 'create_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listBare: {
      name: 'list_transfers_bare',
      method: 'GET',
      path: '/transfers',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    createBare: {
      name: 'create_transfer_bare',
      method: 'POST',
      path: '/transfers',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listOfBusiness: {
      name: 'list_transfers_of_business',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfer/get-transfer-list',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    export: {
      name: 'export_transfers',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfers/export',
      input: 'query',
      answer: 'file',
    },
    getFee: {
      name: 'get_transfer_fee',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfers/fee',
      input: 'query',
      answer: 'record',
    },
    get: {
      name: 'get_transfer',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfers/{reference}',
      answer: 'record',
    },
    approve: {
      name: 'approve_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers/{reference}/approve',
      answer: 'record',
      isIdempotent: true,
    },
    reject: {
      name: 'reject_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers/{reference}/reject',
      answer: 'record',
      isIdempotent: true,
    },
    retry: {
      name: 'retry_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers/{reference}/retry',
      answer: 'record',
      isIdempotent: true,
    },
    cancel: {
      name: 'cancel_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers/{reference}/cancel',
      answer: 'record',
      isIdempotent: true,
    },
    createPayout: {
      name: 'create_payout',
      method: 'POST',
      path: '/api/user-service/external/v1/wallet/payouts',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listPayouts: {
      name: 'list_payouts',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/payouts',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    getNextPayout: {
      name: 'get_next_payout',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/payouts/next',
      input: 'query',
      answer: 'record',
    },
    getPayout: {
      name: 'get_payout',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/payouts/{reference}',
      answer: 'record',
    },
  },
  utility: {
    listCategories: {
      name: 'list_utility_categories',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/categories',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    listBillers: {
      name: 'list_utility_billers',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/billers',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    listPackages: {
      name: 'list_utility_packages',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/packages',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    listPayments: {
      name: 'list_utility_payments',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/transactions',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    exportPayments: {
      name: 'export_utility_payments',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/transactions/export',
      input: 'query',
      answer: 'file',
    },
    enquireCustomer: {
      name: 'enquire_utility_customer',
      method: 'POST',
      path: '/api/payment-service/external/v1/utility/transactions/customer-enquiry',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
    processPayment: {
      name: 'process_utility_payment',
      method: 'POST',
      path: '/api/payment-service/external/v1/utility/transactions/process-payment',
      input: 'body',
      answer: 'body',
      isIdempotent: true,
    },
    getPayment: {
      name: 'get_utility_payment',
      method: 'GET',
      path: '/api/payment-service/external/v1/utility/transactions/{paymentReference}',
      answer: 'body',
    },
  },
  wallet: {
    getBalance: {
      name: 'get_wallet_balance',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/balance',
      input: 'query',
      answer: 'list',
      paging: 'whole',
    },
    listLedger: {
      name: 'list_wallet_ledger',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/ledger',
      input: 'query',
      answer: 'list',
      paging: 'cursor',
    },
    getFundingAccount: {
      name: 'get_funding_account',
      method: 'GET',
      path: '/api/user-service/external/v1/wallet/funding-account',
      answer: 'record',
    },
    openFundingAccount: {
      name: 'open_funding_account',
      method: 'POST',
      path: '/api/user-service/external/v1/wallet/funding-account',
      answer: 'record',
      isIdempotent: true,
    },
  },
  webhooks: {
    list: {
      name: 'list_webhooks',
      method: 'GET',
      path: '/api/user-service/external/v1/webhooks',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    create: {
      name: 'create_webhook',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    get: {
      name: 'get_webhook',
      method: 'GET',
      path: '/api/user-service/external/v1/webhooks/{reference}',
      answer: 'record',
    },
    update: {
      name: 'update_webhook',
      method: 'PUT',
      path: '/api/user-service/external/v1/webhooks/{reference}',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    delete: {
      name: 'delete_webhook',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks/{reference}/delete',
      answer: 'record',
      isIdempotent: true,
    },
    rotateSecret: {
      name: 'rotate_webhook_secret',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks/{reference}/rotate-secret',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    test: {
      name: 'test_webhook',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks/{reference}/test',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    listDeliveries: {
      name: 'list_webhook_deliveries',
      method: 'GET',
      path: '/api/user-service/external/v1/webhooks/{reference}/deliveries',
      input: 'query',
      answer: 'list',
      paging: 'cursor',
    },
    getDelivery: {
      name: 'get_webhook_delivery',
      method: 'GET',
      path: '/api/user-service/external/v1/webhooks/{reference}/deliveries/{id}',
      answer: 'record',
    },
    redeliver: {
      name: 'redeliver_webhook',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks/{reference}/deliveries/{id}/redeliver',
      answer: 'record',
      isIdempotent: true,
    },
    replay: {
      name: 'replay_webhook',
      method: 'POST',
      path: '/api/user-service/external/v1/webhooks/{reference}/replay',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
  },
}
