import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { merchantOf } from '../../../business/account/branding.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { AMOUNT_MINOR_MAX, isCurrency } from '../../../lib/money.ts'
import type { Fields } from '../../../lib/problem.ts'
import { type FieldError, type PaymentPageView, renderPaymentPage } from '../../../pages/pages.ts'
import type { Quote } from '../../discounts/service.ts'
import { readAmount } from '../../invoices/settle.ts'
import type { ProductRecord } from '../../products/record/service.ts'
import { EMPTY_CONTENT, readImage } from '../create.ts'
import type { PayingPage } from '../service.ts'
import { readForm } from './form.ts'
import {
  isDelivered,
  locationsOf,
  minimumAmount,
  type OpenedPage,
  openDraft,
  PREVIEW,
  productView,
  proposedValues,
  totalsOf,
} from './goods.ts'

export interface FormState {
  values: Record<string, string>
  faults: readonly FieldError[]
  once: string
  quote?: Quote
  /** The access code of the checkout that is being changed or restarted. */
  from?: string
}

/** Returns the page with its form, filled with what has been typed so far. */
export function pageView(
  opened: OpenedPage,
  publicUrl: string,
  typed?: FormState,
): PaymentPageView {
  const { link, tenant, terms, page, title, currency, products, picture } = opened
  const values = typed?.values ?? proposed(products)
  const { request } = readForm(opened, values)
  const { products: wanted = [], deliveryLocation } = request
  return {
    path: `/pay/${encodeURIComponent(link)}`,
    ...(link !== PREVIEW && { publicUrl }),
    test: !tenant.live,
    merchant: merchantOf(terms),
    title,
    ...(page?.description && { description: page.description }),
    ...(picture && { image: picture.small }),
    ...(picture && picture.whole !== picture.small && { imageWhole: picture.whole }),
    ...(page?.color && { color: page.color }),
    currency,
    timeZone: terms.time_zone,
    ...(products.length === 0 && { amount: amountView(opened) }),
    products: products.map((product) => productView(product, publicUrl)),
    locations: locationsOf(products, currency),
    fields: page?.custom_fields ?? [],
    asks: {
      phone: page?.collect_phone ?? false,
      address: page?.collect_address || products.some(isDelivered),
      always: page?.collect_address ?? false,
      discount: page?.allow_discount_codes ?? false,
    },
    isTyped: typed !== undefined,
    values,
    ...(products.length > 0 && {
      totals: totalsOf(opened, wanted, deliveryLocation, typed?.quote),
    }),
    faults: typed?.faults ?? [],
    ...(typed?.from && { from: typed.from }),
    once: typed?.once ?? randomBytes(16).toString('base64url'),
  }
}

/**
 * If the page has only one product, proposes one unit of it. Otherwise, proposes none, to prevent
 * accidental purchases.
 */
const proposed = (products: readonly ProductRecord[]): Record<string, string> =>
  Object.assign({}, ...products.map((one) => proposedValues(one, products.length === 1 ? 1 : 0)))

function amountView(opened: OpenedPage): NonNullable<PaymentPageView['amount']> {
  const { page } = opened
  if (page?.amount_type === 'fixed') return { kind: 'fixed', minor: page.amount_minor ?? 0n }
  const leastMinor = minimumAmount(opened)
  return {
    kind: 'chosen',
    suggested: (page?.suggested_minor ?? []).filter((minor) => minor >= leastMinor),
    ...(leastMinor > 0n && { leastMinor }),
  }
}

const text = (maxLength: number) => Type.String({ maxLength })
const flag = Type.Optional(Type.Boolean())

/** An unsaved page, which may be incomplete or invalid. */
export const Draft = Type.Object({
  title: text(500),
  description: Type.Optional(text(10_000)),
  image: Type.Optional(text(2_000)),
  color: Type.Optional(text(20)),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amountType: Type.Optional(
    Type.Union(['fixed', 'variable', 'minimum'].map((one) => Type.Literal(one))),
  ),
  amount: Type.Optional(text(40)),
  suggestedAmounts: Type.Optional(Type.Array(text(40), { maxItems: 20 })),
  productIds: Type.Optional(
    Type.Array(Type.String({ pattern: '^[0-9]{1,15}$' }), { maxItems: 50 }),
  ),
  customFields: Type.Optional(
    Type.Array(
      Type.Object({
        label: text(500),
        type: Type.Union(
          ['text', 'number', 'select', 'date', 'phone'].map((one) => Type.Literal(one)),
        ),
        required: Type.Boolean(),
        options: Type.Optional(Type.Array(text(500), { maxItems: 100 })),
      }),
      { maxItems: 40 },
    ),
  ),
  collectPhone: flag,
  collectAddress: flag,
  allowDiscountCodes: flag,
})
export type Draft = Static<typeof Draft>

/**
 * Renders the page as its payers would see it, as HTML. Omits fields that cannot be read yet, and
 * products and images that belong to other businesses.
 */
export async function previewPage(
  deps: Pick<Deps, 'db' | 'clock' | 'publicUrl'>,
  caller: Caller,
  draft: Draft,
  locale: string,
): Promise<string> {
  const { businessId, live } = caller
  const { currency: wanted } = draft
  const currency = wanted !== undefined && isCurrency(wanted) ? wanted : 'NGN'
  const faults: Fields = {}
  const image = readImage(draft.image || null, { caller, publicUrl: deps.publicUrl }, faults)
  const read = (amount = '') => {
    const minor = readAmount(amount, currency)
    return minor !== undefined && minor > 0n && minor <= AMOUNT_MINOR_MAX ? minor : undefined
  }
  const page: PayingPage = {
    ...EMPTY_CONTENT,
    business_id: businessId,
    live,
    id: 0,
    reference: '',
    currency,
    deleted_at: null,
    event_sequence: 0,
    created_at: caller.now,
    updated_at: caller.now,
    payments: 0,
    open_checkouts: 0,
    title: draft.title,
    description: draft.description || null,
    image: faults.image ? null : (image ?? null),
    color: draft.color || null,
    amount_type: (draft.amountType ?? 'variable') as PayingPage['amount_type'],
    amount_minor: read(draft.amount) ?? null,
    suggested_minor: (draft.suggestedAmounts ?? []).flatMap((one) => read(one) ?? []),
    product_ids: (draft.productIds ?? []).map(Number),
    custom_fields: (draft.customFields ?? []).map((field, i) => ({
      name: `field${i}`,
      label: field.label,
      type: field.type as 'text',
      required: field.required,
      options: field.options ?? [],
    })),
    collect_phone: draft.collectPhone ?? false,
    collect_address: draft.collectAddress ?? false,
    allow_discount_codes: draft.allowDiscountCodes ?? false,
  }
  const opened = await openDraft(deps, { businessId, live }, page)
  const html = renderPaymentPage(pageView(opened, deps.publicUrl), { nonce: '', locale })
  // Scripts don’t run in the preview, and browsers would report them as errors.
  return html.replace(/<script[^>]*><\/script>/g, '')
}
