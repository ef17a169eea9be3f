import { randomBytes } from 'node:crypto'
import type { Minor } from '../../lib/money.ts'
import type { PageFault, PaymentPageView } from '../../pages/pages.ts'
import { merchantOf } from '../branding/shown.ts'
import type { ProductRecord } from '../products/catalogue/service.ts'
import { countFields, locationsOf, productView } from './page-goods.ts'
import type { OpenedPage } from './page-service.ts'

/** What was typed, and what is wrong with it. */
export interface Typed {
  values: Record<string, string>
  faults: readonly PageFault[]
  once: string
}

/** The page to fill in, with what was typed before. */
export function pageView(opened: OpenedPage, publicUrl: string, typed?: Typed): PaymentPageView {
  const { link, tenant, terms, page, title, currency, products, picture } = opened
  return {
    path: `/pay/${encodeURIComponent(link)}`,
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
      address: page?.collect_address ?? false,
      discount: page?.allow_discount_codes ?? false,
    },
    isTyped: typed !== undefined,
    values: typed?.values ?? proposed(products),
    faults: typed?.faults ?? [],
    once: typed?.once ?? randomBytes(16).toString('base64url'),
  }
}

/** One of what there is only one of; of several kinds none, so that nobody buys by mistake. */
function proposed(products: readonly ProductRecord[]): Record<string, string> {
  const only = products.length === 1
  const fields = products.flatMap((product) => countFields(product).map(({ name }) => name))
  return Object.fromEntries(fields.map((name) => [name, only && fields.length === 1 ? '1' : '0']))
}

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

/** What a payer must choose at least: the page's own minimum, or what is shared out of it. */
export function leastOf({ page, shared_minor }: OpenedPage): Minor {
  const own_minor = page?.amount_type === 'minimum' ? (page.amount_minor ?? 0n) : 0n
  return own_minor > shared_minor ? own_minor : shared_minor
}
