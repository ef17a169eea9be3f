import { Type } from 'typebox'
import type { Db } from '../db/database.ts'
import { pathOf, SCREENS } from '../deep-links.ts'
import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { localeOf } from '../http/pages.ts'
import { type MemberInput, type Route, route } from '../http/route.ts'
import { type Caller, hasScope, type Tenant } from '../lib/caller.ts'
import { addDays, dayIn, startOfDay } from '../lib/dates.ts'
import { amountsOf, type Minor } from '../lib/money.ts'
import { rangeOf } from '../lib/paging.ts'
import { invalid } from '../lib/problem.ts'
import { Envelope, Nullable, Timestamp, TimestampText } from '../lib/schemas.ts'
import { selectNames } from '../money/ledger-book/record.ts'
import { isUnresolvedAt } from '../provider-orders/decisions.ts'
import { InvoiceDraft, previewInvoice } from '../sales/invoices/page.ts'
import { Draft, previewPage } from '../sales/payment-pages/payer/view.ts'
import {
  type ActivityRow,
  type DaySums,
  type Span,
  selectActivity,
  selectBalance,
  selectSetupSteps,
  sumBySpan,
} from './queries.ts'

const count = Type.Integer()
const Waiting = Envelope(
  Type.Object({
    disputes: Type.Integer({ description: 'Open disputes without a response on its way.' }),
    differences: count,
    orders: Type.Integer({ description: 'Orders with an unknown outcome.' }),
  }),
)

/** What waits for a person, for badges in the dashboard: 0 for what the role cannot see. */
export const waitingRoutes = ({ db }: Pick<ConsoleDeps, 'db'>): Route[] => [
  route({
    operation: 'get_waiting',
    method: 'GET',
    path: '/waiting',
    caller: 'member',
    response: Waiting,
    handle: async ({ caller, now }) => {
      const found = await countWaiting(db, caller, now)
      const isReconciling = hasScope(caller, 'reconciliation:read')
      return success('Counts retrieved.', {
        disputes: hasScope(caller, 'disputes:read') ? found.disputes : 0,
        differences: isReconciling ? found.differences : 0,
        orders: isReconciling ? found.orders : 0,
      })
    },
  }),
]

const countWaiting = (db: Db, { businessId, live }: Tenant, now: Date) =>
  db.one<{ disputes: number; differences: number; orders: number }>`
    select (
      select count(*) from disputes d
      where d.business_id = ${businessId} and d.live = ${live} and d.status = 'Open'
        and not exists (
          select from dispute_responses r
          where r.business_id = ${businessId} and r.live = ${live} and r.dispute_id = d.id
            and r.status = 'Sending')
    ) as disputes, (
      select count(*) from provider_differences
      where business_id = ${businessId} and live = ${live} and status = 'Open'
    ) as differences, (
      select count(*) from provider_orders o
      where o.business_id = ${businessId} and o.live = ${live} and ${isUnresolvedAt(now)}
    ) as orders`

/** Transactions are read for twice this period, to compare with the previous one. */
const DAYS_MAX = 92
const DAY_MS = 86_400_000

interface Window {
  /** The start of the previous period, which ends at `from`. */
  before: Date
  from: Date
  /** Exclusive. */
  until: Date
  currency: string
  timeZone: string
}

/** The states of transactions that received money, even if it was later returned. */
const PAID = ['Successful', 'PartiallyRefunded', 'Refunded', 'Reversed']
const FAILED = ['Failed', 'Abandoned']

const Query = Type.Object({
  from: Type.Optional(TimestampText),
  to: Type.Optional(TimestampText),
  /** The number of days up to the end of the period, if `from` is absent. */
  days: Type.Integer({ minimum: 1, maximum: DAYS_MAX, default: 30 }),
})

const text = Type.String()
const sum = { amount: Type.Number(), amountMinor: Type.Integer() }
const Sum = Nullable(Type.Object({ ...sum, before: Type.Object(sum) }))
const Line = Type.Object({
  id: text,
  type: text,
  reference: Nullable(text),
  who: Nullable(Type.String({ description: 'The customer, or the recipient of the money.' })),
  about: Nullable(Type.String({ description: 'The invoice number or product name.' })),
  amount: Nullable(Type.Number()),
  currency: Nullable(text),
  status: Nullable(text),
  path: Nullable(text),
  at: Timestamp,
})
/** Fields that the role cannot read are null. */
const Overview = Envelope(
  Type.Object({
    before: Timestamp,
    from: Timestamp,
    until: Timestamp,
    currency: text,
    days: Type.Array(text, { description: 'Every day in the period, in order.' }),
    volume: Sum,
    count: Nullable(Type.Object({ value: Type.Integer(), before: Type.Integer() })),
    successRate: Nullable(
      Type.Object({ value: Nullable(Type.Number()), before: Nullable(Type.Number()) }),
    ),
    balance: Sum,
    series: Nullable(
      Type.Array(Type.Object({ day: text, channel: text, count: Type.Integer(), ...sum })),
    ),
    activity: Type.Array(Line),
    setUp: Type.Array(Type.Object({ step: text, done: Type.Boolean() })),
  }),
)

export function overviewRoutes(deps: ConsoleDeps): Route[] {
  const figures = cachedFor((caller: Caller, window: Window) => figuresOf(deps, caller, window))
  return [
    route({
      operation: 'get_overview',
      method: 'GET',
      path: '/overview',
      caller: 'member',
      query: Query,
      response: Overview,
      handle: async (input) => {
        const { caller, query } = input
        const window = windowOf(caller, query, input.member.currency)
        const known = [
          caller.businessId,
          caller.live,
          ...Object.values(window),
          ...scopesOf(caller),
        ]
        const [sums, activity, setUp] = await Promise.all([
          figures(known.join(' '), caller, window),
          activityOf(deps.db, caller),
          setUpOf(deps, input),
        ])
        const { before, from, until, currency } = window
        const period = { before, from, until, currency, days: daysOf(caller, window) }
        return success('Overview retrieved.', { ...period, ...sums, activity, setUp })
      },
    }),
  ]
}

const scopesOf = (caller: Caller) => [
  hasScope(caller, 'transactions:read'),
  hasScope(caller, 'wallet:read'),
]

/**
 * Returns the requested period, by default the days up to today, and the equally long period before
 * it.
 */
function windowOf(
  { timeZone, now }: Caller,
  { from, to, days: wanted }: { from?: string; to?: string; days: number },
  currency: string,
): Window {
  const period = { endDate: to ?? dayIn(timeZone, now), ...(from && { startDate: from }) }
  const range = rangeOf(period, timeZone)
  const until = range.until!
  const lastDay = dayIn(timeZone, new Date(until.getTime() - 1))
  const firstDay = range.from ? dayIn(timeZone, range.from) : addDays(lastDay, 1 - wanted)
  const days = Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1
  if (days > DAYS_MAX) throw invalid({ from: [`must be at most ${DAYS_MAX} days before the end`] })
  const startOf = (day: string) => startOfDay(day, timeZone)
  return {
    before: startOf(addDays(firstDay, -days)),
    from: startOf(firstDay),
    until,
    currency,
    timeZone,
  }
}

function daysOf({ timeZone }: Caller, { from, until }: Window): string[] {
  const last = dayIn(timeZone, new Date(until.getTime() - 1))
  const days = [dayIn(timeZone, from)]
  while (days.at(-1)! < last) days.push(addDays(days.at(-1)!, 1))
  return days
}

function spansOf(caller: Caller, window: Window): Span[] {
  const { before, from, until } = window
  const days = daysOf(caller, window)
  const starts = days.map((day) => startOfDay(day, caller.timeZone))
  return [
    { day: null, from: before, until: from },
    ...days.map((day, i) => ({ day, from: starts[i]!, until: starts[i + 1] ?? until })),
  ]
}

/** Fields that the role cannot read are null. */
async function figuresOf({ db }: ConsoleDeps, caller: Caller, window: Window) {
  const [seesPayments, seesBalance] = scopesOf(caller)
  const [sums, balance] = await Promise.all([
    seesPayments ? sumBySpan(db, caller, { ...window, spans: spansOf(caller, window) }) : null,
    seesBalance ? selectBalance(db, caller, window) : null,
  ])
  const amount = (minor: Minor) => ({
    ...amountsOf(window.currency, { amount: minor }),
  })
  const now = sums?.filter(({ day }) => day !== null) ?? []
  const before = sums?.filter(({ day }) => day === null) ?? []
  const paid = (of: readonly DaySums[]) => of.filter(({ status }) => PAID.includes(status))
  const volume = (of: readonly DaySums[]) => amount(total(paid(of)))
  return {
    volume: sums && { ...volume(now), before: volume(before) },
    count: sums && { value: countOf(paid(now)), before: countOf(paid(before)) },
    successRate: sums && { value: rateOf(now), before: rateOf(before) },
    balance: balance && {
      ...amount(balance.available),
      before: amount(balance.available - balance.grown),
    },
    series:
      sums &&
      [...Map.groupBy(paid(now), ({ day, channel }) => `${day} ${channel}`).values()].map(
        (group) => ({
          day: group[0]!.day!,
          channel: group[0]!.channel,
          count: countOf(group),
          ...amount(total(group)),
        }),
      ),
  }
}

const total = (of: readonly DaySums[]): Minor => of.reduce((sum, one) => sum + one.amount, 0n)
const countOf = (of: readonly DaySums[]): number => of.reduce((sum, one) => sum + one.count, 0)

/** Returns the share of ended payment attempts that succeeded; null if none have ended. */
function rateOf(of: readonly DaySums[]): number | null {
  const paid = countOf(of.filter(({ status }) => PAID.includes(status)))
  const failed = countOf(of.filter(({ status }) => FAILED.includes(status)))
  return paid + failed === 0 ? null : paid / (paid + failed)
}

/** Returns, in order, the steps that a business must complete before it can take real money. */
async function setUpOf({ db }: ConsoleDeps, { caller, signedIn }: MemberInput) {
  const found = await selectSetupSteps(db, caller)
  const steps = [
    { step: 'business', done: found.has_details, scope: 'profile:write' },
    // Test payments go through the simulator.
    ...(caller.live
      ? [{ step: 'provider', done: found.has_provider, scope: 'providers:write' }]
      : []),
    { step: 'settlement', done: found.has_account, scope: 'profile:write' },
    { step: 'goods', done: found.has_goods, scope: 'invoices:write' },
    { step: 'webhook', done: found.has_webhook, scope: 'webhooks:write' },
    { step: 'twoFactor', done: signedIn.session.has_second_factor, scope: undefined },
  ]
  return steps
    .filter(({ scope }) => scope === undefined || hasScope(caller, scope))
    .map(({ step, done }) => ({ step, done }))
}

const SHOWN = 8
/**
 * How many recent events to read. Several can belong to one sale, and the role may not be able to
 * read some.
 */
const AMONG = 120

/** A customer who has opened a checkout has not paid yet, and often never pays. */
const NO_NEWS = [
  'transaction.pending',
  'transaction.abandoned',
  'virtual_account.created',
  'virtual_account.expired',
]

/** Records whose events do not name the payer. */
const OF_A_PAYER = ['refund', 'dispute'] as const

/** Returns the recent activity that the role can read, one line per sale. */
async function activityOf(db: Db, caller: Caller) {
  const objectTypes = Object.keys(SCREENS).filter((type) => hasScope(caller, SCREENS[type]!.scope))
  const rows = await selectActivity(db, caller, { objectTypes, among: AMONG, take: AMONG })
  const events = rows
    .filter(({ type }) => !NO_NEWS.includes(type))
    .map((row) => ({ row, data: JSON.parse(row.data) as EventData }))
  const shown = salesOf(events).slice(0, SHOWN).map(newestOf)
  const payerOf = new Map<number, string | null>()
  for (const type of OF_A_PAYER) {
    const ids = shown.flatMap(({ row }) => (row.object_type === type ? [row.object_id] : []))
    const payers = ids.length > 0 ? await selectNames(db, caller, type, ids) : []
    for (const { id, name } of payers) payerOf.set(id, name)
  }
  return shown.map((one) => lineOf(one, payerOf.get(one.row.object_id) ?? null))
}

/** The few fields that many records share. */
interface EventData {
  reference?: unknown
  amount?: unknown
  /** Of a payment that was not accepted; `amount` is what was expected. */
  receivedAmount?: unknown
  currency?: unknown
  status?: unknown
  invoiceReference?: unknown
  invoiceNumber?: unknown
  orderId?: unknown
  customer?: { name?: unknown; email?: unknown } | null
  customerName?: unknown
  customerEmail?: unknown
  accountName?: unknown
  /** Of a payment that was not accepted. */
  depositReference?: unknown
  sender?: { accountName?: unknown } | null
  business_name?: unknown
  packageName?: unknown
  name?: unknown
  title?: unknown
  code?: unknown
}

interface Happened {
  row: ActivityRow
  data: EventData
}

/**
 * Groups the events for one invoice, order, payment or deposit, newest first. A payment belongs to
 * the same sale as the invoice or order that it pays.
 */
function salesOf(events: readonly Happened[]): Happened[][] {
  const paidFor = new Map(
    events
      .filter(({ row }) => row.object_type === 'transaction')
      .map(({ row, data }) => [row.object_id, saleOf(row, data)]),
  )
  return [
    ...Map.groupBy(events, ({ row, data }) =>
      row.object_type === 'transaction' ? paidFor.get(row.object_id)! : saleOf(row, data),
    ).values(),
  ]
}

function saleOf(
  row: ActivityRow,
  { reference, invoiceReference, orderId, depositReference }: EventData,
): string {
  if (row.object_type === 'invoice') return `invoice ${reference}`
  if (row.object_type === 'deposit') return `deposit ${reference}`
  if (depositReference) return `deposit ${depositReference}`
  if (row.object_type !== 'transaction') return `${row.object_type} ${row.object_id}`
  if (invoiceReference) return `invoice ${invoiceReference}`
  return orderId ? `order ${orderId}` : `transaction ${row.object_id}`
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

const newestOf = (sale: readonly Happened[]) => ({ ...sale[0]!, sale })

/**
 * Takes the amount from the payment, if there is one. Not every event names the payer, so
 * `payer` is passed in.
 */
function lineOf({ row, data, sale }: ReturnType<typeof newestOf>, payer: string | null) {
  const payment = sale.find(
    (one) =>
      one.row.type === 'transaction.successful' &&
      one.row.created_at.getTime() === row.created_at.getTime(),
  )
  const amount = payment?.data.amount ?? data.receivedAmount ?? data.amount
  const reference = textOf(data.reference)
  return {
    id: row.reference,
    type: row.type,
    reference,
    who: whoOf(data) ?? payer,
    about: sale.map((one) => textOf(one.data.invoiceNumber)).find(Boolean) ?? nameOf(data),
    amount: typeof amount === 'number' ? amount : null,
    currency: textOf(data.currency),
    status: textOf(data.status),
    path: pathOf(row.object_type, { id: row.object_id, reference }),
    at: row.created_at,
  }
}

const whoOf = ({ sender, ...data }: EventData) =>
  // Otherwise, the name would be the account's.
  sender === undefined ? whoElse(data) : textOf(sender?.accountName)

const whoElse = ({
  customer,
  customerName,
  customerEmail,
  business_name,
  accountName,
}: EventData) =>
  textOf(customer?.name) ??
  textOf(customer?.email) ??
  textOf(customerName) ??
  textOf(customerEmail) ??
  textOf(business_name) ??
  textOf(accountName)

const nameOf = ({ name, title, packageName, code }: EventData) =>
  textOf(name) ?? textOf(title) ?? textOf(packageName) ?? textOf(code)

const ENTRIES_MAX = 500
/** How long a response is cached, as a multiple of the time it took to compute. */
const FACTOR = 10
const MS_MAX = 10_000

/**
 * Caches an expensive result for a time that grows with its cost. However many people are watching,
 * the computations use at most a tenth of a connection. Simultaneous requests share one
 * computation.
 */
function cachedFor<Args extends unknown[], Found>(find: (...args: Args) => Promise<Found>) {
  const known = new Map<string, { found: Promise<Found>; until: number }>()
  return (name: string, ...args: Args): Promise<Found> => {
    const begun = performance.now()
    const before = known.get(name)
    if (before && before.until > begun) return before.found
    // A Map keeps its insertion order, so this removes the oldest entry.
    known.delete(name)
    if (known.size >= ENTRIES_MAX) known.delete(known.keys().next().value!)
    const entry = { found: find(...args), until: Number.POSITIVE_INFINITY }
    known.set(name, entry)
    entry.found.then(
      () => {
        const now = performance.now()
        entry.until = now + Math.min((now - begun) * FACTOR, MS_MAX)
      },
      () => {
        entry.until = 0
      },
    )
    return entry.found
  }
}

const PageHtml = Envelope(Type.Object({ html: Type.String() }))

/** Previews of unsaved pages, as payers will see them, but not interactive. */
export const pagePreviewRoutes = (
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'publicUrl' | 'providers'>,
): Route[] => [
  route({
    operation: 'preview_payment_page',
    method: 'POST',
    path: '/page-preview',
    caller: 'member',
    scope: 'payment_pages:read',
    body: Draft,
    bodyBytes: 'form',
    response: PageHtml,
    async handle({ caller, body, request }) {
      const html = await previewPage(deps, caller, body, localeOf(request.headers))
      return success('Preview rendered.', { html })
    },
  }),
  route({
    operation: 'preview_invoice',
    method: 'POST',
    path: '/invoice-preview',
    caller: 'member',
    scope: 'invoices:read',
    body: InvoiceDraft,
    bodyBytes: 'form',
    response: PageHtml,
    async handle({ caller, body, request }) {
      const html = await previewInvoice(deps, caller, body, localeOf(request.headers))
      return success('Preview rendered.', { html })
    },
  }),
]
