import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import {
  Amount,
  Email,
  Envelope,
  Metadata,
  MultilineText,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  RecordId,
  StoredMetadata,
  Timestamp,
} from '../../lib/schemas.ts'

export const CHECKOUT_STATES = ['Open', 'Paid', 'Expired', 'Cancelled'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

/**
 * The states of a checkout.
 *
 *   Open ─pay→ Paid
 *    ├─expire→ Expired ──pay_late→ Paid
 *    └─cancel→ Cancelled ┘
 *
 * A payer can restart a checkout that expired or that they cancelled. `reopen` makes it Open again.
 */
export const checkoutMachine = machine({
  noun: 'checkout',
  initial: ['Open', 'Paid'],
  states: CHECKOUT_STATES,
  moves: {
    pay: { from: ['Open'], to: 'Paid' },
    // A late payment needs everything that was released in the meantime to be still available.
    pay_late: { from: ['Expired', 'Cancelled'], to: 'Paid' },
    expire: { from: ['Open'], to: 'Expired' },
    cancel: { from: ['Open'], to: 'Cancelled' },
    reopen: { from: ['Expired', 'Cancelled'], to: 'Open' },
  },
})

/**
 * Returns the state at a given time. A checkout can be past its expiry before the job has expired
 * it.
 */
export const stateAt = (
  { status, expires_at }: { status: CheckoutState; expires_at: Date },
  now: Date,
): CheckoutState => (status === 'Open' && expires_at <= now ? 'Expired' : status)

const Phone = Type.String({
  pattern: '^\\+?[0-9 ()-]{5,24}$',
  'x-says': 'must be a phone number',
})

const Reference = Type.String({
  pattern: '^[A-Za-z0-9_.-]{6,64}$',
  'x-says': 'must be 6 to 64 letters, digits, dots, hyphens or underscores',
  'x-never-empty': true,
})

const ProductRequest = Type.Object({
  productId: RecordId(),
  variantId: Type.Optional(RecordId('Required if the product has variants.')),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
})
export type ProductRequest = Static<typeof ProductRequest>

export const NewCheckout = Type.Object(
  {
    customerEmail: Email(),
    customerName: Type.Optional(OneLine(200)),
    customerPhone: Type.Optional(Phone),
    amount: Type.Optional(Amount()),
    pageId: Type.Optional(RecordId('The payment page to use.')),
    products: Type.Optional(Type.Array(ProductRequest, { minItems: 1, maxItems: 100 })),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      default: 'NGN',
      'x-says': 'must be a currency code such as NGN',
    }),
    reference: Type.Optional(Reference),
    callbackUrl: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'The URL that the payer returns to after payment.',
      }),
    ),
    channels: Type.Optional(
      Type.Array(Type.Enum(['BANK_TRANSFER', 'USSD', 'CARD']), {
        minItems: 1,
        maxItems: 10,
        description: 'The channels to offer, in this order; defaults to all.',
      }),
    ),
    discountCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    deliveryLocation: Type.Optional(OneLine(200)),
    shippingAddress: Type.Optional(
      MultilineText(1000, {
        description:
          'Where the goods are delivered. If absent, the hosted page asks for it before payment.',
      }),
    ),
    deliveryAddress: Type.Optional(
      MultilineText(1000, { description: 'An alias of shippingAddress.' }),
    ),
    customFields: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<string | number>({ type: ['string', 'number'] }), {
        maxProperties: 50,
        description: 'The answers to the payment page’s custom fields, by field name.',
      }),
    ),
    splitPageId: Type.Optional(RecordId('The split page that divides the payment.')),
    subaccountCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    feeBearer: Type.Optional(Type.Enum(['business', 'customer', 'subaccounts'])),
    metadata: Type.Optional(Metadata),
    expiresInMinutes: Type.Integer({ minimum: 5, maximum: 480, default: 30 }),
  },
  {
    'x-needs': [
      {
        oneOf: ['amount', 'pageId', 'products'],
        says: 'is required unless pageId or products is given',
      },
    ],
  },
)
export type NewCheckout = Static<typeof NewCheckout>

export const CheckoutReference = Type.Object({
  reference: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The checkout’s reference or access code.',
  }),
})

export const CheckoutQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  state: Type.Optional(
    Type.String({ maxLength: 20, description: `One of ${CHECKOUT_STATES.join(', ')}.` }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'A whole reference, or the start of the customer’s email address.',
    }),
  ),
})
export type CheckoutQuery = Static<typeof CheckoutQuery>

const UNNAMED = 'is required unless accessCode or reference is given'

/**
 * The request either names an open checkout or gives the email address and amount for a new one.
 */
export const NewVirtualAccount = Type.Object(
  {
    accessCode: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    email: Type.Optional(Email()),
    amount: Type.Optional(Amount()),
    pageId: Type.Optional(RecordId('The payment page to use.')),
    expiresInMinutes: Type.Integer({ minimum: 15, maximum: 480, default: 30 }),
  },
  {
    'x-needs': [
      { oneOf: ['email', 'accessCode', 'reference'], says: UNNAMED },
      { oneOf: ['amount', 'accessCode', 'reference'], says: UNNAMED },
    ],
  },
)
export type NewVirtualAccount = Static<typeof NewVirtualAccount>

const text = Type.String()
const money = Type.Number()
const id = Type.Integer()

const CheckoutRecord = Type.Object({
  id,
  reference: text,
  status: Type.String({ description: 'The status of the checkout’s transaction.' }),
  state: Type.String({
    description: `${CHECKOUT_STATES.join(', ')}: whether the checkout can be paid.`,
  }),
  accessCode: text,
  authorizationUrl: text,
  amount: money,
  amountMinor: id,
  currency: text,
  feeBearer: Nullable(text),
  channels: Type.Array(text),
  customer: Type.Object({ email: text, name: Nullable(text), phone: Nullable(text) }),
  customFields: Type.Array(Type.Object({ label: text, name: text, value: text })),
  pageId: Nullable(id),
  orderId: Nullable(id),
  orderReference: Nullable(text),
  shippingAddress: Nullable(text),
  splitPageId: Nullable(id),
  subaccountCode: Nullable(text),
  callbackUrl: Nullable(text),
  metadata: StoredMetadata,
  transactionId: Nullable(id),
  transactionReference: Nullable(text),
  expiresAt: Timestamp,
  paidAt: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneCheckout = Envelope(CheckoutRecord)
export const CheckoutList = PageOf(CheckoutRecord)

export const OneVirtualAccount = Envelope(
  Type.Object({
    reference: Type.String({ description: 'The checkout’s reference.' }),
    status: text,
    accountNumber: Nullable(text),
    accountName: Nullable(text),
    bankName: Nullable(text),
    bankCode: Nullable(text),
    amount: Type.Number({ description: 'The exact amount to send.' }),
    amountMinor: id,
    currency: text,
    expiresAt: Timestamp,
    transactionId: id,
    transactionReference: text,
    accessCode: text,
    authorizationUrl: text,
  }),
)
