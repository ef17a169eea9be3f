import { readInBatches } from '../../db/batch.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { conflict } from '../../lib/problem.ts'
import { type FeeRules, readFees } from './fees.ts'

/** The terms on which payers pay a business, and the name that they see. */
export interface PaymentTerms {
  name: string
  email: string | null
  phone: string | null
  currency: string
  time_zone: string
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  virtual_account_policy: 'exact' | 'accept_over' | 'accept_partial'
  /** Transfers above this amount, in `currency`, need approval. */
  transfer_approval_above_minor: Minor | null
  fee_rules: FeeRules
}

type TermsRow = Omit<PaymentTerms, 'fee_rules'> & { fees: string | null }

/** Returns the terms for one mode. Throws if the business does not exist. */
export async function paymentTermsOf(db: Db, { businessId, live }: Tenant): Promise<PaymentTerms> {
  return termsOf(
    await db.one<TermsRow>`
      select ${TERMS} from businesses join business_settings on business_id = id
      where id = ${businessId} and live = ${live}`,
  )
}

const TERMS = sql`name, email, phone, currency, time_zone, fee_bearer, virtual_account_policy,
  transfer_approval_above_minor, fee_rules::text as fees`

const termsOf = ({ fees, ...terms }: TermsRow): PaymentTerms => ({
  ...terms,
  fee_rules: readFees(fees),
})

const termsRows = readInBatches<Tenant, TermsRow>(
  ({ businessId }) => businessId,
  (db, tenants) => db.many`
    select n, ${TERMS}
    from unnest(
      ${plainArray(tenants.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(tenants.map(({ live }) => live))}::boolean[]
    ) with ordinality as i (business_id, live, n)
    join business_settings using (business_id, live) join businesses on id = business_id`,
)

/** Like `paymentTermsOf`, but simultaneous calls share one statement. */
export async function paymentTermsInBatch(db: Database, tenant: Tenant): Promise<PaymentTerms> {
  const [row] = await termsRows(db).add(tenant)
  if (!row) throw new Error(`The business ${tenant.businessId} does not exist`)
  return termsOf(row)
}

/** Returns how far ahead a business's test clock is. Always 0 for live data. */
export async function clockOffsetMs(db: Db, { businessId, live }: Tenant): Promise<number> {
  if (live) return 0
  const { test_clock_offset_ms } = await db.one<{ test_clock_offset_ms: number }>`
    select test_clock_offset_ms from businesses where id = ${businessId}`
  return test_clock_offset_ms
}

/**
 * Moves a business's test clock. Throws 409 `real_connection_in_use` if its test mode has a
 * connection to a provider, which lives by the real time.
 */
export async function advanceClock(tx: Tx, businessId: number, seconds: number) {
  // The connecting of a provider holds this lock; the next statement sees what it has written.
  await tx.run`select from businesses where id = ${businessId} for no key update`
  const moved = await tx.maybe<{ test_clock_offset_ms: number; reference: string }>`
    update businesses
    set test_clock_offset_ms = test_clock_offset_ms + ${seconds * 1000}::bigint
    where id = ${businessId} and not exists (
      select from provider_connections c
      where c.business_id = businesses.id and not c.live and c.status <> 'Removed')
    returning test_clock_offset_ms, reference`
  if (!moved) {
    throw conflict(
      'real_connection_in_use',
      'The test mode of this business is connected to a provider, so its clock cannot be moved.',
    )
  }
  return moved
}
