import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface BrandingRow {
  business_id: number
  shown_name: string | null
  support_email: string | null
  support_phone: string | null
  website: string | null
  address: string | null
  /** `#0b7a4b` */
  accent_color: string | null
  logo_key: string
  logo_sha256: Buffer | null
  logo_type: 'image/png' | 'image/jpeg' | null
  logo_width: number | null
  logo_height: number | null
  logo_bytes: number | null
  updated_at: Date
}

const COLUMNS = sql`business_id, shown_name, support_email, support_phone, website, address,
  accent_color, logo_key, logo_sha256, logo_type, logo_width, logo_height, logo_bytes, updated_at`

export const selectBranding = (db: Db, businessId: number) =>
  db.maybe<BrandingRow>`
    select ${COLUMNS} from business_branding where business_id = ${businessId}`

/** Makes the row if there is none, and keeps others from changing it until the transaction ends. */
export async function lockBranding(tx: Tx, businessId: number, logoKey: string, now: Date) {
  await tx.run`
    insert into business_branding (business_id, logo_key, created_at, updated_at)
    values (${businessId}, ${logoKey}, ${now}, ${now})
    on conflict (business_id) do nothing`
  return tx.one<BrandingRow>`
    select ${COLUMNS} from business_branding where business_id = ${businessId} for update`
}

export const updateBranding = (tx: Tx, row: BrandingRow) =>
  tx.run`
    update business_branding
    set shown_name = ${row.shown_name}, support_email = ${row.support_email},
        support_phone = ${row.support_phone}, website = ${row.website},
        address = ${row.address}, accent_color = ${row.accent_color},
        logo_sha256 = ${row.logo_sha256}, logo_type = ${row.logo_type},
        logo_width = ${row.logo_width}, logo_height = ${row.logo_height},
        logo_bytes = ${row.logo_bytes}, updated_at = ${row.updated_at}
    where business_id = ${row.business_id}`

/** By what the address of a logo begins with, which nobody has whom it was not shown to. */
export const selectByLogoKey = (db: Db, key: string) =>
  db.maybe<BrandingRow>`select ${COLUMNS} from business_branding where logo_key = ${key}`

export interface OwnDetails {
  name: string
  email: string | null
  phone: string | null
}

/** What stands where the branding says nothing. */
export const selectOwnDetails = (db: Db, businessId: number) =>
  db.one<OwnDetails>`select name, email, phone from businesses where id = ${businessId}`
