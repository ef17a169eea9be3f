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
  /** test or live, as the key. */
  mode: string
  status: string
  /** The name of settlementAccount was found. */
  accountVerified: boolean
  settlementAccount: {
    bankName: string
    /** The last 4 digits. */
    accountNumber: string
    accountName: string
  } | null
  key: {
    /** secret, or partner of the token of one. */
    type: string
    /** null: everything. */
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
  /** In live mode, 24 hours after settlementAccount was changed: it is paid nothing before. */
  payoutsPausedUntil: string | null
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
  /** Since when the limits do not count: fewer than two people can approve. */
  approvalSuspendedAt: string | null
  /** Waits for a second person at the dashboard. */
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
   * Signs the addresses that payers are led back to; null for keys without profile:write, at
   * the dashboard, where it is asked for by itself, and when an Idempotency-Key repeats a
   * change.
   */
  redirectSecret: string | null
  updatedAt: string
}

export interface WalletBalance {
  currency: string
  /** Can be paid out now. */
  available: number
  availableMinor: number
  /** Waits for settlement. */
  pending: number
  pendingMinor: number
  /** Reserved by transfers in progress. */
  held: number
  heldMinor: number
  /** All of it: available, pending and held. */
  ledger: number
  ledgerMinor: number
}

export interface EventRecord {
  id: string
  /** The same as id. */
  reference: string
  /** Recorded: an event never changes. */
  status: string
  type: string
  timestamp: string
  /** test or live */
  mode: string
  businessId: number
  /** What it happened to. */
  object: string
  objectId: number
  /** Counts the events of that object, without gaps. */
  sequence: number
  data: Record<string, unknown>
}

export interface RequestRecord {
  id: number
  /** The same as requestId. */
  reference: string
  requestId: string
  /** When it was answered, by the server’s clock. */
  at: string
  /** test or live */
  mode: string
  keyReference: string | null
  /** The client id of the partner that asked. */
  partner: string | null
  method: string
  operation: string
  /** Path and query. */
  url: string
  /** Of HTTP. */
  status: number
  errorCode: string | null
  durationMs: number
  ip: string
  userAgent: string | null
  idempotencyKey: string | null
  /** It got the answer of an earlier call. */
  replayed: boolean
  requestBytes: number | null
  responseBytes: number | null
  /** JSON as text, the first 4 KiB of it. */
  requestBody: string | null
  /** JSON as text, the first 4 KiB of it. */
  responseBody: string | null
  /** Not all of the bodies is there. */
  truncated: boolean
  /** Too much went on for bodies to be kept. */
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
  /** A channel is connected by which it can be paid at hostedUrl. */
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
    /** payment, or overpayment for what is owed back. */
    kind: string
    paidAt: string | null
  }[]
  metadata: Record<string, unknown> | null
  createdAt: string
  updatedAt: string
}

export interface TransactionTotals {
  reference: string
  /** Open while the time it is about goes on, then Closed. */
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
  /** Part of what came in, and owed back. */
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

export interface TransferFee {
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  /** On top of the amount. */
  fee: number
  /** The same amount in minor units. */
  feeMinor: number
  /** What leaves the wallet: amount and fee. */
  total: number
  /** The same amount in minor units. */
  totalMinor: number
  currency: string
  /** It is above the limit, and waits for somebody. */
  needsApproval: boolean
}

export interface Transfer {
  id: number
  reference: string
  transferReference: string
  businessId: number
  status: string
  amount: number
  amountMinor: number
  /** On top of the amount. */
  fee: number
  currency: string
  bankId: number | null
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  narration: string | null
  /** Why it waits, was blocked, failed or came back. */
  failureReason: string | null
  createdBy: {
    /** person, key or partner. */
    type: string
    name: string
    /** The person at the dashboard; of a key, who made it, if that is known. */
    personId: number | null
  } | null
  approvedBy: {
    /** person, key or partner. */
    type: string
    name: string
    /** The person at the dashboard; of a key, who made it, if that is known. */
    personId: number | null
  } | null
  /** It waits because it is above a limit, so somebody else has to approve it. */
  needsSecondPerson: boolean
  /** 1, and one more for each retry. */
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
  /** What the bank said last, for people. */
  message: string | null
  /** What subaccounts give of it; the business gives the rest. */
  shares: {
    subaccount: number
    subaccountCode: string
    amount: number
    amountMinor: number
  }[]
  /** The part that was overpaid, and owed back anyway. */
  overpaidAmount: number
  businessId: number
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  processedAt: string | null
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
  /** Of its transaction. */
  status: string
  /** Open, Paid, Expired, Cancelled: whether it can be paid. */
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
  /** What the payer answered to the fields of the page. */
  customFields: {
    label: string
    name: string
    value: string
  }[]
  lines: {
    productId: string
    variantId: number | null
    /** As it was called then. */
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
  /** The bank named the holder, by this account_name. */
  verified: boolean
  /** The account holder, as the bank says. */
  bankAccountName: string | null
  /**
   * Why nothing is settled: bank_missing; name_mismatch, where the bank has another name for
   * the account; account_unverified, where the bank is not certain or did not answer for 24
   * hours.
   */
  payoutsBlocked: string | null
  /** When payouts will be blocked unless the account is corrected or confirmed. */
  payoutsBlockedFrom: string | null
  /** In live mode, 24 hours after its account was changed: nothing is settled before. */
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
  /** Draft, Active or Archived; Deleted in the answer to that. */
  status: string
  tracked: boolean
  /** With variants, as the next three, the sum of theirs. */
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
    /** Its own, or else the product’s. */
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
  /** Products are sold on payment pages: null. */
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
  /** The id of the subaccount. */
  subaccount: number
  subaccountCode: string | null
  /** The name of the subaccount. */
  business_name: string | null
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  currency: string
  /** How many lines it was created with. */
  count: number
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  /** Why it failed, what holds it up, or that it was sent back. */
  failureReason: string | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  paidAt: string | null
  createdAt: string
  lines: {
    /** share, refund or refund_failed. */
    kind: string
    transactionId: number
    transactionReference: string
    refundReference: string | null
    /** Below 0 for a refund. */
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
    /** Beyond 10,000 matches it grows with the page; then follow `hasNext`. */
    pageCount: number
    hasNext: boolean
    hasPrevious: boolean
  }
}

export interface SubaccountBalance {
  reference: string
  /** Of the subaccount: Active or Inactive. */
  status: string
  subaccount_code: string
  currency: string
  /** Its shares that no settlement has taken yet. */
  owed: number
  /** The same amount in minor units. */
  owedMinor: number
  /** In settlements that the bank has not paid yet. */
  pending: number
  /** The same amount in minor units. */
  pendingMinor: number
  /** In settlements that were paid. */
  paidOut: number
  /** The same amount in minor units. */
  paidOutMinor: number
  /** When what it is owed is looked at next; null while nothing can be paid. */
  nextSettlementAt: string | null
}

export interface SplitPage {
  reference: string
  /** Whether it is active. */
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
  /** Published or Unpublished; Deleted in the answer to that. */
  status: string
  customLink: string
  url: string
  amountType: string
  /** Where amountType is minimum, the least. */
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
    /** Of the payments together. */
    amount: number
    amountMinor: number
    /** Payments for each view, at most 1. */
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
  /** ["*"]: all types that there are and will be. */
  events: string[]
  description: string | null
  /** Active or Disabled; Deleted when it just was. */
  status: string
  /** Null while the last attempt arrived. */
  failingSince: string | null
  lastSuccessAt: string | null
  createdAt: string
}

export interface WebhookDelivery {
  /** Of the event: what `webhook-id` says. */
  id: string
  /** The same as id. */
  reference: string
  /** The same as id. */
  eventId: string
  type: string
  /** Pending, Delivered or Failed. */
  status: string
  attempts: number
  /** Of what is Pending. */
  nextAttemptAt: string | null
  /** What the endpoint answered, if it did. */
  lastStatus: number | null
  lastError: string | null
  /** When it was first queued. */
  createdAt: string
  finishedAt: string | null
  attemptLog: {
    number: number
    at: string
    url: string
    headers: Record<string, string>
    status: number | null
    error: string | null
    /** The beginning of what it answered. */
    response: string | null
    durationMs: number
  }[]
  /** What is sent. */
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
    /** As agreed: percent or naira. */
    share: number
    amount: number
    amountMinor: number
    fee: number
    netAmount: number
    refundedAmount: number
  }[]
  /** What came in, with a fee on top and too much; null until it is paid. */
  paidAmount: number | null
  overpaidAmount: number
  refundedAmount: number
  /** The success came after it had been Abandoned. */
  late: boolean
  paidAt: string | null
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
  /** What the partner has of them. */
  effectiveScopes: string[]
  lastUsedAt: string | null
  revokedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface WalletLedger {
  id: number
  reference: string
  /** Posted: an entry never changes. */
  status: string
  /** credit, which adds to what is available, or debit. */
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
  /** When it is raised. */
  description: string
  /** What it happens to; `business or subaccount` for one. */
  object: string
  example: Record<string, unknown>
  /** A JSON schema of `data`. */
  schema: Record<string, unknown>
}

export interface ListedRequestRecord {
  id: number
  /** The same as requestId. */
  reference: string
  requestId: string
  /** When it was answered, by the server’s clock. */
  at: string
  /** test or live */
  mode: string
  keyReference: string | null
  /** The client id of the partner that asked. */
  partner: string | null
  method: string
  operation: string
  /** Path and query. */
  url: string
  /** Of HTTP. */
  status: number
  errorCode: string | null
  durationMs: number
  ip: string
  userAgent: string | null
  idempotencyKey: string | null
  /** It got the answer of an earlier call. */
  replayed: boolean
  requestBytes: number | null
  responseBytes: number | null
}

export interface Bank {
  /** The code as a number; 1,000,000 and more if it is none. */
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
  /** On top of the amount. */
  fee: number
  total: number
  totalMinor: number
  currency: string
  channel: string | null
  phoneNumber: string | null
  email: string | null
  accountNumber: string | null
  /** What is typed into a prepaid meter, and its kilowatt hours. */
  token: {
    value?: string
    units?: number
  } | null
  pins: string[]
  /** The same pins, with the serial number by itself. */
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
  /** Active; Deleted in the answer that deletes it. */
  status: string
  id: number
  productId: string
  location: string
  /** Decimal text. */
  fees: string
  currency: string
}

export interface DiscountCode {
  id: number
  reference: string
  code: string
  type: string
  /** Percent, or major units. */
  value: number
  currency: string
  /** Empty for every product. */
  productIds: string[]
  minSpend: number | null
  maxDiscount: number | null
  startsAt: string | null
  /** When it is over. */
  endsAt: string | null
  maxUses: number | null
  maxUsesPerCustomer: number | null
  usedCount: number
  /** Put aside by checkouts under way. */
  reservedCount: number
  /** Active or Inactive */
  status: string
  createdAt: string
  updatedAt: string
}

export interface ProductMedia {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed; Deleted in the answer that deletes it. */
  status: string
  productId: string
  variantId: number | null
  /** The original while it is Processing; null if it Failed. */
  url: string | null
  /** Null until it is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  isPrimary: boolean
  /** From 1 on. */
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
  /** The id of the subaccount. */
  subaccount: number
  subaccountCode: string | null
  /** The name of the subaccount. */
  business_name: string | null
  amount: number
  /** The same amount in minor units. */
  amountMinor: number
  currency: string
  /** How many lines it was created with. */
  count: number
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string | null
  /** Why it failed, what holds it up, or that it was sent back. */
  failureReason: string | null
  timeline: {
    status: string
    at: string
    message: string | null
  }[]
  paidAt: string | null
  createdAt: string
}

export interface ListedWebhookDelivery {
  /** Of the event: what `webhook-id` says. */
  id: string
  /** The same as id. */
  reference: string
  /** The same as id. */
  eventId: string
  type: string
  /** Pending, Delivered or Failed. */
  status: string
  attempts: number
  /** Of what is Pending. */
  nextAttemptAt: string | null
  /** What the endpoint answered, if it did. */
  lastStatus: number | null
  lastError: string | null
  /** When it was first queued. */
  createdAt: string
  finishedAt: string | null
}

export interface ResolveBankAccountAnswer {
  reference: string
  status: string
  accountNumber: string
  accountName: string
  bankCode: string
  bankName: string
  bankId: number
  /** Whether the check digit is right; null where the bank’s numbers have none. */
  nubanValid: boolean | null
  warning: string | null
}

export interface CreateUssdTransactionAnswer {
  reference: string
  transactionId: number
  status: string
  /** Of the bank asked for, else of the first; null until it comes. */
  ussdCode: string | null
  ussdBanks: {
    bankCode: string
    bankName: string
    ussdCode: string
  }[]
  amount: number
  amountMinor: number
  fees: number
  /** What the payer is asked for, fees on top where they are. */
  payable: number
  currency: string
  expiresAt: string
  /** For the payer. */
  instructions: string
}

export interface EnquireUtilityCustomerAnswer {
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
    /** On top of the amount. */
    fee: number
    currency: string
    expiresAt: string
  }
}

export interface CreateCheckoutVirtualAccountAnswer {
  /** Of the checkout. */
  reference: string
  status: string
  accountNumber: string | null
  accountName: string | null
  bankName: string | null
  bankCode: string | null
  /** What is to be sent: exactly this. */
  amount: number
  amountMinor: number
  currency: string
  expiresAt: string
  transactionId: number
  transactionReference: string
  accessCode: string
  authorizationUrl: string
}

export interface CheckProductSlugAnswer {
  exists: boolean
  available: boolean
  /** Up to three that are free. */
  suggestions: string[]
}

export interface FilterProductVariantsAnswer {
  productId: string
  /** Of the product. */
  reference: string
  /** Active or Inactive. */
  status: string
  variantId: number
  optionValues: Record<string, string>
  sku: string | null
  /** Its own, or else the product’s. */
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

export interface VerifyDiscountCodeAnswer {
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

export interface OrderProductMediaAnswer {
  status: 'success'
  message: string
  data: ProductMedia[]
  meta?: {
    /** Exact up to 10,000 matches. */
    total: number
    totalIsExact: boolean
    page: number
    limit: number
    /** Beyond 10,000 matches it grows with the page; then follow `hasNext`. */
    pageCount: number
    hasNext: boolean
    hasPrevious: boolean
  }
}

export interface SetDownloadLinkExpiryAnswer {
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

export interface CreateWebhookAnswer {
  id: number
  reference: string
  url: string
  /** ["*"]: all types that there are and will be. */
  events: string[]
  description: string | null
  /** Active or Disabled; Deleted when it just was. */
  status: string
  /** Null while the last attempt arrived. */
  failingSince: string | null
  lastSuccessAt: string | null
  createdAt: string
  /**
   * whsec_…, for any Standard Webhooks library. Shown once: null when an Idempotency-Key
   * repeats the request.
   */
  secret: string | null
}

export interface TestWebhookAnswer {
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
    /** The beginning of what it answered. */
    response: string | null
    durationMs: number
  }
}

export interface ReplayWebhookAnswer {
  reference: string
  status: string
  /** Deliveries that are sent again. */
  queued: number
  /** The `from` of what is left; null: nothing. */
  continueFrom: string | null
}

export interface SimulateDepositAnswer {
  reference: string
  status: string
  accepted: boolean
  reason: string | null
}

export interface SimulateSettlementAnswer {
  reference: string
  status: string
  /** At most 1,000; then ask again. */
  count: number
  /** The first 100 of them. */
  settlements: ListedSettlement[]
}

export interface SimulateWalletAnswer {
  reference: string
  status: string
  amount: number
  amountMinor: number
  currency: string
}

export interface SimulateClockAnswer {
  reference: string
  status: string
  now: string
  offsetSeconds: number
}

export interface CreatePartnerTokenAnswer {
  accessToken: string
  tokenType: 'Bearer'
  /** Seconds. */
  expiresIn: number
  scope: string
}

export interface AddProductMediaAnswer {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed; Deleted in the answer that deletes it. */
  status: string
  productId: string
  variantId: number | null
  /** The original while it is Processing; null if it Failed. */
  url: string | null
  /** Null until it is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  isPrimary: boolean
  /** From 1 on. */
  position: number
  createdAt: string
  media: ProductMedia[]
}

export interface AddDigitalDownloadFileAnswer {
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

export interface UploadPaymentPageImageAnswer {
  mediaId: number
  reference: string
  /** Processing, Ready or Failed; Deleted in the answer that deletes it. */
  status: string
  /** The original while it is Processing; null if it Failed. */
  url: string | null
  /** Null until it is Ready. */
  thumbnailUrl: string | null
  contentType: string
  width: number
  height: number
  bytes: number
  createdAt: string
}

export interface CreateOauthTokenAnswer {
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  scope: string
}

export interface UpdateProfileSettingsInput {
  /** null for none. The name of its holder is looked up before it is stored. */
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
  /** How payers pay where no online channel is connected. An owner types it. */
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
  /** Where payers may be sent back to: scheme, host and port. */
  origins?: string[] | undefined
  /**
   * Larger transfers wait for approval; null: none does. Major units (naira, not kobo): a
   * number or decimal text.
   */
  transferApprovalAbove?: number | string | null | undefined
  /**
   * Transfers that take the day’s transfers and bills above it wait for approval; null: none
   * does. Major units (naira, not kobo): a number or decimal text.
   */
  dailyApprovalAbove?: number | string | null | undefined
  virtualAccountPolicy?: 'exact' | 'accept_over' | 'accept_partial' | undefined
  timeZone?: string | undefined
  /** What the numbers of new invoices begin with. */
  invoicePrefix?: string | undefined
  /** The number of the next invoice; it can only go up. */
  nextInvoiceNumber?: number | undefined
}

export interface GrantPartnerInput {
  clientId: string
  /** What it may do here; null or left out: everything that it may at all. */
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
  /** `meta.next` or `meta.previous` of another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** The business’s own unless given. */
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
  /** The id of what it happened to. */
  objectId?: number | string | undefined
  /** Only what is listed behind this event; see `resume`. */
  after?: string | undefined
}

export type ListEventTypesInput = ListPartnersInput

export interface ListRequestsInput {
  /** `meta.next` or `meta.previous` of another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  status?: string | undefined
  /** The name of an operation, such as create_invoice. */
  operation?: string | undefined
  method?: string | undefined
  /** The X-Request-Id of an answer. */
  requestId?: string | undefined
  /** Of the key that was used. */
  keyReference?: string | undefined
  idempotencyKey?: string | undefined
  /** A part of the address, of the request id or of the error code. */
  search?: string | undefined
}

export interface ListBanksInput {
  country?: string | undefined
  currency?: string | undefined
  /** Part of the name, the slug, the code, or of what people call it: gtb, uba. */
  search?: string | undefined
  /** Changes nothing: the key says the mode. */
  isLive?: boolean | undefined
  /** Only banks with, or without, USSD payments. */
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
  /** Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
  note?: string | undefined
  /** false keeps it a Draft. Default: true. */
  sendImmediately?: boolean | undefined
  customerName?: string | undefined
  customerPhone?: string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  /** YYYY-MM-DD, or a full ISO 8601 date and time, of which the day counts. */
  dueDate?: string | undefined
  /** Must add up to amount. */
  lineItems?:
    | {
        name: string
        quantity: number
        /** Price of one. Major units (naira, not kobo): a number or decimal text. */
        unitAmount: number | string
      }[]
    | undefined
  /** Default: false. */
  allowPartialPayment?: boolean | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
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
  /** An id, an invoice number, or part of the customer’s name or e-mail. */
  search?: string | undefined
}

export interface ExportInvoicesInput {
  /** Default: "DESC". */
  sort?: string | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /** Draft, Sent, PartiallyPaid, Paid, Void or Overdue. */
  status?: string | undefined
  /** An id, an invoice number, or part of the customer’s name or e-mail. */
  search?: string | undefined
}

export interface UpdateInvoiceInput {
  customerEmail?: string | undefined
  /**
   * In the currency of the invoice. Major units (naira, not kobo): a number or decimal text.
   */
  amount?: number | string | undefined
  note?: string | null | undefined
  customerName?: string | null | undefined
  customerPhone?: string | null | undefined
  currency?: string | undefined
  /** YYYY-MM-DD, or a full ISO 8601 date and time, of which the day counts. */
  dueDate?: string | null | undefined
  /** Must add up to amount. */
  lineItems?:
    | {
        name: string
        quantity: number
        /**
         * In the currency of the invoice. Major units (naira, not kobo): a number or decimal text.
         */
        unitAmount: number | string
      }[]
    | null
    | undefined
  allowPartialPayment?: boolean | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface MarkInvoicePaidInput {
  /**
   * In the currency of the invoice. Major units (naira, not kobo): a number or decimal text.
   */
  amount?: number | string | undefined
  note?: string | undefined
  /** A day of the business or an ISO 8601 instant; now unless given. */
  paidAt?: string | undefined
}

export interface CreateUssdTransactionInput {
  channel: 'USSD'
  /** Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
  /** A split page, whose subaccounts share the payment, or a payment page. */
  pageId?: number | string | undefined
  /** A number of your own, kept and given back. */
  orderId?: number | string | undefined
  /** Yours: the key says whose it is. */
  businessId?: number | string | undefined
  /** A number of your own, kept and given back. */
  customerId?: number | string | undefined
  /**
   * The fee of this payment, which the payer pays on top; 0 is allowed. Major units (naira,
   * not kobo): a number or decimal text.
   */
  fees?: number | string | undefined
  /** Of the payer, IPv4 or IPv6. */
  ipAddress?: string | undefined
  message?: string | undefined
  location?: string | undefined
  /** Must agree with the key. */
  isLive?: true | false | 0 | 1 | 'true' | 'false' | undefined
  /** The payer’s bank; `ussdCode` is then the code of this bank. */
  bankCode?: number | string | undefined
  /** The same as bankCode. */
  bank?: number | string | undefined
  /** The same as bankCode. */
  bank_code?: number | string | undefined
  /** The same as bankCode. */
  settlement_bank?: number | string | undefined
}

export interface ListTransactionsInput {
  /** `meta.next` or `meta.previous` of another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  startDate?: string | undefined
  endDate?: string | undefined
  /**
   * Pending, Successful, Failed, Abandoned, PartiallyRefunded, Refunded, Reversed; in any
   * case.
   */
  status?: string | undefined
  /** USSD, BANK_TRANSFER, CARD, WALLET, OFFLINE; in any case. */
  channel?: string | undefined
  reference?: string | undefined
  /**
   * true leaves out checkouts that were opened without choosing how to pay; false lists only
   * those.
   */
  methodChosen?: boolean | undefined
  /** An id, a reference (TRX_…), or part of the customer’s name or e-mail. */
  search?: string | undefined
}

export type ListTransactionsBareInput = ListTransactionsInput

export interface GetTransactionTotalsInput {
  /** 30 days before the end unless given. */
  startDate?: string | undefined
  /** Today unless given. */
  endDate?: string | undefined
  /** The currency of the business unless given. */
  currency?: string | undefined
}

export interface ExportTransactionsInput {
  startDate?: string | undefined
  endDate?: string | undefined
  /**
   * Pending, Successful, Failed, Abandoned, PartiallyRefunded, Refunded, Reversed; in any
   * case.
   */
  status?: string | undefined
  /** USSD, BANK_TRANSFER, CARD, WALLET, OFFLINE; in any case. */
  channel?: string | undefined
  reference?: string | undefined
  /**
   * true leaves out checkouts that were opened without choosing how to pay; false lists only
   * those.
   */
  methodChosen?: boolean | undefined
  /** An id, a reference (TRX_…), or part of the customer’s name or e-mail. */
  search?: string | undefined
}

export interface ListTransfersInput {
  /** The key’s own. */
  businessId: number
  page?: number | undefined
  limit?: number | undefined
  transferReference?: string | undefined
  /** In the account’s name, number or bank, the narration or a reference. */
  search?: string | undefined
  /** In any case: Unverified, Pending, Successful, Failed, Blocked, Rejected. */
  status?: string | undefined
}

export interface GetTransferFeeInput {
  /** What the recipient is to get. Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
  /** Default: "NGN". */
  currency?: string | undefined
}

export interface CreateTransferInput {
  /** Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bankCode?: number | string | undefined
  accountNumber?: string | undefined
  /** Compared with what the bank says; no match waits for approval. */
  accountName?: string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  /** What the recipient reads. */
  narration?: string | undefined
  /** Your own reference; one that is already used is 409. */
  transferReference?: string | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
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

export type CreateTransferBareInput = CreateTransferInput

export interface CreateRefundInput {
  /** Of the payment; this or its reference. */
  transactionId?: number | string | undefined
  transactionReference?: string | undefined
  /**
   * In the currency of the payment; all that is left when absent. Major units (naira, not
   * kobo): a number or decimal text.
   */
  amount?: number | string | undefined
  reason?: string | undefined
  /** Your own; made when absent. */
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
  /** A number or its digits. */
  transactionId?: number | string | undefined
  transactionReference?: string | undefined
}

export interface GetRefundByReferenceInput {
  businessId: number
  reference: string
}

export type ListUtilityCategoriesInput = GetWalletBalanceInput

export interface ListUtilityBillersInput {
  /** Only those of this category. */
  category?: string | undefined
  page?: number | undefined
  limit?: number | undefined
}

export interface ListUtilityPackagesInput {
  /** Only those of this biller. */
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
  /** A whole reference, yours or ours, or how the number or the name of the customer begins. */
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
  /** A whole reference, yours or ours, or how the number or the name of the customer begins. */
  search?: string | undefined
}

export interface EnquireUtilityCustomerInput {
  /** A telephone, meter or smart card number, as the biller knows its customer. */
  customerId: string
  packageSlug: string
}

export interface ProcessUtilityPaymentInput {
  /** Yours, which buys once; made when absent. */
  paymentReference?: string | undefined
  /** As in the customer enquiry that was made first. */
  customerId?: string | undefined
  /** As in the customer enquiry that was made first. */
  packageSlug?: string | undefined
  channel?: string | undefined
  /** Naira, not kobo: the price of the package, or within its limits. */
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
  /** Major units (naira, not kobo): a number or decimal text. */
  amount?: number | string | undefined
  /** A payment page. */
  pageId?: number | string | undefined
  products?:
    | {
        /** A number or its digits. */
        productId: number | string
        /** Required where the product has variants. */
        variantId?: number | string | undefined
        /** Default: 1. */
        quantity?: number | undefined
      }[]
    | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  reference?: string | undefined
  /** Where the payer is led back to. */
  callbackUrl?: string | undefined
  /** The ways to pay that are offered, in this order; all there are if absent. */
  channels?: ('BANK_TRANSFER' | 'USSD')[] | undefined
  discountCode?: string | undefined
  deliveryLocation?: string | undefined
  /** Where goods are delivered. If it is absent, the hosted page asks for it before payment. */
  shippingAddress?: string | undefined
  /** An alias of shippingAddress. */
  deliveryAddress?: string | undefined
  /** Answers to the fields of the payment page, by their names. */
  customFields?: Record<string, string | number> | undefined
  /** A split page. */
  splitPageId?: number | string | undefined
  subaccountCode?: string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Default: 30. */
  expiresInMinutes?: number | undefined
}

export interface CreateCheckoutVirtualAccountInput {
  accessCode?: string | undefined
  reference?: string | undefined
  email?: string | undefined
  /** Major units (naira, not kobo): a number or decimal text. */
  amount?: number | string | undefined
  /** A payment page. */
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
  /** Digits: that id. Else in the reference, or the name or e-mail of the customer. */
  search?: string | undefined
}

export interface CreateSubaccountInput {
  business_name: string
  account_number?: string | undefined
  /** What the business keeps of a payment taken for the subaccount; at most two decimals. */
  percentage_charge: number
  /** Default: "NGN". */
  currency?: string | undefined
  /** A bank’s id or code: 58, "58" and "058" mean the same. Without it, nothing is paid out. */
  bank?: number | string | undefined
  /** Resolved when absent. */
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
  /** Part of the name, the account number or the code, in any case. */
  searchString?: string | undefined
}

export interface UpdateSubaccountInput {
  business_name?: string | undefined
  account_number?: string | undefined
  /** What the business keeps of a payment taken for the subaccount; at most two decimals. */
  percentage_charge?: number | undefined
  /** It cannot change; only its own value is accepted. */
  currency?: string | undefined
  /** A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank. */
  bank?: number | string | null | undefined
  account_name?: string | null | undefined
  /** false deactivates, true activates again. */
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
  /** 0 is free. Major units (naira, not kobo): a number or decimal text. */
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
  /** Whether stock is counted: true when quantity is given. */
  tracked?: boolean | undefined
  lowStockThreshold?: number | undefined
  /** A variant is made of each combination, 250 at most. */
  options?:
    | {
        name: string
        values: string[]
      }[]
    | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
}

export interface ListProductsInput {
  /** Default: 1. */
  page?: number | undefined
  /** Default: 20. */
  limit?: number | undefined
  /** Default: "DESC". */
  sort?: string | undefined
  /** Part of the name or the SKU, in any case, or the whole reference. */
  search?: string | undefined
  /** Draft, Active, Archived; in any case. */
  status?: string | undefined
  /** physical, digital, service; in any case. */
  type?: string | undefined
}

export interface GetProductInput {
  /** A product: its digits, or the number. */
  productId?: number | string | undefined
  slug?: string | undefined
}

export interface UpdateProductInput {
  /** A product: its digits, or the number. */
  productId: number | string
  name?: string | undefined
  /**
   * In the currency of the product; 0 is free. Major units (naira, not kobo): a number or
   * decimal text.
   */
  price?: number | string | undefined
  /** It cannot change; the one that it has is taken. */
  currency?: string | undefined
  description?: string | null | undefined
  type?: 'physical' | 'digital' | 'service' | undefined
  sku?: string | null | undefined
  status?: 'Draft' | 'Active' | 'Archived' | undefined
  slug?: string | undefined
  quantity?: number | undefined
  tracked?: boolean | undefined
  lowStockThreshold?: number | null | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface ArchiveProductInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** false makes it Active again. Default: true. */
  archived?: boolean | undefined
}

export interface DeleteProductInput {
  /** A product: its digits, or the number. */
  productId: number | string
}

export interface DuplicateProductInput {
  /** A product: its digits, or the number. */
  productId: number | string
  name?: string | undefined
}

export interface CheckProductSlugInput {
  slug: string
}

export type GetProductInventoryInput = DeleteProductInput

export interface AddProductOptionsInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A variant is made of each combination, 250 at most. */
  options: {
    name: string
    values: string[]
  }[]
}

export interface UpdateProductOptionInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  name: string
}

export interface DeleteProductOptionsInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
}

export interface AddProductOptionVariantInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  value: string
}

export interface UpdateProductOptionVariantInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  /** A value of the option. */
  optionVariantId: number | string
  value: string
}

export interface DeleteProductOptionVariantInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** An option of the product. */
  optionId: number | string
  /** A value of the option. */
  optionVariantId: number | string
}

export type FilterProductVariantsInput = {
  /** A product: its digits, or the number. */
  productId: number | string
  /** Whether one can be bought; not given, all are shown. */
  inStock?: boolean | undefined
  page?: number | undefined
  limit?: number | undefined
} & { [name: string]: string | number | boolean | undefined }

export interface UpdateProductVariantInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A variant of the product. */
  variantId: number | string
  /**
   * In the currency of the product; 0 is free. Major units (naira, not kobo): a number or
   * decimal text.
   */
  price?: number | string | null | undefined
  quantity?: number | undefined
  sku?: string | null | undefined
  /** false keeps it from being bought. */
  active?: boolean | undefined
}

export interface AddDeliveryFeeInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** In any case; Everywhere is for wherever no other fee is. */
  location: string
  /**
   * In the currency of the product, in major units (naira, not kobo), as decimal text; 0 is
   * free.
   */
  fees: string
}

export interface ListDeliveryFeesInput {
  /** A product: its digits, or the number. */
  productId: number | string
  page?: number | undefined
  limit?: number | undefined
}

export interface UpdateDeliveryFeeInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** In any case; Everywhere is for wherever no other fee is. */
  location?: string | undefined
  /** The fee by its id, in place of its location. */
  deliveryFeeId?: number | string | undefined
  /**
   * In the currency of the product, in major units (naira, not kobo), as decimal text; 0 is
   * free.
   */
  fees: string
}

export interface DeleteDeliveryFeeInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** In any case; Everywhere is for wherever no other fee is. */
  location?: string | undefined
  /** The fee by its id, in place of its location. */
  deliveryFeeId?: number | string | undefined
}

export interface CreateDiscountCodeInput {
  /** In any case; it is kept in upper case. */
  code: string
  type: 'percentage' | 'fixed'
  /**
   * Percent, more than 0 and up to 100 with at most two decimals; or an amount in major units
   * (naira, not kobo).
   */
  value: number | string
  /** That of its products, else NGN, unless given. */
  currency?: string | undefined
  /** A product: its digits, or the number. */
  productId?: number | string | undefined
  /** What it is for; everything unless given. */
  productIds?: (number | string)[] | undefined
  /**
   * What must be bought at least; 0 is allowed. Major units (naira, not kobo): a number or
   * decimal text.
   */
  minSpend?: number | string | undefined
  /** What comes off at most. Major units (naira, not kobo): a number or decimal text. */
  maxDiscount?: number | string | undefined
  /** A day, from its beginning, or an instant. */
  startsAt?: string | undefined
  /** A day, to its end, or the instant at which it is over. */
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
  /** Those that name this product. */
  productId?: number | string | undefined
  /** The whole code, in any case. */
  code?: string | undefined
}

export interface UpdateDiscountCodeInput {
  /** The discount by its id; without it, `code` names it. */
  discountId?: number | string | undefined
  /** Beside discountId, what it is called from now on. */
  code?: string | undefined
  type?: 'percentage' | 'fixed' | undefined
  /**
   * Percent, more than 0 and up to 100 with at most two decimals; or an amount in major units
   * (naira, not kobo).
   */
  value?: number | string | undefined
  /** It cannot change; the one that it has is taken. */
  currency?: string | undefined
  /** A product: its digits, or the number. */
  productId?: number | string | null | undefined
  /** What it is for; everything unless given. */
  productIds?: (number | string)[] | null | undefined
  /** What must be bought at least. Major units (naira, not kobo): a number or decimal text. */
  minSpend?: number | string | null | undefined
  /** What comes off at most. Major units (naira, not kobo): a number or decimal text. */
  maxDiscount?: number | string | null | undefined
  /** A day, from its beginning, or an instant. */
  startsAt?: string | null | undefined
  /** A day, to its end, or the instant at which it is over. */
  endsAt?: string | null | undefined
  maxUses?: number | null | undefined
  maxUsesPerCustomer?: number | null | undefined
  status?: 'Active' | 'Inactive' | undefined
}

export interface VerifyDiscountCodeInput {
  code: string
  /** What is bought. Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
  /** Of the amount: that of the product, else of the code, unless given. */
  currency?: string | undefined
  /** A product: its digits, or the number. */
  productId?: number | string | undefined
  /** A payment page. */
  pageId?: number | string | undefined
  /** Of the buyer, whose own uses then count too. */
  email?: string | undefined
}

export type ListProductMediaInput = ListDeliveryFeesInput

export interface DeleteProductMediaInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A picture of it. */
  mediaId: number | string
}

export interface OrderProductMediaInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A variant of the product. */
  variantId?: number | string | undefined
  /** Every picture of the product, or of the variant, once. */
  mediaIds: (number | string)[]
}

export interface ListProductVariantMediaInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A variant of the product. */
  variantId: number | string
  page?: number | undefined
  limit?: number | undefined
}

export interface DeleteProductVariantMediaInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A variant of the product. */
  variantId: number | string
  /** A picture of it. */
  mediaId: number | string
}

export interface ListDigitalDownloadFilesInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** Default: 1. */
  page?: number | undefined
  /** Default: 100. */
  limit?: number | undefined
}

export interface RenameDigitalDownloadFileInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A digital file of the product: its digits, or the number. */
  digitalDownloadFileId: number | string
  /** What buyers save it as. */
  name: string
}

export interface DeleteDigitalDownloadFileInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A digital file of the product: its digits, or the number. */
  digitalDownloadFileId: number | string
  /** Whether buyers lose it too. */
  status: boolean
}

export interface SetDownloadLinkExpiryInput {
  /** A product: its digits, or the number. */
  productId: number | string
  /** A digital file of the product: its digits, or the number. */
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
  /** Part of the name, the slug or the reference, in any case. */
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
        /** Percent of each payment, or naira of it, not kobo, where the page is fixed. */
        shere?: number | undefined
        /** Percent of each payment, or naira of it, not kobo, where the page is fixed. */
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
  /** Percent of each payment, or naira of it, not kobo, where the page is fixed. */
  shere?: number | undefined
  /** Percent of each payment, or naira of it, not kobo, where the page is fixed. */
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
  /** Another word for title. */
  name?: string | undefined
  /** fixed where an amount is given, else variable. */
  amountType?: 'fixed' | 'variable' | 'minimum' | undefined
  customLink?: string | undefined
  collectPhone?: boolean | undefined
  collectAddress?: boolean | undefined
  allowDiscountCodes?: boolean | undefined
  /** Yours: the key says whose it is. */
  businessId?: number | string | undefined
  /** In the currency of the page. Major units (naira, not kobo): a number or decimal text. */
  amount?: number | string | undefined
  /** Default: "NGN". */
  currency?: string | undefined
  suggestedAmounts?: (number | string)[] | undefined
  description?: string | undefined
  /** An http or https address, or a picture that this server shows. */
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
        /** Of a select. */
        options?: string[] | undefined
      }[]
    | undefined
  maxPayments?: number | undefined
  expiresAt?: string | undefined
  /** In live mode on one of the origins of your settings. */
  redirectUrl?: string | undefined
  successMessage?: string | undefined
  /** A split page of the same currency. */
  splitPageId?: number | string | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | undefined
  /** Empty: all there are. */
  channels?: ('BANK_TRANSFER' | 'USSD')[] | undefined
  /** Default: "Published". */
  status?: 'Published' | 'Unpublished' | undefined
  /** Ids separated by commas, or a list of them. */
  productIds?: string | (number | string)[] | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
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
  /** Part of the title or description, in any case. */
  searchPageText?: string | undefined
}

export type ListPaymentPagesInput = ListPaymentPagesOfTransactionsInput

export interface GetPaymentPageInput {
  /** A payment page. */
  pageId?: number | string | undefined
  customLink?: string | undefined
}

export interface UpdatePaymentPageInput {
  /** A payment page. */
  pageId: number | string
  title?: string | undefined
  /** Another word for title. */
  name?: string | undefined
  /** fixed where an amount is given, else variable. */
  amountType?: 'fixed' | 'variable' | 'minimum' | undefined
  customLink?: string | undefined
  collectPhone?: boolean | undefined
  collectAddress?: boolean | undefined
  allowDiscountCodes?: boolean | undefined
  /** Yours: the key says whose it is. */
  businessId?: number | string | undefined
  /** In the currency of the page. Major units (naira, not kobo): a number or decimal text. */
  amount?: number | string | null | undefined
  /** It cannot change; the one that it has is taken. */
  currency?: string | undefined
  suggestedAmounts?: (number | string)[] | null | undefined
  description?: string | null | undefined
  /** An http or https address, or a picture that this server shows. */
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
        /** Of a select. */
        options?: string[] | undefined
      }[]
    | null
    | undefined
  maxPayments?: number | null | undefined
  expiresAt?: string | null | undefined
  /** In live mode on one of the origins of your settings. */
  redirectUrl?: string | null | undefined
  successMessage?: string | null | undefined
  /** A split page of the same currency. */
  splitPageId?: number | string | null | undefined
  feeBearer?: 'business' | 'customer' | 'subaccounts' | null | undefined
  /** Empty: all there are. */
  channels?: ('BANK_TRANSFER' | 'USSD')[] | null | undefined
  status?: 'Published' | 'Unpublished' | undefined
  /** Up to 50 properties of your own, 16 KiB as JSON. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface SetPaymentPageStatusInput {
  /** A payment page. */
  pageId: number | string
  status: 'Published' | 'Unpublished'
}

export interface DeletePaymentPageInput {
  /** A payment page. */
  pageId: number | string
}

export interface CheckCustomLinkInput {
  /** Any text; one that cannot be a link is answered with suggestions. */
  customLink: string
}

export interface AddPaymentPageProductsInput {
  /** A payment page. */
  pageId: number | string
  /** Ids separated by commas, or a list of them. */
  productIds: string | (number | string)[]
  /** Yours: the key says whose it is. */
  businessId?: number | string | undefined
}

export interface ListPaymentPageProductsInput {
  /** A payment page. */
  pageId: number | string
  /** Default: 1. */
  page?: number | undefined
  /** Default: 100. */
  limit?: number | undefined
}

export interface RemovePaymentPageProductsInput {
  /** A payment page. */
  pageId: number | string
  /** A product: its digits, or the number. */
  productId?: number | string | undefined
  /** Ids separated by commas, or a list of them. */
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
  /** https:// (in test mode http:// too), without name and password; a public address. */
  url: string
  /**
   * Types of events, or wildcards such as `invoice.*` for all of a kind; `["*"]` for
   * everything.
   */
  events?: string[] | undefined
  description?: string | undefined
}

export interface UpdateWebhookInput {
  /** https:// (in test mode http:// too), without name and password; a public address. */
  url?: string | undefined
  /**
   * Types of events, or wildcards such as `invoice.*` for all of a kind; `["*"]` for
   * everything.
   */
  events?: string[] | undefined
  description?: string | null | undefined
  status?: 'Active' | 'Disabled' | undefined
}

export interface RotateWebhookSecretInput {
  /** How long the secret before signs as well; 0 ends it at once. Default: 24. */
  graceHours?: number | undefined
}

export interface TestWebhookInput {
  /** Default: "webhook.test". */
  type?: string | undefined
  /** Laid over the example data of the type, 16 KiB as JSON. */
  data?: Record<string, unknown> | undefined
}

export interface ListWebhookDeliveriesInput {
  /** `meta.next` or `meta.previous` of another page of the same list. */
  cursor?: string | undefined
  /** Default: 20. */
  limit?: number | undefined
  status?: 'Pending' | 'Delivered' | 'Failed' | undefined
  type?: string | undefined
}

export interface ReplayWebhookInput {
  /** A day, from its beginning, or an instant. */
  from: string
  /** A day, to its end, or an instant; now. */
  to?: string | undefined
  /**
   * Only what failed for good, instead of everything that the endpoint wants. Default: false.
   */
  failedOnly?: boolean | undefined
}

export interface SimulateUssdInput {
  reference: string
  outcome: 'success' | 'failed'
}

export interface SimulateDepositInput {
  accountNumber: string
  /** Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
}

export interface SimulateTransferInput {
  reference: string
  outcome: 'success' | 'failed' | 'blocked' | 'rejected' | 'returned'
}

export interface SimulateRefundInput {
  reference: string
  outcome: 'success' | 'failed' | 'needs_attention'
}

export type SimulateUtilityInput = SimulateUssdInput

export interface SimulateWalletInput {
  /** Major units (naira, not kobo): a number or decimal text. */
  amount: number | string
}

export interface SimulateEventInput {
  type: string
  /** Laid over the example data of the type, 16 KiB as JSON. */
  data?: Record<string, unknown> | undefined
}

export interface SimulateClockInput {
  advanceSeconds: number
}

export interface CreatePartnerTokenInput {
  clientId: string
  clientSecret: string
  /** Some of what the partner may, with a space between; left out: all of it. */
  scope?: string | undefined
}

export type AddProductMediaInput =
  | {
      /** A product: its digits, or the number. */
      productId: number | string
      file: Blob | Blob[]
    }
  | {
      /** A product: its digits, or the number. */
      productId: number | string
      /** The bytes of one picture. */
      base64?: string | undefined
      /** A public address, from which the server fetches it once. */
      url?: string | undefined
      filename?: string | undefined
    }

export type AddProductVariantMediaInput =
  | {
      /** A product: its digits, or the number. */
      productId: number | string
      /** A variant of the product. */
      variantId: number | string
      file: Blob | Blob[]
    }
  | {
      /** A product: its digits, or the number. */
      productId: number | string
      /** A variant of the product. */
      variantId: number | string
      /** The bytes of one picture. */
      base64?: string | undefined
      /** A public address, from which the server fetches it once. */
      url?: string | undefined
      filename?: string | undefined
    }

export type AddDigitalDownloadFileInput = {
  /** A product: its digits, or the number. */
  productId: number | string
  file: Blob | Blob[]
}

export type UploadPaymentPageImageInput =
  | {
      file: Blob | Blob[]
    }
  | {
      /** The bytes of one picture. */
      base64?: string | undefined
      /** A public address, from which the server fetches it once. */
      url?: string | undefined
      filename?: string | undefined
    }

export interface CreateOauthTokenInput {
  grant_type: string
  client_id?: string | undefined
  client_secret?: string | undefined
  /** Some of what the partner may, with a space between; left out: all of it. */
  scope?: string | undefined
}

/** The types of events, and the `data` that each comes with. */
export interface EventData {
  /** Money came into the wallet: a payment, a returned transfer, a top-up. */
  'wallet.funded': {
    /** Of what moved the money. */
    reference: string
    status: string
    amount: number
    amountMinor: number
    currency: string
    /** What the wallet has available after this. */
    availableAfter: number
    availableAfterMinor: number
    source: {
      /** What moved the money: transaction, transfer, refund, … */
      type: string
      reference: string
    }
  }
  /** Money that was held left the wallet for good, fee included. */
  'wallet.debited': {
    /** Of what moved the money. */
    reference: string
    status: string
    amount: number
    amountMinor: number
    currency: string
    /** What the wallet has available after this. */
    availableAfter: number
    availableAfterMinor: number
    source: {
      /** What moved the money: transaction, transfer, refund, … */
      type: string
      reference: string
    }
  }
  /**
   * The bank said whose account it is: the settlement account of the business or of a
   * subaccount.
   */
  'account.verified': {
    /** Of the settings, or of the subaccount. */
    reference: string
    status: string
    bankCode: string
    bankName: string
    /** The last 4 digits, as accountNumberLast4. */
    accountNumber: string
    accountNumberLast4: string
    /** Whose account it is: business or subaccount. */
    subject: string
    accountName: string
  }
  /** A payer began to pay. */
  'transaction.pending': Transaction
  /** A payment came in. One that comes after its time has `late`. */
  'transaction.successful': Transaction
  /** The bank or the payer’s provider declined a payment. */
  'transaction.failed': Transaction
  /** Nobody paid in time, or what was to be paid is not any more. */
  'transaction.abandoned': Transaction
  /** The bank took a payment back, as after a lost chargeback. */
  'transaction.reversed': Transaction
  /** An account was opened for one payment. */
  'virtual_account.created': {
    /** Of the transaction. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string
    /** What is to be transferred. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
  }
  /** The account of a payment was closed before it was paid. */
  'virtual_account.expired': {
    /** Of the transaction. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string
    /** What is to be transferred. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
  }
  /** A deposit into the account of a payment was sent back. */
  'bank.transfer.rejected': {
    /** Of the transaction. */
    reference: string
    /** Open, Paid or Expired */
    status: string
    transactionId: number
    accountNumber: string
    accountName: string
    bankName: string
    bankCode: string
    /** What is to be transferred. */
    amount: number
    amountMinor: number
    currency: string
    expiresAt: string
    receivedAmount: number
    /** amount_too_low, amount_too_high, account_expired, already_paid or wrong_currency */
    reason: string | null
    receivedAmountMinor: number
    receivedCurrency: string
    /** The provider’s reference of the deposit. */
    depositReference: string
    /** Who sent it; null where the bank does not say. */
    sender: {
      accountName?: string | null
      accountNumber?: string | null
      bankName?: string | null
    } | null
  }
  /** A transfer was ordered that somebody has to approve first. */
  'transfer.unverified': Transfer
  /** A transfer was ordered, approved or taken up again. */
  'transfer.pending': Transfer
  /** The bank paid a transfer out. */
  'transfer.successful': Transfer
  /** A transfer failed, and the wallet has its money back. */
  'transfer.failed': Transfer
  /** The bank holds a transfer up; it is retried by hand, or fails. */
  'transfer.blocked': Transfer
  /**
   * A transfer was not approved, or the bank did not take it: the wallet has its money back.
   */
  'transfer.rejected': Transfer
  /** The bank returned a transfer that it had paid out; it is Failed, with `reversedAt`. */
  'transfer.reversed': Transfer
  /** A refund was ordered; its money is put aside. */
  'refund.pending': Refund
  /** A refund arrived. */
  'refund.processed': Refund
  /** A refund did not arrive; everybody has back what they gave. */
  'refund.failed': Refund
  /** The provider cannot go on with a refund by itself. */
  'refund.needs_attention': Refund
  /**
   * An invoice was created. One that is sent at once is `Sent` already, and `invoice.sent`
   * follows.
   */
  'invoice.created': Invoice
  /** An invoice was sent, when it was created or later. */
  'invoice.sent': Invoice
  /** The payer opened the page of an invoice for the first time. */
  'invoice.viewed': Invoice
  /** A part of an invoice was paid. */
  'invoice.partially_paid': Invoice
  /** All of an invoice was paid, or it was marked as paid. */
  'invoice.paid': Invoice
  /** The due date of an invoice passed before all of it was paid. */
  'invoice.overdue': Invoice
  /** An invoice was voided: it is not to be paid any more. */
  'invoice.voided': Invoice
  /** A payment page was created. */
  'payment_page.created': PaymentPage
  /** A payment page was changed, or the products on it. */
  'payment_page.updated': PaymentPage
  /** A payment page can be paid on from now on. */
  'payment_page.published': PaymentPage
  /** Nobody can pay on a payment page from now on. */
  'payment_page.unpublished': PaymentPage
  /** A payment page was deleted. */
  'payment_page.deleted': PaymentPage
  /** A product was created. */
  'product.created': Product
  /** A product was changed, or its options, variants, pictures, files or fees. */
  'product.updated': Product
  /** A product is not sold any more. */
  'product.archived': Product
  /** A product was deleted. */
  'product.deleted': Product
  /** What is left of a product or variant fell to its threshold. */
  'product.low_stock': {
    productId: string
    /** Null for the product itself. */
    variantId: number | null
    /** Of the product. */
    reference: string
    /** Of the product. */
    status: string
    name: string
    sku: string | null
    /** On hand, what is put aside included. */
    quantity: number
    reserved: number
    available: number
    lowStockThreshold: number | null
  }
  /** Nothing is left of a product or variant. */
  'product.out_of_stock': {
    productId: string
    /** Null for the product itself. */
    variantId: number | null
    /** Of the product. */
    reference: string
    /** Of the product. */
    status: string
    name: string
    sku: string | null
    /** On hand, what is put aside included. */
    quantity: number
    reserved: number
    available: number
    lowStockThreshold: number | null
  }
  /** Somebody began to pay for products; nothing is paid yet. */
  'order.created': Order
  /** An order was paid: its stock is sold, its files are the buyer’s. */
  'order.paid': Order
  /** All of an order was given back. */
  'order.refunded': Order
  /** A discount code was created. */
  'discount.created': DiscountCode
  /** The terms of a discount code were changed. */
  'discount.updated': DiscountCode
  /** A discount code was used for the last time that it may be. */
  'discount.exhausted': DiscountCode
  /** Something was paid for with a discount code. */
  'discount.redeemed': {
    id: number
    reference: string
    code: string
    type: string
    /** Percent, or major units. */
    value: number
    currency: string
    /** Empty for every product. */
    productIds: string[]
    minSpend: number | null
    maxDiscount: number | null
    startsAt: string | null
    /** When it is over. */
    endsAt: string | null
    maxUses: number | null
    maxUsesPerCustomer: number | null
    usedCount: number
    /** Put aside by checkouts under way. */
    reservedCount: number
    /** Active or Inactive */
    status: string
    createdAt: string
    updatedAt: string
    /** What came off. */
    discountAmount: number
    discountAmountMinor: number
  }
  /** A buyer got the link to a digital file. */
  'download.granted': {
    id: number
    /** Of the file. */
    reference: string
    /** Active or Revoked */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The link that the buyer has. */
    url: string
    customerEmail: string | null
    /** How often the buyer got it. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /** A buyer downloaded a digital file. */
  'download.accessed': {
    id: number
    /** Of the file. */
    reference: string
    /** Active or Revoked */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The link that the buyer has. */
    url: string
    customerEmail: string | null
    /** How often the buyer got it. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /** The link of a buyer ended: the file was deleted, or its order refunded. */
  'download.revoked': {
    id: number
    /** Of the file. */
    reference: string
    /** Active or Revoked */
    status: string
    digitalDownloadFileId: string
    productId: string
    name: string
    bytes: number
    /** The link that the buyer has. */
    url: string
    customerEmail: string | null
    /** How often the buyer got it. */
    downloads: number
    maxDownloads: number | null
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  /** A subaccount was created. */
  'subaccount.created': Subaccount
  /** A subaccount was changed, deactivated or activated again. */
  'subaccount.updated': Subaccount
  /** Nothing is paid out to a subaccount until its bank account is corrected or confirmed. */
  'settlement.blocked': Subaccount
  /** A split page was created. */
  'split_page.created': SplitPage
  /** A split page was changed, or who has a share of it. */
  'split_page.updated': SplitPage
  /** What a subaccount had earned was paid out to it. */
  'settlement.paid': ListedSettlement
  /** A utility payment was begun: its money is held, and the biller is asked. */
  'utility.pending': ListedUtilityPayment
  /** Airtime, data, electricity, television or a pin was bought. */
  'utility.successful': ListedUtilityPayment
  /** Nothing was bought, and the wallet has its money back. */
  'utility.failed': ListedUtilityPayment
  /** A key was made, by itself or as the successor of another. */
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
    /** How the key begins and ends; never the key itself. */
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
  /** A key got a successor, and ends when its hours are over. */
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
    /** How the key begins and ends; never the key itself. */
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
  /** A key was ended. */
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
    /** How the key begins and ends; never the key itself. */
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
  /** An endpoint was disabled: by hand, or because it answered 410 or failed for five days. */
  'webhook.disabled': Webhook
  /** An endpoint is tried out; sent to that one alone. */
  'webhook.test': Record<string, unknown>
}

export interface BanksOperations {
  /**
   * Banks of Nigeria.
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank`
   */
  list(input?: ListBanksInput, options?: CallOptions): List<Bank, PageMeta | undefined>

  /**
   * Banks of Nigeria, by the old address.
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank-list`
   * @deprecated
   */
  listDeprecated(
    input?: ListBanksDeprecatedInput,
    options?: CallOptions,
  ): List<Bank, PageMeta | undefined>

  /**
   * Whose bank account it is.
   * A restricted key needs the scope `banks:read`.
   * `GET /api/transaction-service/external/v1/bank/resolve`
   */
  resolveAccount(
    input?: ResolveBankAccountInput,
    options?: CallOptions,
  ): Promise<ResolveBankAccountAnswer>
}

export interface CheckoutOperations {
  /**
   * Begin a checkout.
   * A restricted key needs the scope `checkout:write`.
   * `POST /api/payment-service/external/v1/initialize-checkout`
   */
  initialize(input: InitializeCheckoutInput, options?: CallOptions): Promise<Checkout>

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
   * Have a checkout paid into an account made for it.
   * A restricted key needs the scope `checkout:write`.
   * `POST /api/payment-service/external/v1/payment-pages/initiate-initialize-checkout-dynamic-virtual-account`
   */
  createVirtualAccount(
    input?: CreateCheckoutVirtualAccountInput,
    options?: CallOptions,
  ): Promise<CreateCheckoutVirtualAccountAnswer>
}

export interface DeliveryFeesOperations {
  /**
   * Set what delivery to a location costs.
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
   * Change what delivery to a location costs.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/update-delivery-fees`
   */
  update(input: UpdateDeliveryFeeInput, options?: CallOptions): Promise<DeliveryFee>

  /**
   * Delete the delivery fee of a location.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-delivery-fees`
   */
  delete(input: DeleteDeliveryFeeInput, options?: CallOptions): Promise<DeliveryFee>
}

export interface DigitalFilesOperations {
  /**
   * The files that buyers of a product download.
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
   * Delete a digital file, for its buyers too or not.
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
   * Limit the links that buyers will get.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/set-download-link-expiry`
   */
  setLinkExpiry(
    input: SetDownloadLinkExpiryInput,
    options?: CallOptions,
  ): Promise<SetDownloadLinkExpiryAnswer>

  /**
   * Add files that buyers of a product download.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/add-digital-download-files`
   */
  add(
    input: AddDigitalDownloadFileInput,
    options?: CallOptions,
  ): Promise<AddDigitalDownloadFileAnswer>
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
   * Verify a discount code, using nothing.
   * A restricted key needs the scope `discounts:read`.
   * `POST /api/payment-service/external/v1/products/verify-discount-code`
   */
  verify(input: VerifyDiscountCodeInput, options?: CallOptions): Promise<VerifyDiscountCodeAnswer>
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
       * With sort=ASC: the `after` of whoever follows events. What it lists comes again until it
       * is a minute old, since events at the same time are not seen in their order.
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
   * List the types of events.
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
   * Get an invoice as PDF.
   * A restricted key needs the scope `invoices:read`.
   * `GET /api/payment-service/external/v1/invoices/{reference}/pdf`
   */
  getPdf(reference: string, options?: CallOptions): Promise<Response>

  /**
   * Send an invoice, or send it again.
   * A restricted key needs the scope `invoices:write`.
   * `POST /api/payment-service/external/v1/invoices/{reference}/send`
   */
  send(reference: string, options?: CallOptions): Promise<Invoice>

  /**
   * Remind the customer of an invoice.
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
   * Put the pictures of a product, or of a variant, into another order.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/external/v1/products/order-product-media`
   */
  productMedia(
    input: OrderProductMediaInput,
    options?: CallOptions,
  ): Promise<OrderProductMediaAnswer>
}

export interface PartnersOperations {
  /**
   * Let a partner act for the business.
   * A restricted key needs the scope `keys:write`.
   * `POST /api/user-service/external/v1/partners`
   */
  grant(input: GrantPartnerInput, options?: CallOptions): Promise<Partner>

  /**
   * List the partners of the business.
   * A restricted key needs the scope `keys:read`.
   * `GET /api/user-service/external/v1/partners`
   */
  list(input?: ListPartnersInput, options?: CallOptions): List<Partner, PageMeta>

  /**
   * End what a partner may do for the business.
   * A restricted key needs the scope `keys:write`.
   * `POST /api/user-service/external/v1/partners/{clientId}/revoke`
   */
  revoke(clientId: string, options?: CallOptions): Promise<Partner>

  /**
   * Exchange the credentials of a partner for a token.
   * It asks for no key.
   * `POST /api/auth-service/external/v1/token`
   */
  createToken(
    input: CreatePartnerTokenInput,
    options?: CallOptions,
  ): Promise<CreatePartnerTokenAnswer>

  /**
   * Exchange client credentials for a token, as RFC 6749 has it.
   * It asks for no key.
   * `POST /oauth/token`
   */
  createOauthToken(
    input: CreateOauthTokenInput,
    options?: CallOptions,
  ): Promise<CreateOauthTokenAnswer>
}

export interface PaymentPagesOperations {
  /**
   * Create a payment page.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/create-pages`
   */
  create(input?: CreatePaymentPageInput, options?: CallOptions): Promise<PaymentPage>

  /**
   * Create a payment page, as create-pages does.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/transaction-service/external/v1/payment-pages`
   */
  createOfTransactions(
    input?: CreatePaymentPageOfTransactionsInput,
    options?: CallOptions,
  ): Promise<PaymentPage>

  /**
   * List payment pages, as get-pages does.
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
   * Get a payment page by its id or link.
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
   * Publish a payment page, or take it from the public.
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
   * See whether a link is free.
   * A restricted key needs the scope `payment_pages:read`.
   * `POST /api/payment-service/external/v1/payment-pages/custom-link-check-exist`
   */
  checkCustomLink(
    input: CheckCustomLinkInput,
    options?: CallOptions,
  ): Promise<CheckProductSlugAnswer>

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
   * Upload a picture for payment pages to show.
   * A restricted key needs the scope `payment_pages:write`.
   * `POST /api/payment-service/external/v1/payment-pages/upload-page-image`
   */
  uploadImage(
    input: UploadPaymentPageImageInput,
    options?: CallOptions,
  ): Promise<UploadPaymentPageImageAnswer>
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
   * Archive a product, or make it Active again.
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
   * Check whether a product has a slug.
   * A restricted key needs the scope `products:read`.
   * `POST /api/payment-service/external/v1/products/slugExist`
   */
  checkSlug(input: CheckProductSlugInput, options?: CallOptions): Promise<CheckProductSlugAnswer>

  /**
   * Get what there is of a product.
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
   * Filter the variants of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/v1/products/filter-for-products-variant`
   */
  filterVariants(
    input: FilterProductVariantsInput,
    options?: CallOptions,
  ): List<FilterProductVariantsAnswer, PageMeta | undefined>

  /**
   * Update a variant of a product.
   * A restricted key needs the scope `products:write`.
   * `PUT /api/payment-service/v1/products/update-product-variant-details`
   */
  updateVariant(
    input: UpdateProductVariantInput,
    options?: CallOptions,
  ): Promise<FilterProductVariantsAnswer>

  /**
   * The pictures of a product.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/external/v1/products/get-product-media`
   */
  listMedia(
    input: ListProductMediaInput,
    options?: CallOptions,
  ): List<ProductMedia, PageMeta | undefined>

  /**
   * Delete a picture of a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/delete-product-media`
   */
  deleteMedia(input: DeleteProductMediaInput, options?: CallOptions): Promise<ProductMedia>

  /**
   * The pictures of a variant.
   * A restricted key needs the scope `products:read`.
   * `GET /api/payment-service/v1/products/get-product-variant-media`
   */
  listVariantMedia(
    input: ListProductVariantMediaInput,
    options?: CallOptions,
  ): List<ProductMedia, PageMeta | undefined>

  /**
   * Delete a picture of a variant.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/delete-product-variant-media`
   */
  deleteVariantMedia(
    input: DeleteProductVariantMediaInput,
    options?: CallOptions,
  ): Promise<ProductMedia>

  /**
   * Add pictures to a product.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/external/v1/products/product-upload-media`
   */
  addMedia(input: AddProductMediaInput, options?: CallOptions): Promise<AddProductMediaAnswer>

  /**
   * Add pictures to a variant.
   * A restricted key needs the scope `products:write`.
   * `POST /api/payment-service/v1/products/add-product-variant-media`
   */
  addVariantMedia(
    input: AddProductVariantMediaInput,
    options?: CallOptions,
  ): Promise<AddProductMediaAnswer>
}

export interface ProfileOperations {
  /**
   * The business behind the key.
   * A restricted key needs the scope `profile:read`.
   * `GET /api/user-service/external/v1/profile`
   */
  get(options?: CallOptions): Promise<Profile>

  /**
   * The settings of the business.
   * A restricted key needs the scope `profile:read`.
   * `GET /api/user-service/external/v1/profile/settings`
   */
  getSettings(options?: CallOptions): Promise<ProfileSettings>

  /**
   * Change settings of the business.
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
   * Give a payment back, or a part of it.
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
   * Get a refund by its reference.
   * A restricted key needs the scope `refunds:read`.
   * `GET /api/transaction-service/external/v1/refund-by-reference`
   */
  getByReference(input: GetRefundByReferenceInput, options?: CallOptions): Promise<Refund>
}

export interface RequestsOperations {
  /**
   * List calls of the API.
   * A restricted key needs the scope `requests:read`.
   * `GET /api/user-service/external/v1/requests`
   */
  list(input?: ListRequestsInput, options?: CallOptions): List<ListedRequestRecord, CursorMeta>

  /**
   * Get a call of the API with what was sent and answered.
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
   * Pay into a virtual account.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/deposit`
   */
  deposit(input: SimulateDepositInput, options?: CallOptions): Promise<SimulateDepositAnswer>

  /**
   * Have the bank decide what becomes of a transfer.
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
   * Have the bank decide what becomes of a refund.
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
   * Have the biller decide about a utility payment that is Pending.
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
   * Settle now what subaccounts have open, instead of at midnight.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/settlement`
   */
  settlement(options?: CallOptions): Promise<SimulateSettlementAnswer>

  /**
   * Put money into the test wallet.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/wallet`
   */
  wallet(input: SimulateWalletInput, options?: CallOptions): Promise<SimulateWalletAnswer>

  /**
   * Tell an event as if it had happened.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/events`
   */
  event(input: SimulateEventInput, options?: CallOptions): Promise<EventRecord>

  /**
   * Let time pass for the test data of this business.
   * A restricted key needs the scope `simulator:write`.
   * `POST /api/simulator/clock`
   */
  clock(input: SimulateClockInput, options?: CallOptions): Promise<SimulateClockAnswer>
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
   * What a subaccount is owed, and was paid.
   * A restricted key needs the scope `subaccounts:read`.
   * `GET /api/transaction-service/external/v1/subaccounts/{reference}/balance`
   */
  getBalance(reference: string, options?: CallOptions): Promise<SubaccountBalance>
}

export interface TransactionsOperations {
  /**
   * Begin a payment by USSD.
   * A restricted key needs the scope `transactions:write`.
   * `POST /api/transaction-service/external/v1/transaction-with-ussd`
   */
  createUssd(
    input: CreateUssdTransactionInput,
    options?: CallOptions,
  ): Promise<
    CreateUssdTransactionAnswer & {
      /** The transaction’s id. */
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
   * Ask what became of a transaction.
   * A restricted key needs the scope `transactions:read`.
   * `GET /api/transaction-service/external/v1/transactions/verify/{reference}`
   */
  verify(reference: string, options?: CallOptions): Promise<Transaction>

  /**
   * Totals of transactions.
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
}

export interface TransfersOperations {
  /**
   * List transfers.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfer/get-transfer-list`
   */
  list(input: ListTransfersInput, options?: CallOptions): List<Transfer, PageMeta>

  /**
   * What a transfer of an amount would take out of the wallet.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers/fee`
   */
  getFee(input: GetTransferFeeInput, options?: CallOptions): Promise<TransferFee>

  /**
   * Send money to a bank account.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers`
   */
  create(input: CreateTransferInput, options?: CallOptions): Promise<Transfer>

  /**
   * Send money to a bank account.
   * A restricted key needs the scope `transfers:write`.
   * `POST /transfers`
   */
  createBare(input: CreateTransferBareInput, options?: CallOptions): Promise<Transfer>

  /**
   * Get a transfer.
   * A restricted key needs the scope `transfers:read`.
   * `GET /api/transaction-service/external/v1/transfers/{reference}`
   */
  get(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Approve a transfer that waits for it.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/approve`
   */
  approve(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Reject a transfer that waits for approval.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/reject`
   */
  reject(reference: string, options?: CallOptions): Promise<Transfer>

  /**
   * Send a blocked transfer again.
   * A restricted key needs the scope `transfers:write`.
   * `POST /api/transaction-service/external/v1/transfers/{reference}/retry`
   */
  retry(reference: string, options?: CallOptions): Promise<Transfer>
}

export interface UtilityOperations {
  /**
   * What kinds of things can be bought for customers.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/categories`
   */
  listCategories(
    input?: ListUtilityCategoriesInput,
    options?: CallOptions,
  ): List<UtilityCategory, PageMeta | undefined>

  /**
   * Who sells them.
   * A restricted key needs the scope `utility:read`.
   * `GET /api/payment-service/external/v1/utility/billers`
   */
  listBillers(
    input?: ListUtilityBillersInput,
    options?: CallOptions,
  ): List<UtilityBiller, PageMeta | undefined>

  /**
   * What they sell, and for how much.
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
   * Ask a biller who its customer is, before a payment.
   * A restricted key needs the scope `utility:write`.
   * `POST /api/payment-service/external/v1/utility/transactions/customer-enquiry`
   */
  enquireCustomer(
    input: EnquireUtilityCustomerInput,
    options?: CallOptions,
  ): Promise<EnquireUtilityCustomerAnswer>

  /**
   * Buy airtime, data, electricity, television or a pin for a customer.
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
   * List what moved the available balance.
   * A restricted key needs the scope `wallet:read`.
   * `GET /api/user-service/external/v1/wallet/ledger`
   */
  listLedger(input?: ListWalletLedgerInput, options?: CallOptions): List<WalletLedger, CursorMeta>
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
  create(input: CreateWebhookInput, options?: CallOptions): Promise<CreateWebhookAnswer>

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
   * Give a webhook endpoint a new secret.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/rotate-secret`
   */
  rotateSecret(
    reference: string,
    input?: RotateWebhookSecretInput,
    options?: CallOptions,
  ): Promise<CreateWebhookAnswer>

  /**
   * Send one sample event to a webhook endpoint.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/test`
   */
  test(
    reference: string,
    input?: TestWebhookInput,
    options?: CallOptions,
  ): Promise<TestWebhookAnswer>

  /**
   * List what is sent to a webhook endpoint.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks/{reference}/deliveries`
   */
  listDeliveries(
    reference: string,
    input?: ListWebhookDeliveriesInput,
    options?: CallOptions,
  ): List<ListedWebhookDelivery, CursorMeta>

  /**
   * Get a delivery with its attempts and its body.
   * A restricted key needs the scope `webhooks:read`.
   * `GET /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}`
   */
  getDelivery(reference: string, id: string, options?: CallOptions): Promise<WebhookDelivery>

  /**
   * Send an event to a webhook endpoint again.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}/redeliver`
   */
  redeliver(reference: string, id: string, options?: CallOptions): Promise<ListedWebhookDelivery>

  /**
   * Send a range of time to a webhook endpoint again.
   * A restricted key needs the scope `webhooks:write`.
   * `POST /api/user-service/external/v1/webhooks/{reference}/replay`
   */
  replay(
    reference: string,
    input: ReplayWebhookInput,
    options?: CallOptions,
  ): Promise<ReplayWebhookAnswer>
}

/** All operations, by the nouns of the contract. */
export interface Api {
  readonly banks: BanksOperations
  readonly checkout: CheckoutOperations
  readonly deliveryFees: DeliveryFeesOperations
  readonly digitalFiles: DigitalFilesOperations
  readonly discountCodes: DiscountCodesOperations
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
    getByReference: {
      name: 'get_refund_by_reference',
      method: 'GET',
      path: '/api/transaction-service/external/v1/refund-by-reference',
      input: 'query',
      answer: 'record',
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
  },
  transfers: {
    list: {
      name: 'list_transfers',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfer/get-transfer-list',
      input: 'query',
      answer: 'list',
      paging: 'page',
    },
    getFee: {
      name: 'get_transfer_fee',
      method: 'GET',
      path: '/api/transaction-service/external/v1/transfers/fee',
      input: 'query',
      answer: 'record',
    },
    create: {
      name: 'create_transfer',
      method: 'POST',
      path: '/api/transaction-service/external/v1/transfers',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
    },
    createBare: {
      name: 'create_transfer_bare',
      method: 'POST',
      path: '/transfers',
      input: 'body',
      answer: 'record',
      isIdempotent: true,
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
