import { addMs } from '../../lib/clock.ts'
import { dateOf, reportsOf } from '../connector/api.ts'
import type {
  Call,
  EntryKind,
  ProviderEntry,
  Range,
  Reports,
  SettledPage,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import { recordReferenceOf } from '../connector/references.ts'
import type { Outcome } from '../connector/types.ts'
import { nextPage, pageQuery, rangeQuery, rowsOf, send } from './api.ts'
import { paidAmounts } from './charges.ts'
import { disputedAmount } from './disputes.ts'

type Entry = Omit<ProviderEntry, 'kind' | 'settlementId'>

interface List {
  operation: `GET /${string}`
  /** Which of its rows are listed, besides the range. */
  query?: Readonly<Record<string, string>>
  /** How much earlier than the range its rows can be listed. */
  earlierMs?: number
  /** How far from the range its rows can be, if Paystack may list those of all times. */
  marginMs?: number
  /** Returns null for a row that another list has too. */
  entryOf(row: Json): Entry | null | undefined
}

const DAY_MS = 24 * 3_600_000

const LISTS: Readonly<Partial<Record<EntryKind, List>>> = {
  charge: {
    operation: 'GET /transaction',
    entryOf: (row) =>
      entry(row, {
        statuses: { success: 'Successful', reversed: 'Reversed', failed: 'Failed' },
        at: row.text('paid_at') ?? row.text('paidAt') ?? row.text('created_at'),
        ...paidAmounts(row),
      }),
  },
  payout: {
    operation: 'GET /transfer',
    entryOf: (row) =>
      entry(row, {
        statuses: {
          success: 'Successful',
          reversed: 'Reversed',
          failed: 'Failed',
          abandoned: 'Failed',
          blocked: 'Failed',
          rejected: 'Failed',
        },
        fee_minor: row.minor('fee_charged'),
      }),
  },
  refund: {
    operation: 'GET /refund',
    // What a dispute takes is in its own entry, although it is paid back as a refund.
    entryOf: (row) =>
      isOfDispute(row) && noteOf(row) === null
        ? null
        : entry(row, {
            statuses: { processed: 'Successful', failed: 'Failed' },
            reference: noteOf(row),
          }),
  },
  dispute: {
    operation: 'GET /dispute',
    entryOf: (row) =>
      entry(row, {
        status: disputed(row),
        ...disputedAmount(row),
        reference: row.text('transaction', 'reference') ?? null,
      }),
  },
  settlement: {
    operation: 'GET /settlement',
    // Not what is paid to the banks of subaccounts.
    query: { subaccount: 'none' },
    // The list may go by when Paystack made it: before a weekend, days before it is paid.
    earlierMs: 7 * DAY_MS,
    marginMs: DAY_MS,
    entryOf: (row) =>
      entry(row, {
        statuses: { success: 'Successful', processed: 'Successful', failed: 'Failed' },
        amount_minor: row.minor('effective_amount'),
        reference: null,
        at: row.text('settlement_date'),
      }),
  },
}

/** A refund names its dispute by number, or shows it. */
const isOfDispute = (row: Json): boolean =>
  row.text('dispute') !== undefined || row.at('dispute').isObject

/** Another person's note is no reference. */
function noteOf(row: Json): string | null {
  const note = row.text('merchant_note')?.trim() ?? ''
  return recordReferenceOf(note) ? note : null
}

/** A dispute takes money when it is lost or accepted. */
function disputed(row: Json): ProviderEntry['status'] {
  if (row.text('status') !== 'resolved') return 'Pending'
  return row.text('resolution') === 'declined' ? 'Failed' : 'Successful'
}

interface Fields {
  /** By Paystack's words; Pending for any other. */
  statuses?: Readonly<Record<string, ProviderEntry['status']>>
  status?: ProviderEntry['status']
  amount_minor?: bigint | undefined
  fee_minor?: bigint | null | undefined
  currency?: string | undefined
  reference?: string | null
  at?: string | undefined
}

function entry(row: Json, fields: Fields): Entry | undefined {
  const {
    statuses = {},
    amount_minor = row.minor('amount'),
    fee_minor = null,
    currency = row.text('currency'),
    reference = row.text('reference') ?? null,
  } = fields
  const providerId = row.text('id')
  const word = row.text('status')
  const at = dateOf(fields.at ?? row.text('createdAt') ?? row.text('created_at'))
  if (!providerId || !word || amount_minor === undefined || !currency || !at) return undefined
  const status = fields.status ?? statuses[word] ?? 'Pending'
  return { providerId, reference, status, amount_minor, fee_minor, currency, at }
}

/** Whether a row counts in the range, or was made in it. */
function isOfRange({ marginMs: ms }: List, { from, until }: Range, row: Json, at: Date): boolean {
  if (ms === undefined) return true
  return [at, dateOf(row.text('createdAt'))].some(
    (time) => time !== null && time >= addMs(from, -ms) && time < addMs(until, ms),
  )
}

const lists = reportsOf('Paystack', LISTS, (call, list, { kind, range, cursor }) => {
  const asked = { ...range, from: addMs(range.from, -(list.earlierMs ?? 0)) }
  const query = { ...rangeQuery(asked), ...list.query, ...pageQuery(cursor) }
  return send(call, { operation: list.operation, query }, (body) => {
    const found = rowsOf(call, body, (row) => {
      const one = list.entryOf(row)
      return one && !isOfRange(list, range, row, one.at) ? null : one
    })
    const next = nextPage(body, cursor)
    if (!found || next === undefined) return undefined
    const entries = found
      .filter((one) => one !== null)
      .map((one) => ({ ...one, kind, settlementId: null }))
    return { kind: 'done', value: { entries, next } }
  })
})

/** Paystack's lists of payments do not say in which settlement they are. */
function settled(call: Call, id: string, cursor: string | null): Promise<Outcome<SettledPage>> {
  const operation = 'GET /settlement/{id}/transactions'
  return send(call, { operation, params: { id }, query: pageQuery(cursor) }, (body) => {
    const providerIds = rowsOf(call, body, (row) => row.text('id'))
    const next = nextPage(body, cursor)
    if (!providerIds || next === undefined) return undefined
    return { kind: 'done', value: { providerIds, next } }
  })
}

export const reports: Reports = { ...lists, settled }
