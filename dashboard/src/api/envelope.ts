/** Envelope A of the contract. */
export interface Envelope<T> {
  status: string
  message: string
  data: T
  meta?: Meta
  /** The version of the record, for records that have one. */
  etag?: string
}

/** A list has numbered pages or a cursor, with different fields. */
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
  /** How far back the ledger was searched; absent if the search was complete. */
  lookedUntil?: string | null
}
