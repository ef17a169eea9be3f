/** Envelope A of the contract. */
export interface Envelope<T> {
  status: string
  message: string
  data: T
  meta?: Meta
  /** The version of a record, where it has one. */
  etag?: string
}

/** Lists are cut by pages or by a cursor. */
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
  /** How far back the ledger looked for what is rare, when it has not looked at all. */
  lookedUntil?: string | null
}
