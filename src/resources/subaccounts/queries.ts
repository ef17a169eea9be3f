import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { BasisPoints } from '../../lib/percent.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface SubaccountRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  status: 'Active' | 'Inactive'
  business_name: string
  bank_code: string | null
  bank_name: string | null
  account_number: string
  account_name: string | null
  verified: boolean
  charge_basis_points: BasisPoints
  currency: string
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** As `SubaccountRow` has them. */
export const COLUMNS = sql`business_id, live, id, reference, status, business_name, bank_code,
  bank_name, account_number, account_name, verified, charge_basis_points, currency,
  event_sequence, created_at, updated_at`

/** A subaccount by its code or its id; none has both forms, since codes begin with a letter. */
const named = ({ businessId, live }: Tenant, reference: string) =>
  /^\d{1,15}$/.test(reference)
    ? sql`business_id = ${businessId} and live = ${live} and id = ${Number(reference)}`
    : sql`business_id = ${businessId} and live = ${live} and reference = ${reference}`

export function selectSubaccount(db: Db, tenant: Tenant, reference: string) {
  return db.maybe<SubaccountRow>`
    select ${COLUMNS} from subaccounts where ${named(tenant, reference)}`
}

/** Keeps others from changing it until the transaction ends. */
export function lockSubaccount(tx: Tx, tenant: Tenant, reference: string) {
  return tx.maybe<SubaccountRow>`
    select ${COLUMNS} from subaccounts where ${named(tenant, reference)} for update`
}

/** Whether another one has the account. */
export async function isAccountTaken(
  db: Db,
  { businessId, live }: Tenant,
  { bank_code, account_number }: Pick<SubaccountRow, 'bank_code' | 'account_number'>,
): Promise<boolean> {
  const found = await db.maybe`
    select from subaccounts
    where business_id = ${businessId} and live = ${live} and bank_code = ${bank_code}
      and account_number = ${account_number}`
  return found !== undefined
}

/** Nothing comes back when another one has the account. */
export function insertSubaccount(tx: Tx, row: SubaccountRow) {
  return tx.maybe<SubaccountRow>`
    insert into subaccounts (${COLUMNS})
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.status},
      ${row.business_name}, ${row.bank_code}, ${row.bank_name}, ${row.account_number},
      ${row.account_name}, ${row.verified}, ${row.charge_basis_points}, ${row.currency},
      ${row.event_sequence}, ${row.created_at}, ${row.updated_at})
    on conflict (business_id, live, bank_code, account_number) where bank_code is not null
      do nothing
    returning ${COLUMNS}`
}

/** What a caller can change. */
export type Content = Pick<
  SubaccountRow,
  | 'status'
  | 'business_name'
  | 'bank_code'
  | 'bank_name'
  | 'account_number'
  | 'account_name'
  | 'verified'
  | 'charge_basis_points'
>

/** The name of the index of accounts, which an update may run into. */
export const ACCOUNT_INDEX = 'subaccounts_account'

/** Counts `events`, which are told of it. */
export function updateSubaccount(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  events: number,
  now: Date,
) {
  return tx.one<SubaccountRow>`
    update subaccounts
    set status = ${content.status}, business_name = ${content.business_name},
      bank_code = ${content.bank_code}, bank_name = ${content.bank_name},
      account_number = ${content.account_number}, account_name = ${content.account_name},
      verified = ${content.verified}, charge_basis_points = ${content.charge_basis_points},
      event_sequence = event_sequence + ${events}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/** Nothing comes back for one that is Inactive already, or does not exist. */
export function updateInactive(tx: Tx, tenant: Tenant, reference: string, now: Date) {
  return tx.maybe<SubaccountRow>`
    update subaccounts
    set status = 'Inactive', event_sequence = event_sequence + 1, updated_at = ${now}
    where ${named(tenant, reference)} and status = 'Active'
    returning ${COLUMNS}`
}

/** What others have to know of a subaccount. */
export type SubaccountName = Pick<
  SubaccountRow,
  'id' | 'reference' | 'business_name' | 'status' | 'currency'
>

/** How others name a subaccount, by its id. */
export function selectCodes(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<Pick<SubaccountRow, 'id' | 'reference' | 'business_name'>>`
    select id, reference, business_name from subaccounts
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
}

/** Those with these codes; none is deactivated until the transaction ends. */
export function lockNamed(tx: Tx, { businessId, live }: Tenant, references: readonly string[]) {
  return tx.many<SubaccountName>`
    select id, reference, business_name, status, currency from subaccounts
    where business_id = ${businessId} and live = ${live}
      and reference = any(${references}::text[])
    order by id for share`
}
