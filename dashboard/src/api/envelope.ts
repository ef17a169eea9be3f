/** The contract's envelope A. */
export interface Envelope<T> {
  status: string
  message: string
  data: T
  meta?: Meta
  /** The version of the record, if it has one. */
  etag?: string
}

/** Lists are paginated by page or by cursor. */
export interface Meta {
  total?: number
  totalIsExact?: boolean
  page?: number
  pageCount?: number
  limit?: number
  hasNext?: boolean
  hasPrevious?: boolean
  next?: string | null
  previous?: string | null
  hasMore?: boolean
  /** How far back the ledger was searched, if not all the way. */
  lookedUntil?: string | null
}
