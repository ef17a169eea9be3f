import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import { newReference } from '../lib/tokens.ts'
import type { NoticeSubject } from '../providers/inbox/jobs.ts'
import { tenantOf } from './kind.ts'
import { type Mismatch, serviceOf } from './outcomes.ts'
import type { OrderRow } from './queries.ts'
import {
  type DifferenceSource,
  type DifferenceValues,
  nameKnown,
  selectNames,
  upsertDifferences,
} from './queries-differences.ts'

export {
  type Agreed,
  type Closing,
  closeAgreed,
  type DifferenceRow,
  type DifferenceSource,
  lockBooked,
  lockDifference,
  type Resolution,
  updateClosed,
  updateProposed,
  updateToUnpaid,
} from './queries-differences.ts'

/** What a provider reports and our books do not, or the reverse. */
export interface NewDifference
  extends Pick<
    DifferenceValues,
    'kind' | 'class' | 'provider_id' | 'ours_minor' | 'theirs_minor' | 'currency' | 'evidence'
  > {
  connectionId: number
  field?: 'amount' | 'currency' | 'status' | 'fee'
  source: DifferenceSource
  day?: string
  /** The order, if there is one. */
  order?: Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'> | undefined
}

const keyOf = ({ connectionId, kind, provider_id, field, order }: NewDifference): string =>
  provider_id === null
    ? JSON.stringify([order?.kind, order?.subject_id, order?.attempt, kind, field])
    : JSON.stringify([connectionId, kind, provider_id, field])

/**
 * Stores differences of one business. What is known already is not stored again, and what a person
 * has closed stays closed. Returns how many are open now.
 */
export async function openDifferences(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  found: readonly NewDifference[],
  now: Date,
): Promise<number> {
  const distinct = [...new Map(found.map((one) => [keyOf(one), one])).values()]
  const rows: DifferenceValues[] = []
  for (const { connectionId, order, field = '', day = null, ...rest } of distinct) {
    rows.push({
      ...rest,
      id: await ids.next(tx),
      reference: newReference('DIF'),
      connection_id: connectionId,
      field,
      day,
      subject_kind: order?.kind ?? null,
      subject_id: order?.subject_id ?? null,
      attempt: order?.attempt ?? null,
    })
  }
  await nameAll(tx, tenant, rows)
  const byKey = Map.groupBy(rows, ({ provider_id }) => (provider_id === null ? 'ours' : 'theirs'))
  let open = 0
  for (const [by, some] of byKey) {
    const stored = await upsertDifferences(tx, tenant, by, some, now)
    open += stored.filter(({ status }) => status === 'Open').length
  }
  return open
}

/**
 * The provider's number of an order is sometimes known only after a difference about it was found,
 * and a lookup does not always report it.
 */
async function nameAll(tx: Tx, tenant: Tenant, rows: DifferenceValues[]): Promise<void> {
  const ofOrders = rows.filter((row) => row.class === 'different' && row.subject_kind !== null)
  const [named, unnamed] = [true, false].map((isNamed) =>
    ofOrders.filter(({ provider_id }) => (provider_id !== null) === isNamed),
  )
  if (named!.length > 0) await nameKnown(tx, tenant, named!)
  if (unnamed!.length === 0) return
  for (const { n, provider_id } of await selectNames(tx, tenant, unnamed!)) {
    unnamed![n]!.provider_id = provider_id
  }
}

interface Said {
  /** The provider's words. */
  message: string | undefined
  source: DifferenceSource
  now: Date
}

/** Records that a provider reports something else about an order than our books say. */
export async function openDifference(
  tx: Tx,
  ids: Ids,
  order: OrderRow,
  { field, ours, theirs }: Mismatch,
  { message, source, now }: Said,
): Promise<void> {
  const difference: NewDifference = {
    connectionId: order.connection_id,
    kind: serviceOf(order.kind),
    class: 'different',
    field,
    source,
    provider_id: order.provider_id,
    order,
    ...figuresOf(order, { field, ours, theirs }),
    currency: order.currency,
    evidence: {
      order: { reference: order.reference, sentReference: order.sent_reference, [field]: ours },
      provider: { message, [field]: theirs },
    },
  }
  await openDifferences(tx, ids, tenantOf(order), [difference], now)
}

/** How much money each side has booked; null if it is not known. */
function figuresOf(
  { amount_minor }: OrderRow,
  { field, ours, theirs }: Mismatch,
): Pick<DifferenceValues, 'ours_minor' | 'theirs_minor'> {
  if (field === 'amount') return { ours_minor: BigInt(ours), theirs_minor: BigInt(theirs) }
  if (field === 'currency') return { ours_minor: null, theirs_minor: null }
  const movedIn = (status: string) => (PAID.includes(status) ? amount_minor : 0n)
  return { ours_minor: movedIn(ours), theirs_minor: movedIn(theirs) }
}

/** The states of records whose money has moved. */
const PAID = ['Successful', 'Paid', 'Processed']

/**
 * Records that a provider has notified us of something that none of our orders is. The figures are
 * unknown: a notification is never believed about money.
 */
export async function openMissing(
  tx: Tx,
  ids: Ids,
  { tenant, connectionId, about, type, reference, providerId }: NoticeSubject,
  now: Date,
): Promise<void> {
  const kind = about === 'payment' ? 'charge' : about
  if (kind === 'none') return
  const difference: NewDifference = {
    connectionId,
    kind,
    class: 'missing_here',
    source: 'notice',
    // Without a number of the provider's, the reference tells one from another.
    provider_id: providerId ?? reference ?? newReference('DIF'),
    ours_minor: null,
    theirs_minor: null,
    currency: null,
    evidence: { notification: { type, reference, providerId } },
  }
  await openDifferences(tx, ids, tenant, [difference], now)
}
