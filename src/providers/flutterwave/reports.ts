import { dayIn } from '../../lib/dates.ts'
import { isCurrency } from '../../lib/money.ts'
import { dateOf, reportsOf } from '../connector/api.ts'
import type { EntryKind, ProviderEntry, Range } from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import { CURRENCY, pageOf, pageQuery, send } from './api.ts'
import { feeOf } from './charges.ts'
import { ourReference } from './payouts.ts'
import { refundStatus } from './refunds.ts'

type Entry = Omit<ProviderEntry, 'kind'>

interface List {
  operation: `GET /${string}`
  /** Returns null for a row that is not of this kind, or in a currency that ours never are in. */
  entryOf(row: Json): Entry | null | undefined
}

const LISTS: Readonly<Partial<Record<EntryKind, List>>> = {
  charge: { operation: 'GET /transactions', entryOf: chargeEntry },
  payout: { operation: 'GET /transfers', entryOf: payoutEntry },
  refund: { operation: 'GET /refunds', entryOf: refundEntry },
  dispute: { operation: 'GET /chargebacks', entryOf: disputeEntry },
  settlement: { operation: 'GET /settlements', entryOf: settlementEntry },
}

export const reports = reportsOf('Flutterwave', LISTS, (call, list, { kind, range, cursor }) => {
  const query = { ...daysQuery(range), ...pageQuery(cursor) }
  return send(call, { operation: list.operation, query }, (body) => {
    const page = pageOf(body, cursor, list.entryOf)
    if (!page) return undefined
    const all = page.rows.flatMap((row) => (row && isIn(range, row.at) ? [{ ...row, kind }] : []))
    return { kind: 'done', value: { entries: all, next: page.next } }
  })
})

/** Flutterwave lists whole days of Lagos, both included. */
export const daysQuery = ({ from, until }: Range) => ({
  from: dayIn('Africa/Lagos', from),
  to: dayIn('Africa/Lagos', new Date(until.getTime() - 1)),
})

const isIn = ({ from, until }: Range, at: Date): boolean => at >= from && at < until

// --------------------------------------------------------------------------------- rows

/** What the rows of all lists have. */
function rowOf(row: Json, reference: string | null) {
  const providerId = row.text('id')
  const at = dateOf(row.text('created_at'))
  const word = row.text('status')
  if (!providerId || !at || !word) return undefined
  const settlement = row.text('settlement_id')
  const settlementId = settlement && /^\d+$/.test(settlement) ? settlement : null
  return { word, entry: { providerId, reference, at, settlementId } }
}

/** Words that we do not know are Pending, as are those that are not in the table. */
const statusIn = (
  table: Readonly<Record<string, ProviderEntry['status']>>,
  word: string,
): ProviderEntry['status'] => table[word.toLowerCase()] ?? 'Pending'

const ENDED = { successful: 'Successful', completed: 'Successful', failed: 'Failed' } as const

function chargeEntry(row: Json): Entry | null | undefined {
  const found = rowOf(row, row.text('tx_ref') ?? null)
  const currency = row.text('currency')
  if (!found || !currency) return undefined
  if (!isCurrency(currency)) return null
  const amount_minor = row.major(currency, 'amount')
  if (amount_minor === undefined) return undefined
  const status = statusIn(ENDED, found.word)
  const fee_minor = feeOf(row, amount_minor, currency)
  return { ...found.entry, status, amount_minor, currency, fee_minor }
}

function payoutEntry(row: Json): Entry | null | undefined {
  const reference = row.text('reference')
  const found = rowOf(row, reference === undefined ? null : ourReference(reference))
  const currency = row.text('currency')
  if (!found || !currency) return undefined
  if (!isCurrency(currency)) return null
  const amount_minor = row.major(currency, 'amount')
  if (amount_minor === undefined) return undefined
  const status = statusIn(ENDED, found.word)
  const fee_minor = row.major(currency, 'fee') ?? null
  return { ...found.entry, status, amount_minor, currency, fee_minor }
}

function refundEntry(row: Json): Entry | undefined {
  const found = rowOf(row, row.text('comment')?.trim() || null)
  const amount_minor = row.major(CURRENCY, 'amount_refunded')
  if (!found || amount_minor === undefined) return undefined
  const status = refundStatus(found.word)
  return { ...found.entry, status, amount_minor, currency: CURRENCY, fee_minor: null }
}

/** A chargeback takes its amount when it is opened, and gives it back when it is won. */
const DISPUTES: Readonly<Record<string, ProviderEntry['status']>> = {
  initiated: 'Successful',
  accepted: 'Successful',
  declined: 'Successful',
  lost: 'Successful',
  won: 'Reversed',
}

function disputeEntry(row: Json): Entry | undefined {
  const found = rowOf(row, row.text('tx_ref') ?? null)
  const amount_minor = row.major(CURRENCY, 'amount')
  if (!found || amount_minor === undefined) return undefined
  const status = statusIn(DISPUTES, found.word)
  return { ...found.entry, status, amount_minor, currency: CURRENCY, fee_minor: null }
}

/** What is settled to the available balance stays at Flutterwave. */
function settlementEntry(row: Json): Entry | null | undefined {
  const providerId = row.text('id')
  const word = row.text('status')
  const at = dateOf(
    row.text('created_at') ?? row.text('transaction_date') ?? row.text('processed_date'),
  )
  const currency = row.text('currency')
  if (!providerId || !word || !at || !currency) return undefined
  if (!isCurrency(currency) || /wallet/i.test(row.text('destination') ?? '')) return null
  const net_minor = netOf(row, currency)
  if (net_minor === undefined) return undefined
  // If more was taken back than came in, nothing is paid to the bank.
  const amount_minor = net_minor < 0n ? 0n : net_minor
  const status = statusIn(ENDED, word)
  const more = { reference: null, at, settlementId: providerId, fee_minor: null }
  return { providerId, status, amount_minor, currency, ...more }
}

function netOf(row: Json, currency: string): bigint | undefined {
  const net_minor = row.major(currency, 'net_amount')
  if (net_minor !== undefined) return net_minor
  const gross_minor = row.major(currency, 'gross_amount')
  if (gross_minor === undefined) return undefined
  return DEDUCTIONS.reduce((left, name) => left - (row.major(currency, name) ?? 0n), gross_minor)
}

const DEDUCTIONS = ['app_fee', 'merchant_fee', 'chargeback', 'refund', 'stampduty_charge']
