import { type Static, type TSchema, Type } from 'typebox'
import { PageLink } from '../../business/links/service.ts'
import { dateRange, paging, shortListPaging, sorting } from '../../lib/paging.ts'
import {
  Envelope,
  inMajorUnits,
  Metadata,
  MultilineText,
  Nullable,
  NullableTimestamp,
  PageOf,
  RecordId,
  StoredMetadata,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'
import { ImageInput } from '../products/media/schemas.ts'
import { Label, MediaRecord, ProductRecord } from '../products/record/schemas.ts'
import { AMOUNT_TYPES, CHANNELS, FEE_BEARERS, FIELD_TYPES, PAGE_STATUSES } from './queries.ts'

const Title = Label(150)
const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })

// The page’s row determines the currency, and so the number of decimals.
const Money = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  description: inMajorUnits('In the currency of the page.'),
  examples: [1500.5],
})

const CustomField = Type.Object({
  label: Label(100),
  name: Type.String({
    pattern: '^[a-z][a-zA-Z0-9_]{0,39}$',
    'x-says': 'must be a name such as shirtSize: up to 40 letters, digits and underscores',
    examples: ['shirtSize'],
  }),
  type: Type.Enum([...FIELD_TYPES], { default: 'text' }),
  required: Type.Boolean({ default: false }),
  options: Type.Optional(
    Type.Array(Label(100), { maxItems: 50, description: 'Only for type select.' }),
  ),
})

/** The maximum number of products on one page. */
export const PRODUCTS_MAX = 50

const ProductIds = Type.Unsafe<string | (number | string)[]>({
  type: ['string', 'array'],
  maxLength: 1000,
  items: RecordId(),
  maxItems: PRODUCTS_MAX,
  description: 'A list of ids, or a string of ids separated by commas.',
  examples: ['1024,1025'],
})

const description = Type.String({ maxLength: 5000 })
const image = Url('An http or https URL, or the URL of an image on this server.')
const color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  'x-says': 'must be a hex colour such as #0b7a4b',
  examples: ['#0b7a4b'],
})
const suggestedAmounts = Type.Array(Money, { maxItems: 10 })
const customFields = Type.Array(CustomField, { maxItems: 20 })
const maxPayments = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const redirectUrl = Url('In live mode, on one of the origins in your settings.')
const successMessage = MultilineText(1000)
const splitPageId = RecordId('A split page in the same currency.')
const channels = Type.Array(Type.Enum([...CHANNELS]), {
  maxItems: CHANNELS.length,
  uniqueItems: true,
  description: 'Empty means all available channels.',
})
type FeeBearer = (typeof FEE_BEARERS)[number]

const same = {
  title: Type.Optional(Title),
  name: Type.Optional(Label(150, { description: 'An alias of title.' })),
  amountType: Type.Optional(
    Type.Enum([...AMOUNT_TYPES], {
      description: 'Defaults to fixed if an amount is given, otherwise to variable.',
    }),
  ),
  customLink: Type.Optional(PageLink),
  collectPhone: Type.Optional(Type.Boolean()),
  collectAddress: Type.Optional(Type.Boolean()),
  allowDiscountCodes: Type.Optional(Type.Boolean()),
  businessId: Type.Optional(RecordId('Optional; must be the key’s business.')),
}

export const NewPage = Type.Object({
  ...same,
  amount: Type.Optional(Money),
  currency: Type.String({
    pattern: '^[A-Z]{3}$',
    default: 'NGN',
    'x-says': 'must be a currency code such as NGN',
  }),
  suggestedAmounts: Type.Optional(suggestedAmounts),
  description: Type.Optional(description),
  image: Type.Optional(image),
  color: Type.Optional(color),
  customFields: Type.Optional(customFields),
  maxPayments: Type.Optional(maxPayments),
  expiresAt: Type.Optional(TimestampText),
  redirectUrl: Type.Optional(redirectUrl),
  successMessage: Type.Optional(successMessage),
  splitPageId: Type.Optional(splitPageId),
  feeBearer: Type.Optional(Type.Enum([...FEE_BEARERS])),
  channels: Type.Optional(channels),
  status: Type.Enum([...PAGE_STATUSES], { default: 'Published' }),
  productIds: Type.Optional(ProductIds),
  metadata: Type.Optional(Metadata),
})
export type NewPage = Static<typeof NewPage>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const PageId = RecordId('The payment page.')

/** Changes only the given fields; null clears a field. */
export const UpdatePage = Type.Object({
  pageId: PageId,
  ...same,
  amount: cleared(Money),
  currency: Type.Optional(
    Type.String({
      maxLength: 10,
      description: 'Cannot change; only the current value is accepted.',
    }),
  ),
  suggestedAmounts: cleared(suggestedAmounts),
  description: cleared(description),
  image: cleared(image),
  color: cleared(color),
  customFields: cleared(customFields),
  maxPayments: cleared(maxPayments),
  expiresAt: cleared(TimestampText),
  redirectUrl: cleared(redirectUrl),
  successMessage: cleared(successMessage),
  splitPageId: cleared(splitPageId),
  feeBearer: Type.Optional(Type.Unsafe<FeeBearer | null>({ enum: [...FEE_BEARERS, null] })),
  channels: cleared(channels),
  status: Type.Optional(Type.Enum([...PAGE_STATUSES])),
  metadata: cleared(Metadata),
})
export type UpdatePage = Static<typeof UpdatePage>

export const PageStatusChange = Type.Object({
  pageId: PageId,
  status: Type.Enum([...PAGE_STATUSES]),
})

export const PageNamed = Type.Object({ pageId: PageId })

export const PageProductsQuery = Type.Object({ pageId: PageId, ...shortListPaging })
export type PageProductsQuery = Static<typeof PageProductsQuery>

export const PageIdQuery = Type.Object({
  pageId: Type.Optional(PageId),
  customLink: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})
export type PageIdQuery = Static<typeof PageIdQuery>

export const LinkQuery = Type.Object({
  customLink: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Any text. If it cannot be used as a link, the response suggests others.',
  }),
})

export const AddProducts = Type.Object({
  pageId: PageId,
  productIds: ProductIds,
  businessId: same.businessId,
})
export type AddProducts = Static<typeof AddProducts>

export const RemoveProducts = Type.Object(
  {
    pageId: PageId,
    productId: Type.Optional(RecordId('The id of a product, as a number or a string.')),
    productIds: Type.Optional(ProductIds),
  },
  {
    'x-needs': [
      { oneOf: ['productId', 'productIds'], says: 'is required unless productIds is given' },
    ],
  },
)
export type RemoveProducts = Static<typeof RemoveProducts>

export const PageQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  status: Type.Optional(Type.Enum([...PAGE_STATUSES])),
  searchPageText: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the title or description, ignoring case.',
    }),
  ),
})
export type PageQuery = Static<typeof PageQuery>

const text = Type.String()
const whole = Type.Integer()
const yes = Type.Boolean()

export const PageRecord = Type.Object({
  id: whole,
  pageId: Type.Integer({ description: 'The same as id.' }),
  reference: text,
  title: text,
  description: Nullable(text),
  status: Type.String({
    description: 'Published or Unpublished, or Deleted once the page has been deleted.',
  }),
  customLink: text,
  url: text,
  amountType: text,
  amount: Nullable(Type.Number({ description: 'The minimum amount if amountType is minimum.' })),
  amountMinor: Nullable(whole),
  currency: text,
  suggestedAmounts: Type.Array(Type.Number()),
  image: Nullable(text),
  color: Nullable(text),
  customFields: Type.Array(
    Type.Object({
      label: text,
      name: text,
      type: text,
      required: yes,
      options: Type.Array(text),
    }),
  ),
  collectPhone: yes,
  collectAddress: yes,
  allowDiscountCodes: yes,
  maxPayments: Nullable(whole),
  expiresAt: NullableTimestamp,
  redirectUrl: Nullable(text),
  successMessage: Nullable(text),
  splitPageId: Nullable(whole),
  feeBearer: Nullable(text),
  channels: Type.Array(text),
  products: Type.Array(
    Type.Object({
      productId: text,
      reference: text,
      name: text,
      slug: text,
      price: Type.Number(),
      priceMinor: whole,
      currency: text,
      type: text,
      status: text,
    }),
  ),
  stats: Type.Object({
    views: whole,
    checkouts: whole,
    payments: whole,
    amount: Type.Number({ description: 'The sum of the payments.' }),
    amountMinor: whole,
    conversion: Type.Number({ description: 'Payments divided by views, at most 1.' }),
  }),
  metadata: StoredMetadata,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OnePage = Envelope(PageRecord)
export const PageList = PageOf(PageRecord)
export const PageProducts = PageOf(ProductRecord)

export const LinkState = Envelope(
  Type.Object({
    exists: yes,
    available: yes,
    suggestions: Type.Array(text, { description: 'Up to three links that are available.' }),
  }),
)

/** The contract fixes this shape. */
export const ProductsAdded: TSchema = Type.Object({ message: text })

/** Either multipart with one part named `file`, or JSON with `base64` or `url`. */
export const NewPageImage = ImageInput

const {
  productId: _,
  variantId: __,
  isPrimary: ___,
  position: ____,
  ...shown
} = MediaRecord.properties

/** Pages accept this record’s `url` in their `image` field. */
export const AddedPageImage = Envelope(Type.Object(shown))
