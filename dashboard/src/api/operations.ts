// Generated from the server's description by `npm test -- test/sdk/generated -u`: do not edit.
//
// Every operation that the dashboard can call, by its name. A screen uses it through the hooks in
// hooks.ts, and the compiler knows its input and its response:
//
//   const { data } = useOperation('get_team')                       // data.data.members
//   const { data } = useOperation('get_customer', { email })
//   <ListPage operation="list_keys" … />              // each row is a Key
//   const revoke = useAction(act('revoke_key', { done: 'Key revoked.', refresh: ['list_keys'] }))
//   revoke.mutate({ reference })
//   <FormModal action={act('rotate_key', { input: (form: Form) => ({ reference, ...form }) })} … />
//   const { data } = await callOperation('get_team')
//
// The input is one object with the path parameters and the fields of the query or the body.
// Data<Name> in request.ts is the `data` of a response, Rows<Name> one record of a list.

import type { CursorMeta, PageMeta } from '../../../sdk/src/lists.ts'
import type {
  AcceptDisputeInput,
  AddDeliveryFeeInput,
  AddDigitalDownloadFileInput,
  AddDigitalDownloadFileResponse,
  AddDisputeEvidenceInput,
  AddPaymentPageProductsInput,
  AddProductMediaInput,
  AddProductMediaResponse,
  AddProductOptionsInput,
  AddProductOptionVariantInput,
  AddProductVariantMediaInput,
  AddSplitPageSubaccountInput,
  ArchiveProductInput,
  Bank,
  CheckCustomLinkInput,
  Checkout,
  CheckProductSlugInput,
  CheckProductSlugResponse,
  ContestDisputeInput,
  CreateCheckoutVirtualAccountInput,
  CreateCheckoutVirtualAccountResponse,
  CreateDiscountCodeInput,
  CreateInvoiceInput,
  CreateOauthTokenInput,
  CreateOauthTokenResponse,
  CreatePartnerTokenInput,
  CreatePartnerTokenResponse,
  CreatePaymentPageInput,
  CreatePaymentPageOfTransactionsInput,
  CreatePayoutInput,
  CreateProductInput,
  CreateRefundInput,
  CreateSplitPageInput,
  CreateSubaccountInput,
  CreateTransferBareInput,
  CreateTransferInput,
  CreateUssdTransactionInput,
  CreateUssdTransactionResponse,
  CreateWebhookInput,
  CreateWebhookResponse,
  DeleteDeliveryFeeInput,
  DeleteDigitalDownloadFileInput,
  DeletePaymentPageInput,
  DeleteProductInput,
  DeleteProductMediaInput,
  DeleteProductOptionsInput,
  DeleteProductOptionVariantInput,
  DeleteProductVariantMediaInput,
  DeliveryFee,
  Deposit,
  DigitalDownloadFile,
  DiscountCode,
  Dispute,
  DuplicateProductInput,
  EnquireUtilityCustomerInput,
  EnquireUtilityCustomerResponse,
  EventRecord,
  EventType,
  ExportDepositsInput,
  ExportInvoicesInput,
  ExportTransactionsInput,
  ExportTransfersInput,
  ExportUtilityPaymentsInput,
  ExportVirtualAccountsInput,
  FilterProductVariantsInput,
  FilterProductVariantsResponse,
  FundingAccount,
  GetNextPayoutInput,
  GetPaymentPageInput,
  GetProductInput,
  GetProductInventoryInput,
  GetRefundByReferenceInput,
  GetSettlementInput,
  GetTransactionTotalsInput,
  GetTransferFeeInput,
  GetWalletBalanceInput,
  GrantPartnerInput,
  InitializeCheckoutInput,
  Invoice,
  ListBanksDeprecatedInput,
  ListBanksInput,
  ListCheckoutsInput,
  ListDeliveryFeesInput,
  ListDepositsInput,
  ListDigitalDownloadFilesInput,
  ListDiscountCodesInput,
  ListDisputesInput,
  ListEventsInput,
  ListEventTypesInput,
  ListedRequestRecord,
  ListedSettlement,
  ListedUtilityPayment,
  ListedWebhookDelivery,
  ListInvoicesInput,
  ListOrdersInput,
  ListPartnersInput,
  ListPaymentPageProductsInput,
  ListPaymentPagesInput,
  ListPaymentPagesOfTransactionsInput,
  ListPayoutsInput,
  ListProductMediaInput,
  ListProductsInput,
  ListProductVariantMediaInput,
  ListRefundsInput,
  ListRequestsInput,
  ListSettlementsInput,
  ListSplitPagesInput,
  ListSubaccountsInput,
  ListTransactionsBareInput,
  ListTransactionsInput,
  ListTransfersBareInput,
  ListTransfersInput,
  ListTransfersOfBusinessInput,
  ListUtilityBillersInput,
  ListUtilityCategoriesInput,
  ListUtilityPackagesInput,
  ListUtilityPaymentsInput,
  ListVirtualAccountsInput,
  ListWalletLedgerInput,
  ListWebhookDeliveriesInput,
  ListWebhooksInput,
  MarkInvoicePaidInput,
  NextPayout,
  Order,
  OrderProductMediaInput,
  Partner,
  PaymentPage,
  ProcessUtilityPaymentInput,
  Product,
  ProductInventory,
  ProductMedia,
  Profile,
  ProfileSettings,
  Refund,
  RemovePaymentPageProductsInput,
  RemoveSplitPageSubaccountInput,
  RenameDigitalDownloadFileInput,
  ReplayWebhookInput,
  ReplayWebhookResponse,
  RequestRecord,
  ResolveBankAccountInput,
  ResolveBankAccountResponse,
  RetryRefundInput,
  RotateWebhookSecretInput,
  SetDownloadLinkExpiryInput,
  SetDownloadLinkExpiryResponse,
  SetPaymentPageStatusInput,
  Settlement,
  SimulateCardInput,
  SimulateClockInput,
  SimulateClockResponse,
  SimulateDepositInput,
  SimulateDepositResponse,
  SimulateDisputeInput,
  SimulateDisputeOutcomeInput,
  SimulateEventInput,
  SimulateRefundInput,
  SimulateSettlementResponse,
  SimulateTransferInput,
  SimulateUssdInput,
  SimulateUtilityInput,
  SimulateWalletInput,
  SimulateWalletResponse,
  SplitPage,
  Subaccount,
  SubaccountBalance,
  TestWebhookInput,
  TestWebhookResponse,
  Transaction,
  TransactionTotals,
  Transfer,
  TransferFee,
  UpdateDeliveryFeeInput,
  UpdateDiscountCodeInput,
  UpdateInvoiceInput,
  UpdatePaymentPageInput,
  UpdateProductInput,
  UpdateProductOptionInput,
  UpdateProductOptionVariantInput,
  UpdateProductVariantInput,
  UpdateProfileSettingsInput,
  UpdateSplitPageInput,
  UpdateSubaccountInput,
  UpdateWebhookInput,
  UploadPaymentPageImageInput,
  UploadPaymentPageImageResponse,
  UtilityBiller,
  UtilityCategory,
  UtilityPackage,
  UtilityPayment,
  VerifyDiscountCodeInput,
  VerifyDiscountCodeResponse,
  VirtualAccount,
  WalletBalance,
  WalletLedger,
  Webhook,
  WebhookDelivery,
} from '../../../sdk/src/operations.ts'
import type { Envelope } from './envelope.ts'

export interface ReconciliationDay {
  connectionId: number
  connection: string
  provider: string
  day: string
  status: string
  runAt: string | null
  nextRunAt: string | null
  problem: string | null
  matched: number
  waiting: number
  differences: number
  balances: {
    currency: string
    at: string
    theirsMinor: number
    ledgerMinor: number
    explainedMinor: number
    unexplainedMinor: number
  }[]
}

export interface Difference {
  reference: string
  connectionId: number
  kind: string
  class: string
  field: string | null
  source: string
  providerId: string | null
  order: {
    kind: string
    id: number
    reference: string | null
  } | null
  oursMinor: number | null
  theirsMinor: number | null
  currency: string | null
  evidence: Record<string, unknown>
  day: string | null
  status: string
  resolution: string | null
  resolutions: string[]
  reason: string | null
  closedBy: string | null
  proposed: {
    resolution: string
    reason: string
    by: string
    at: string
  } | null
  firstSeenAt: string
  lastSeenAt: string
  closedAt: string | null
}

export interface Proof {
  currency: string
  held: number
  heldMinor: number
  bank: number
  bankMinor: number
  owed: number
  owedMinor: number
  fees: number
  feesMinor: number
  short: number
  shortMinor: number
  isCovered: boolean
  providerFeesMinor: number
  receivableMinor: number
  ledger: {
    kind: string
    connectionId: number | null
    balanceMinor: number
  }[]
  connections: {
    connectionId: number
    name: string
    provider: string
    status: string
    asOf: string | null
    availableMinor: number | null
    pendingMinor: number | null
    heldMinor: number | null
    ledgerMinor: number
    bankMinor: number
  }[]
}

export interface UnresolvedOrder {
  kind: string
  id: number
  reference: string
  attempt: number
  connectionId: number
  attention: string | null
  since: string | null
  amount: number | null
  amountMinor: number | null
  currency: string | null
  sent: {
    reference: string
    tries: number
    firstAt: string | null
    lastAt: string | null
    nextAt: string | null
  }
  received: {
    state: string | null
    outcome: string | null
    code: string | null
    message: string | null
    providerId: string | null
    session: string | null
    unknownThereSince: string | null
  }
  endedAt: string | null
  decisions: string[]
  decided: {
    decision: string
    reason: string
    providerId: string | null
    status: string
    by: string
    at: string
    agreedBy: string | null
    agreedAt: string | null
  }[]
  calls: {
    attempt: number
    operation: string
    status: number | null
    outcome: string
    durationMs: number
    request: string | null
    response: string | null
    at: string
  }[]
}

export interface Me {
  person: {
    id: number
    name: string
    email: string
    emailProved: boolean
    twoFactor: boolean
    passkey: boolean
    secondFactor: boolean
  }
  businesses: {
    id: number
    reference: string
    name: string
    role: 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'
    currency: string
    timeZone: string
    requiresTwoFactor: boolean
  }[]
  csrf: string
  scopes: string[]
  /** What no provider does for the business in live mode. */
  liveMissing: ('payments' | 'payouts')[]
}

export interface Link {
  kind: string
  business: string | null
  email: string | null
  role: string | null
}

export interface Team {
  requiresTwoFactor: boolean
  members: {
    personId: number
    name: string
    email: string
    role: 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'
    twoFactor: boolean
    joinedAt: string
  }[]
  invitations: {
    id: string
    email: string
    role: 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'
    invitedBy: string | null
    expiresAt: string
    createdAt: string
  }[]
}

export interface ProviderNotification {
  id: number
  connectionId: number
  type: string | null
  about: string
  reference: string | null
  providerId: string | null
  deliveries: number
  status: 'Received' | 'Applied' | 'Unchanged' | 'Unmatched' | 'Unreadable' | 'Failed'
  result: string | null
  tries: number
  nextTryAt: string | null
  receivedAt: string
  lastReceivedAt: string
  doneAt: string | null
  body: string
  isBodyCut: boolean
}

export interface Provider {
  id: number
  provider: string
  title: string
  name: string
  mode: string
  environment: string
  status: 'Draft' | 'Active' | 'Paused' | 'Removed'
  statusReason: string | null
  baseUrl: string
  settings: {
    services: ('BANK_TRANSFER' | 'USSD' | 'CARD' | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING')[]
    ussdBanks: string[]
    feesPaidBy: 'business' | 'operator'
    /**
     * Whether the provider pays the balance out to your bank account by itself; null if
     * unknown. While it does, payouts are refused.
     */
    automaticSettlement: boolean | null
    /** Sent if the provider requires an email address that the payer did not give. */
    payerEmail: string | null
  }
  /** The URL to enter at the provider. */
  noticeUrl: string
  firstNoticeAt: string | null
  lastNoticeAt: string | null
  credentials: {
    name: string
    label: string
    last4: string
    fingerprint: string
    createdAt: string
    acceptedUntil: string | null
  }[]
  checkedAt: string | null
  /** Why the last check failed. */
  problem: {
    code: string
    message: string
  } | null
  accountName: string | null
  /** Which amounts an account for one payment keeps: exact or any; null if unknown. */
  depositAmounts: string | null
  balances: {
    currency: string
    available: number
    availableMinor: number
    pending: number | null
    pendingMinor: number | null
  }[]
  balancesAt: string | null
  checks: {
    name: string
    /** Null if only a person can see it. */
    isDone: boolean | null
    instruction: string
  }[]
  createdBy: string
  createdAt: string
  updatedAt: string
}

export interface ProviderHealth {
  status: string
  checkedAt: string | null
  /** Why the last check failed. */
  problem: {
    code: string
    message: string
  } | null
  openOrders: number
  ordersNeedingAttention: number
  oldestOpenOrderAt: string | null
  lastNoticeAt: string | null
  /** In the last 24 hours. */
  refusedNoticesToday: number
  calls: {
    /** What the calls of the last 24 hours did. */
    kind: string
    count: number
    failed: number
    p50Ms: number
    p95Ms: number
    lastResponseAt: string | null
  }[]
  suspended: {
    service: string
    why: string
  }[]
}

export interface PaymentOrder {
  /** Increases by 1 each time that the record is ordered again. */
  attempt: number
  connectionId: number
  provider: string
  title: string
  name: string
  /** The reference under which the provider has the order. */
  reference: string
  providerId: string | null
  /** The reference that banks use. */
  sessionId: string | null
  state: string | null
  /** What the provider said last, or what a person has to do there. */
  message: string | null
  /** Whether the provider can cancel a payout that it has. Only then can another be sent. */
  canWithdraw: boolean
  /** Whether it is one of the unresolved orders. */
  needsDecision: boolean
  /** What the provider keeps; null until it says. */
  fee: number | null
  feeMinor: number | null
  sentAt: string | null
  endedAt: string | null
}

export interface Overview {
  before: string
  from: string
  until: string
  currency: string
  /** Every day in the period, in order. */
  days: string[]
  volume: {
    amount: number
    amountMinor: number
    before: {
      amount: number
      amountMinor: number
    }
  } | null
  count: {
    value: number
    before: number
  } | null
  successRate: {
    value: number | null
    before: number | null
  } | null
  balance: {
    amount: number
    amountMinor: number
    before: {
      amount: number
      amountMinor: number
    }
  } | null
  series:
    | {
        day: string
        channel: string
        count: number
        amount: number
        amountMinor: number
      }[]
    | null
  activity: {
    id: string
    type: string
    reference: string | null
    /** The customer, or the recipient of the money. */
    who: string | null
    /** The invoice number or product name. */
    about: string | null
    amount: number | null
    currency: string | null
    status: string | null
    path: string | null
    at: string
  }[]
  setUp: {
    step: string
    done: boolean
  }[]
}

export interface Waiting {
  /** Open disputes without a response on its way. */
  disputes: number
  differences: number
  /** Orders with an unknown outcome. */
  orders: number
}

export interface Customer {
  email: string
  name: string | null
  phone: string | null
  payments: number
  invoices: number
  orders: number
  paid: number
  paidMinor: number
  currency: string
  firstAt: string
  lastAt: string
  lastPayments:
    | {
        reference: string
        number: string | null
        status: string
        channel: string | null
        amount: number
        currency: string
        createdAt: string
      }[]
    | null
  lastInvoices:
    | {
        reference: string
        number: string | null
        status: string
        channel: string | null
        amount: number
        currency: string
        createdAt: string
      }[]
    | null
  lastOrders:
    | {
        reference: string
        number: string | null
        status: string
        channel: string | null
        amount: number
        currency: string
        createdAt: string
      }[]
    | null
}

export interface Branding {
  name: string | null
  supportEmail: string | null
  supportPhone: string | null
  website: string | null
  address: string | null
  accentColor: string | null
  accentInks: {
    light: {
      accent: string
      onAccent: string
    }
    dark: {
      accent: string
      onAccent: string
    }
  } | null
  logo: {
    path: string
    width: number
    height: number
    bytes: number | null
  } | null
  unless: {
    name: string
    email: string | null
    phone: string | null
  }
  updatedAt: string | null
}

export interface Fees {
  isDefault: boolean
  channels: {
    channel: string
    words: string
    isOwn: boolean
  }[]
  transfers: string[]
}

export interface Mail {
  id: number
  kind: string
  to: string
  status: string
  createdAt: string
  subject: string | null
  attempts: number
  error: string | null
  sentAt: string | null
  from: string | null
  replyTo: string | null
  htmlUrl: string | null
  text: string | null
}

export interface LedgerEntry {
  id: number
  reference: string
  kind: string
  amount: number
  amountMinor: number
  currency: string
  /** The account that was debited. */
  from: {
    kind: string
    subaccount: {
      code: string
      name: string
    } | null
    connection: {
      id: number
      name: string
    } | null
  }
  /** The account that was credited. */
  to: {
    kind: string
    subaccount: {
      code: string
      name: string
    } | null
    connection: {
      id: number
      name: string
    } | null
  }
  cause: {
    type: string
    id: number
    reference: string | null
    /** Also null if your role cannot see it. */
    name: string | null
  }
  createdAt: string
  verb: string
  sealed: {
    number: number
    at: string | null
  } | null
  moves: {
    id: number
    reference: string
    kind: string
    amount: number
    amountMinor: number
    currency: string
    /** The account that was debited. */
    from: {
      kind: string
      subaccount: {
        code: string
        name: string
      } | null
      connection: {
        id: number
        name: string
      } | null
    }
    /** The account that was credited. */
    to: {
      kind: string
      subaccount: {
        code: string
        name: string
      } | null
      connection: {
        id: number
        name: string
      } | null
    }
    cause: {
      type: string
      id: number
      reference: string | null
      /** Also null if your role cannot see it. */
      name: string | null
    }
    createdAt: string
  }[]
  total: number
  sums: {
    account: {
      kind: string
      subaccount: {
        code: string
        name: string
      } | null
      connection: {
        id: number
        name: string
      } | null
    }
    debit: number
    debitMinor: number
    credit: number
    creditMinor: number
  }[]
  steps: {
    reference: string
    verb: string
    createdAt: string
    isThis: boolean
  }[]
}

export interface ListedReconciliationDay {
  connectionId: number
  connection: string
  provider: string
  day: string
  status: string
  runAt: string | null
  nextRunAt: string | null
  problem: string | null
  matched: number
  waiting: number
  differences: number
}

export interface ReconciliationEntry {
  kind: string
  class: string
  status: string
  providerId: string
  reference: string | null
  amount: number
  amountMinor: number
  feeMinor: number | null
  currency: string
  at: string
  settlementId: string | null
  order: {
    kind: string
    reference: string | null
  } | null
}

export interface ListedUnresolvedOrder {
  kind: string
  id: number
  reference: string
  attempt: number
  connectionId: number
  attention: string | null
  since: string | null
  amount: number | null
  amountMinor: number | null
  currency: string | null
  sent: {
    reference: string
    tries: number
    firstAt: string | null
    lastAt: string | null
    nextAt: string | null
  }
  received: {
    state: string | null
    outcome: string | null
    code: string | null
    message: string | null
    providerId: string | null
    session: string | null
    unknownThereSince: string | null
  }
  endedAt: string | null
  decisions: string[]
}

export interface Session {
  id: number
  current: boolean
  ip: string | null
  userAgent: string | null
  createdAt: string
  lastSeenAt: string
}

export interface AuditEntry {
  number: number
  at: string
  /** test or live */
  mode: string | null
  personId: number | null
  person: string
  action: string
  object: string | null
  detail: string
  ip: string | null
  requestId: string | null
}

export interface ListedProviderNotification {
  id: number
  connectionId: number
  type: string | null
  about: string
  reference: string | null
  providerId: string | null
  deliveries: number
  status: 'Received' | 'Applied' | 'Unchanged' | 'Unmatched' | 'Unreadable' | 'Failed'
  result: string | null
  tries: number
  nextTryAt: string | null
  receivedAt: string
  lastReceivedAt: string
  doneAt: string | null
}

export interface KnownProvider {
  provider: string
  title: string
  currencies: string[]
  services: string[]
  credentials: {
    name: string
    label: string
    isSecret: boolean
    isRequired: boolean
    /** Made by the server if it is left out. */
    isOurChoice: boolean
  }[]
  ussdBanks: string[]
}

export interface Pause {
  what: 'business' | 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'writes' | 'payouts' | 'connection'
  reason: string | null
  pausedAt: string
  /** Who stopped payouts. */
  by: string | null
  /** Who can end it. `member`: anyone who can change connections. */
  resumedBy: 'operator' | 'owner' | 'member'
  connection: {
    id: number
    name: string
  } | null
}

export interface ListedCustomer {
  email: string
  name: string | null
  phone: string | null
  payments: number
  invoices: number
  orders: number
  paid: number
  paidMinor: number
  currency: string
  firstAt: string
  lastAt: string
}

export interface OrderNote {
  id: number
  text: string
  author: string
  authorId: number
  createdAt: string
}

export interface Key {
  id: number
  reference: string
  /** Active, Replaced, Expired or Revoked */
  status: string
  businessId: number
  /** test or live */
  mode: string
  type: 'secret' | 'public'
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

export interface ListedMail {
  id: number
  kind: string
  to: string
  status: string
  createdAt: string
  subject: string | null
}

export interface ListedLedgerEntry {
  id: number
  reference: string
  kind: string
  amount: number
  amountMinor: number
  currency: string
  /** The account that was debited. */
  from: {
    kind: string
    subaccount: {
      code: string
      name: string
    } | null
    connection: {
      id: number
      name: string
    } | null
  }
  /** The account that was credited. */
  to: {
    kind: string
    subaccount: {
      code: string
      name: string
    } | null
    connection: {
      id: number
      name: string
    } | null
  }
  cause: {
    type: string
    id: number
    reference: string | null
    /** Also null if your role cannot see it. */
    name: string | null
  }
  createdAt: string
  /** in or out of the chosen account */
  direction: string | null
  /** The balance of the chosen account after this movement. */
  balance: number | null
}

export interface BeginTwoFactorResponse {
  secret: string
  url: string
  qr: {
    size: number
    rows: string[]
  }
}

export interface ConnectProviderResponse {
  connectionId: number
  noticeUrl: string
  /** Values that the server has made. They are shown only once. */
  made: Record<string, unknown>
  connection: Provider
}

export interface SearchResponse {
  kind: string
  title: string
  detail: string
  /** The path of its dashboard screen, without the mode. */
  path: string
}

export interface CreateKeyResponse {
  id: number
  reference: string
  /** Active, Replaced, Expired or Revoked */
  status: string
  businessId: number
  /** test or live */
  mode: string
  type: 'secret' | 'public'
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
  /** Shown only once. */
  key: string
}

export interface Operations {
  accept_deposit: {
    input: {
      reference: string
    }
    answer: Envelope<Deposit>
  }
  accept_dispute: {
    input: {
      reference: string
    } & AcceptDisputeInput
    answer: Envelope<Dispute>
  }
  add_delivery_fee: {
    input: AddDeliveryFeeInput
    answer: {
      message: string
    }
  }
  add_digital_download_file: {
    input: AddDigitalDownloadFileInput
    answer: Envelope<AddDigitalDownloadFileResponse>
  }
  add_dispute_evidence: {
    input: {
      reference: string
    } & AddDisputeEvidenceInput
    answer: Envelope<Dispute>
  }
  add_payment_page_products: {
    input: AddPaymentPageProductsInput
    answer: {
      message: string
    }
  }
  add_product_media: { input: AddProductMediaInput; answer: Envelope<AddProductMediaResponse> }
  add_product_option_variant: { input: AddProductOptionVariantInput; answer: Envelope<Product> }
  add_product_options: { input: AddProductOptionsInput; answer: Envelope<Product> }
  add_product_variant_media: {
    input: AddProductVariantMediaInput
    answer: Envelope<AddProductMediaResponse>
  }
  add_split_page_subaccount: {
    input: {
      id: number | string
    } & AddSplitPageSubaccountInput
    answer: {
      share: number
      subaccount: string
    }
  }
  approve_transfer: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  archive_product: { input: ArchiveProductInput; answer: Envelope<Product> }
  begin_passkey: { input: undefined; answer: Envelope<Record<string, unknown>> }
  begin_passkey_reauthentication: { input: undefined; answer: Envelope<Record<string, unknown>> }
  begin_passkey_sign_in: { input: undefined; answer: Envelope<Record<string, unknown>> }
  begin_two_factor: { input: undefined; answer: Envelope<BeginTwoFactorResponse> }
  cancel_checkout: {
    input: {
      reference: string
    }
    answer: Envelope<Checkout>
  }
  cancel_refund: {
    input: {
      reference: string
    }
    answer: Envelope<Refund>
  }
  cancel_transfer: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  change_branding: {
    input: {
      name?: string | null | undefined
      supportEmail?: string | null | undefined
      supportPhone?: string | null | undefined
      website?: string | null | undefined
      address?: string | null | undefined
      accentColor?: string | null | undefined
      logo?: string | null | undefined
    }
    answer: Envelope<Branding>
  }
  change_business: {
    input: {
      name?: string | undefined
      email?: string | null | undefined
      phone?: string | null | undefined
      firstName?: string | null | undefined
      lastName?: string | null | undefined
    }
    answer: Envelope<null>
  }
  change_member_role: {
    input: {
      personId: number
      role: 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'
    }
    answer: Envelope<null>
  }
  change_password: {
    input: {
      password: string
      newPassword: string
    }
    answer: Envelope<null>
  }
  change_provider: {
    input: {
      connectionId: number
      name?: string | undefined
      settings?:
        | {
            services?:
              | (
                  | 'BANK_TRANSFER'
                  | 'USSD'
                  | 'CARD'
                  | 'ACCOUNTS'
                  | 'PAYOUTS'
                  | 'UTILITY'
                  | 'FUNDING'
                )[]
              | undefined
            ussdBanks?: string[] | undefined
            feesPaidBy?: 'business' | 'operator' | undefined
            /**
             * Whether the provider pays the balance out to your bank account by itself; null if
             * unknown. While it does, payouts are refused.
             */
            automaticSettlement?: boolean | null | undefined
            /** Sent if the provider requires an email address that the payer did not give. */
            payerEmail?: string | null | undefined
          }
        | undefined
    }
    answer: Envelope<Provider>
  }
  change_routing: {
    input: {
      routes: {
        service: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING'
        /** Default: "NGN". */
        currency?: string | undefined
        connectionId: number
        /** Major units (naira, not kobo): a number or a decimal string. */
        leastAmount?: number | string | null | undefined
        /** Major units (naira, not kobo): a number or a decimal string. */
        mostAmount?: number | string | null | undefined
        priority: number
        /** Default: 1. */
        weight?: number | undefined
        /** Default: []. */
        banks?: string[] | undefined
        /** Default: true. */
        isActive?: boolean | undefined
      }[]
    }
    answer: Envelope<{
      routes: {
        service: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING'
        currency: string
        connectionId: number
        leastAmount: number
        leastAmountMinor: number
        mostAmount: number | null
        mostAmountMinor: number | null
        priority: number
        /** Default: 1. */
        weight: number
        /** Default: []. */
        banks: string[]
        /** Default: true. */
        isActive: boolean
      }[]
    }>
  }
  check_custom_link: { input: CheckCustomLinkInput; answer: Envelope<CheckProductSlugResponse> }
  check_product_slug: { input: CheckProductSlugInput; answer: Envelope<CheckProductSlugResponse> }
  close_difference: {
    input: {
      reference: string
      resolution: 'booked' | 'allocated' | 'sent_back' | 'accepted' | 'not_ours'
      reason: string
      transactionReference?: string | undefined
    }
    answer: Envelope<Difference>
  }
  confirm_approval_change: {
    input: {
      requestedAt: string
    }
    answer: Envelope<Record<string, unknown>>
  }
  confirm_email: {
    input: {
      token: string
    }
    answer: Envelope<null>
  }
  confirm_subaccount_account: {
    input: {
      reference: string
    }
    answer: Envelope<Subaccount>
  }
  confirm_two_factor: {
    input: {
      code: string
    }
    answer: Envelope<{
      recoveryCodes: string[]
    }>
  }
  connect_provider: {
    input: {
      provider: 'paystack' | 'flutterwave'
      name?: string | undefined
      credentials: Record<string, unknown>
      baseUrl?: string | undefined
      settings?:
        | {
            services?:
              | (
                  | 'BANK_TRANSFER'
                  | 'USSD'
                  | 'CARD'
                  | 'ACCOUNTS'
                  | 'PAYOUTS'
                  | 'UTILITY'
                  | 'FUNDING'
                )[]
              | undefined
            ussdBanks?: string[] | undefined
            feesPaidBy?: 'business' | 'operator' | undefined
            /**
             * Whether the provider pays the balance out to your bank account by itself; null if
             * unknown. While it does, payouts are refused.
             */
            automaticSettlement?: boolean | null | undefined
            /** Sent if the provider requires an email address that the payer did not give. */
            payerEmail?: string | null | undefined
          }
        | undefined
    }
    answer: Envelope<ConnectProviderResponse>
  }
  contest_dispute: {
    input: {
      reference: string
    } & ContestDisputeInput
    answer: Envelope<Dispute>
  }
  copy_invitation_link: {
    input: {
      id: string
    }
    answer: Envelope<{
      url: string
    }>
  }
  create_checkout_virtual_account: {
    input: CreateCheckoutVirtualAccountInput
    answer: Envelope<CreateCheckoutVirtualAccountResponse>
  }
  create_discount_code: { input: CreateDiscountCodeInput; answer: Envelope<DiscountCode> }
  create_invoice: { input: CreateInvoiceInput; answer: Envelope<Invoice> }
  create_key: {
    input: {
      label?: string | null | undefined
      /** Default: "secret". */
      type?: 'secret' | 'public' | undefined
      scopes?: string[] | null | undefined
      /** Default: []. */
      allowedIps?: string[] | undefined
      expiresAt?: string | null | undefined
    }
    answer: Envelope<CreateKeyResponse>
  }
  create_oauth_token: { input: CreateOauthTokenInput; answer: CreateOauthTokenResponse }
  create_order_note: {
    input: {
      reference: string
      text: string
    }
    answer: Envelope<OrderNote>
  }
  create_partner_token: {
    input: CreatePartnerTokenInput
    answer: Envelope<CreatePartnerTokenResponse>
  }
  create_payment_page: { input: CreatePaymentPageInput; answer: Envelope<PaymentPage> }
  create_payment_page_of_transactions: {
    input: CreatePaymentPageOfTransactionsInput
    answer: Envelope<PaymentPage>
  }
  create_payout: { input: CreatePayoutInput; answer: Envelope<Transfer> }
  create_product: { input: CreateProductInput; answer: Envelope<Product> }
  create_refund: { input: CreateRefundInput; answer: Envelope<Refund> }
  create_split_page: { input: CreateSplitPageInput; answer: Envelope<SplitPage> }
  create_subaccount: {
    input: CreateSubaccountInput
    answer: Envelope<Subaccount> & {
      id: number
      business_name: string
      account_number: string
      percentage_charge: number
      currency: string
      /** The bank’s id. */
      bank: number | null
      account_name: string | null
      subaccount_code: string
    }
  }
  create_transfer: { input: CreateTransferInput; answer: Envelope<Transfer> }
  create_transfer_bare: { input: CreateTransferBareInput; answer: Envelope<Transfer> }
  create_ussd_transaction: {
    input: CreateUssdTransactionInput
    answer: {
      data: CreateUssdTransactionResponse
      /** The id of the transaction. */
      transactionIdForSession: number
    }
  }
  create_webhook: { input: CreateWebhookInput; answer: Envelope<CreateWebhookResponse> }
  deactivate_subaccount: {
    input: {
      reference: string
    }
    answer: Envelope<Subaccount>
  }
  decide_order: {
    input: {
      kind:
        | 'charge'
        | 'transfer'
        | 'settlement'
        | 'refund'
        | 'deposit_return'
        | 'bill'
        | 'dispute_response'
      id: number
      decision: 'paid' | 'not_paid' | 'send_again'
      reason: string
      providerId?: string | undefined
      statement?: string | undefined
    }
    answer: Envelope<UnresolvedOrder>
  }
  delete_delivery_fee: { input: DeleteDeliveryFeeInput; answer: Envelope<DeliveryFee> }
  delete_digital_download_file: {
    input: DeleteDigitalDownloadFileInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  delete_dispute_evidence: {
    input: {
      reference: string
      evidenceId: number | string
    }
    answer: Envelope<Dispute>
  }
  delete_payment_page: { input: DeletePaymentPageInput; answer: Envelope<PaymentPage> }
  delete_product: { input: DeleteProductInput; answer: Envelope<Product> }
  delete_product_media: { input: DeleteProductMediaInput; answer: Envelope<ProductMedia> }
  delete_product_option_variant: {
    input: DeleteProductOptionVariantInput
    answer: Envelope<Product>
  }
  delete_product_options: { input: DeleteProductOptionsInput; answer: Envelope<Product> }
  delete_product_variant_media: {
    input: DeleteProductVariantMediaInput
    answer: Envelope<ProductMedia>
  }
  delete_webhook: {
    input: {
      reference: string
    }
    answer: Envelope<Webhook>
  }
  download_branding_sample: { input: undefined; answer: unknown }
  drop_approval_change: {
    input: {
      requestedAt: string
    }
    answer: Envelope<Record<string, unknown>>
  }
  duplicate_product: { input: DuplicateProductInput; answer: Envelope<Product> }
  end_other_sessions: {
    input: undefined
    answer: Envelope<{
      ended: number
    }>
  }
  end_session: {
    input: {
      id: number
    }
    answer: Envelope<null>
  }
  enquire_utility_customer: {
    input: EnquireUtilityCustomerInput
    answer: EnquireUtilityCustomerResponse
  }
  erase_customer: {
    input: {
      email: string
    }
    answer: Envelope<{
      askedAt: string
      refused: string | null
    } | null>
  }
  export_audit_entries: {
    input: {
      person?: number | undefined
      action?: string | undefined
      from?: string | undefined
      to?: string | undefined
    }
    answer: unknown
  }
  export_deposits: { input: ExportDepositsInput; answer: unknown }
  export_invoices: { input: ExportInvoicesInput; answer: unknown }
  export_ledger_entries: {
    input: {
      startDate?: string | undefined
      endDate?: string | undefined
      account?: string | undefined
      direction?: 'in' | 'out' | undefined
      kind?: string | undefined
      cause?: string | undefined
      reference?: string | undefined
      currency?: string | undefined
    }
    answer: unknown
  }
  export_reconciliation_entries: {
    input: {
      connectionId: number
      day: string
      class?: 'matched' | 'missing_here' | 'different' | 'pending' | 'waiting' | undefined
      kind?:
        | 'charge'
        | 'payout'
        | 'refund'
        | 'bill'
        | 'dispute'
        | 'settlement'
        | 'reversal'
        | 'fee'
        | 'other'
        | undefined
    }
    answer: unknown
  }
  export_settlement: {
    input: {
      reference: string
    }
    answer: unknown
  }
  export_transactions: { input: ExportTransactionsInput; answer: unknown }
  export_transfers: { input: ExportTransfersInput; answer: unknown }
  export_utility_payments: { input: ExportUtilityPaymentsInput; answer: unknown }
  export_virtual_accounts: { input: ExportVirtualAccountsInput; answer: unknown }
  fetch_transaction: {
    input: {
      id: number | string
    }
    answer: Envelope<Transaction>
  }
  filter_product_variants: {
    input: FilterProductVariantsInput
    answer: Envelope<FilterProductVariantsResponse[]> & { meta?: PageMeta }
  }
  finish_passkey: {
    input: {
      name: string
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: Record<string, unknown>
        clientExtensionResults: Record<string, unknown>
        authenticatorAttachment?: string | undefined
      }
    }
    answer: Envelope<{
      id: string
    }>
  }
  finish_passkey_reauthentication: {
    input: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: Record<string, unknown>
        clientExtensionResults: Record<string, unknown>
        authenticatorAttachment?: string | undefined
      }
    }
    answer: Envelope<null>
  }
  finish_passkey_sign_in: {
    input: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: Record<string, unknown>
        clientExtensionResults: Record<string, unknown>
        authenticatorAttachment?: string | undefined
      }
    }
    answer: Envelope<null>
  }
  follow_changes: {
    input: {
      business: string
      /** Default: "test". */
      mode?: 'test' | 'live' | undefined
    }
    answer: unknown
  }
  get_approvals: {
    input: undefined
    answer: Envelope<{
      transfers: number
      limits: number
    }>
  }
  get_bill_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_branding: { input: undefined; answer: Envelope<Branding> }
  get_checkout: {
    input: {
      reference: string
    }
    answer: Envelope<Checkout>
  }
  get_customer: {
    input: {
      email: string
    }
    answer: Envelope<Customer>
  }
  get_deposit: {
    input: {
      reference: string
    }
    answer: Envelope<Deposit>
  }
  get_deposit_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_difference: {
    input: {
      reference: string
    }
    answer: Envelope<Difference>
  }
  get_dispute: {
    input: {
      reference: string
    }
    answer: Envelope<Dispute>
  }
  get_dispute_evidence: {
    input: {
      reference: string
      evidenceId: number | string
    }
    answer: unknown
  }
  get_erasure: {
    input: {
      email: string
    }
    answer: Envelope<{
      askedAt: string
      refused: string | null
    } | null>
  }
  get_event: {
    input: {
      id: string
    }
    answer: Envelope<EventRecord>
  }
  get_fees: { input: undefined; answer: Envelope<Fees> }
  get_funding_account: { input: undefined; answer: Envelope<FundingAccount> }
  get_invoice: {
    input: {
      reference: string
    }
    answer: Envelope<Invoice>
  }
  get_invoice_pdf: {
    input: {
      reference: string
    }
    answer: unknown
  }
  get_invoice_timeline: {
    input: {
      reference: string
    }
    answer: Envelope<{
      mails: {
        id: number
        kind: string
        to: string
        status: string
        createdAt: string
      }[]
      overdueAt: string[]
    }>
  }
  get_ledger_accounts: {
    input: undefined
    answer: Envelope<{
      accounts: {
        kind: string
        subaccount: {
          code: string
          name: string
        } | null
        connection: {
          id: number
          name: string
        } | null
        count: number
        currency: string
        balance: number
        balanceMinor: number
      }[]
      subaccounts: {
        kind: string
        subaccount: {
          code: string
          name: string
        } | null
        connection: {
          id: number
          name: string
        } | null
        currency: string
        balance: number
        balanceMinor: number
      }[]
    }>
  }
  get_ledger_entry: {
    input: {
      /** `LED_` followed by the number of an entry. */
      reference: string
    }
    answer: Envelope<LedgerEntry>
  }
  get_link: {
    input: {
      token: string
    }
    answer: Envelope<Link>
  }
  get_mail: {
    input: {
      id: number
    }
    answer: Envelope<Mail>
  }
  get_me: { input: undefined; answer: Envelope<Me> }
  get_next_payout: { input: GetNextPayoutInput; answer: Envelope<NextPayout> }
  get_order: {
    input: {
      reference: string
    }
    answer: Envelope<Order>
  }
  get_overview: {
    input: {
      from?: string | undefined
      to?: string | undefined
      /** Default: 30. */
      days?: number | undefined
    }
    answer: Envelope<Overview>
  }
  get_payment_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_payment_page: { input: GetPaymentPageInput; answer: Envelope<PaymentPage> }
  get_payout: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  get_payouts_stop: {
    input: undefined
    answer: Envelope<{
      stoppedAt: string
      by: string
      reason: string
      /** Who can resume payouts. */
      resumedBy: 'owner' | 'operator'
    } | null>
  }
  get_product: { input: GetProductInput; answer: Envelope<Product> }
  get_product_inventory: { input: GetProductInventoryInput; answer: Envelope<ProductInventory> }
  get_profile: { input: undefined; answer: Envelope<Profile> }
  get_profile_settings: { input: undefined; answer: Envelope<ProfileSettings> }
  get_proof_of_funds: { input: undefined; answer: Envelope<Proof[]> }
  get_provider: {
    input: {
      connectionId: number
    }
    answer: Envelope<Provider>
  }
  get_provider_health: {
    input: {
      connectionId: number
    }
    answer: Envelope<ProviderHealth>
  }
  get_provider_notification: {
    input: {
      connectionId: number
      noticeId: number
    }
    answer: Envelope<ProviderNotification>
  }
  get_reconciliation_day: {
    input: {
      connectionId: number
      day: string
    }
    answer: Envelope<ReconciliationDay>
  }
  get_refund: {
    input: {
      reference: string
    }
    answer: Envelope<Refund>
  }
  get_refund_by_reference: { input: GetRefundByReferenceInput; answer: Envelope<Refund> }
  get_refund_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_request: {
    input: {
      requestId: string
    }
    answer: Envelope<RequestRecord>
  }
  get_routing: {
    input: undefined
    answer: Envelope<{
      routes: {
        service: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING'
        currency: string
        connectionId: number
        leastAmount: number
        leastAmountMinor: number
        mostAmount: number | null
        mostAmountMinor: number | null
        priority: number
        /** Default: 1. */
        weight: number
        /** Default: []. */
        banks: string[]
        /** Default: true. */
        isActive: boolean
      }[]
    }>
  }
  get_settlement: {
    input: {
      reference: string
    } & GetSettlementInput
    answer: Envelope<Settlement>
  }
  get_settlement_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_split_page: {
    input: {
      id: number | string
    }
    answer: Envelope<SplitPage>
  }
  get_subaccount: {
    input: {
      reference: string
    }
    answer: Envelope<Subaccount>
  }
  get_subaccount_balance: {
    input: {
      reference: string
    }
    answer: Envelope<SubaccountBalance>
  }
  get_team: { input: undefined; answer: Envelope<Team> }
  get_transaction_totals: { input: GetTransactionTotalsInput; answer: Envelope<TransactionTotals> }
  get_transfer: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  get_transfer_fee: { input: GetTransferFeeInput; answer: Envelope<TransferFee> }
  get_transfer_orders: {
    input: {
      id: number
    }
    answer: Envelope<PaymentOrder[]>
  }
  get_unresolved_order: {
    input: {
      kind:
        | 'charge'
        | 'transfer'
        | 'settlement'
        | 'refund'
        | 'deposit_return'
        | 'bill'
        | 'dispute_response'
      id: number
    }
    answer: Envelope<UnresolvedOrder>
  }
  get_utility_payment: {
    input: {
      paymentReference: string
    }
    answer: UtilityPayment
  }
  get_virtual_account: {
    input: {
      id: number | string
    }
    answer: Envelope<VirtualAccount>
  }
  get_waiting: { input: undefined; answer: Envelope<Waiting> }
  get_wallet_balance: {
    input: GetWalletBalanceInput
    answer: Envelope<WalletBalance[]> & { meta?: PageMeta }
  }
  get_webhook: {
    input: {
      reference: string
    }
    answer: Envelope<Webhook>
  }
  get_webhook_delivery: {
    input: {
      reference: string
      id: string
    }
    answer: Envelope<WebhookDelivery>
  }
  get_welcome: {
    input: undefined
    answer: Envelope<{
      /** Whether the server has no accounts yet. */
      isNew: boolean
    }>
  }
  grant_partner: { input: GrantPartnerInput; answer: Envelope<Partner> }
  initialize_checkout: { input: InitializeCheckoutInput; answer: Envelope<Checkout> }
  invite_member: {
    input: {
      email: string
      role: 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'
    }
    answer: Envelope<null>
  }
  list_audit_entries: {
    input: {
      person?: number | undefined
      action?: string | undefined
      from?: string | undefined
      to?: string | undefined
      /** Default: 1. */
      page?: number | undefined
      /** Default: 20. */
      limit?: number | undefined
    }
    answer: Envelope<AuditEntry[]> & { meta: PageMeta }
  }
  list_banks: { input: ListBanksInput; answer: Envelope<Bank[]> & { meta?: PageMeta } }
  list_banks_deprecated: {
    input: ListBanksDeprecatedInput
    answer: Envelope<Bank[]> & { meta?: PageMeta }
  }
  list_checkouts: { input: ListCheckoutsInput; answer: Envelope<Checkout[]> & { meta: PageMeta } }
  list_customers: {
    input: {
      /** Default: 1. */
      page?: number | undefined
      /** Default: 20. */
      limit?: number | undefined
      search?: string | undefined
    }
    answer: Envelope<ListedCustomer[]> & { meta: PageMeta }
  }
  list_delivery_fees: {
    input: ListDeliveryFeesInput
    answer: Envelope<DeliveryFee[]> & { meta?: PageMeta }
  }
  list_deposits: { input: ListDepositsInput; answer: Envelope<Deposit[]> & { meta: PageMeta } }
  list_differences: {
    input: {
      status?: 'Open' | 'Closed' | undefined
      class?: 'missing_here' | 'missing_there' | 'different' | undefined
      kind?:
        | 'charge'
        | 'payout'
        | 'refund'
        | 'bill'
        | 'dispute'
        | 'settlement'
        | 'reversal'
        | 'fee'
        | 'other'
        | 'balance'
        | undefined
      connectionId?: number | undefined
      day?: string | undefined
      /** `meta.next` or `meta.previous` from another page of the same list. */
      cursor?: string | undefined
      /** Default: 20. */
      limit?: number | undefined
    }
    answer: Envelope<Difference[]> & { meta: CursorMeta }
  }
  list_digital_download_files: {
    input: ListDigitalDownloadFilesInput
    answer: Envelope<DigitalDownloadFile[]> & { meta: PageMeta }
  }
  list_discount_codes: {
    input: ListDiscountCodesInput
    answer: Envelope<DiscountCode[]> & { meta: PageMeta }
  }
  list_disputes: { input: ListDisputesInput; answer: Envelope<Dispute[]> & { meta: PageMeta } }
  list_event_types: {
    input: ListEventTypesInput
    answer: Envelope<EventType[]> & { meta: PageMeta }
  }
  list_events: {
    input: ListEventsInput
    answer: Envelope<EventRecord[]> & {
      meta: {
        /** Exact up to 10,000 matches. */
        total: number
        totalIsExact: boolean
        page: number
        limit: number
        /** Beyond 10,000 matches, it grows as you page through them; follow `hasNext` instead. */
        pageCount: number
        hasNext: boolean
        hasPrevious: boolean
        /**
         * With sort=ASC: the `after` to use for the next request when you follow events. Events
         * less than a minute old are listed again, because concurrent events can become visible
         * late.
         */
        resume: string | null
      }
    }
  }
  list_invoices: { input: ListInvoicesInput; answer: Envelope<Invoice[]> & { meta: PageMeta } }
  list_keys: { input: undefined; answer: Envelope<Key[]> }
  list_known_providers: { input: undefined; answer: Envelope<KnownProvider[]> }
  list_ledger_entries: {
    input: {
      startDate?: string | undefined
      endDate?: string | undefined
      account?: string | undefined
      direction?: 'in' | 'out' | undefined
      kind?: string | undefined
      cause?: string | undefined
      reference?: string | undefined
      currency?: string | undefined
      /** `meta.next` or `meta.previous` from another page of the same list. */
      cursor?: string | undefined
      /** Default: 20. */
      limit?: number | undefined
    }
    answer: Envelope<ListedLedgerEntry[]> & {
      meta: {
        limit: number
        next: string | null
        previous: string | null
        hasMore: boolean
        lookedUntil: string | null
        account: {
          kind: string
          subaccount: {
            code: string
            name: string
          } | null
          connection: {
            id: number
            name: string
          } | null
          currency: string
          balance: number
          balanceMinor: number
        } | null
      }
    }
  }
  list_mails: {
    input: {
      /** `meta.next` or `meta.previous` from another page of the same list. */
      cursor?: string | undefined
      /** Default: 20. */
      limit?: number | undefined
    }
    answer: Envelope<ListedMail[]> & { meta: CursorMeta }
  }
  list_order_notes: {
    input: {
      reference: string
    }
    answer: Envelope<OrderNote[]>
  }
  list_orders: { input: ListOrdersInput; answer: Envelope<Order[]> & { meta: PageMeta } }
  list_partners: { input: ListPartnersInput; answer: Envelope<Partner[]> & { meta: PageMeta } }
  list_passkeys: {
    input: undefined
    answer: Envelope<{
      /** Whether the server has a host name, which passkeys need. */
      available: boolean
      passkeys: {
        id: string
        name: string
        lastUsedAt: string | null
        createdAt: string
      }[]
    }>
  }
  list_pauses: { input: undefined; answer: Envelope<Pause[]> }
  list_payment_page_products: {
    input: ListPaymentPageProductsInput
    answer: Envelope<Product[]> & { meta: PageMeta }
  }
  list_payment_pages: {
    input: ListPaymentPagesInput
    answer: Envelope<PaymentPage[]> & { meta: PageMeta }
  }
  list_payment_pages_of_transactions: {
    input: ListPaymentPagesOfTransactionsInput
    answer: Envelope<PaymentPage[]> & { meta: PageMeta }
  }
  list_payouts: { input: ListPayoutsInput; answer: Envelope<Transfer[]> & { meta: PageMeta } }
  list_product_media: {
    input: ListProductMediaInput
    answer: Envelope<ProductMedia[]> & { meta?: PageMeta }
  }
  list_product_variant_media: {
    input: ListProductVariantMediaInput
    answer: Envelope<ProductMedia[]> & { meta?: PageMeta }
  }
  list_products: { input: ListProductsInput; answer: Envelope<Product[]> & { meta: PageMeta } }
  list_provider_notifications: {
    input: {
      connectionId: number
      status?:
        | 'Received'
        | 'Applied'
        | 'Unchanged'
        | 'Unmatched'
        | 'Unreadable'
        | 'Failed'
        | undefined
      type?: string | undefined
      /** `meta.next` or `meta.previous` from another page of the same list. */
      cursor?: string | undefined
      /** Default: 20. */
      limit?: number | undefined
    }
    answer: Envelope<ListedProviderNotification[]> & { meta: CursorMeta }
  }
  list_providers: { input: undefined; answer: Envelope<Provider[]> }
  list_reconciliation_days: {
    input: {
      connectionId?: number | undefined
      status?: 'Open' | 'Closed' | undefined
      before?: string | undefined
      /** Default: 31. */
      limit?: number | undefined
    }
    answer: Envelope<ListedReconciliationDay[]>
  }
  list_reconciliation_entries: {
    input: {
      connectionId: number
      day: string
      /** Default: 1. */
      page?: number | undefined
      /** Default: 20. */
      limit?: number | undefined
      class?: 'matched' | 'missing_here' | 'different' | 'pending' | 'waiting' | undefined
      kind?:
        | 'charge'
        | 'payout'
        | 'refund'
        | 'bill'
        | 'dispute'
        | 'settlement'
        | 'reversal'
        | 'fee'
        | 'other'
        | undefined
    }
    answer: Envelope<ReconciliationEntry[]> & { meta: PageMeta }
  }
  list_refunds: { input: ListRefundsInput; answer: Envelope<Refund[]> & { meta: PageMeta } }
  list_requests: {
    input: ListRequestsInput
    answer: Envelope<ListedRequestRecord[]> & { meta: CursorMeta }
  }
  list_sessions: { input: undefined; answer: Envelope<Session[]> }
  list_settlements: {
    input: ListSettlementsInput
    answer: Envelope<ListedSettlement[]> & { meta: PageMeta }
  }
  list_split_pages: {
    input: ListSplitPagesInput
    answer: Envelope<SplitPage[]> & { meta: PageMeta }
  }
  list_subaccounts: {
    input: ListSubaccountsInput
    answer: Envelope<Subaccount[]> & { meta: PageMeta }
  }
  list_transactions: {
    input: ListTransactionsInput
    answer: Envelope<Transaction[]> & { meta: CursorMeta }
  }
  list_transactions_bare: {
    input: ListTransactionsBareInput
    answer: Envelope<Transaction[]> & { meta: CursorMeta }
  }
  list_transfers: { input: ListTransfersInput; answer: Envelope<Transfer[]> & { meta: PageMeta } }
  list_transfers_bare: {
    input: ListTransfersBareInput
    answer: Envelope<Transfer[]> & { meta: PageMeta }
  }
  list_transfers_of_business: {
    input: ListTransfersOfBusinessInput
    answer: Envelope<Transfer[]> & { meta: PageMeta }
  }
  list_unresolved_orders: {
    input: {
      /** Default: 1. */
      page?: number | undefined
      /** Default: 20. */
      limit?: number | undefined
      kind?:
        | 'charge'
        | 'transfer'
        | 'settlement'
        | 'refund'
        | 'deposit_return'
        | 'bill'
        | 'dispute_response'
        | undefined
      connectionId?: number | undefined
    }
    answer: Envelope<ListedUnresolvedOrder[]> & { meta: PageMeta }
  }
  list_utility_billers: {
    input: ListUtilityBillersInput
    answer: Envelope<UtilityBiller[]> & { meta?: PageMeta }
  }
  list_utility_categories: {
    input: ListUtilityCategoriesInput
    answer: Envelope<UtilityCategory[]> & { meta?: PageMeta }
  }
  list_utility_packages: {
    input: ListUtilityPackagesInput
    answer: Envelope<UtilityPackage[]> & { meta?: PageMeta }
  }
  list_utility_payments: {
    input: ListUtilityPaymentsInput
    answer: Envelope<ListedUtilityPayment[]> & { meta: PageMeta }
  }
  list_virtual_accounts: {
    input: ListVirtualAccountsInput
    answer: Envelope<VirtualAccount[]> & { meta: PageMeta }
  }
  list_wallet_ledger: {
    input: ListWalletLedgerInput
    answer: Envelope<WalletLedger[]> & { meta: CursorMeta }
  }
  list_webhook_deliveries: {
    input: {
      reference: string
    } & ListWebhookDeliveriesInput
    answer: Envelope<ListedWebhookDelivery[]> & { meta: CursorMeta }
  }
  list_webhooks: { input: ListWebhooksInput; answer: Envelope<Webhook[]> & { meta: PageMeta } }
  look_up_order: {
    input: {
      kind:
        | 'charge'
        | 'transfer'
        | 'settlement'
        | 'refund'
        | 'deposit_return'
        | 'bill'
        | 'dispute_response'
      id: number
    }
    answer: Envelope<UnresolvedOrder>
  }
  mark_invoice_paid: {
    input: {
      reference: string
    } & MarkInvoicePaidInput
    answer: Envelope<Invoice>
  }
  open_funding_account: { input: undefined; answer: Envelope<FundingAccount> }
  order_product_media: {
    input: OrderProductMediaInput
    answer: Envelope<ProductMedia[]> & { meta?: PageMeta }
  }
  pause_provider: {
    input: {
      connectionId: number
      reason?: string | undefined
    }
    answer: Envelope<Provider>
  }
  preview_branding: {
    input: {
      page: 'checkout' | 'invoice'
      /** Default: "light". */
      scheme?: 'light' | 'dark' | undefined
      change: {
        name?: string | null | undefined
        supportEmail?: string | null | undefined
        supportPhone?: string | null | undefined
        website?: string | null | undefined
        address?: string | null | undefined
        accentColor?: string | null | undefined
      }
      logo?:
        | {
            width: number
            height: number
          }
        | null
        | undefined
    }
    answer: Envelope<{
      html: string
      unsavedLogo: string
    }>
  }
  preview_invoice: {
    input: {
      number?: string | undefined
      customerEmail?: string | undefined
      customerName?: string | undefined
      note?: string | undefined
      dueDate?: string | undefined
      currency?: string | undefined
      amount?: string | undefined
      lineItems?:
        | {
            name: string
            quantity: number
            unitAmount: string
          }[]
        | undefined
      allowPartialPayment?: boolean | undefined
    }
    answer: Envelope<{
      html: string
    }>
  }
  preview_payment_page: {
    input: {
      title: string
      description?: string | undefined
      image?: string | undefined
      color?: string | undefined
      currency?: string | undefined
      amountType?: 'fixed' | 'variable' | 'minimum' | undefined
      amount?: string | undefined
      suggestedAmounts?: string[] | undefined
      productIds?: string[] | undefined
      customFields?:
        | {
            label: string
            type: 'text' | 'number' | 'select' | 'date' | 'phone'
            required: boolean
            options?: string[] | undefined
          }[]
        | undefined
      collectPhone?: boolean | undefined
      collectAddress?: boolean | undefined
      allowDiscountCodes?: boolean | undefined
    }
    answer: Envelope<{
      html: string
    }>
  }
  preview_routing: {
    input: {
      service: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'ACCOUNTS' | 'PAYOUTS' | 'UTILITY' | 'FUNDING'
      /** Default: "NGN". */
      currency?: string | undefined
      /** Major units (naira, not kobo): a number or a decimal string. */
      amount?: number | string | undefined
      bankCode?: string | undefined
    }
    answer: Envelope<{
      candidates: {
        connectionId: number
        provider: string
        name: string
        share: number
        isSuspended: boolean
      }[]
      skipped: {
        connectionId: number
        provider: string
        name: string
        why: string
      }[]
    }>
  }
  process_utility_payment: { input: ProcessUtilityPaymentInput; answer: UtilityPayment }
  reauthenticate: {
    input: {
      password: string
      code?: string | undefined
    }
    answer: Envelope<null>
  }
  redeliver_webhook: {
    input: {
      reference: string
      id: string
    }
    answer: Envelope<ListedWebhookDelivery>
  }
  reject_transfer: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  remind_invoice: {
    input: {
      reference: string
    }
    answer: Envelope<Invoice>
  }
  remove_all_passkeys: {
    input: {
      token: string
    }
    answer: Envelope<null>
  }
  remove_member: {
    input: {
      personId: number
    }
    answer: Envelope<null>
  }
  remove_passkey: {
    input: {
      id: string
    }
    answer: Envelope<null>
  }
  remove_payment_page_products: {
    input: RemovePaymentPageProductsInput
    answer: Envelope<PaymentPage>
  }
  remove_provider: {
    input: {
      connectionId: number
      /** Default: false. */
      force?: boolean | undefined
      reason?: string | undefined
    }
    answer: Envelope<Provider>
  }
  remove_split_page_subaccount: {
    input: {
      id: number | string
    } & RemoveSplitPageSubaccountInput
    answer: Envelope<SplitPage>
  }
  remove_two_factor: {
    input: {
      password?: string | undefined
      code?: string | undefined
      response?:
        | {
            id: string
            rawId: string
            type: 'public-key'
            response: Record<string, unknown>
            clientExtensionResults: Record<string, unknown>
            authenticatorAttachment?: string | undefined
          }
        | undefined
    }
    answer: Envelope<null>
  }
  rename_digital_download_file: {
    input: RenameDigitalDownloadFileInput
    answer: Envelope<DigitalDownloadFile>
  }
  renew_recovery_codes: {
    input: undefined
    answer: Envelope<{
      recoveryCodes: string[]
    }>
  }
  replace_provider_credentials: {
    input: {
      connectionId: number
      credentials: Record<string, unknown>
      /** Default: 72. */
      graceHours?: number | undefined
    }
    answer: Envelope<Provider>
  }
  replace_provider_notification_url: {
    input: {
      connectionId: number
      /** Default: 72. */
      graceHours?: number | undefined
    }
    answer: Envelope<Provider>
  }
  replay_provider_notification: {
    input: {
      connectionId: number
      noticeId: number
    }
    answer: Envelope<ListedProviderNotification>
  }
  replay_webhook: {
    input: {
      reference: string
    } & ReplayWebhookInput
    answer: Envelope<ReplayWebhookResponse>
  }
  require_two_factor: {
    input: {
      required: boolean
    }
    answer: Envelope<null>
  }
  reset_password: {
    input: {
      token: string
      password: string
    }
    answer: Envelope<null>
  }
  resolve_bank_account: {
    input: ResolveBankAccountInput
    answer: Envelope<ResolveBankAccountResponse>
  }
  resume_payouts: {
    input: undefined
    answer: Envelope<{
      stoppedAt: string
      by: string
      reason: string
      /** Who can resume payouts. */
      resumedBy: 'owner' | 'operator'
    } | null>
  }
  resume_provider: {
    input: {
      connectionId: number
    }
    answer: Envelope<Provider>
  }
  retry_refund: {
    input: {
      reference: string
    } & RetryRefundInput
    answer: Envelope<Refund>
  }
  retry_transfer: {
    input: {
      reference: string
    }
    answer: Envelope<Transfer>
  }
  return_deposit: {
    input: {
      reference: string
    }
    answer: Envelope<Deposit>
  }
  revoke_invitation: {
    input: {
      id: string
    }
    answer: Envelope<null>
  }
  revoke_key: {
    input: {
      reference: string
    }
    answer: Envelope<Key>
  }
  revoke_partner: {
    input: {
      clientId: string
    }
    answer: Envelope<Partner>
  }
  rotate_key: {
    input: {
      reference: string
      /** Default: 24. */
      graceHours?: number | undefined
    }
    answer: Envelope<CreateKeyResponse>
  }
  rotate_webhook_secret: {
    input: {
      reference: string
    } & RotateWebhookSecretInput
    answer: Envelope<CreateWebhookResponse>
  }
  run_reconciliation: {
    input: {
      connectionId: number
      from: string
      until?: string | undefined
    }
    answer: Envelope<ListedReconciliationDay[]>
  }
  search: {
    input: {
      q: string
      only?: 'transaction' | undefined
    }
    answer: Envelope<SearchResponse[]>
  }
  send_email_link: { input: undefined; answer: Envelope<null> }
  send_invoice: {
    input: {
      reference: string
    }
    answer: Envelope<Invoice>
  }
  send_password_link: {
    input: {
      email: string
    }
    answer: Envelope<null>
  }
  set_download_link_expiry: {
    input: SetDownloadLinkExpiryInput
    answer: Envelope<SetDownloadLinkExpiryResponse>
  }
  set_payment_page_status: { input: SetPaymentPageStatusInput; answer: Envelope<PaymentPage> }
  show_letter: {
    input: {
      id: number
      business: string
      mode: 'test' | 'live'
    }
    answer: unknown
  }
  show_redirect_secret: {
    input: undefined
    answer: Envelope<{
      secret: string
    }>
  }
  sign_in: {
    input: {
      email: string
      password: string
      code?: string | undefined
    }
    answer: Envelope<null>
  }
  sign_out: { input: undefined; answer: Envelope<null> }
  sign_up: {
    input: {
      token: string
      name?: string | undefined
      email?: string | undefined
      password: string
      code?: string | undefined
      businessName?: string | undefined
    }
    answer: Envelope<null>
  }
  simulate_card: {
    input: SimulateCardInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_clock: { input: SimulateClockInput; answer: Envelope<SimulateClockResponse> }
  simulate_deposit: { input: SimulateDepositInput; answer: Envelope<SimulateDepositResponse> }
  simulate_dispute: {
    input: SimulateDisputeInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_dispute_outcome: {
    input: SimulateDisputeOutcomeInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_event: { input: SimulateEventInput; answer: Envelope<EventRecord> }
  simulate_refund: {
    input: SimulateRefundInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_settlement: { input: undefined; answer: Envelope<SimulateSettlementResponse> }
  simulate_transfer: {
    input: SimulateTransferInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_ussd: {
    input: SimulateUssdInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_utility: {
    input: SimulateUtilityInput
    answer: Envelope<{
      reference: string
      status: string
    }>
  }
  simulate_wallet: { input: SimulateWalletInput; answer: Envelope<SimulateWalletResponse> }
  stop_payouts: {
    input: {
      reason: string
    }
    answer: Envelope<{
      stoppedAt: string
      by: string
      reason: string
      /** Who can resume payouts. */
      resumedBy: 'owner' | 'operator'
    } | null>
  }
  test_provider: {
    input: {
      connectionId: number
    }
    answer: Envelope<Provider>
  }
  test_webhook: {
    input: {
      reference: string
    } & TestWebhookInput
    answer: Envelope<TestWebhookResponse>
  }
  update_delivery_fee: { input: UpdateDeliveryFeeInput; answer: Envelope<DeliveryFee> }
  update_discount_code: { input: UpdateDiscountCodeInput; answer: Envelope<DiscountCode> }
  update_invoice: {
    input: {
      reference: string
    } & UpdateInvoiceInput
    answer: Envelope<Invoice>
  }
  update_payment_page: { input: UpdatePaymentPageInput; answer: Envelope<PaymentPage> }
  update_product: { input: UpdateProductInput; answer: Envelope<Product> }
  update_product_option: { input: UpdateProductOptionInput; answer: Envelope<Product> }
  update_product_option_variant: {
    input: UpdateProductOptionVariantInput
    answer: Envelope<Product>
  }
  update_product_variant: {
    input: UpdateProductVariantInput
    answer: Envelope<FilterProductVariantsResponse>
  }
  update_profile_settings: { input: UpdateProfileSettingsInput; answer: Envelope<ProfileSettings> }
  update_split_page: {
    input: {
      id: number | string
    } & UpdateSplitPageInput
    answer: Envelope<SplitPage>
  }
  update_subaccount: {
    input: {
      reference: string
    } & UpdateSubaccountInput
    answer: Envelope<Subaccount>
  }
  update_webhook: {
    input: {
      reference: string
    } & UpdateWebhookInput
    answer: Envelope<Webhook>
  }
  upload_payment_page_image: {
    input: UploadPaymentPageImageInput
    answer: Envelope<UploadPaymentPageImageResponse>
  }
  verify_discount_code: {
    input: VerifyDiscountCodeInput
    answer: Envelope<VerifyDiscountCodeResponse>
  }
  verify_transaction: {
    input: {
      reference: string
    }
    answer: Envelope<Transaction>
  }
  void_invoice: {
    input: {
      reference: string
    }
    answer: Envelope<Invoice>
  }
}

/** Method and path of each. If the input has a body, the names after the `?` go into the query. */
export const ADDRESSES: Record<keyof Operations, string> = {
  accept_deposit: 'POST /api/transaction-service/external/v1/deposits/{reference}/accept',
  accept_dispute: 'POST /api/transaction-service/external/v1/disputes/{reference}/accept',
  add_delivery_fee: 'POST /api/payment-service/external/v1/products/add-delivery-fees',
  add_digital_download_file:
    'POST /api/payment-service/external/v1/products/add-digital-download-files',
  add_dispute_evidence: 'POST /api/transaction-service/external/v1/disputes/{reference}/evidence',
  add_payment_page_products:
    'POST /api/payment-service/external/v1/payment-pages/payment-page-add-product',
  add_product_media: 'POST /api/payment-service/external/v1/products/product-upload-media',
  add_product_option_variant: 'POST /api/payment-service/v1/products/add-product-option-variant',
  add_product_options: 'POST /api/payment-service/v1/products/add-product-options',
  add_product_variant_media: 'POST /api/payment-service/v1/products/add-product-variant-media',
  add_split_page_subaccount:
    'POST /api/transaction-service/external/v1/split-page/{id}/subaccount/add',
  approve_transfer: 'POST /api/transaction-service/external/v1/transfers/{reference}/approve',
  archive_product: 'POST /api/payment-service/external/v1/products/archive-product',
  begin_passkey: 'POST /console/passkeys/begin',
  begin_passkey_reauthentication: 'POST /console/reauthenticate/passkey/begin',
  begin_passkey_sign_in: 'POST /console/sign-in/passkey/begin',
  begin_two_factor: 'POST /console/two-factor/begin',
  cancel_checkout: 'POST /api/payment-service/external/v1/initialize-checkout/{reference}/cancel',
  cancel_refund: 'POST /api/transaction-service/external/v1/refunds/{reference}/cancel',
  cancel_transfer: 'POST /api/transaction-service/external/v1/transfers/{reference}/cancel',
  change_branding: 'POST /console/branding',
  change_business: 'POST /console/business',
  change_member_role: 'POST /console/team/{personId}/role',
  change_password: 'POST /console/password/change',
  change_provider: 'PUT /console/providers/{connectionId}',
  change_routing: 'PUT /console/routing',
  check_custom_link: 'POST /api/payment-service/external/v1/payment-pages/custom-link-check-exist',
  check_product_slug: 'POST /api/payment-service/external/v1/products/slugExist',
  close_difference: 'POST /console/differences/{reference}/close',
  confirm_approval_change: 'POST /console/approval-change/confirm',
  confirm_email: 'POST /console/email/confirm',
  confirm_subaccount_account:
    'POST /api/transaction-service/external/v1/subaccounts/{reference}/confirm-account',
  confirm_two_factor: 'POST /console/two-factor/confirm',
  connect_provider: 'POST /console/providers',
  contest_dispute: 'POST /api/transaction-service/external/v1/disputes/{reference}/contest',
  copy_invitation_link: 'POST /console/team/invitations/{id}/link',
  create_checkout_virtual_account:
    'POST /api/payment-service/external/v1/payment-pages/initiate-initialize-checkout-dynamic-virtual-account',
  create_discount_code: 'POST /api/payment-service/external/v1/products/add-discount-code',
  create_invoice: 'POST /api/payment-service/external/v1/invoices',
  create_key: 'POST /console/keys',
  create_oauth_token: 'POST /oauth/token',
  create_order_note: 'POST /console/orders/{reference}/notes',
  create_partner_token: 'POST /api/auth-service/external/v1/token',
  create_payment_page: 'POST /api/payment-service/external/v1/payment-pages/create-pages',
  create_payment_page_of_transactions: 'POST /api/transaction-service/external/v1/payment-pages',
  create_payout: 'POST /api/user-service/external/v1/wallet/payouts',
  create_product: 'POST /api/payment-service/external/v1/products/create-product',
  create_refund: 'POST /api/transaction-service/external/v1/refunds',
  create_split_page: 'POST /api/transaction-service/external/v1/split-page',
  create_subaccount: 'POST /api/transaction-service/external/v1/subaccounts',
  create_transfer: 'POST /api/transaction-service/external/v1/transfers',
  create_transfer_bare: 'POST /transfers',
  create_ussd_transaction: 'POST /api/transaction-service/external/v1/transaction-with-ussd',
  create_webhook: 'POST /api/user-service/external/v1/webhooks',
  deactivate_subaccount:
    'POST /api/transaction-service/external/v1/subaccounts/{reference}/deactivate',
  decide_order: 'POST /console/unresolved/{kind}/{id}/resolve',
  delete_delivery_fee: 'POST /api/payment-service/external/v1/products/delete-delivery-fees',
  delete_digital_download_file:
    'POST /api/payment-service/external/v1/products/delete-digital-download-files',
  delete_dispute_evidence:
    'POST /api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}/delete',
  delete_payment_page: 'POST /api/payment-service/external/v1/payment-pages/delete-page',
  delete_product: 'POST /api/payment-service/external/v1/products/delete-product',
  delete_product_media: 'POST /api/payment-service/external/v1/products/delete-product-media',
  delete_product_option_variant:
    'POST /api/payment-service/v1/products/delete-product-option-variant',
  delete_product_options: 'POST /api/payment-service/v1/products/delete-product-options',
  delete_product_variant_media:
    'POST /api/payment-service/v1/products/delete-product-variant-media',
  delete_webhook: 'POST /api/user-service/external/v1/webhooks/{reference}/delete',
  download_branding_sample: 'GET /console/branding/paper',
  drop_approval_change: 'POST /console/approval-change/drop',
  duplicate_product: 'POST /api/payment-service/v1/products/duplicate-product',
  end_other_sessions: 'POST /console/sessions/end-others',
  end_session: 'POST /console/sessions/{id}/end',
  enquire_utility_customer:
    'POST /api/payment-service/external/v1/utility/transactions/customer-enquiry',
  erase_customer: 'POST /console/erasures',
  export_audit_entries: 'GET /console/audit/export',
  export_deposits: 'GET /api/transaction-service/external/v1/deposits/export',
  export_invoices: 'GET /api/payment-service/external/v1/invoices/export',
  export_ledger_entries: 'GET /console/ledger/export',
  export_reconciliation_entries: 'GET /console/reconciliation/{connectionId}/{day}/export',
  export_settlement: 'GET /api/transaction-service/external/v1/settlements/{reference}/export',
  export_transactions: 'GET /api/transaction-service/external/v1/transactions/export',
  export_transfers: 'GET /api/transaction-service/external/v1/transfers/export',
  export_utility_payments: 'GET /api/payment-service/external/v1/utility/transactions/export',
  export_virtual_accounts: 'GET /api/transaction-service/external/v1/virtual-accounts/export',
  fetch_transaction: 'GET /api/transaction-service/external/v1/fetch/{id}',
  filter_product_variants: 'GET /api/payment-service/v1/products/filter-for-products-variant',
  finish_passkey: 'POST /console/passkeys/finish',
  finish_passkey_reauthentication: 'POST /console/reauthenticate/passkey/finish',
  finish_passkey_sign_in: 'POST /console/sign-in/passkey/finish',
  follow_changes: 'GET /console/live',
  get_approvals: 'GET /console/approvals',
  get_bill_orders: 'GET /console/bills/{id}/orders',
  get_branding: 'GET /console/branding',
  get_checkout: 'GET /api/payment-service/external/v1/initialize-checkout/{reference}',
  get_customer: 'GET /console/customers/{email}',
  get_deposit: 'GET /api/transaction-service/external/v1/deposits/{reference}',
  get_deposit_orders: 'GET /console/deposits/{id}/orders',
  get_difference: 'GET /console/differences/{reference}',
  get_dispute: 'GET /api/transaction-service/external/v1/disputes/{reference}',
  get_dispute_evidence:
    'GET /api/transaction-service/external/v1/disputes/{reference}/evidence/{evidenceId}',
  get_erasure: 'GET /console/erasures',
  get_event: 'GET /api/user-service/external/v1/events/{id}',
  get_fees: 'GET /console/fees',
  get_funding_account: 'GET /api/user-service/external/v1/wallet/funding-account',
  get_invoice: 'GET /api/payment-service/external/v1/invoices/{reference}',
  get_invoice_pdf: 'GET /api/payment-service/external/v1/invoices/{reference}/pdf',
  get_invoice_timeline: 'GET /console/invoices/{reference}/timeline',
  get_ledger_accounts: 'GET /console/ledger/accounts',
  get_ledger_entry: 'GET /console/ledger/{reference}',
  get_link: 'GET /console/link',
  get_mail: 'GET /console/mails/{id}',
  get_me: 'GET /console/me',
  get_next_payout: 'GET /api/user-service/external/v1/wallet/payouts/next',
  get_order: 'GET /api/transaction-service/external/v1/orders/{reference}',
  get_overview: 'GET /console/overview',
  get_payment_orders: 'GET /console/payments/{id}/orders',
  get_payment_page: 'GET /api/payment-service/external/v1/payment-pages/get-page-details',
  get_payout: 'GET /api/user-service/external/v1/wallet/payouts/{reference}',
  get_payouts_stop: 'GET /console/payouts/stop',
  get_product: 'GET /api/payment-service/external/v1/products/get-product-details',
  get_product_inventory:
    'GET /api/payment-service/external/v1/products/get-product-inventory-details',
  get_profile: 'GET /api/user-service/external/v1/profile',
  get_profile_settings: 'GET /api/user-service/external/v1/profile/settings',
  get_proof_of_funds: 'GET /console/proof-of-funds',
  get_provider: 'GET /console/providers/{connectionId}',
  get_provider_health: 'GET /console/providers/{connectionId}/health',
  get_provider_notification: 'GET /console/providers/{connectionId}/notices/{noticeId}',
  get_reconciliation_day: 'GET /console/reconciliation/{connectionId}/{day}',
  get_refund: 'GET /api/transaction-service/external/v1/refunds/{reference}',
  get_refund_by_reference: 'GET /api/transaction-service/external/v1/refund-by-reference',
  get_refund_orders: 'GET /console/refunds/{id}/orders',
  get_request: 'GET /api/user-service/external/v1/requests/{requestId}',
  get_routing: 'GET /console/routing',
  get_settlement: 'GET /api/transaction-service/external/v1/settlements/{reference}',
  get_settlement_orders: 'GET /console/settlements/{id}/orders',
  get_split_page: 'GET /api/transaction-service/external/v1/split-page/{id}',
  get_subaccount: 'GET /api/transaction-service/external/v1/subaccounts/{reference}',
  get_subaccount_balance:
    'GET /api/transaction-service/external/v1/subaccounts/{reference}/balance',
  get_team: 'GET /console/team',
  get_transaction_totals: 'GET /api/transaction-service/external/v1/transactions/totals',
  get_transfer: 'GET /api/transaction-service/external/v1/transfers/{reference}',
  get_transfer_fee: 'GET /api/transaction-service/external/v1/transfers/fee',
  get_transfer_orders: 'GET /console/transfers/{id}/orders',
  get_unresolved_order: 'GET /console/unresolved/{kind}/{id}',
  get_utility_payment:
    'GET /api/payment-service/external/v1/utility/transactions/{paymentReference}',
  get_virtual_account: 'GET /api/transaction-service/external/v1/virtual-accounts/{id}',
  get_waiting: 'GET /console/waiting',
  get_wallet_balance: 'GET /api/user-service/external/v1/wallet/balance',
  get_webhook: 'GET /api/user-service/external/v1/webhooks/{reference}',
  get_webhook_delivery: 'GET /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}',
  get_welcome: 'GET /console/welcome',
  grant_partner: 'POST /api/user-service/external/v1/partners',
  initialize_checkout: 'POST /api/payment-service/external/v1/initialize-checkout',
  invite_member: 'POST /console/team/invite',
  list_audit_entries: 'GET /console/audit',
  list_banks: 'GET /api/transaction-service/external/v1/bank',
  list_banks_deprecated: 'GET /api/transaction-service/external/v1/bank-list',
  list_checkouts: 'GET /api/payment-service/external/v1/initialize-checkout',
  list_customers: 'GET /console/customers',
  list_delivery_fees: 'GET /api/payment-service/external/v1/products/get-delivery-fees',
  list_deposits: 'GET /api/transaction-service/external/v1/deposits',
  list_differences: 'GET /console/differences',
  list_digital_download_files:
    'GET /api/payment-service/external/v1/products/get-digital-download-files',
  list_discount_codes: 'GET /api/payment-service/external/v1/products/get-discount-codes',
  list_disputes: 'GET /api/transaction-service/external/v1/disputes',
  list_event_types: 'GET /api/user-service/external/v1/event-types',
  list_events: 'GET /api/user-service/external/v1/events',
  list_invoices: 'GET /api/payment-service/external/v1/invoices',
  list_keys: 'GET /console/keys',
  list_known_providers: 'GET /console/providers/known',
  list_ledger_entries: 'GET /console/ledger',
  list_mails: 'GET /console/mails',
  list_order_notes: 'GET /console/orders/{reference}/notes',
  list_orders: 'GET /api/transaction-service/external/v1/orders',
  list_partners: 'GET /api/user-service/external/v1/partners',
  list_passkeys: 'GET /console/passkeys',
  list_pauses: 'GET /console/pauses',
  list_payment_page_products:
    'GET /api/payment-service/external/v1/payment-pages/payment-page-get-product',
  list_payment_pages: 'GET /api/payment-service/external/v1/payment-pages/get-pages',
  list_payment_pages_of_transactions: 'GET /api/transaction-service/external/v1/payment-pages',
  list_payouts: 'GET /api/user-service/external/v1/wallet/payouts',
  list_product_media: 'GET /api/payment-service/external/v1/products/get-product-media',
  list_product_variant_media: 'GET /api/payment-service/v1/products/get-product-variant-media',
  list_products: 'GET /api/payment-service/external/v1/products/get-products',
  list_provider_notifications: 'GET /console/providers/{connectionId}/notices',
  list_providers: 'GET /console/providers',
  list_reconciliation_days: 'GET /console/reconciliation',
  list_reconciliation_entries: 'GET /console/reconciliation/{connectionId}/{day}/entries',
  list_refunds: 'GET /api/transaction-service/external/v1/refunds',
  list_requests: 'GET /api/user-service/external/v1/requests',
  list_sessions: 'GET /console/sessions',
  list_settlements: 'GET /api/transaction-service/external/v1/settlements',
  list_split_pages: 'GET /api/transaction-service/external/v1/split-page/all',
  list_subaccounts: 'GET /api/transaction-service/external/v1/subaccounts/all',
  list_transactions: 'GET /api/transaction-service/external/v1/transactions',
  list_transactions_bare: 'GET /transactions',
  list_transfers: 'GET /api/transaction-service/external/v1/transfers',
  list_transfers_bare: 'GET /transfers',
  list_transfers_of_business: 'GET /api/transaction-service/external/v1/transfer/get-transfer-list',
  list_unresolved_orders: 'GET /console/unresolved',
  list_utility_billers: 'GET /api/payment-service/external/v1/utility/billers',
  list_utility_categories: 'GET /api/payment-service/external/v1/utility/categories',
  list_utility_packages: 'GET /api/payment-service/external/v1/utility/packages',
  list_utility_payments: 'GET /api/payment-service/external/v1/utility/transactions',
  list_virtual_accounts: 'GET /api/transaction-service/external/v1/virtual-accounts',
  list_wallet_ledger: 'GET /api/user-service/external/v1/wallet/ledger',
  list_webhook_deliveries: 'GET /api/user-service/external/v1/webhooks/{reference}/deliveries',
  list_webhooks: 'GET /api/user-service/external/v1/webhooks',
  look_up_order: 'POST /console/unresolved/{kind}/{id}/look-up',
  mark_invoice_paid: 'POST /api/payment-service/external/v1/invoices/{reference}/mark-paid',
  open_funding_account: 'POST /api/user-service/external/v1/wallet/funding-account',
  order_product_media: 'PUT /api/payment-service/external/v1/products/order-product-media',
  pause_provider: 'POST /console/providers/{connectionId}/pause',
  preview_branding: 'POST /console/branding/preview',
  preview_invoice: 'POST /console/invoice-preview',
  preview_payment_page: 'POST /console/page-preview',
  preview_routing: 'GET /console/routing/preview',
  process_utility_payment:
    'POST /api/payment-service/external/v1/utility/transactions/process-payment',
  reauthenticate: 'POST /console/reauthenticate',
  redeliver_webhook:
    'POST /api/user-service/external/v1/webhooks/{reference}/deliveries/{id}/redeliver',
  reject_transfer: 'POST /api/transaction-service/external/v1/transfers/{reference}/reject',
  remind_invoice: 'POST /api/payment-service/external/v1/invoices/{reference}/remind',
  remove_all_passkeys: 'POST /console/passkeys/remove-all',
  remove_member: 'POST /console/team/{personId}/remove',
  remove_passkey: 'POST /console/passkeys/{id}/remove',
  remove_payment_page_products:
    'POST /api/payment-service/external/v1/payment-pages/payment-page-delete-product',
  remove_provider: 'POST /console/providers/{connectionId}/remove',
  remove_split_page_subaccount:
    'POST /api/transaction-service/external/v1/split-page/{id}/subaccount/remove',
  remove_two_factor: 'POST /console/two-factor/remove',
  rename_digital_download_file:
    'PUT /api/payment-service/external/v1/products/rename-digital-download-files',
  renew_recovery_codes: 'POST /console/two-factor/recovery-codes',
  replace_provider_credentials: 'POST /console/providers/{connectionId}/credentials',
  replace_provider_notification_url: 'POST /console/providers/{connectionId}/notice-url',
  replay_provider_notification: 'POST /console/providers/{connectionId}/notices/{noticeId}/replay',
  replay_webhook: 'POST /api/user-service/external/v1/webhooks/{reference}/replay',
  require_two_factor: 'POST /console/team/two-factor',
  reset_password: 'POST /console/password/reset',
  resolve_bank_account: 'GET /api/transaction-service/external/v1/bank/resolve',
  resume_payouts: 'POST /console/payouts/resume',
  resume_provider: 'POST /console/providers/{connectionId}/resume',
  retry_refund: 'POST /api/transaction-service/external/v1/refunds/{reference}/retry',
  retry_transfer: 'POST /api/transaction-service/external/v1/transfers/{reference}/retry',
  return_deposit: 'POST /api/transaction-service/external/v1/deposits/{reference}/return',
  revoke_invitation: 'POST /console/team/invitations/{id}/revoke',
  revoke_key: 'POST /console/keys/{reference}/revoke',
  revoke_partner: 'POST /api/user-service/external/v1/partners/{clientId}/revoke',
  rotate_key: 'POST /console/keys/{reference}/rotate',
  rotate_webhook_secret: 'POST /api/user-service/external/v1/webhooks/{reference}/rotate-secret',
  run_reconciliation: 'POST /console/reconciliation/run',
  search: 'GET /console/search',
  send_email_link: 'POST /console/email/send',
  send_invoice: 'POST /api/payment-service/external/v1/invoices/{reference}/send',
  send_password_link: 'POST /console/password/forgot',
  set_download_link_expiry:
    'PUT /api/payment-service/external/v1/products/set-download-link-expiry',
  set_payment_page_status: 'PUT /api/payment-service/external/v1/payment-pages/update-page-status',
  show_letter: 'GET /console/letters/{business}/{mode}/{id}',
  show_redirect_secret: 'POST /console/redirect-secret/show',
  sign_in: 'POST /console/sign-in',
  sign_out: 'POST /console/sign-out',
  sign_up: 'POST /console/sign-up',
  simulate_card: 'POST /api/simulator/card',
  simulate_clock: 'POST /api/simulator/clock',
  simulate_deposit: 'POST /api/simulator/deposit',
  simulate_dispute: 'POST /api/simulator/dispute',
  simulate_dispute_outcome: 'POST /api/simulator/dispute-outcome',
  simulate_event: 'POST /api/simulator/events',
  simulate_refund: 'POST /api/simulator/refund',
  simulate_settlement: 'POST /api/simulator/settlement',
  simulate_transfer: 'POST /api/simulator/transfer',
  simulate_ussd: 'POST /api/simulator/ussd',
  simulate_utility: 'POST /api/simulator/utility',
  simulate_wallet: 'POST /api/simulator/wallet',
  stop_payouts: 'POST /console/payouts/stop',
  test_provider: 'POST /console/providers/{connectionId}/test',
  test_webhook: 'POST /api/user-service/external/v1/webhooks/{reference}/test',
  update_delivery_fee: 'PUT /api/payment-service/external/v1/products/update-delivery-fees',
  update_discount_code:
    'PUT /api/payment-service/external/v1/products/update-discount-code-details',
  update_invoice: 'PUT /api/payment-service/external/v1/invoices/{reference}',
  update_payment_page: 'PUT /api/payment-service/external/v1/payment-pages/update-page-details',
  update_product: 'PUT /api/payment-service/external/v1/products/update-product-details',
  update_product_option: 'PUT /api/payment-service/v1/products/update-product-option-details',
  update_product_option_variant:
    'PUT /api/payment-service/v1/products/update-product-option-variant',
  update_product_variant: 'PUT /api/payment-service/v1/products/update-product-variant-details',
  update_profile_settings: 'PUT /api/user-service/external/v1/profile/settings',
  update_split_page: 'PUT /api/transaction-service/external/v1/split-page/{id}',
  update_subaccount: 'PUT /api/transaction-service/external/v1/subaccounts/{reference}',
  update_webhook: 'PUT /api/user-service/external/v1/webhooks/{reference}',
  upload_payment_page_image:
    'POST /api/payment-service/external/v1/payment-pages/upload-page-image',
  verify_discount_code: 'POST /api/payment-service/external/v1/products/verify-discount-code',
  verify_transaction: 'GET /api/transaction-service/external/v1/transactions/verify/{reference}',
  void_invoice: 'POST /api/payment-service/external/v1/invoices/{reference}/void',
}
