import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface BusinessRow {
  id: number
  reference: string
  name: string
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  country: string
  currency: string
  status: 'Active' | 'Suspended'
  created_at: Date
}

export type NewBusinessRow = Omit<BusinessRow, 'country' | 'currency' | 'status'>

export async function insertBusiness(tx: Tx, row: NewBusinessRow): Promise<void> {
  const { created_at: at } = row
  await tx.run`
    insert into businesses
      (id, reference, name, email, phone, first_name, last_name, created_at, updated_at)
    values (${row.id}, ${row.reference}, ${row.name}, ${row.email}, ${row.phone},
            ${row.first_name}, ${row.last_name}, ${at}, ${at})`
  await tx.run`
    insert into business_settings (business_id, live, created_at, updated_at)
    select ${row.id}, live, ${at}, ${at} from unnest(${[false, true]}::boolean[]) as live`
}

const columns = sql`id, reference, name, email, phone, first_name, last_name, country, currency,
  status, created_at`

/** Oldest first. */
export function selectBusinesses(db: Db) {
  return db.many<BusinessRow>`select ${columns} from businesses order by id`
}

export interface FeesRow {
  name: string
  fees: string | null
}

export function selectFees(db: Db, businessId: number) {
  return db.maybe<FeesRow>`
    select name, fee_rules::text as fees from businesses where id = ${businessId}`
}

/** As `selectFees`, and keeps others from changing them until the transaction ends. */
export function lockFees(tx: Tx, businessId: number) {
  return tx.maybe<FeesRow>`
    select name, fee_rules::text as fees from businesses where id = ${businessId} for update`
}

export async function updateFees(tx: Tx, businessId: number, fees: string | null, now: Date) {
  await tx.run`
    update businesses set fee_rules = ${fees}::jsonb, updated_at = ${now} where id = ${businessId}`
}

export type DetailsRow = Pick<BusinessRow, 'name' | 'email' | 'phone' | 'first_name' | 'last_name'>

/** Keeps others from changing them until the transaction ends. */
export const lockDetails = (tx: Tx, businessId: number) =>
  tx.one<DetailsRow>`
    select name, email, phone, first_name, last_name from businesses
    where id = ${businessId} for no key update`

export const updateDetails = (tx: Tx, businessId: number, row: DetailsRow, now: Date) =>
  tx.run`
    update businesses
    set name = ${row.name}, email = ${row.email}, phone = ${row.phone},
        first_name = ${row.first_name}, last_name = ${row.last_name}, updated_at = ${now}
    where id = ${businessId}`
