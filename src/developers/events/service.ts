import type { Scope } from '../../business/keys/scopes.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { timeIn } from '../../events/append.ts'
import type { EventCatalogue } from '../../events/catalogue.ts'
import { requireScope } from '../../http/auth.ts'
import { type Caller, hasScope, type Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { isDescending, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { COLLECTIONS } from '../../lib/scopes.ts'
import { type EventRow, findEvents, selectEvent } from './queries.ts'
import type { EventQuery } from './schemas.ts'

export type { EventRow } from './queries.ts'

/**
 * How long an event can stay invisible after its own time, which is when the request that caused it
 * arrived or, for an upload, when its files had arrived. Requests end within 30 s after that,
 * unless storing a file in a bucket takes longer.
 */
const SETTLED_MS = 60_000

/**
 * Lists one page of the events about objects that the caller can read. Throws 400 for an unknown
 * `type`, and for an `after` that is not one of the caller's events.
 */
export async function listEvents(
  { db, events }: Pick<Deps, 'db' | 'events'>,
  caller: Caller,
  query: EventQuery,
) {
  if (query.type !== undefined) events.requireType(query.type)
  const filter = {
    type: query.type,
    types: readableTypes(caller, events.types),
    objectId: query.objectId === undefined ? undefined : toId(query.objectId),
    range: rangeOf(query, caller.timeZone),
    after: await placeAfter(db, caller, query.after),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findEvents(db, caller, filter, query)
  return {
    records: rows.map((row) => eventRecord(row, caller)),
    meta: { ...meta, resume: resumeOf(rows, query, caller.now) },
  }
}

/** Returns one event by its reference. Throws 404. */
export async function getEvent(db: Db, tenant: Tenant, reference: string) {
  const row = await findEvent(db, tenant, reference)
  if (!row) throw notFound('event')
  return eventRecord(row, tenant)
}

export async function findEvent(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<EventRow | undefined> {
  const at = timeIn(reference)
  return at && selectEvent(db, tenant, { reference, at })
}

async function placeAfter(db: Db, tenant: Tenant, after: string | undefined) {
  if (after === undefined) return undefined
  const row = await findEvent(db, tenant, after)
  if (!row) throw invalid({ after: ['is not an event in this business and mode'] })
  return row
}

/**
 * Returns the position from which a client that follows the events continues. An event from a slow
 * request can appear before events already listed, so clients never continue from an event younger
 * than SETTLED_MS.
 */
function resumeOf(
  rows: readonly EventRow[],
  { after, sort, page }: EventQuery,
  now: Date,
): string | null {
  if (isDescending(sort)) return null
  const settledAt = addMs(now, -SETTLED_MS)
  const settled = page === 1 ? rows.findLast(({ created_at }) => created_at < settledAt) : undefined
  return settled?.reference ?? after ?? null
}

export const eventRecord = (row: EventRow, { businessId, live }: Tenant) => ({
  id: row.reference,
  reference: row.reference,
  status: 'Recorded',
  type: row.type,
  timestamp: row.created_at,
  mode: live ? 'live' : 'test',
  businessId,
  object: row.object_type,
  objectId: row.object_id,
  sequence: row.sequence,
  data: JSON.parse(row.data),
})

type Collection = (typeof COLLECTIONS)[number]

/** The collection of each event type, by the first part of the type. */
const BY_BEGINNING: ReadonlyMap<string, Collection> = new Map(
  Object.entries<Collection>({
    wallet: 'wallet',
    account: 'profile',
    transaction: 'transactions',
    virtual_account: 'transactions',
    bank: 'transactions',
    deposit: 'transactions',
    transfer: 'transfers',
    refund: 'refunds',
    dispute: 'disputes',
    invoice: 'invoices',
    payment_page: 'payment_pages',
    product: 'products',
    order: 'orders',
    discount: 'discounts',
    download: 'products',
    subaccount: 'subaccounts',
    split_page: 'split_pages',
    settlement: 'settlements',
    utility: 'utility',
    api_key: 'keys',
    webhook: 'webhooks',
  }),
)

/** The collections of types whose data is not what their first part says. */
const BY_TYPE: ReadonlyMap<string, readonly Collection[]> = new Map([
  ['account.verified', ['profile', 'subaccounts']],
  ['settlement.blocked', ['subaccounts']],
])

/**
 * Returns the scopes required to read events of this type: those required to read their objects.
 */
export function scopesOfType(type: string): Scope[] {
  const [beginning = ''] = type.split('.')
  const collections = BY_TYPE.get(type) ?? [BY_BEGINNING.get(beginning) ?? 'events']
  return collections.map((collection): Scope => `${collection}:read`)
}

/**
 * Throws 403 unless a caller can read events of all these types. A wildcard counts as all of its
 * types, and `*` as every type.
 */
export function requireReadable(
  caller: Caller,
  { types: known }: Pick<EventCatalogue, 'types'>,
  types: readonly string[],
): void {
  for (const scope of types.flatMap((type) => matching(type, known)).flatMap(scopesOfType)) {
    requireScope(caller, scope)
  }
}

/** A wildcard also counts as itself, because it includes the types of later versions. */
function matching(type: string, known: readonly string[]): readonly string[] {
  if (type === '*') return known
  const [beginning, rest] = type.split('.')
  if (rest !== '*') return [type]
  return [type, ...known.filter((one) => one.startsWith(`${beginning}.`))]
}

/** Returns the types that a caller can read; undefined for all. */
export function readableTypes(caller: Caller, types: readonly string[]): string[] | undefined {
  if (caller.scopes === null) return undefined
  return types.filter((type) => scopesOfType(type).every((scope) => hasScope(caller, scope)))
}
