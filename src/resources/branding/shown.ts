import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { ManualPaymentView, MerchantView } from '../../pages/views.ts'
import { readFees } from '../businesses/fees.ts'
import type { Terms } from '../businesses/terms.ts'
import { type KnownLogo, type Logo, logoPath } from './logo.ts'

/** The terms of a business, under the name and with the contacts that payers see. */
export interface ShownTerms extends Terms {
  businessId: number
  website: string | null
  address: string | null
  /** `#0b7a4b` */
  accent_color: string | null
  logo: Logo | null
  manualPayment: ManualPaymentView | null
}

type Row = Omit<ShownTerms, 'businessId' | 'fee_rules' | 'logo' | 'manualPayment'> &
  KnownLogo & { fees: string; manual_payment: string | null }

/** As `termsOf`, in one statement with how the business shows itself. */
export async function shownTermsOf(db: Db, tenant: Tenant): Promise<ShownTerms> {
  const { businessId, live } = tenant
  const {
    fees,
    manual_payment,
    logo_key,
    logo_sha256,
    logo_type,
    logo_width,
    logo_height,
    ...terms
  } = await db.one<Row>`
      select coalesce(g.shown_name, b.name) as name, coalesce(g.support_email, b.email) as email,
             coalesce(g.support_phone, b.phone) as phone, b.currency, s.time_zone, s.fee_bearer,
             s.virtual_account_policy, s.transfer_approval_above_minor, s.manual_payment,
             b.fee_rules::text as fees, g.website, g.address, g.accent_color, g.logo_key,
             g.logo_sha256, g.logo_type, g.logo_width, g.logo_height
      from businesses b
      join business_settings s on s.business_id = b.id
      left join business_branding g on g.business_id = b.id
      where b.id = ${businessId} and s.live = ${live}`
  const logo = logo_sha256 && {
    key: logo_key!,
    sha256: logo_sha256,
    type: logo_type!,
    width: logo_width!,
    height: logo_height!,
  }
  const manualPayment = manual_payment === null ? null : JSON.parse(manual_payment)
  return { ...terms, businessId, fee_rules: readFees(fees), logo, manualPayment }
}

/** Whom a payer deals with. */
export const merchantOf = (terms: ShownTerms): MerchantView => {
  const { name, email, phone, website, address, accent_color: color, logo } = terms
  return {
    name,
    ...(email && { email }),
    ...(phone && { phone }),
    ...(website && { website }),
    ...(address && { address }),
    ...(color && { color }),
    ...(logo && { logo: { path: logoPath(logo), width: logo.width, height: logo.height } }),
  }
}
