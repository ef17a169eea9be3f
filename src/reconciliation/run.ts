import type { Database, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { forEachConcurrent } from '../jobs/jobs.ts'
import { clearingOf, postJournal } from '../ledger/ledger.ts'
import { addMs } from '../lib/clock.ts'
import {
  type Agreed,
  closeAgreed,
  type NewDifference,
  openDifferences,
} from '../provider-orders/differences.ts'
import { lookUpOrder, type OrderKinds } from '../provider-orders/orders.ts'
import { serviceOf } from '../provider-orders/outcomes.ts'
import type {
  EntryKind,
  Outcome,
  Provider,
  ProviderEntry,
  Providers,
  Range,
  SettledPage,
} from '../providers/connector/types.ts'
import { compareBalances } from './balances.ts'
import { closeRounding } from './close.ts'
import { dayOf, nextRun, rangeOfDay, readRange } from './days.ts'
import { type Matching, matchEntries, orderEvidence, type Unsettled } from './match.ts'
import {
  type DayKey,
  type DayRow,
  extendLease,
  finishDay,
  type SettlementRow,
  selectUnread,
  takeDay,
  updatePayments,
  updateSettlementJournal,
  updateStatus,
  upsertSettlement,
} from './queries.ts'
import { selectUnreported, updateSettled, upsertEntries } from './queries-match.ts'

export { selectReconcilable as reconcilable } from './queries.ts'

export interface ReconcileDeps {
  db: Database
  ids: Ids
  providers: Providers
  log: Log
  orderKinds: OrderKinds
}

interface Options {
  now: Date
  /** Ends the run before the next page. */
  isStopped?: () => boolean
  /** Reads the day only if it is still due. */
  ifDue?: boolean
}

const LEASE_MS = 30 * 60_000

/** How long to wait before a provider that did not respond is asked again. */
const AGAIN_MS = 30 * 60_000

/**
 * Compares a day of a connection's own records with our books. Each page is read outside any
 * transaction and compared in its own. Returns undefined if another process is reading the day.
 */
export async function reconcileDay(
  deps: ReconcileDeps,
  key: DayKey,
  { now, isStopped = () => false, ifDue = false }: Options,
): Promise<DayRow | undefined> {
  const began = performance.now()
  const clock = () => addMs(now, Math.floor(performance.now() - began))
  const taken = addMs(now, LEASE_MS)
  if (!(await takeDay(deps.db, key, { now, until: taken, ifDue }))) return undefined
  const renew = () => extendLease(deps.db, key, addMs(clock(), LEASE_MS))
  let problem: string | null
  try {
    const provider = await deps.providers.holder(key.connectionId)
    problem = await read({ ...deps, provider, key, clock, renew, isStopped })
  } catch (err) {
    const { tenant, connectionId: connection, day } = key
    deps.log.warn({ err, ...tenant, connection, day }, 'a day was not reconciled')
    problem = 'It failed on this server. The log has the reason.'
  }
  return deps.db.transaction(async (tx) => {
    const at = clock()
    const nextAt = problem === null ? nextRun(key.day, at) : addMs(at, AGAIN_MS)
    await finishDay(tx, key, { now: at, taken, nextAt, problem }, rangeOfDay(key.day))
    return updateStatus(tx, key, at)
  })
}

interface Reading extends ReconcileDeps {
  provider: Provider
  key: DayKey
  clock: () => Date
  renew: () => Promise<unknown>
  isStopped: () => boolean
}

/** Returns why the day could not be read to its end, or null. */
async function read(reading: Reading): Promise<string | null> {
  const { db, provider, key, clock } = reading
  const { reports } = provider
  if (!reports) return 'The provider has no lists of its own records.'
  const range = readRange(key.day, clock())
  for (const kind of reports.kinds) {
    const problem = await readKind(reading, kind, range)
    if (problem) return problem
  }
  if (reports.settled) {
    const problem = await readSettled(reading)
    if (problem) return problem
  }
  await findUnreported(reading, reports.kinds)
  await db.transaction((tx) => closeRounding(tx, reading.ids, key, provider.connection, clock()))
  return compareBalances(reading)
}

/** Why a page could not be read, for people. */
function problemOf(what: string, outcome: Exclude<Outcome<unknown>, { kind: 'done' }>): string {
  const reason = outcome.kind === 'unknown' ? outcome.reason : outcome.code
  return `The provider did not list ${what} (${reason}).`
}

async function readKind(reading: Reading, kind: EntryKind, range: Range): Promise<string | null> {
  const { provider, key, clock, renew, isStopped } = reading
  const isEndless = watchPages()
  let cursor: string | null = null
  do {
    if (isStopped()) return 'The server was stopped.'
    const asking = { tenant: key.tenant, now: clock() }
    const outcome: Awaited<ReturnType<NonNullable<Provider['reports']>['entries']>> =
      await provider.reports!.entries(asking, kind, range, cursor)
    if (outcome.kind !== 'done') return problemOf(`entries of the kind ${kind}`, outcome)
    const { entries, next }: { entries: readonly ProviderEntry[]; next: string | null } =
      outcome.value
    await compare(reading, kind, entries)
    await renew()
    const ids = entries.map(({ providerId }) => providerId)
    if (isEndless(next, ids)) return `The list of the kind ${kind} does not end.`
    cursor = next
  } while (cursor !== null)
  return null
}

/** Of lists with ten rows a page, those of a day with 100,000 entries. */
const PAGES_MAX = 10_000

/**
 * Returns whether a list never ends, after each page: a provider may ignore which page is asked
 * for. Then a page has the same rows as the one before, or leads to one that was read.
 */
function watchPages() {
  const seen = new Set<string>()
  let before = ''
  let pages = 0
  return (next: string | null, ids: readonly string[]): boolean => {
    const rows = ids.join(' ')
    const isSame = rows !== '' && rows === before
    before = rows
    pages++
    if (next === null) return false
    const isRead = seen.has(next)
    seen.add(next)
    return isSame || isRead || pages >= PAGES_MAX
  }
}

async function compare(
  reading: Reading,
  kind: EntryKind,
  entries: readonly ProviderEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const { ids, key, provider, clock } = reading
  if (kind === 'settlement') {
    return store(reading, entries, (tx) => bookSettlements(tx, ids, key, entries, clock()))
  }
  const matching = (isAsked: boolean): Matching => ({
    ids,
    key,
    connection: provider.connection,
    now: clock(),
    isAsked,
  })
  const unsettled = await store(reading, entries, (tx) =>
    matchEntries(tx, matching(false), entries),
  )
  if (unsettled.length === 0) return
  await lookUp(reading, unsettled)
  const again = unsettled.map(({ entry }) => entry)
  await store(reading, again, (tx) => matchEntries(tx, matching(true), again))
}

/** Stores what a page says. Entries can be of another day, whose status then changes too. */
function store<T>(
  { db, key, clock }: Reading,
  entries: readonly ProviderEntry[],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const days = new Set(entries.map(({ at }) => dayOf(at)))
  days.delete(key.day)
  return db.transaction(async (tx) => {
    const stored = await work(tx)
    for (const day of [...days].sort()) await updateStatus(tx, { ...key, day }, clock())
    return stored
  })
}

const LOOKUPS_AT_ONCE = 4

/** Asks about orders as a notification would. One that fails does not stop the others. */
async function lookUp(reading: Reading, unsettled: readonly Unsettled[]): Promise<void> {
  const { orderKinds, log, clock } = reading
  const orders = new Map(
    unsettled.map(({ order }) => [`${order.kind} ${order.subject_id} ${order.attempt}`, order]),
  )
  await forEachConcurrent([...orders.values()], LOOKUPS_AT_ONCE, async (order) => {
    const kind = orderKinds[order.kind]
    if (!kind) return
    try {
      await lookUpOrder(reading, kind, order, clock(), 'reconciliation')
    } catch (err) {
      const { business_id: businessId, live, reference } = order
      log.warn({ err, businessId, live, reference }, 'an order could not be looked up')
    }
  })
}

/** Finds orders that we ended as paid on this day, and that the provider does not report. */
async function findUnreported(
  { db, ids, key, clock }: Reading,
  kinds: readonly EntryKind[],
): Promise<void> {
  const orders = await selectUnreported(db, key, kinds, rangeOfDay(key.day))
  if (orders.length === 0) return
  const found = orders.map(
    (order): NewDifference => ({
      connectionId: key.connectionId,
      kind: serviceOf(order.kind),
      class: 'missing_there',
      source: 'reconciliation',
      day: dayOf(order.ended_at!),
      provider_id: null,
      order,
      ours_minor: order.amount_minor,
      theirs_minor: 0n,
      currency: order.currency,
      evidence: { order: orderEvidence(order) },
    }),
  )
  const now = clock()
  await db.transaction((tx) => openDifferences(tx, ids, key.tenant, found, now))
}

/**
 * Books what the provider has paid out to the business's own bank account. Nobody ordered that, so
 * the provider's word is enough.
 */
async function bookSettlements(
  tx: Tx,
  ids: Ids,
  key: DayKey,
  entries: readonly ProviderEntry[],
  now: Date,
): Promise<void> {
  const found: NewDifference[] = []
  const agreed: Agreed[] = []
  const values = []
  for (const entry of entries) {
    const row = await upsertSettlement(tx, key, await ids.next(tx), entry)
    const isDone = entry.status === 'Successful'
    const wasBooked = row.journal_id !== null
    if (isDone && !wasBooked && row.amount_minor > 0n) await book(tx, ids, key, row, now)
    const difference = wasBooked ? differenceOf(key, entry, row) : undefined
    if (difference) found.push(difference)
    else agreed.push(agreedOf(entry))
    // It can end days later, and only another reading of its day finds that.
    const name = difference ? 'different' : entry.status === 'Pending' ? 'waiting' : 'matched'
    values.push({ entry, order: undefined, class: name } as const)
  }
  await upsertEntries(tx, key, values, now)
  await openDifferences(tx, ids, key.tenant, found, now)
  const { tenant, connectionId } = key
  await closeAgreed(tx, tenant, connectionId, { agreed, fields: ['status', 'amount'], now })
}

const agreedOf = ({ providerId: provider_id }: ProviderEntry): Agreed => ({
  kind: 'settlement',
  provider_id,
  subject_kind: null,
  subject_id: null,
  attempt: null,
})

async function book(
  tx: Tx,
  ids: Ids,
  { tenant, connectionId }: DayKey,
  { id, amount_minor, currency }: SettlementRow,
  now: Date,
): Promise<void> {
  const debit = { kind: 'bank', subjectId: connectionId, currency } as const
  const { journalId } = await postJournal(tx, ids, tenant, {
    cause: { type: 'provider_settlement', id },
    verb: 'settle',
    now,
    moves: [
      { debit, credit: clearingOf(connectionId, currency), amount_minor, kind: 'bank_payout' },
    ],
  })
  await updateSettlementJournal(tx, tenant, id, journalId)
}

/** We have booked it, and now it has not happened, or has another amount. */
function differenceOf(
  { connectionId }: DayKey,
  { status, amount_minor, currency, providerId, at }: ProviderEntry,
  { amount_minor: ours_minor }: SettlementRow,
): NewDifference | undefined {
  const theirs_minor = status === 'Successful' ? amount_minor : 0n
  if (theirs_minor === ours_minor) return undefined
  return {
    connectionId,
    kind: 'settlement',
    class: 'different',
    source: 'reconciliation',
    field: status === 'Successful' ? 'amount' : 'status',
    day: dayOf(at),
    provider_id: providerId,
    ours_minor,
    theirs_minor,
    currency,
    evidence: { entry: { status, providerId, amountMinor: Number(amount_minor), at } },
  }
}

interface SettlementReading {
  db: Database
  provider: Provider
  key: DayKey
  clock: () => Date
  renew: () => Promise<unknown>
}

/** Reads which payments new settlements contain. Returns why that was not possible, or null. */
async function readSettled(reading: SettlementReading): Promise<string | null> {
  const { db, provider, key, clock, renew } = reading
  const reports = provider.reports!
  for (const { id, provider_id: settlementId } of await selectUnread(db, key)) {
    const isEndless = watchPages()
    let payments = 0
    let cursor: string | null = null
    do {
      const asking = { tenant: key.tenant, now: clock() }
      const outcome: Outcome<SettledPage> = await reports.settled!(asking, settlementId, cursor)
      if (outcome.kind !== 'done') return 'The provider did not list the payments of a settlement.'
      const { providerIds, next }: SettledPage = outcome.value
      await db.transaction((tx) => updateSettled(tx, key, settlementId, providerIds))
      payments += providerIds.length
      await renew()
      if (isEndless(next, providerIds)) {
        return 'The list of the payments of a settlement does not end.'
      }
      cursor = next
    } while (cursor !== null)
    await updatePayments(db, key.tenant, id, payments)
  }
  return null
}
