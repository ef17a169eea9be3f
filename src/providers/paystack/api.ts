import type { Call } from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import { outcomeOf } from '../connector/outcome.ts'
import type { HttpRequest } from '../connector/transport.ts'
import type { Outcome } from '../connector/types.ts'

/** The credential with which calls are made and notifications are signed. */
export const SECRET_KEY = 'secret_key'

interface ApiRequest extends Pick<HttpRequest, 'body' | 'query'> {
  /** As documented: `GET /refund/{id}`. Only GET is safe to repeat, unless the request says so. */
  operation: `${HttpRequest['method']} /${string}`
  params?: Readonly<Record<string, string>>
  isSafeToRepeat?: boolean
}

/** What a response says by its `code` or `message`, if its status is one of validation errors. */
export type Refusal = readonly [says: RegExp, outcome: Known]

type Known =
  | Pick<Extract<Outcome<never>, { kind: 'refused' }>, 'kind' | 'code'>
  | Pick<Extract<Outcome<never>, { kind: 'notNow' }>, 'kind' | 'code'>
  | Pick<Extract<Outcome<never>, { kind: 'unknown' }>, 'kind' | 'reason'>

/**
 * Calls Paystack. `read` gets the body of a successful response, and returns undefined if it cannot
 * read it. A response with the status 200 can still report a failure of what it is about.
 */
export async function send<T>(
  call: Call,
  { operation, params = {}, isSafeToRepeat = operation.startsWith('GET '), ...rest }: ApiRequest,
  read: (body: Json) => Outcome<T> | undefined,
  refusals: readonly Refusal[] = [],
): Promise<Outcome<T>> {
  const [method, template = ''] = operation.split(' ') as [HttpRequest['method'], string]
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const authorization = `Bearer ${call.credentials.current(SECRET_KEY)}`
  const headers = { authorization }
  const result = await call.http.send({ operation, method, path, headers, isSafeToRepeat, ...rest })
  return outcomeOf(result, { isSafeToRepeat }, (status, body) => {
    if (status < 300) {
      const isSuccess = body.flag('status') === true && isOfOurWorld(call, body.at('data'))
      return isSuccess ? read(body) : undefined
    }
    const refused = REFUSED_WITH.includes(status) ? refusalOf(refusals, body) : undefined
    return refused ?? (status === 404 && isSafeToRepeat ? NOT_FOUND : undefined)
  })
}

/** A gateway answers 404 too. Only Paystack's own words mean that it does not know an order. */
const NOT_FOUND: Outcome<never> = {
  kind: 'unknown',
  reason: 'inconclusive',
  message: 'The response was 404, but not because of the order.',
}

/** Not 401 and 429, which are about the caller and not about the request. */
const REFUSED_WITH = [400, 403, 404, 422]

/**
 * Test mode and live mode share a host, and the key alone selects one. A test payment must never
 * count as a live one.
 */
export function isOfOurWorld({ connection }: Pick<Call, 'connection'>, data: Json): boolean {
  const domain = data.text('domain')
  return domain === undefined || domain === (connection.live ? 'live' : 'test')
}

function refusalOf(refusals: readonly Refusal[], body: Json): Outcome<never> | undefined {
  if (body.flag('status') !== false) return undefined
  const message = (body.text('message') ?? '').slice(0, MESSAGE_LENGTH_MAX)
  const said = [body.text('code') ?? '', message]
  const [, outcome] = refusals.find(([says]) => said.some((text) => says.test(text))) ?? []
  return outcome && { ...outcome, message }
}

const MESSAGE_LENGTH_MAX = 300

/** How Paystack says that it does not have what a lookup names: a `transfer`. */
export const unknownOrder = (noun: string): readonly Refusal[] => [
  [
    new RegExp(`^${noun}_not_found$|\\b(?:${noun}(?: reference)?|entity) not found\\b`, 'i'),
    { kind: 'refused', code: 'unknown_order' },
  ],
]

/** What Paystack may say about the account to any request that orders something. */
export const ACCOUNT_REFUSALS: readonly Refusal[] = [
  [
    /^insufficient_balance$|\bbalance is not enough\b/i,
    { kind: 'notNow', code: 'insufficient_provider_balance' },
  ],
  [/^unsupported_currency$|\bcurrency not supported\b/i, { kind: 'notNow', code: 'feature_off' }],
  [/\bmerchant (?:is not active|may be inactive)\b/i, { kind: 'notNow', code: 'feature_off' }],
]

/**
 * Turns a failure of a step before an order into an outcome of the order, which was not sent: only
 * what such a step says about the order itself can end it.
 */
export function beforeOrder(
  outcome: Exclude<Outcome<unknown>, { kind: 'done' }>,
): Exclude<Outcome<never>, { kind: 'done' }> {
  if (outcome.kind === 'unknown') {
    const message = outcome.message ?? 'Paystack did not respond to the step before the order.'
    return { kind: 'notNow', code: 'not_reached', message }
  }
  const isAboutUnknown = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isAboutUnknown ? { ...outcome, code: 'bad_request' } : outcome
}

export function dateOf(text: string | undefined): Date | null {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? null : at
}

// ------------------------------------------------------------------------------- lists

const ROWS_MAX = 100

/** Paystack counts pages from 1; ours are the text of that number, and null for the first. */
export const pageQuery = (cursor: string | null) => ({
  perPage: String(ROWS_MAX),
  page: cursor ?? '1',
})

/** Returns the page after the one that a response has; null if it is the last. */
export function nextPage(body: Json, cursor: string | null): string | null {
  const page = Number(cursor ?? '1')
  const rows = body.list('data')?.length ?? 0
  const count = Number(body.text('meta', 'pageCount') ?? Number.NaN)
  const isLast = Number.isInteger(count) ? page >= count : rows < ROWS_MAX
  return isLast || rows === 0 ? null : String(page + 1)
}

/** Reads every row of a list; undefined if one of them cannot be read, so that none is missed. */
export function rowsOf<Row>(
  call: Call,
  body: Json,
  rowOf: (row: Json) => Row | undefined,
): Row[] | undefined {
  const rows: Row[] = []
  for (const json of body.list('data') ?? [undefined]) {
    const row = json && isOfOurWorld(call, json) ? rowOf(json) : undefined
    if (row === undefined) return undefined
    rows.push(row)
  }
  return rows
}
