import { actorOf, appendAudit } from '../business/audit-log/log.ts'
import { cursorOf } from '../db/paginate.ts'
import type { Deps } from '../deps.ts'
import { Download, FileOf } from '../http/download.ts'
import { success } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import type { Tenant } from '../lib/caller.ts'
import { addDays, isDay } from '../lib/dates.ts'
import { cursorPage, pageOf, windowOf } from '../lib/paging.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Payables } from '../payments/attempts/settle.ts'
import { heldNow, proofOfFunds } from './balances.ts'
import { closeDifference, type PersonsResolution, refreshDifference, refreshed } from './close.ts'
import { dayOf, rangeOfDay } from './days.ts'
import { RECONCILIATION_JOB } from './jobs.ts'
import {
  planDays,
  selectConnections,
  selectDay,
  selectDayBalances,
  selectDays,
  selectEntries,
} from './queries.ts'
import { selectDifferences, selectNamedDifference } from './queries-lists.ts'
import { balanceRecord, dayRecord, differenceRecord, entryRecord, exportEntries } from './record.ts'
import {
  CloseBody,
  DayList,
  DayPath,
  Days,
  DifferenceList,
  DifferencePath,
  Differences,
  Entries,
  EntryExport,
  EntryQuery,
  OneDay,
  OneDifference,
  ProofOfFunds,
  RunBody,
} from './schemas.ts'

type RouteDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'people' | 'nudge'> & {
  payables: Payables
}

/** The most days that can be asked for at once. */
const DAYS_MAX = 31

const reads = { method: 'GET', caller: 'member', scope: 'reconciliation:read' } as const
const writes = { method: 'POST', caller: 'member', scope: 'reconciliation:write' } as const

/** What people see of reconciliation, and how they close differences. */
export const reconciliationRoutes = (deps: RouteDeps): Route[] => [
  ...dayRoutes(deps),
  ...differenceRoutes(deps),
  route({
    ...reads,
    operation: 'get_proof_of_funds',
    path: '/proof-of-funds',
    response: ProofOfFunds,
    handle: async ({ caller }) =>
      success('Proof of funds retrieved.', await proofOfFunds(deps.db, caller)),
  }),
]

const dayRoutes = ({ db, nudge }: RouteDeps): Route[] => [
  route({
    ...reads,
    operation: 'list_reconciliation_days',
    path: '/reconciliation',
    query: DayList,
    response: Days,
    handle: async ({ caller, query: { limit, connectionId, status, before } }) => {
      if (before !== undefined) requireDay('before', before)
      const filter = { connectionId, status: status as 'Open' | undefined, before, take: limit }
      const rows = await selectDays(db, caller, filter)
      const connections = await connectionsOf({ db }, caller)
      return success(
        'Days retrieved.',
        rows.map((row) => dayRecord(row, connections)),
      )
    },
  }),
  route({
    ...reads,
    operation: 'get_reconciliation_day',
    path: '/reconciliation/:connectionId/:day',
    params: DayPath,
    response: OneDay,
    handle: async ({ caller, params }) => {
      const key = keyOf(caller, params)
      const row = await selectDay(db, key)
      if (!row) throw notFound('reconciliation_day')
      const balances = await selectDayBalances(db, key)
      const connections = await connectionsOf({ db }, caller)
      return success('Day retrieved.', {
        ...dayRecord(row, connections),
        balances: balances.map(balanceRecord),
      })
    },
  }),
  route({
    ...reads,
    operation: 'list_reconciliation_entries',
    path: '/reconciliation/:connectionId/:day/entries',
    params: DayPath,
    query: EntryQuery,
    response: Entries,
    handle: async ({ caller, params, query }) => {
      const key = keyOf(caller, params)
      if (!(await selectDay(db, key))) throw notFound('reconciliation_day')
      const { class: name, kind } = query
      const { offset, take } = windowOf(query)
      const range = rangeOfDay(params.day)
      const wanted = { class: name as string | undefined, kind: kind as string | undefined }
      const read = await selectEntries(db, key, range, { ...wanted, offset, take })
      const { rows, meta } = pageOf(read, query, read[0]?.total ?? offset)
      return success('Entries retrieved.', rows.map(entryRecord), meta)
    },
  }),
  route({
    ...reads,
    operation: 'export_reconciliation_entries',
    path: '/reconciliation/:connectionId/:day/export',
    params: DayPath,
    query: EntryExport,
    response: FileOf('text/csv'),
    handle: async ({ caller, params, query }) => {
      const key = keyOf(caller, params)
      if (!(await selectDay(db, key))) throw notFound('reconciliation_day')
      const filter = {
        class: query.class as string | undefined,
        kind: query.kind as string | undefined,
      }
      return new Download(await exportEntries(db, key, filter), {
        type: 'text/csv; charset=utf-8',
        name: `reconciliation-${params.connectionId}-${params.day}.csv`,
        disposition: 'attachment',
      })
    },
  }),
  route({
    ...writes,
    operation: 'run_reconciliation',
    path: '/reconciliation/run',
    body: RunBody,
    response: Days,
    handle: async (input) => {
      const { caller, body, now: at } = input
      const { businessId, live, now } = caller
      const { connectionId } = body
      const days = daysOf(body, now)
      const connections = await connectionsOf({ db }, caller)
      if (!connections.has(connectionId)) throw notFound('connection')
      const wanted = days.map((day) => ({ businessId, live, connectionId, day }))
      const rows = await db.transaction(async (tx) => {
        const planned = await planDays(tx, wanted, now)
        await appendAudit(tx, actorOf(input), {
          businessId,
          live,
          at,
          action: 'reconciliation.run',
          object: String(connectionId),
          detail: `Asked to reconcile ${days.length === 1 ? days[0] : `${days.length} days`}`,
        })
        tx.after(() => nudge(RECONCILIATION_JOB))
        return planned
      })
      return success(
        'The days are being read.',
        rows.map((row) => dayRecord(row, connections)),
      )
    },
  }),
]

function requireDay(field: string, day: string): void {
  if (!isDay(day)) throw invalid({ [field]: ['must be a day that exists'] })
}

function keyOf({ businessId, live }: Tenant, params: { connectionId: number; day: string }) {
  requireDay('day', params.day)
  return { tenant: { businessId, live }, ...params }
}

function daysOf({ from, until = from }: { from: string; until?: string }, now: Date): string[] {
  requireDay('from', from)
  requireDay('until', until)
  const today = dayOf(now)
  if (until > today) throw invalid({ until: ['must not be in the future'] })
  if (from > until) throw invalid({ from: ['must not be after until'] })
  const days: string[] = []
  for (let day = from; day <= until; day = addDays(day, 1)) {
    days.push(day)
    if (days.length > DAYS_MAX) throw invalid({ until: [`must be within ${DAYS_MAX} days`] })
  }
  return days
}

async function connectionsOf({ db }: Pick<RouteDeps, 'db'>, tenant: Tenant) {
  const rows = await selectConnections(db, tenant)
  return new Map(rows.map((row) => [row.id, row]))
}

const differenceRoutes = ({ db, ...deps }: RouteDeps): Route[] => [
  route({
    ...reads,
    operation: 'list_differences',
    path: '/differences',
    query: DifferenceList,
    response: Differences,
    handle: async ({ caller, query: { limit, cursor: given, ...query } }) => {
      const filter = {
        status: query.status as string | undefined,
        class: query.class as string | undefined,
        kind: query.kind as string | undefined,
        connectionId: query.connectionId,
        day: query.day,
      }
      if (filter.day !== undefined) requireDay('day', filter.day)
      const name = `console/differences ${JSON.stringify(filter)}`
      const { key, cursor } = await cursorOf(db, caller, name, given)
      const read = await selectDifferences(db, caller, filter, cursor, limit + 1)
      const places = read.map((row) => ({ ...row, created_at: row.first_seen_at }))
      const { rows, meta } = cursorPage(key, places, limit, cursor)
      return success('Differences retrieved.', rows.map(differenceRecord), meta)
    },
  }),
  route({
    ...reads,
    operation: 'get_difference',
    path: '/differences/:reference',
    params: DifferencePath,
    response: OneDifference,
    handle: async ({ caller, params: { reference } }) => {
      const row = await selectNamedDifference(db, caller, reference)
      if (!row) throw notFound('difference')
      return success('Difference retrieved.', differenceRecord(row))
    },
  }),
  route({
    ...writes,
    operation: 'close_difference',
    path: '/differences/:reference/close',
    proven: true,
    params: DifferencePath,
    body: CloseBody,
    response: OneDifference,
    handle: async (input) => {
      const { caller, params, body, now: at } = input
      const { businessId, live, now } = caller
      const { reference } = params
      const actor = actorOf(input)
      const isNew = await db.transaction((tx) => refreshDifference(tx, caller, reference, now))
      if (isNew) throw refreshed()
      const known = await selectNamedDifference(db, caller, reference)
      const isOfBalance = known?.kind === 'balance' && body.resolution === 'booked'
      const held_minor = isOfBalance
        ? await heldNow({ db, ...deps }, { businessId, live }, known, now)
        : undefined
      const { isClosed } = await db.transaction(async (tx) => {
        const { transactionReference, reason } = body
        const resolution = body.resolution as PersonsResolution
        const by = { by: actor.name, byId: actor.personId }
        const closing = { resolution, reason, transactionReference, held_minor, ...by, now }
        const row = await closeDifference(tx, deps, caller, reference, closing)
        const isClosed = row.status === 'Closed'
        await appendAudit(tx, actor, {
          businessId,
          live,
          at,
          object: reference,
          action: isClosed ? 'difference.close' : 'difference.propose',
          detail: `${isClosed ? 'Closed' : 'Proposed to close'} as ${closing.resolution}`,
        })
        return { isClosed }
      })
      const row = await selectNamedDifference(db, caller, reference)
      const says = isClosed ? 'Difference closed.' : 'Someone else has to agree.'
      return success(says, differenceRecord(row!))
    },
  }),
]
