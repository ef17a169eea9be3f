import { ConfigurationError } from './errors.ts'

/** One row of the table of operations, from which the client makes its methods. */
export interface Operation {
  /** As in the contract and in OpenAPI: `create_invoice`. */
  name: string
  method: string
  /** `/api/…/invoices/{reference}`; the first arguments replace the braces. */
  path: string
  /** Where the input goes; absent when there is none. `form` is one with files, `either` may be. */
  input?: 'body' | 'query' | 'form' | 'either' | 'urlencoded'
  /** The fields that go into the query although there is a body. */
  query?: readonly string[]
  /** What the method gives: the envelope's `data`, its whole body, a list, or a `Response`. */
  answer: 'record' | 'body' | 'list' | 'file'
  /** How a list goes on; `whole` ones have pages only when asked for one. */
  paging?: 'page' | 'cursor' | 'whole'
  /** It takes an Idempotency-Key, so that it may be sent again whatever became of it. */
  isIdempotent?: boolean
  /** It changes nothing, although its method is POST. */
  isRead?: boolean
  /** It is asked without a key. */
  isKeyless?: boolean
}

/** What may be said of a single call, as the last argument of each method. */
export interface CallOptions {
  /** Instead of one by chance: the same key makes the same request once, within 24 hours. */
  idempotencyKey?: string | undefined
  /** Ends the call, also while it waits to try again; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** The longest that one attempt may take until its answer is read; 0 is for ever. */
  timeoutMs?: number | undefined
  /** How often it is tried again at most; 0 turns that off. */
  retriesMax?: number | undefined
  /** Further headers. */
  headers?: Record<string, string> | undefined
  /** Hears of the answer that counted, in lists once for each page. */
  onAnswer?: ((answer: AnswerInfo) => void) | undefined
}

/** The parts of a successful response beside its body. */
export interface AnswerInfo {
  status: number
  requestId: string | undefined
  /** The server had done this before, under the same Idempotency-Key. */
  isReplayed: boolean
  /** 1 when the first attempt was answered. */
  attempts: number
  idempotencyKey: string | undefined
  headers: Headers
}

/** The arguments of a method, told apart. */
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

/** Path and query, to be put behind the base address. Throws when a part of the path is missing. */
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

/** `..` would lead to another operation: URLs are shortened before they are sent. */
function segmentOf(operation: string, part: string, value: unknown): string {
  const isGiven = typeof value === 'string' || typeof value === 'number'
  if (isGiven && !['', '.', '..'].includes(String(value))) return encodeURIComponent(value)
  throw new ConfigurationError(`${operation} needs ${part} as its argument, not ${value}.`)
}

export type SentBody = string | FormData | URLSearchParams

/** Forms with files are multipart, nearly everything else JSON. Nothing is sent for no input. */
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

/** Files come last: the server wants to know what they are for before they begin. */
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
