import { addDays, dayIn } from '../lib/dates.ts'
import { type Minor, toAmount } from '../lib/money.ts'
import { INVOICE_PURPOSE } from '../sales/invoices/service.ts'
import { customerOf, orderOf, type Random, randomOf } from './cast.ts'
import type { DemoServer, Script } from './demo-server.ts'

/** What people do with an invoice. Everything else, such as emails, follows automatically. */
type Step =
  | ('send' | 'view' | 'void' | 'cash' | 'remind')
  // Tries to pay: in full, in part, with a wrong amount or twice. Or the payment is declined or
  // abandoned.
  | ('pay' | 'part' | 'decline' | 'leave' | 'slip' | 'twice')
  // Waits until the invoice is overdue.
  | 'wait'

interface Plot {
  steps: readonly Step[]
  isDraft?: true
}

const plots = (count: number, ...steps: Step[]): Plot[] => Array(count).fill({ steps })
const drafts = (count: number, ...steps: Step[]): Plot[] =>
  Array(count).fill({ steps, isDraft: true })

/** What happened to older invoices, with relative frequencies. */
const ENDED = [
  ...plots(14, 'view', 'pay'),
  ...plots(3, 'view', 'decline', 'pay'),
  ...plots(3, 'view', 'leave', 'pay'),
  ...plots(5, 'view', 'wait', 'pay'),
  ...plots(2, 'view', 'part', 'pay'),
  ...plots(1, 'view', 'part', 'cash'),
  ...plots(4, 'view', 'cash'),
  ...plots(1, 'view', 'slip', 'pay'),
  ...plots(1, 'view', 'twice'),
  ...plots(2, 'view', 'wait', 'remind'),
  ...plots(2, 'view', 'part', 'wait'),
  ...plots(1, 'void'),
  ...plots(1, 'wait', 'void'),
  ...drafts(1, 'void'),
  ...drafts(1, 'send', 'pay'),
]
/** How far recent invoices have got. */
const RECENT = [
  ...drafts(3),
  ...plots(3),
  ...plots(3, 'view'),
  ...plots(5, 'view', 'pay'),
  ...plots(1, 'view', 'decline', 'pay'),
  ...plots(1, 'view', 'decline'),
  ...plots(1, 'view', 'leave'),
  ...plots(1, 'view', 'part'),
  ...plots(1, 'view', 'cash'),
  ...plots(1, 'void'),
]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const INVOICES_MAX = ENDED.length + RECENT.length

export interface History {
  seed: number
  /** The start of the day on which the history ends. */
  untilMs: number
  /** The latest time for open invoices. It is now if the history continues until today. */
  endMs: number
  timeZone: string
}

/** Builds the scripts for this many invoices, at most `INVOICES_MAX`. The first gets `metadata`. */
export function invoiceScripts(
  server: DemoServer,
  history: History,
  count: number,
  metadata: Record<string, unknown>,
): Script[] {
  const { seed, untilMs } = history
  const plots = randomOf(seed, -1).shuffled([
    ...ENDED.map((plot) => ({ ...plot, daysAgo: [45, 14] as const })),
    ...RECENT.map((plot) => ({ ...plot, daysAgo: [6, 0.5] as const })),
  ])
  return plots.slice(0, count).map(({ daysAgo: [from, to], ...plot }, i) => {
    const random = randomOf(seed, i)
    // Leaves late payers enough time to pay.
    const isLong = plot.steps.includes('wait')
    const daysAgo = isLong ? random.whole(28, from) : to + random.share() * (from - to)
    const createdMs = awake(untilMs - Math.floor(daysAgo * DAY_MS), untilMs)
    return script(server, history, { random, createdMs, plot, ...(i === 0 && { metadata }) })
  })
}

/** Returns the given time or, if it is at night, the next morning. */
function awake(ms: number, untilMs: number): number {
  const hour = ((((ms - untilMs) % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS
  return hour >= 8 && hour < 21 ? ms : ms + 11 * HOUR_MS
}

interface Birth {
  random: Random
  createdMs: number
  plot: Plot
  metadata?: Record<string, unknown>
}

async function* script(
  server: DemoServer,
  { untilMs, timeZone }: History,
  { random, createdMs, plot: { steps, isDraft }, metadata }: Birth,
): Script {
  const { api } = server
  const buyer = customerOf(random, 0)
  yield createdMs
  const order = orderOf(random, buyer)
  const isDue = steps.includes('wait') || random.chance(0.7)
  const dueDate = addDays(dayIn(timeZone, server.clock.now()), random.pick([7, 14]))
  const { name, email, phone } = buyer
  const { reference, hostedUrl } = await api.invoices.create({
    customerEmail: email,
    customerName: name,
    ...(random.chance(0.7) && { customerPhone: phone }),
    ...order,
    ...(isDue && { dueDate }),
    allowPartialPayment: steps.includes('part') || random.chance(0.15),
    sendImmediately: !isDraft,
    ...(metadata && { metadata }),
  })
  const payer = payerAt(server, new URL(hostedUrl).pathname)
  for (const step of steps) {
    // Pauses range from minutes to days, and short ones are more likely.
    const pauseMs = (4 + random.share() ** 3 * 48 * 60) * MINUTE_MS
    const overdueMs = Date.parse(dueDate) + (1.5 + random.share() * 8) * DAY_MS
    const next = step === 'wait' ? overdueMs : server.clock.now().getTime() + Math.floor(pauseMs)
    // Early enough that everything the step causes finishes before the history ends.
    const startMs = Math.min(awake(next, untilMs), untilMs - HOUR_MS)
    yield Math.max(startMs, server.clock.now().getTime())
    if (step === 'send') await api.invoices.send(reference)
    else if (step === 'void') await api.invoices.void(reference)
    else if (step === 'remind') await api.invoices.remind(reference)
    else if (step === 'cash') await api.invoices.markPaid(reference, { note: 'Cash at the shop' })
    else if (step === 'view') await payer.view()
    else if (step !== 'wait')
      yield* tryToPay(server, { ...payer, reference, due: order.amount }, step, random)
    await server.runJobs('mail')
  }
}

type Payer = ReturnType<typeof payerAt>

function payerAt({ url }: DemoServer, path: string) {
  return {
    view: () => fetch(url + path),
    post: (form: string, fields: Record<string, string>) =>
      fetch(`${url}${path}/${form}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        redirect: 'manual',
      }),
  }
}

/** Returns the last account opened for an invoice: its number and the expected amount. */
async function accountOf({ db, tenant: { businessId, live } }: DemoServer, reference: string) {
  const { account_number, amount_minor } = await db.one<Account>`
    select v.account_number, v.amount_minor
    from transactions t
    join virtual_accounts v
      on (v.business_id, v.live, v.transaction_id) = (t.business_id, t.live, t.id)
    where t.business_id = ${businessId} and t.live = ${live}
      and t.purpose = ${INVOICE_PURPOSE} and t.purpose_id = (
        select id from invoices
        where business_id = ${businessId} and live = ${live} and reference = ${reference})
    order by v.id desc limit 1`
  return { accountNumber: account_number, amount: toAmount(amount_minor, 'NGN') }
}

interface Account {
  account_number: string
  amount_minor: Minor
}

/** These steps need a transfer, because a dialled code completes by itself. */
const MUST_TRANSFER: ReadonlySet<Step> = new Set(['leave', 'slip'])

interface Paying extends Payer {
  reference: string
  due: number
}

async function* tryToPay(
  server: DemoServer,
  { post, reference, due }: Paying,
  step: Step,
  random: Random,
): Script {
  const { api, clock, runJobs } = server
  const after = (minutes: number) => clock.now().getTime() + Math.floor(minutes * MINUTE_MS)
  // Only a dialled code can be declined. A transfer that never arrives is not a failure.
  const isDialled = step === 'decline' || (!MUST_TRANSFER.has(step) && random.chance(0.36))
  const dial = { channel: 'USSD', bankCode: random.pick(['058', '044', '033', '011']) }
  const transfer = { channel: 'BANK_TRANSFER' }
  const part = step === 'part' && { amount: String(Math.ceil(due * random.whole(3, 7) * 0.1)) }
  if (step === 'twice') {
    await post('pay', transfer)
    const { accountNumber, amount } = await accountOf(server, reference)
    yield after(6)
    await post('cancel-payment', {})
    await post('pay', dial)
    yield after(2)
    await post('simulate', { outcome: 'success' })
    yield after(9)
    await api.simulator.deposit({ accountNumber, amount })
    return
  }
  await post('pay', { ...(isDialled ? dial : transfer), ...part })
  if (step === 'leave') {
    yield after(35)
    return runJobs('transaction-expiry')
  }
  if (step === 'slip') {
    const { accountNumber, amount } = await accountOf(server, reference)
    yield after(5)
    await api.simulator.deposit({ accountNumber, amount: amount - 500 })
  }
  yield after(1 + random.share() * (isDialled ? 4 : 20))
  await post('simulate', { outcome: step === 'decline' ? 'failed' : 'success' })
}
