import { type Minor, toAmount } from '../../lib/money.ts'
import type { CountsRow, PageRow } from './queries.ts'
import type { PartRow } from './queries-products.ts'

interface Shown {
  publicUrl: string
  counts: CountsRow
  /** In their order. */
  parts: readonly PartRow[]
}

/** A payment page as the API and its events show it (docs/CONTRACT.md, Payment pages). */
export function pageRecord(row: PageRow, { publicUrl, counts, parts }: Shown) {
  const { amount_minor, currency, image } = row
  const amountOf = (minor: Minor) => toAmount(minor, currency)
  return {
    id: row.id,
    pageId: row.id,
    reference: row.reference,
    title: row.title,
    description: row.description,
    status: row.deleted_at === null ? row.status : ('Deleted' as const),
    customLink: row.custom_link,
    url: `${publicUrl}/pay/${row.custom_link}`,
    amountType: row.amount_type,
    amount: amount_minor === null ? null : amountOf(amount_minor),
    amountMinor: amount_minor === null ? null : Number(amount_minor),
    currency,
    suggestedAmounts: row.suggested_minor.map(amountOf),
    image: image?.startsWith('/') ? publicUrl + image : image,
    color: row.color,
    customFields: row.custom_fields,
    collectPhone: row.collect_phone,
    collectAddress: row.collect_address,
    allowDiscountCodes: row.allow_discount_codes,
    maxPayments: row.max_payments,
    expiresAt: row.expires_at,
    redirectUrl: row.redirect_url,
    successMessage: row.success_message,
    splitPageId: row.split_page_id,
    feeBearer: row.fee_bearer,
    channels: row.channels,
    products: parts.map(partOf),
    stats: statsOf(counts, currency),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type PageRecord = ReturnType<typeof pageRecord>

const partOf = (part: PartRow) => ({
  productId: String(part.product_id),
  reference: part.reference,
  name: part.name,
  slug: part.slug,
  price: toAmount(part.price_minor, part.currency),
  priceMinor: Number(part.price_minor),
  currency: part.currency,
  type: part.type,
  status: part.status,
})

const statsOf = ({ views, checkouts, payments, amount_minor }: CountsRow, currency: string) => ({
  views,
  checkouts,
  payments,
  amount: toAmount(amount_minor, currency),
  amountMinor: Number(amount_minor),
  // Views that a crash lost must not make it more than all.
  conversion: views === 0 ? 0 : Math.min(1, Number((payments / views).toPrecision(4))),
})
