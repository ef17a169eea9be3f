import { inconclusive, openApi, type Refusal } from '../connector/api.ts'
import type { Json } from '../connector/json.ts'
import type { Outcome } from '../connector/types.ts'

/** The credential with which calls are made. */
export const SECRET_KEY = 'secret_key'

/** Flutterwave's connector is for Nigeria, and some of its lists do not say a currency. */
export const CURRENCY = 'NGN'

/** The status of a response is the request's; that of what it is about is in its data. */
export const send = openApi({
  credential: SECRET_KEY,
  isSuccess: (_, body) => body.text('status') === 'success',
  refusalTexts: (body) =>
    body.text('status') === 'error' ? [body.text('message') ?? ''] : undefined,
})

/** What Flutterwave may say about the account to any request that orders something. */
export const ACCOUNT_REFUSALS: readonly Refusal[] = [
  // With the status 400.
  [/\bip (?:address )?white-?list/i, { kind: 'notNow', code: 'address_not_allowed' }],
  [
    /\binsufficient (?:\w+ )?(?:funds?|balance)\b|\bbalance is (?:too low|not enough)\b/i,
    { kind: 'notNow', code: 'insufficient_provider_balance' },
  ],
  [/\bcompliance approval\b/i, { kind: 'notNow', code: 'feature_off' }],
  [
    /\b(?:merchant|feature|service|transfers?|charges?)\b.*\b(?:not enabled|disabled)\b/i,
    { kind: 'notNow', code: 'feature_off' },
  ],
  [/\bexceed\w*\b.*\blimit\b|\blimit\b.*\bexceeded\b/i, { kind: 'notNow', code: 'limit_reached' }],
]

/** Names a limit. That an amount must be a number would be about our request. */
export const AMOUNT_REFUSAL: Refusal = [
  new RegExp(
    '\\bamount\\b.*\\b(?:between|minimum|maximum|at (?:least|most)|(?:less|more|greater) than)\\b' +
      '|\\bamount (?:must|should) be (?:from )?\\W{0,2}\\d',
    'i',
  ),
  { kind: 'refused', code: 'amount_out_of_range' },
]

// ------------------------------------------------------------------------------- lists

export interface Page<Row> {
  rows: readonly Row[]
  next: string | null
}

/** Flutterwave counts pages from 1; ours are the text of that number, and null for the first. */
export const pageQuery = (cursor: string | null) => ({ page: cursor ?? '1' })

/**
 * Reads one page of a list; undefined if a row cannot be read, so that none is missed, or if it is
 * another page.
 */
export function pageOf<Row>(
  body: Json,
  cursor: string | null,
  rowOf: (row: Json) => Row | undefined,
): Page<Row> | undefined {
  const rows: Row[] = []
  for (const json of body.list('data') ?? [undefined]) {
    const row = json && rowOf(json)
    if (row === undefined) return undefined
    rows.push(row)
  }
  const asked = cursor ?? '1'
  const info = body.at('meta', 'page_info')
  if ((info.text('current_page') ?? asked) !== asked) return undefined
  const pages = Number(info.text('total_pages') ?? Number.NaN)
  const isLast = rows.length === 0 || Number(asked) >= pages
  return { rows, next: isLast ? null : String(Number(asked) + 1) }
}

/** More than one payment has refunds or repetitions. */
const PAGES_MAX = 5

/** Reads a list that should be short to its end. */
export async function allRows<Row>(
  read: (cursor: string | null) => Promise<Outcome<Page<Row>>>,
): Promise<Outcome<readonly Row[]>> {
  const all: Row[] = []
  let cursor: string | null = null
  for (let page = 1; page <= PAGES_MAX; page++) {
    const outcome: Outcome<Page<Row>> = await read(cursor)
    if (outcome.kind !== 'done') return outcome
    all.push(...outcome.value.rows)
    cursor = outcome.value.next
    if (cursor === null) return { kind: 'done', value: all }
  }
  return inconclusive('The list at Flutterwave is too long to be read.')
}
