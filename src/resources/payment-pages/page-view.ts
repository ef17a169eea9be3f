import { randomBytes } from 'node:crypto'
import type { PageFault, PaymentPageView } from '../../pages/pages.ts'
import { merchantOf } from '../branding/shown.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'
import type { Quote } from '../products/discounts/quote.ts'
import { readForm } from './page-form.ts'
import { isDelivered, locationsOf, productView, proposedOf } from './page-goods.ts'
import { type OpenedPage, PREVIEW } from './page-service.ts'
import { leastOf, totalsOf } from './page-totals.ts'

/** What was typed, and what is wrong with it. */
export interface Typed {
  values: Record<string, string>
  faults: readonly PageFault[]
  once: string
  /** Of the code that was applied. */
  quote?: Quote
  /** The access code of the checkout that is changed, or started again. */
  from?: string
}

/** The page to fill in, with what was typed before. */
export function pageView(opened: OpenedPage, publicUrl: string, typed?: Typed): PaymentPageView {
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

/** One of what there is only one of; else none, so that nobody buys by mistake. */
const proposed = (products: readonly ProductRecord[]): Record<string, string> =>
  Object.assign({}, ...products.map((one) => proposedOf(one, products.length === 1 ? 1 : 0)))

function amountView(opened: OpenedPage): NonNullable<PaymentPageView['amount']> {
  const { page } = opened
  if (page?.amount_type === 'fixed') return { kind: 'fixed', minor: page.amount_minor ?? 0n }
  const leastMinor = leastOf(opened)
  return {
    kind: 'chosen',
    suggested: (page?.suggested_minor ?? []).filter((minor) => minor >= leastMinor),
    ...(leastMinor > 0n && { leastMinor }),
  }
}
