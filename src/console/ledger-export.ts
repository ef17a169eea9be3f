import type { Database } from '../db/database.ts'
import { CSV_START, csvLine } from '../lib/csv.ts'
import type { Cursor } from '../lib/cursor.ts'
import { printMinor } from '../lib/money.ts'
import type { Caller } from '../lib/tenant.ts'
import { type Chosen, type LedgerFilters, type Sought, soughtBy } from './ledger-filter.ts'
import { directionOf, readMoves } from './ledger-list.ts'
import { type MoveRecord, moveRecords } from './ledger-record.ts'
import type { MoveRow } from './queries-ledger.ts'

/** 1,000 are some 150 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

const COLUMNS = [
  'reference',
  'createdAt',
  'kind',
  'from',
  'fromSubaccount',
  'to',
  'toSubaccount',
  'direction',
  'currency',
  'amount',
  'causeType',
  'causeReference',
]

/**
 * All movements that the filters want, as CSV, newest first. They are read page by page as the text
 * is taken, each page by a transaction of its own: a reader that is slow or leaves holds no
 * connection. Resolves when the first page is there, so that a failure until then is an answer.
 */
export async function exportMoves(
  db: Database,
  caller: Caller,
  own: string,
  filters: LedgerFilters,
): Promise<AsyncIterable<string>> {
  const sought = await soughtBy(db, caller, own, filters)
  const first = await readPage(db, caller, sought, undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    for (let page = first; ; page = await readPage(db, caller, sought, page.next)) {
      yield page.lines.join('')
      if (!page.next) return
    }
  }
}

interface PageOfLines {
  lines: string[]
  /** Where the next one begins, if there may be more. */
  next: Cursor | undefined
}

const readPage = (
  db: Database,
  caller: Caller,
  { filter, account }: Sought,
  cursor: Cursor | undefined,
): Promise<PageOfLines> =>
  db.transaction(
    async (tx) => {
      const { read, end } = await readMoves(tx, caller, filter, cursor, PAGE_ROWS)
      const records = await moveRecords(tx, caller, read)
      const last = read.length < PAGE_ROWS ? undefined : read.at(-1)
      return {
        lines: records.map((record, i) => lineOf(record, read[i]!, account)),
        next: end ?? (last && { created_at: last.created_at, id: last.id, back: false }),
      }
    },
    { statementMs: PAGE_MS },
  )

const lineOf = (record: MoveRecord, row: MoveRow, account: Chosen | undefined): string =>
  csvLine([
    record.reference,
    record.createdAt,
    record.kind,
    record.from.kind,
    record.from.subaccount?.name ?? null,
    record.to.kind,
    record.to.subaccount?.name ?? null,
    account ? directionOf(account, row) : null,
    record.currency,
    { decimal: printMinor(row.amount_minor, record.currency) },
    record.cause.type,
    record.cause.reference,
  ])
