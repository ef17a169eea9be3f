import { Type } from 'typebox'
import { success } from '../http/envelopes.ts'
import { formatAmount } from '../lib/money.ts'
import type { Caller } from '../lib/tenant.ts'
import { findEvent } from '../resources/events/service.ts'
import type { ConsoleDeps } from './deps.ts'
import { may } from './may.ts'
import { type FoundRow, SEARCHED, search } from './queries-search.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'
import { FOUND_AT, pathOf } from './screens.ts'

const HITS_MAX = 12
const CUSTOMERS_MAX = 2

/** As people call them. */
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
  settlement: 'Settlement',
  utility_payment: 'Bill',
  discount: 'Discount',
  webhook: 'Webhook',
  api_key: 'API key',
}

interface Hit {
  kind: string
  title: string
  detail: string
  path: string
}

/** What the palette finds: by a reference, or a part of a name, title or address. */
export const searchRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/search',
    asker: 'member',
    query: Type.Object({ q: Type.String({ minLength: 2, maxLength: 100 }) }),
    handle: async ({ caller, query }) => success('Found.', await find(db, caller, query.q.trim())),
  }),
]

/** An event by what names it; nothing else of it can be looked for. */
async function eventsOf(db: ConsoleDeps['db'], caller: Caller, text: string): Promise<Hit[]> {
  if (!text.startsWith('evt_') || !may(caller, 'events:read')) return []
  const event = await findEvent(db, caller, text)
  if (!event) return []
  return [{ kind: 'Event', title: event.type, detail: text, path: `events/${text}` }]
}

async function find(db: ConsoleDeps['db'], caller: Caller, text: string): Promise<Hit[]> {
  const events = await eventsOf(db, caller, text)
  if (events.length > 0) return events
  const nouns = SEARCHED.filter((noun) => may(caller, FOUND_AT[noun]!.scope))
  if (nouns.length === 0 || text.length < 2) return []
  const rows = await search(db, caller, nouns, text)
  // Some are found by both ways; and each noun gets its turn before any has its second.
  const records = [...new Map(rows.map((row) => [`${row.noun} ${row.id}`, row])).values()]
  const exact = records.filter(({ reference }) => reference === text)
  const others = inTurn(records.filter((row) => !exact.includes(row)))
  const customers = may(caller, 'transactions:read') ? customersOf(records, text) : []
  return [...exact.map(hitOf), ...customers, ...others.map(hitOf)].slice(0, HITS_MAX)
}

function hitOf(row: FoundRow): Hit {
  const { noun, title, reference, status, amount_minor, currency } = row
  const amount =
    amount_minor !== null && currency !== null ? formatAmount(amount_minor, currency) : undefined
  return {
    kind: KINDS[noun]!,
    title,
    detail: [amount, status, reference].filter((part) => part && part !== title).join(' · '),
    path: pathOf(noun, row),
  }
}

/** Who is named by what was found, where the text is of them. */
function customersOf(rows: readonly FoundRow[], text: string): Hit[] {
  const sought = text.toLowerCase()
  const named = new Map<string, string>()
  for (const { email, title } of rows) {
    if (!email || !`${email} ${title}`.toLowerCase().includes(sought) || named.has(email)) continue
    named.set(email, title)
  }
  return [...named].slice(0, CUSTOMERS_MAX).map(([email, title]) => ({
    kind: 'Customer',
    title,
    detail: email,
    path: `customers/${encodeURIComponent(email)}`,
  }))
}

function inTurn(rows: readonly FoundRow[]): FoundRow[] {
  const groups = [...Map.groupBy(rows, ({ noun }) => noun).values()]
  const longest = Math.max(0, ...groups.map((group) => group.length))
  return Array.from({ length: longest }, (_, i) => groups.flatMap((group) => group[i] ?? [])).flat()
}
