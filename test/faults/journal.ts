/* What clients know about their own requests, and how it is compared with the rows. */

/** What a response says about a request. */
export type Answer =
  /** It was done. */
  | 'done'
  /** It was refused for good, so it did nothing. */
  | 'refused'
  /** 503, or a connection that was never made: it did nothing, and can be repeated. */
  | 'unavailable'
  /** Nobody knows: the connection ended, or the server said so. */
  | 'unknown'
  /** A 5xx that the contract does not name. */
  | 'broken'

export interface Entry {
  kind: string
  /** A text or number in the row, which no other request has. */
  marker: string
  key: string
  path: string
  body: object
  answer: Answer
  status: number
  /** The body of the response, as it was sent. */
  text: string
  /** The record's reference in the response, if the row has it too. */
  reference?: string | undefined
  /** Whether a repeat with the same key must return the same bytes. */
  isFinal: boolean
  /** How often it was sent. */
  sent: number
}

/** A row that a request of this kind can have written. */
export interface Row {
  marker: string
  reference: string | null
}

export interface Violation {
  promise: string
  what: string
}

/** What the response to a request means, if there was one. */
export function answerOf(status: number, errorCode: string | undefined): Answer {
  const code = errorCode?.toLowerCase()
  if (status >= 200 && status < 300) return 'done'
  if (status === 503) return 'unavailable'
  if (code === 'outcome_unknown' || code === 'timed_out' || code === 'request_in_progress') {
    return 'unknown'
  }
  return status >= 500 ? 'broken' : 'refused'
}

/** A request that never reached a server did nothing. Anything else that goes wrong is unknown. */
export const answerOfError = (error: unknown): Answer =>
  ['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')
    ? 'unavailable'
    : 'unknown'

/** Compares what clients know with the rows of each kind. */
export function reconcile(
  entries: readonly Entry[],
  rows: ReadonlyMap<string, readonly Row[]>,
): Violation[] {
  const byMarker = new Map(
    [...rows].map(([kind, all]) => [kind, Map.groupBy(all, ({ marker }) => marker)] as const),
  )
  return entries.flatMap((entry) => {
    const found = byMarker.get(entry.kind)?.get(entry.marker) ?? []
    return violationsOf(entry, found)
  })
}

function violationsOf(entry: Entry, found: readonly Row[]): Violation[] {
  const name = `${entry.kind} ${entry.marker} (${entry.status}, key ${entry.key})`
  if (found.length > 1) {
    return [{ promise: 'P3', what: `DOUBLED: ${found.length} rows of ${name}` }]
  }
  const [row] = found
  switch (entry.answer) {
    case 'done':
      if (!row) return [{ promise: 'P1', what: `LOST: no row of ${name}` }]
      if (entry.reference !== undefined && row.reference !== entry.reference) {
        const what = `LOST: ${name} was ${entry.reference}, its row is ${row.reference}`
        return [{ promise: 'P1', what }]
      }
      return []
    case 'refused':
    case 'unavailable':
      return row ? [{ promise: 'P1', what: `GHOST: a row of ${name}, which did nothing` }] : []
    case 'unknown':
      return [{ promise: 'P8', what: `UNDECIDED: nobody could tell what ${name} did` }]
    case 'broken':
      return [{ promise: 'P8', what: `${entry.status}: ${name}: ${entry.text.slice(0, 200)}` }]
  }
}

/** Compares the first response to a request with the response to a repeat with its key. */
export function compareReplay(entry: Entry, status: number, text: string): Violation[] {
  if (status === entry.status && text === entry.text) return []
  const first = `${entry.status} ${entry.text.slice(0, 300)}`
  const repeated = `${status} ${text.slice(0, 300)}`
  const what = `${entry.kind} ${entry.marker} was ${first}, and repeated ${repeated}`
  return [{ promise: 'P3', what }]
}

/** Compares the events that were committed with those that a receiver has got. */
export function compareEvents(
  committed: ReadonlySet<string>,
  received: ReadonlySet<string>,
): Violation[] {
  const missing = [...committed].filter((id) => !received.has(id))
  const invented = [...received].filter((id) => !committed.has(id))
  return [
    ...missing.map((id) => ({ promise: 'P5', what: `the webhook of ${id} never arrived` })),
    ...invented.map((id) => ({ promise: 'P5', what: `a webhook of ${id}, which has no row` })),
  ]
}
