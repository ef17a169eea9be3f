import type { ShareRow, SplitPageRow } from './queries.ts'

interface Shown {
  publicUrl: string
  /** In order of subaccounts. */
  shares: readonly Pick<ShareRow, 'share' | 'reference' | 'business_name'>[]
}

/** A split page as the API and its events show it (docs/CONTRACT.md, Split pages). */
export const splitPageRecord = (row: SplitPageRow, { publicUrl, shares }: Shown) => ({
  reference: row.reference,
  status: row.active,
  id: row.id,
  name: row.name,
  slug: row.slug,
  url: `${publicUrl}/pay/${row.slug}`,
  splitType: row.split_type,
  category: row.category,
  currency: row.currency,
  feeBearer: row.fee_bearer,
  subaccounts: shares.map(({ reference, share, business_name }) => ({
    subaccount: reference,
    share,
    business_name,
  })),
  totalShare: row.total_share,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
