import { openApi, type Refusal } from '../connector/api.ts'
import type { Call, Range } from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'

/** The credential with which calls are made and notifications are signed. */
export const SECRET_KEY = 'secret_key'

export const send = openApi({
  credential: SECRET_KEY,
  isSuccess: (call, body) => body.flag('status') === true && isOfOurWorld(call, body.at('data')),
  refusalTexts: (body) =>
    body.flag('status') === false
      ? [body.text('code') ?? '', body.text('message') ?? '']
      : undefined,
})

/**
 * Test mode and live mode share a host, and the key alone selects one. A test payment must never
 * count as a live one.
 */
function isOfOurWorld({ connection }: Pick<Call, 'connection'>, data: Json): boolean {
  const domain = data.text('domain')
  return domain === undefined || domain === (connection.live ? 'live' : 'test')
}

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
    /^insufficient_balance$|\bbalance is not enough\b|\binsufficient (?:\w+ )?(?:balance|funds)\b/i,
    { kind: 'notNow', code: 'insufficient_provider_balance' },
  ],
  [/^unsupported_currency$|\bcurrency not supported\b/i, { kind: 'notNow', code: 'feature_off' }],
  [/\bmerchant (?:is not active|may be inactive)\b/i, { kind: 'notNow', code: 'feature_off' }],
]

// ------------------------------------------------------------------------------- lists

const ROWS_MAX = 100

/** Paystack counts pages from 1; ours are the text of that number, and null for the first. */
export const pageQuery = (cursor: string | null) => ({
  perPage: String(ROWS_MAX),
  page: cursor ?? '1',
})

/**
 * Returns the page after the one that a response has; null if it is the last, and undefined if the
 * response has another page than was asked for, so that no rows are missed.
 */
export function nextPage(body: Json, cursor: string | null): string | null | undefined {
  const page = Number(cursor ?? '1')
  const rows = body.list('data')?.length ?? 0
  if (rows === 0) return null
  if (Number(body.text('meta', 'page') ?? page) !== page) return undefined
  const count = Number(body.text('meta', 'pageCount') ?? Number.NaN)
  // Without the number of pages, a page can be short because Paystack allows fewer rows than asked.
  return Number.isInteger(count) && page >= count ? null : String(page + 1)
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

/** Paystack includes the last moment, so it is a millisecond earlier than ours. */
export const rangeQuery = ({ from, until }: Range) => ({
  from: from.toISOString(),
  to: new Date(until.getTime() - 1).toISOString(),
})
