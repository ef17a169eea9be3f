import type { Described, Schema } from '../described.ts'

/* Which parameters of an operation name a record, and of which kind. */

/** A place for an id in a request: a parameter in the path or query, or a field of the body. */
export interface Place {
  in: 'path' | 'query' | 'body'
  /** Names from the outside in; a list has one item: `products`, `0`, `productId`. */
  name: readonly string[]
  /** The names in `Ids` of the records that it can name. */
  kinds: readonly string[]
  /** Whether a request without it is refused for that alone. */
  isRequired: boolean
}

/** The kind in a path, by the step before it. */
const BY_STEP: Readonly<Record<string, string>> = {
  'virtual-accounts': 'virtualAccount',
  deliveries: 'delivery',
  deposits: 'deposit',
  disputes: 'dispute',
  events: 'event',
  evidence: 'evidence',
  fetch: 'transaction',
  'initialize-checkout': 'checkout',
  invoices: 'invoice',
  orders: 'order',
  partners: 'partner',
  payouts: 'payout',
  refunds: 'refund',
  requests: 'request',
  settlements: 'settlement',
  'split-page': 'splitPage',
  subaccounts: 'subaccount',
  // Of a bill.
  transactions: 'bill',
  transfers: 'transfer',
  verify: 'transactionReference',
  webhooks: 'webhook',
}

/** The kind by the name of a field or query parameter. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  accessCode: ['accessCode'],
  customLink: ['customLink'],
  deliveryFeeId: ['deliveryFee'],
  digitalDownloadFileId: ['file'],
  discountCode: ['discountCode'],
  discountId: ['discount'],
  evidenceId: ['evidence'],
  keyReference: ['apiKey'],
  mediaId: ['media'],
  mediaIds: ['media'],
  objectId: ['eventObject'],
  optionId: ['option'],
  optionVariantId: ['optionVariant'],
  pageId: ['page'],
  productId: ['product'],
  productIds: ['product'],
  requestId: ['request'],
  slug: ['slug'],
  splitPageId: ['splitPage'],
  sub_account_id: ['subaccount'],
  subaccount: ['subaccount'],
  subaccountCode: ['subaccount'],
  transactionId: ['transaction'],
  transactionReference: ['transactionReference'],
  variantId: ['variant'],
}

const DEPOSITS = {
  accountNumber: ['accountNumber'],
  transactionReference: ['accountReference'],
}

/** What a name means in one operation. An empty list: it names no record, or is a new name. */
const BY_OPERATION: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  create_checkout_virtual_account: { reference: ['checkout'] },
  create_product: { slug: [] },
  create_split_page: { slug: [] },
  create_payment_page: { customLink: [] },
  create_payment_page_of_transactions: { customLink: [] },
  create_transfer: { reference: [], transferReference: [] },
  create_transfer_bare: { reference: [], transferReference: [] },
  create_refund: { reference: [] },
  create_ussd_transaction: { pageId: ['page', 'splitPage'] },
  delete_product_option_variant: { productId: ['varied'] },
  delete_product_options: { productId: ['varied'] },
  delete_product_variant_media: { productId: ['varied'], mediaId: ['variantMedia'] },
  add_product_option_variant: { productId: ['varied'] },
  add_product_options: { productId: ['varied'] },
  add_digital_download_file: { productId: ['digital'] },
  add_product_variant_media: { productId: ['varied'] },
  delete_digital_download_file: { productId: ['digital'] },
  export_deposits: DEPOSITS,
  export_transfers: { reference: ['transfer'], transferReference: ['transfer'] },
  filter_product_variants: { productId: ['varied'] },
  get_refund_by_reference: { reference: ['refund'] },
  initialize_checkout: { reference: [] },
  list_deposits: DEPOSITS,
  list_digital_download_files: { productId: ['digital'] },
  list_discount_codes: { code: ['discountCode'] },
  list_payouts: { reference: ['payout'], transferReference: ['payout'] },
  list_product_variant_media: { productId: ['varied'] },
  list_transactions: { reference: ['transactionReference'] },
  list_transactions_bare: { reference: ['transactionReference'] },
  export_transactions: { reference: ['transactionReference'] },
  list_transfers: { reference: ['transfer'], transferReference: ['transfer'] },
  list_transfers_bare: { reference: ['transfer'], transferReference: ['transfer'] },
  list_transfers_of_business: { reference: ['transfer'], transferReference: ['transfer'] },
  list_virtual_accounts: DEPOSITS,
  export_virtual_accounts: DEPOSITS,
  // Links and slugs are unique on a server, so these see those of others, too.
  check_custom_link: { customLink: [] },
  check_product_slug: { slug: [] },
  order_product_media: { variantId: [] },
  process_utility_payment: { paymentReference: [], reference: [] },
  rename_digital_download_file: { productId: ['digital'] },
  set_download_link_expiry: { productId: ['digital'] },
  simulate_card: { reference: ['cardReference'] },
  simulate_deposit: { accountNumber: ['accountNumber'] },
  simulate_dispute: { reference: ['transactionReference'] },
  simulate_dispute_outcome: { reference: ['dispute'] },
  simulate_refund: { reference: ['refund'] },
  simulate_transfer: { reference: ['transfer'] },
  simulate_ussd: { reference: ['transactionReference'] },
  simulate_utility: { reference: ['bill'] },
  update_discount_code: { code: [] },
  update_payment_page: { customLink: [] },
  update_product: { slug: [] },
  update_product_option: { productId: ['varied'] },
  update_product_option_variant: { productId: ['varied'] },
  update_product_variant: { productId: ['varied'] },
  update_split_page: { slug: [] },
  verify_discount_code: { code: ['discountCode'] },
}

/** Names that look like an id, but name nothing that belongs to a tenant. */
const NOT_RECORDS = new Set([
  ...['businessId', 'orderId', 'customerId', 'clientId', 'bankCode', 'bank_code', 'packageSlug'],
  ...['idempotencyKey', 'code'],
])

const LOOKS_LIKE_ID = /(?:id|ids|reference|slug|link|code)$|^sub_?account/i

/** Returns all places for ids. Throws for one that nobody has classified. */
export function placesOf({ operation, path, parameters, bodies }: Described): Place[] {
  const found: Place[] = []
  const steps = path.split('/')
  for (const { name, in: where, required = false, schema } of parameters) {
    if (where === 'path') {
      const step = steps[steps.indexOf(`{${name}}`) - 1]!
      const kind = BY_STEP[step]
      if (!kind) throw new Error(`${operation}: add ${step}/{${name}} to BY_STEP`)
      found.push({ in: 'path', name: [name], kinds: [kind], isRequired: true })
    } else if (where === 'query') {
      const kinds = kindsOf(operation, name, schema)
      if (kinds.length > 0) found.push({ in: 'query', name: [name], kinds, isRequired: required })
    }
  }
  const [body] = Object.values(bodies)
  if (body) found.push(...placesIn(operation, body, []))
  return found
}

function placesIn(operation: string, schema: Schema, at: readonly string[]): Place[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = [...at, name]
    if (field.items?.properties) return placesIn(operation, field.items, [...path, '0'])
    if (field.properties) return placesIn(operation, field, path)
    const kinds = kindsOf(operation, name, field)
    if (kinds.length === 0) return []
    const isRequired = at.length === 0 && (schema.required ?? []).includes(name)
    const named = field.items ? [...path, '0'] : path
    return [{ in: 'body' as const, name: named, kinds, isRequired }]
  })
}

function kindsOf(operation: string, name: string, schema: Schema): readonly string[] {
  const own = BY_OPERATION[operation]?.[name]
  if (own) return own
  // Another spelling of a field, which `src/http/fields.test.ts` covers.
  if (schema['x-spelling-of'] || NOT_RECORDS.has(name)) return []
  const kinds = BY_NAME[name]
  if (kinds) return kinds
  if (LOOKS_LIKE_ID.test(name) || schema['x-record-id']) {
    throw new Error(`${operation}: add ${name} to BY_NAME, BY_OPERATION or NOT_RECORDS`)
  }
  return []
}

/** An id of the same form that was never issued. */
export function unknownLike(id: string | number): string | number {
  if (typeof id === 'number') return id + 7_000_000_000_000
  if (/^\d+$/.test(id)) return id.length < 12 ? id.replace(/.{3}$/, '987') : `7${id.slice(1)}`
  if (/^[0-9a-f]{8}-/.test(id)) return id.replace(/.{12}$/, '0123456789ab')
  return id.replace(/[^_]{6}$/, (end) => (end === 'zzzzzz' ? 'yyyyyy' : 'zzzzzz'))
}
