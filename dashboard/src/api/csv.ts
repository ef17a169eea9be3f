import { type Cell, CSV_START, csvLine } from '../../../src/lib/csv.ts'
import { ApiError, call, type Place, type Query } from './call.ts'

/** The maximum number of rows in one file. The server doesn't count beyond this. */
export const ROWS_MAX = 10_000
const LIMIT = 100
/** How long to wait after the rate limit has refused a page. */
const AGAIN_MS = 1_000

export type PagingStyle = 'pages' | 'cursor' | 'whole'

interface Listed {
  data: object[]
  meta?: { hasNext?: boolean; next?: string | null }
}

/** Reads all rows of a list, page by page, up to ROWS_MAX. `isAll` is false if there are more. */
export async function readAll({
  path,
  query,
  cut,
  place,
}: {
  path: string
  query: Query
  cut: PagingStyle
  place: Place
}): Promise<{ rows: object[]; isAll: boolean }> {
  // New rows move older ones to the next page, so a row can appear twice.
  const rows = new Map<string, object>()
  let pages = 0
  for (let position: Query | undefined = cut === 'whole' ? {} : { limit: LIMIT }; position; ) {
    const { data, meta } = await retryIfLimited(() =>
      call<Listed>(path, { query: { ...query, ...position }, place }),
    )
    for (const row of data) rows.set(JSON.stringify(row), row)
    position = nextOf(cut, ++pages, meta)
    if (rows.size >= ROWS_MAX) return { rows: [...rows.values()], isAll: position === undefined }
  }
  return { rows: [...rows.values()], isAll: true }
}

function nextOf(cut: PagingStyle, pages: number, meta: Listed['meta']): Query | undefined {
  if (cut === 'pages' && meta?.hasNext) return { limit: LIMIT, page: pages + 1 }
  if (cut === 'cursor' && meta?.next) return { limit: LIMIT, cursor: meta.next }
  return undefined
}

async function retryIfLimited<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 429)) throw error
    await new Promise((done) => setTimeout(done, AGAIN_MS))
    return ask()
  }
}

/** More columns would make ten thousand rows too large for the browser's memory. */
const COLUMNS_MAX = 500

const columnsOf = (rows: readonly Map<string, unknown>[]): string[] => [
  ...new Set(rows.flatMap((row) => [...row.keys()])),
]

/** Writes rows as CSV, with one column per field. Nested fields are named like `customer.email`. */
export function csvOf(rows: readonly object[]): string {
  const spread = rows.map((row) => new Map(fieldsOf(row)))
  // Fields with names chosen by API callers can differ from row to row. If there are too many
  // columns, each nested object becomes a single JSON cell.
  const isTooWide = columnsOf(spread).length > COLUMNS_MAX
  const flat = isTooWide ? rows.map((row) => new Map(Object.entries(row))) : spread
  const columns = columnsOf(flat)
  const lines = flat.map((row) => columns.map((column) => cellOf(row.get(column))))
  return CSV_START + [columns, ...lines].map(csvLine).join('')
}

function fieldsOf(value: object, before = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    const path = `${before}${name}`
    const isPart = typeof one === 'object' && one !== null && !Array.isArray(one)
    return isPart ? fieldsOf(one, `${path}.`) : [[path, one]]
  })
}

/** Lists become a single JSON cell. */
const cellOf = (value: unknown): Cell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : ((value ?? null) as Cell)
