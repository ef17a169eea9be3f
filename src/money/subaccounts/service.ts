import type { Db, Tx } from '../../db/database.ts'
import { searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { hashOfNumber, lastFour } from '../../encryption/account-numbers.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending } from '../../lib/paging.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import {
  findSubaccounts,
  lockByCodes,
  lockSubaccount,
  type StoredSubaccount,
  SUBACCOUNTS,
  type SubaccountName,
  type SubaccountRow,
  selectCodes,
  selectSubaccount,
  updateInactive,
} from './queries.ts'
import { subaccountRecord, withNumber } from './record.ts'
import type { SubaccountQuery } from './schemas.ts'

const KIND = 'subaccount'

export { SUBACCOUNTS } from './queries.ts'

export type NumberDeps = Pick<Deps, 'ids' | 'keyring'>

export async function getSubaccount(
  db: Db,
  { keyring }: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  reference: string,
) {
  const row = await requireSubaccount(db, tenant, reference)
  return subaccountRecord(await withNumber(db, keyring, row))
}

/** Returns a subaccount without its account number. Throws 404. */
export async function requireSubaccount(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<StoredSubaccount> {
  const row = await selectSubaccount(db, tenant, reference)
  if (!row) throw notFound('subaccount')
  return row
}

/**
 * Returns a subaccount's record and locks the subaccount until the transaction ends. Throws 404.
 */
export async function lockRecord(
  tx: Tx,
  { keyring }: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  reference: string,
) {
  const row = await lockSubaccount(tx, tenant, reference)
  if (!row) throw notFound('subaccount')
  return subaccountRecord(await withNumber(tx, keyring, row))
}

/** Returns the fields that an edit can change, and whether the account was verified. */
export function editablePartOf(subaccount: ReturnType<typeof subaccountRecord>) {
  const { updatedAt: _changed, ...content } = subaccount
  return content
}

/**
 * Excludes a subaccount from future splits. Its balance is still settled. Repeating the call has no
 * effect.
 */
export async function deactivateSubaccount(
  tx: Tx,
  deps: NumberDeps,
  caller: Caller,
  reference: string,
) {
  const { ids, keyring } = deps
  const stored = await updateInactive(tx, caller, reference, caller.now)
  if (!stored) return getSubaccount(tx, deps, caller, reference)
  const row = await withNumber(tx, keyring, stored)
  await appendEvents(tx, ids, eventsOf(row, ['subaccount.updated'], caller.now))
  return subaccountRecord(row)
}

export type EventType =
  | 'subaccount.created'
  | 'subaccount.updated'
  | 'account.verified'
  | 'settlement.blocked'

/** Builds the events for a row whose event count already includes them. */
export const eventsOf = (row: SubaccountRow, types: readonly EventType[], at: Date): NewEvent[] =>
  types.map((type, i) => ({
    businessId: row.business_id,
    live: row.live,
    type,
    objectType: KIND,
    objectId: row.id,
    sequence: row.event_sequence - types.length + 1 + i,
    data: type === 'account.verified' ? accountOf(row) : subaccountRecord(row),
    at,
  }))

/** Has the same form in the event for a business's own account. */
const accountOf = (row: SubaccountRow) => ({
  reference: row.reference,
  status: 'Verified',
  bankCode: row.bank_code,
  bankName: row.bank_name,
  accountNumber: lastFour(row.account_number),
  accountNumberLast4: lastFour(row.account_number),
  subject: 'subaccount',
  accountName: row.account_name,
})

export const accountTaken = () =>
  invalid(
    { account_number: ['already belongs to another subaccount at the same bank'] },
    'subaccount_exists',
  )

export type { SubaccountName } from './queries.ts'

export interface SubaccountCode {
  reference: string
  business_name: string
}

/** Returns the codes and names of subaccounts by id. Leaves out unknown ids. */
export async function codesOf(
  db: Db,
  tenant: Tenant,
  ids: readonly number[],
): Promise<Map<number, SubaccountCode>> {
  if (ids.length === 0) return new Map()
  const rows = await selectCodes(db, tenant, ids)
  return new Map(rows.map(({ id, reference, business_name }) => [id, { reference, business_name }]))
}

/**
 * Returns the subaccounts with these codes, for shares, and keeps them Active until the transaction
 * ends. Throws 404 naming the field of each unknown code, or 409 if a subaccount is Inactive.
 */
export async function lockShareRecipients(
  tx: Tx,
  tenant: Tenant,
  codes: readonly string[],
  fieldOf: (i: number) => string,
): Promise<Map<string, SubaccountName>> {
  const found = new Map((await lockByCodes(tx, tenant, codes)).map((row) => [row.reference, row]))
  const unknown = codes.flatMap((code, i) => (found.has(code) ? [] : [fieldOf(i)]))
  if (unknown.length > 0) throw notFound('subaccount', unknown)
  for (const code of codes) {
    if (found.get(code)!.status !== 'Active') {
      throw conflict('subaccount_inactive', `The subaccount ${code} is Inactive.`)
    }
  }
  return found
}

/**
 * Returns the subaccount that is to receive a whole payment. Throws 404, or 409 if it is Inactive.
 */
export async function payeeFor(db: Db, tenant: Tenant, code: string) {
  const row = await selectSubaccount(db, tenant, code)
  if (!row) throw notFound('subaccount')
  const { id, reference, status, currency, charge_basis_points } = row
  if (status !== 'Active') {
    throw conflict('subaccount_inactive', `The subaccount ${reference} is Inactive.`)
  }
  return { id, reference, currency, charge_basis_points }
}

/** Throws 409 unless shares in this currency can be paid to the subaccount. */
export function refuseCurrency({ reference, currency }: SubaccountName, ofPage: string): void {
  if (currency === ofPage) return
  const text = `The subaccount ${reference} is in ${currency}, but the split page is in ${ofPage}.`
  throw conflict('currency_mismatch', text)
}

export async function listSubaccounts(
  { db, keyring }: Pick<Deps, 'db' | 'keyring'>,
  tenant: Tenant,
  query: SubaccountQuery,
) {
  const text = query.searchString?.trim()
  const isNumber = text !== undefined && /^\d{10}$/.test(text)
  const filter = {
    accountHash: isNumber ? await hashOfNumber(db, keyring, tenant, text) : undefined,
    search: isNumber ? undefined : searchFor(SUBACCOUNTS, text),
    sortKey: query.sortKey,
    descending: isDescending(query.sort),
  }
  const { rows, meta } = await findSubaccounts(db, tenant, filter, query)
  const subaccounts = await Promise.all(rows.map((row) => withNumber(db, keyring, row)))
  return { records: subaccounts.map(subaccountRecord), meta }
}
