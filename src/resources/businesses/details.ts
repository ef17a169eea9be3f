import type { Tx } from '../../db/database.ts'
import { invalid } from '../../lib/problem.ts'
import { type Details, faultsOf } from './faults.ts'
import { lockDetails, updateDetails } from './queries.ts'

/** What is absent stays as it is; null or '' is taken away, but of the name. */
export type DetailsChange = { [Field in keyof Details]?: Details[Field] | null | undefined }

const COLUMNS = {
  name: 'name',
  email: 'email',
  phone: 'phone',
  firstName: 'first_name',
  lastName: 'last_name',
} as const

/**
 * Changes what a business is called and how it is reached, and answers which fields changed. Its
 * country, currency and status are the operator's. Throws 400 naming what cannot be.
 */
export async function changeDetails(
  tx: Tx,
  businessId: number,
  change: DetailsChange,
  now: Date,
): Promise<string[]> {
  const before = await lockDetails(tx, businessId)
  const row = { ...before }
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = change[field as keyof Details]
    if (value === undefined) continue
    const text = value?.trim() ?? ''
    if (column === 'name') row.name = text
    else row[column] = text || null
  }
  const faults = faultsOf({
    name: row.name,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
  })
  // What was stored by other means is not in question, as long as it stays.
  const asked = Object.entries(faults).filter(
    ([field]) => change[field as keyof Details] !== undefined,
  )
  if (asked.length > 0) throw invalid(Object.fromEntries(asked))
  const changed = Object.entries(COLUMNS).filter(([, column]) => row[column] !== before[column])
  if (changed.length > 0) await updateDetails(tx, businessId, row, now)
  return changed.map(([field]) => field)
}
