import type { Db, Tx } from '../../db/database.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending } from '../../lib/paging.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import {
  findSubaccounts,
  lockNamed,
  lockSubaccount,
  type SubaccountName,
  type SubaccountRow,
  selectCodes,
  selectSubaccount,
  updateInactive,
} from './queries.ts'
import { subaccountRecord } from './record.ts'
import type { SubaccountQuery } from './schemas.ts'

/** What searches and lists know subaccounts by. */
const KIND = 'subaccount'

/** By its name, its account number and its code. */
export const SUBACCOUNTS: Searchable<SubaccountRow> = {
  kind: KIND,
  table: 'subaccounts',
  fields: ['business_name', 'account_number', 'reference'],
  commonStart: 'acct_',
}

export async function getSubaccount(db: Db, tenant: Tenant, reference: string) {
  const row = await selectSubaccount(db, tenant, reference)
  if (!row) throw notFound('subaccount')
  return subaccountRecord(row)
}

/** The record of a subaccount that is held until the transaction ends. Throws 404. */
export async function holdRecord(tx: Tx, tenant: Tenant, reference: string) {
  const row = await lockSubaccount(tx, tenant, reference)
  if (!row) throw notFound('subaccount')
  return subaccountRecord(row)
}

/** What an edit may change of it, and whether its account was found to be its own. */
export function editedOf(subaccount: ReturnType<typeof subaccountRecord>) {
  const { updatedAt: _changed, ...content } = subaccount
  return content
}

/**
 * Keeps a subaccount out of what is shared from now on; what it has is still settled. Again changes
 * nothing.
 */
export async function deactivateSubaccount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  reference: string,
) {
  const row = await updateInactive(tx, caller, reference, caller.now)
  if (!row) return getSubaccount(tx, caller, reference)
  await appendEvents(tx, ids, eventsOf(row, ['subaccount.updated'], caller.now))
  return subaccountRecord(row)
}

export type EventType =
  | 'subaccount.created'
  | 'subaccount.updated'
  | 'account.verified'
  | 'settlement.blocked'

/** The events of a row that has just counted them. */
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

/** As the event tells of a business's own account, too. */
const accountOf = (row: SubaccountRow) => ({
  reference: row.reference,
  status: 'Verified',
  bankCode: row.bank_code,
  bankName: row.bank_name,
  accountNumber: row.account_number.slice(-4),
  accountNumberLast4: row.account_number.slice(-4),
  subject: 'subaccount',
  accountName: row.account_name,
})

export const accountTaken = () =>
  invalid(
    { account_number: ['belongs to another subaccount, at the same bank'] },
    'subaccount_exists',
  )

export type { SubaccountName } from './queries.ts'

export interface SubaccountCode {
  reference: string
  business_name: string
}

/** How to name subaccounts, by their ids; an unknown id is not in it. */
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
 * Those with these codes, by code, as what can be given a share; they stay Active until the
 * transaction ends. Throws 404 naming the field of each that there is not, or 409 for one that is
 * Inactive.
 */
export async function sharers(
  tx: Tx,
  tenant: Tenant,
  codes: readonly string[],
  fieldOf: (i: number) => string,
): Promise<Map<string, SubaccountName>> {
  const found = new Map((await lockNamed(tx, tenant, codes)).map((row) => [row.reference, row]))
  const unknown = codes.flatMap((code, i) => (found.has(code) ? [] : [fieldOf(i)]))
  if (unknown.length > 0) throw notFound('subaccount', unknown)
  for (const code of codes) {
    if (found.get(code)!.status !== 'Active') {
      throw conflict('subaccount_inactive', `The subaccount ${code} is Inactive.`)
    }
  }
  return found
}

/** Who gets what is paid for one subaccount. Throws 404, or 409 for one that is Inactive. */
export async function payeeFor(db: Db, tenant: Tenant, code: string) {
  const row = await selectSubaccount(db, tenant, code)
  if (!row) throw notFound('subaccount')
  const { id, reference, status, currency, charge_basis_points } = row
  if (status !== 'Active') {
    throw conflict('subaccount_inactive', `The subaccount ${reference} is Inactive.`)
  }
  return { id, reference, currency, charge_basis_points }
}

/** Throws 409 unless shares in this currency can be paid to it. */
export function refuseCurrency({ reference, currency }: SubaccountName, ofPage: string): void {
  if (currency === ofPage) return
  const text = `The subaccount ${reference} has ${currency}, the split page ${ofPage}.`
  throw conflict('currency_mismatch', text)
}

/** One page of subaccounts with its meta. */
export async function listSubaccounts(db: Db, tenant: Tenant, query: SubaccountQuery) {
  const filter = {
    search: searchFor(SUBACCOUNTS, query.searchString),
    sortKey: query.sortKey,
    descending: isDescending(query.sort),
  }
  const { rows, meta } = await findSubaccounts(db, tenant, filter, query)
  return { records: rows.map(subaccountRecord), meta }
}
