import { buffer } from 'node:stream/consumers'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { isEmail } from '../../lib/schemas.ts'
import { headerText } from '../../mail/header-text.ts'
import type { Sender } from '../../mail/templates/views.ts'
import { pdfAccentColor } from '../../pages/pages.ts'
import type { ManualPaymentView, MerchantView } from '../../pages/views.ts'
import type { Brand } from '../../pdf/views.ts'
import { type Logo, type LogoRow, logoPath } from './branding.ts'
import { readFees } from './fees.ts'
import type { PaymentTerms } from './payment-settings.ts'

/** A business's terms, with the name and contact details that payers see. */
export interface PublicProfile extends PaymentTerms {
  businessId: number
  website: string | null
  address: string | null
  /** `#0b7a4b` */
  accent_color: string | null
  logo: Logo | null
  manualPayment: ManualPaymentView | null
}

type Row = Omit<PublicProfile, 'businessId' | 'fee_rules' | 'logo' | 'manualPayment'> &
  LogoRow & { fees: string; manual_payment: string | null }

/** Returns the same as `paymentTermsOf` plus the branding, in a single statement. */
export async function publicProfileOf(db: Db, tenant: Tenant): Promise<PublicProfile> {
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

export const merchantOf = (terms: PublicProfile): MerchantView => {
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

/**
 * Returns the sender for an email to a customer. API callers choose the names, so each is reduced
 * to one line.
 */
export function senderOf(terms: PublicProfile, publicUrl: string): Sender {
  const { name, email, phone, accent_color: color, logo } = terms
  return {
    name: headerText(name),
    ...(email && isEmail(email) && { email }),
    ...(phone && { phone: headerText(phone) }),
    ...(color && { color }),
    ...(logo && {
      logo: { url: publicUrl + logoPath(logo), width: logo.width, height: logo.height },
    }),
  }
}

/** Default colours for businesses that haven't chosen one, dark enough for white text. */
const COLORS = ['#0b5f45', '#2e3f7f', '#a8442a', '#7a4b00', '#6b2d5c', '#1f5a75'] as const

/**
 * Returns the branding for a business's PDFs. `color` is the colour of the page that the payer
 * used, if any.
 */
export async function brandOf(
  deps: Pick<Deps, 'db' | 'files'>,
  { businessId, accent_color, logo }: PublicProfile,
  color?: string,
): Promise<Brand> {
  const own = COLORS[businessId % COLORS.length]!
  // While the file storage is unreachable, a PDF without a logo is better than none.
  const bytes = logo && (await contentOf(deps, businessId, logo).catch(() => undefined))
  return {
    color: pdfAccentColor(color ?? accent_color ?? undefined) ?? own,
    ...(logo && bytes && { logo: { bytes, width: logo.width, height: logo.height } }),
  }
}

// Each logo takes a few kilobytes, and only a few businesses create PDFs on the same day.
const KEPT_MAX = 32
const kept = new Map<string, Buffer>()

async function contentOf(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  businessId: number,
  { sha256 }: Logo,
): Promise<Buffer> {
  const name = sha256.toString('base64')
  const known = kept.get(name)
  if (known) return known
  const blob = await files.find(db, { businessId, live: true }, sha256)
  const bytes = await buffer(await files.open(blob))
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  kept.set(name, bytes)
  return bytes
}
