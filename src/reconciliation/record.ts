import { exportRows } from '../db/csv.ts'
import type { Database } from '../db/database.ts'
import { printMinor, toAmount } from '../lib/money.ts'
import { canBeSentAgain, type DecisionRow } from '../provider-orders/decisions.ts'
import type { DifferenceRow } from '../provider-orders/differences.ts'
import { resolutionsOf } from './close.ts'
import { rangeOfDay } from './days.ts'
import {
  type BalanceRow,
  type ConnectionRow,
  type DayKey,
  type DayRow,
  type EntryFilter,
  type EntryRow,
  selectEntriesAfter,
} from './queries.ts'
import type { CallRow, Named, UnresolvedRow } from './queries-lists.ts'

export const dayRecord = (row: DayRow, connections: ReadonlyMap<number, ConnectionRow>) => ({
  connectionId: row.connection_id,
  connection: connections.get(row.connection_id)?.name ?? '',
  provider: connections.get(row.connection_id)?.provider ?? '',
  day: row.day,
  status: row.status,
  runAt: row.run_at,
  nextRunAt: row.next_at,
  problem: row.problem,
  matched: row.matched,
  waiting: row.waiting,
  differences: row.differences,
})

export const balanceRecord = (row: BalanceRow) => ({
  currency: row.currency,
  at: row.at,
  theirsMinor: Number(row.theirs_minor),
  ledgerMinor: Number(row.ledger_minor),
  explainedMinor: Number(row.explained_minor),
  unexplainedMinor: Number(row.unexplained_minor),
})

export const entryRecord = (row: EntryRow) => ({
  kind: row.kind,
  class: row.class,
  status: row.status,
  providerId: row.provider_id,
  reference: row.reference,
  amount: toAmount(row.amount_minor, row.currency),
  amountMinor: Number(row.amount_minor),
  feeMinor: numberOf(row.fee_minor),
  currency: row.currency,
  at: row.at,
  settlementId: row.settlement_id,
  order: row.order_kind === null ? null : { kind: row.order_kind, reference: row.order_reference },
})

const numberOf = (minor: bigint | null): number | null => (minor === null ? null : Number(minor))

export const differenceRecord = (row: DifferenceRow & Partial<Named>) => ({
  reference: row.reference,
  connectionId: row.connection_id,
  kind: row.kind,
  class: row.class,
  field: row.field || null,
  source: row.source,
  providerId: row.provider_id,
  order:
    row.subject_kind === null || row.subject_id === null
      ? null
      : { kind: row.subject_kind, id: row.subject_id, reference: row.order_reference ?? null },
  oursMinor: numberOf(row.ours_minor),
  theirsMinor: numberOf(row.theirs_minor),
  currency: row.currency,
  evidence: row.evidence as Record<string, unknown>,
  day: row.day,
  status: row.status,
  resolution: row.resolution,
  resolutions: row.status === 'Open' ? resolutionsOf(row) : [],
  reason: row.reason,
  closedBy: row.closed_by,
  proposed:
    row.status === 'Open' && row.proposed_resolution && row.proposed_at
      ? {
          resolution: row.proposed_resolution,
          reason: row.proposed_reason ?? '',
          by: row.proposed_by ?? '',
          at: row.proposed_at,
        }
      : null,
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  closedAt: row.closed_at,
})

export const unresolvedRecord = (row: UnresolvedRow) => ({
  kind: row.kind,
  id: row.subject_id,
  reference: row.reference,
  attempt: row.attempt,
  connectionId: row.connection_id,
  attention: row.attention,
  since: row.last_sent_at ?? row.attention_at,
  amount:
    row.amount_minor === null || row.currency === null
      ? null
      : toAmount(row.amount_minor, row.currency),
  amountMinor: numberOf(row.amount_minor),
  currency: row.currency,
  sent: {
    reference: row.sent_reference,
    tries: row.tries,
    firstAt: row.sent_at,
    lastAt: row.last_sent_at,
    nextAt: row.next_at,
  },
  received: {
    state: row.state,
    outcome: row.last_outcome,
    code: row.last_code,
    message: row.last_message,
    providerId: row.provider_id,
    session: row.provider_session,
    unknownThereSince: row.absent_since,
  },
  endedAt: row.ended_at,
  decisions: decisionsOf(row),
})

/** What can be decided about an order. */
const decisionsOf = (row: UnresolvedRow): string[] => {
  const { sent_at, ended_at, attention, last_outcome } = row
  const isInDoubt = last_outcome !== null && (attention !== null || last_outcome === 'unknown')
  if (sent_at === null || ended_at !== null || !isInDoubt) return []
  return canBeSentAgain(row) ? ['paid', 'not_paid', 'send_again'] : ['paid', 'not_paid']
}

export const callRecord = (row: CallRow) => ({
  attempt: row.attempt,
  operation: row.operation,
  status: row.status,
  outcome: row.outcome,
  durationMs: row.duration_ms,
  request: row.request,
  response: row.response,
  at: row.at,
})

export const decisionRecord = (row: DecisionRow) => ({
  decision: row.decision,
  reason: row.reason,
  providerId: row.provider_id,
  status: row.status,
  by: row.decided_by,
  at: row.decided_at,
  agreedBy: row.agreed_by,
  agreedAt: row.agreed_at,
})

const COLUMNS = [
  'at',
  'kind',
  'class',
  'status',
  'providerId',
  'reference',
  'currency',
  'amount',
  'fee',
  'settlementId',
  'orderKind',
  'orderReference',
]

/** Returns the entries of a day as CSV, in the order in which the provider had them. */
export const exportEntries = (
  db: Database,
  key: DayKey,
  filter: Pick<EntryFilter, 'class' | 'kind'>,
): Promise<AsyncIterable<string>> =>
  exportRows<EntryRow>(db, {
    columns: COLUMNS,
    read: (tx, after, take) =>
      selectEntriesAfter(tx, key, rangeOfDay(key.day), { ...filter, after, take }),
    cellsOf: (row) => [
      row.at,
      row.kind,
      row.class,
      row.status,
      row.provider_id,
      row.reference,
      row.currency,
      { decimal: printMinor(row.amount_minor, row.currency) },
      row.fee_minor === null ? null : { decimal: printMinor(row.fee_minor, row.currency) },
      row.settlement_id,
      row.order_kind,
      row.order_reference,
    ],
  })
