import { type Static, Type } from 'typebox'
import { pathOf, SEARCH_SCREENS } from '../deep-links.ts'
import type { ConsoleDeps } from '../deps.ts'
import { findEvent } from '../developers/events/service.ts'
import { hashOfNumber } from '../encryption/account-numbers.ts'
import { success } from '../http/errors.ts'
import { type MemberInput, type Route, route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import { hasScope } from '../lib/caller.ts'
import { parseNumber } from '../lib/invoice-number.ts'
import { decimalsOf, formatAmount, parseAmount } from '../lib/money.ts'
import { Envelope } from '../lib/schemas.ts'
import { SEARCH_NOUNS, type SearchResultRow, type SearchTerms, search } from './queries.ts'

const HITS_MAX = 12
const CUSTOMERS_MAX = 2

/** What people call each record type. */
const KINDS: Record<string, string> = {
  transaction: 'Payment',
  invoice: 'Invoice',
  order: 'Order',
  checkout: 'Checkout',
  payment_page: 'Payment page',
  product: 'Product',
  subaccount: 'Subaccount',
  split_page: 'Split page',
  transfer: 'Transfer',
  refund: 'Refund',
  dispute: 'Dispute',
  deposit: 'Deposit',
  virtual_account: 'Virtual account',
  settlement: 'Settlement',
  utility_payment: 'Bill',
  discount: 'Discount',
  webhook: 'Webhook',
  api_key: 'API key',
}

const Hit = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  detail: Type.String(),
  path: Type.String({ description: 'The path of its dashboard screen, without the mode.' }),
})
type Hit = Static<typeof Hit>
const Hits = Envelope(Type.Array(Hit))

export const searchRoutes = ({ db, keyring }: ConsoleDeps): Route[] => [
  route({
    operation: 'search',
    method: 'GET',
    path: '/search',
    caller: 'member',
    query: Q,
    response: Hits,
    handle: async (input) =>
      success(
        'Search results retrieved.',
        await find(db, input.caller, await termsOf(db, keyring, input), input.query.only),
      ),
  }),
]

/** Finds an event by its reference. Other fields of events are not searched. */
async function eventsOf(db: ConsoleDeps['db'], caller: Caller, text: string): Promise<Hit[]> {
  if (!text.startsWith('evt_') || !hasScope(caller, 'events:read')) return []
  const event = await findEvent(db, caller, text)
  if (!event) return []
  return [{ kind: 'Event', title: event.type, detail: text, path: `events/${text}` }]
}

const Q = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 100 }),
  only: Type.Optional(Type.Enum(['transaction'])),
})

/** Fewer digits would match most phone numbers. */
const DIGITS_MIN = 4

async function termsOf(
  db: ConsoleDeps['db'],
  keyring: ConsoleDeps['keyring'],
  { query, member, caller }: MemberInput<unknown, Static<typeof Q>>,
): Promise<SearchTerms> {
  const text = query.q.trim()
  const isAccount = /^\d{10}$/.test(text)
  return {
    text,
    reference: /^[A-Za-z]{2,5}_\w{2,40}$/.test(text) ? text : undefined,
    number: /^\d{1,15}$/.test(text)
      ? { prefix: undefined, number: Number(text) }
      : parseNumber(text),
    digits: localDigits(text),
    accountHash: isAccount ? await hashOfNumber(db, keyring, caller, text) : undefined,
    amount: amountIn(text, member.currency),
  }
}

/**
 * Returns the significant digits of a number as people write it. For example, 0803 123 4567 and
 * +234 803 123 4567 end in the same digits.
 */
function localDigits(text: string): string | undefined {
  if (!/^[+()\d\s.-]+$/.test(text)) return undefined
  const digits = text.replace(/\D/g, '').replace(/^(?:234|0)(?=\d{10}$)/, '')
  return digits.length < DIGITS_MIN ? undefined : digits
}

function amountIn(text: string, currency: string): SearchTerms['amount'] {
  const plain = text.replace(/^(?:₦|ngn|n)\s*/i, '').replaceAll(',', '')
  if (!/^\d{1,11}(?:\.\d{1,2})?$/.test(plain) || decimalsOf(currency) < 2) return undefined
  const minor = Number(plain) === 0 ? 0n : parseAmount(plain, currency)
  return minor === 0n ? undefined : { minor, currency }
}

async function find(
  db: ConsoleDeps['db'],
  caller: Caller,
  terms: SearchTerms,
  only: string | undefined,
): Promise<Hit[]> {
  const { text } = terms
  const events = await eventsOf(db, caller, text)
  if (events.length > 0) return events
  const nouns = SEARCH_NOUNS.filter(
    (noun) => (only ?? noun) === noun && hasScope(caller, SEARCH_SCREENS[noun]!.scope),
  )
  if (nouns.length === 0 || text.length < 2) return []
  const rows = await search(db, caller, nouns, terms)
  // Some records are found twice. Every noun gets its first result before any noun gets its second.
  const records = [...new Map(rows.map((row) => [`${row.noun} ${row.id}`, row])).values()]
  const { number } = terms.number ?? {}
  const isNamed = ({ noun, reference, called }: SearchResultRow) =>
    reference === text ||
    (noun === 'invoice' && number !== undefined && parseNumber(called ?? '')?.number === number)
  const exact = records.filter(isNamed)
  const others = inTurn(records.filter((row) => !exact.includes(row)))
  const isForCustomers = only === undefined && hasScope(caller, 'transactions:read')
  const customers = isForCustomers ? customersOf(records, text) : []
  return [...exact.map(hitOf), ...customers, ...others.map(hitOf)].slice(0, HITS_MAX)
}

function hitOf(row: SearchResultRow): Hit {
  const { noun, title, called, reference, status, amount_minor, currency } = row
  const amount =
    amount_minor !== null && currency !== null ? formatAmount(amount_minor, currency) : undefined
  return {
    kind: KINDS[noun]!,
    title,
    detail: [amount, status, called ?? reference]
      .filter((part) => part && part !== title)
      .join(' · '),
    path: pathOf(noun, row),
  }
}

/** Returns the customers in the results whose name or email address matches the search text. */
function customersOf(rows: readonly SearchResultRow[], text: string): Hit[] {
  const lower = text.toLowerCase()
  const named = new Map<string, string>()
  for (const { email, title } of rows) {
    if (!email || !`${email} ${title}`.toLowerCase().includes(lower) || named.has(email)) continue
    named.set(email, title)
  }
  return [...named].slice(0, CUSTOMERS_MAX).map(([email, title]) => ({
    kind: 'Customer',
    title,
    detail: email,
    path: `customers/${encodeURIComponent(email)}`,
  }))
}

function inTurn(rows: readonly SearchResultRow[]): SearchResultRow[] {
  const groups = [...Map.groupBy(rows, ({ noun }) => noun).values()]
  const longest = Math.max(0, ...groups.map((group) => group.length))
  return Array.from({ length: longest }, (_, i) => groups.flatMap((group) => group[i] ?? [])).flat()
}
