import { type Cell, CSV_START, csvLine } from '../lib/csv.ts'
import type { Place } from '../lib/paging.ts'
import type { Database, Tx } from './database.ts'
import { type List, readNextRows } from './paginate.ts'

/** 1,000 rows are about 300 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

interface Export<Row> {
  columns: readonly string[]
  /** Reads up to `rowsMax` rows that come after `after`. */
  read(tx: Tx, after: Row | undefined, rowsMax: number): Promise<Row[]>
  cellsOf(row: Row): readonly Cell[] | Promise<readonly Cell[]>
  /**
   * Throws if rows are missing, which aborts the download so that no client takes it for complete.
   */
  checkCount?(rows: number): void
}

/** Exports all of a list's rows as CSV, in the list's order. */
export const exportList = <Row extends Place>(
  db: Database,
  list: List,
  { columns, cellsOf }: Pick<Export<Row>, 'columns' | 'cellsOf'>,
): Promise<AsyncIterable<string>> =>
  exportRows<Row>(db, {
    columns,
    read: (tx, after, rowsMax) => readNextRows<Row>(tx, list, after, rowsMax),
    cellsOf,
  })

/**
 * Returns a whole list as CSV. Each page of rows is read with a separate statement when the output
 * before it has been consumed, so a slow or disconnected reader doesn't hold a connection. Resolves
 * once the first page has arrived, so that an earlier failure becomes an error response.
 */
export async function exportRows<Row>(
  db: Database,
  { columns, read, cellsOf, checkCount }: Export<Row>,
): Promise<AsyncIterable<string>> {
  const readPage = (after: Row | undefined) =>
    db.reading((from) =>
      from.transaction((tx) => read(tx, after, PAGE_ROWS), { statementMs: PAGE_MS }),
    )
  const first = await readPage(undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(columns)
    let count = 0
    for (let rows = first; rows.length > 0; rows = await readPage(rows.at(-1))) {
      const cells = await Promise.all(rows.map(async (row) => cellsOf(row)))
      yield cells.map(csvLine).join('')
      count += rows.length
      if (rows.length < PAGE_ROWS) break
    }
    checkCount?.(count)
  }
}
