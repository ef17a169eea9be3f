import { ConfigurationError } from './errors.ts'

/** One row of the table of operations, from which the client builds its methods. */
export interface Operation {
  /** As in the contract and OpenAPI: `create_invoice`. */
  name: string
  method: string
  /** `/api/…/invoices/{reference}`. The method's first arguments replace the parts in braces. */
  path: string
  /**
   * Where the input goes; absent if there is none. `form` always contains files, and `either` can
   * contain them.
   */
  input?: 'body' | 'query' | 'form' | 'either' | 'urlencoded'
  /** Fields that are sent in the query even though there is a body. */
  query?: readonly string[]
  /** What the method returns: the envelope's `data`, its whole body, a list, or a `Response`. */
  answer: 'record' | 'body' | 'list' | 'file'
  /** How a list continues; `whole` lists have pages only if the caller requests one. */
  paging?: 'page' | 'cursor' | 'whole'
  /** Takes an Idempotency-Key, so the request can be sent again whatever the outcome was. */
  isIdempotent?: boolean
  /** Only reads, although its method is POST. */
  isRead?: boolean
  /** Doesn't need a key. */
  isKeyless?: boolean
}

/** Options for a single call, passed as the last argument to any method. */
export interface CallOptions {
  /**
   * Replaces the random key. Requests with the same key within 24 hours are carried out only once.
   */
  idempotencyKey?: string | undefined
  /** Aborts the call, even while it waits to retry. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Limits one attempt, including reading the response; 0 for no limit. For a file, the limit ends
   * when its `Response` is returned. Use `signal` to limit reading the file too.
   */
  timeoutMs?: number | undefined
  /** The maximum number of retries; 0 turns them off. */
  retriesMax?: number | undefined
  /** Additional headers. */
  headers?: Record<string, string> | undefined
  /** Called with the details of the final response. For lists, it is called once per page. */
  onResponse?: ((answer: ResponseInfo) => void) | undefined
}

/** Details of a successful response other than its body. */
export interface ResponseInfo {
  status: number
  requestId: string | undefined
  /** Whether the server had already carried out this request, and returned the stored response. */
  isReplayed: boolean
  /** The number of attempts. 1 means that the first attempt got the response. */
  attempts: number
  idempotencyKey: string | undefined
  headers: Headers
}

export interface Arguments {
  params: unknown[]
  input: Record<string, unknown>
  options: CallOptions
}

export function argumentsOf({ path, input }: Operation, given: unknown[]): Arguments {
  const count = path.match(PLACES)?.length ?? 0
  const rest = given.slice(count)
  const values = input ? rest.shift() : {}
  return {
    params: given.slice(0, count),
    input: (values ?? {}) as Record<string, unknown>,
    options: (rest[0] ?? {}) as CallOptions,
  }
}

const PLACES = /\{(\w+)\}/g

/** Returns the path and query, relative to the base URL. Throws if part of the path is missing. */
export function addressOf({ name, path, input: kind, query }: Operation, called: Arguments) {
  const { params, input } = called
  let place = 0
  const filled = path.replace(PLACES, (_, part: string) => segmentOf(name, part, params[place++]))
  const names = kind === 'query' ? Object.keys(input) : (query ?? [])
  const search = new URLSearchParams()
  for (const field of names) {
    const value = input[field]
    if (value !== undefined && value !== null) search.append(field, textOf(value))
  }
  const asked = search.toString()
  return asked ? `${filled}?${asked}` : filled
}

/**
 * Refuses `.` and `..`, because URLs are normalised and would then lead to a different operation.
 */
function segmentOf(operation: string, part: string, value: unknown): string {
  const isGiven = typeof value === 'string' || typeof value === 'number'
  if (isGiven && !['', '.', '..'].includes(String(value))) return encodeURIComponent(value)
  throw new ConfigurationError(`${operation} needs ${part} as its argument, not ${value}.`)
}

export type SentBody = string | FormData | URLSearchParams

/** Encodes forms with files as multipart and nearly everything else as JSON. */
export function bodyOf(
  { input: kind, query = [] }: Operation,
  { input }: Arguments,
): SentBody | undefined {
  if (kind === undefined || kind === 'query') return undefined
  const fields = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !query.includes(name),
  )
  if (kind === 'urlencoded') {
    return new URLSearchParams(fields.map(([name, value]) => [name, textOf(value)]))
  }
  const hasFiles = fields.some(([, value]) => filesIn(value).length > 0)
  return kind === 'form' || (kind === 'either' && hasFiles)
    ? formOf(fields)
    : JSON.stringify(Object.fromEntries(fields))
}

/** Puts files last, because the server needs the other fields before the files arrive. */
function formOf(fields: [string, unknown][]): FormData {
  const form = new FormData()
  const isFile = ([, value]: [string, unknown]) => filesIn(value).length > 0
  for (const [name, value] of fields.filter((field) => !isFile(field))) {
    if (value !== null) form.append(name, textOf(value))
  }
  for (const [name, value] of fields.filter(isFile)) {
    for (const file of filesIn(value)) form.append(name, file)
  }
  return form
}

const filesIn = (value: unknown): Blob[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => one instanceof Blob)

const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
