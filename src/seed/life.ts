import { newEventReference } from '../events/append.ts'
import { addDays, dayIn, startOfDay } from '../lib/dates.ts'
import { newTokenSecret } from '../lib/tokens.ts'
import { OPEN_MS } from '../payments/attempts/attempt.ts'
import { printLines } from '../sales/invoices/record.ts'
import { firstStep, takeSteps } from '../sales/invoices/reminders.ts'
import type { InvoiceRow } from '../sales/invoices/service.ts'
import { type Customer, customerFor } from './customers.ts'
import { type Order, orderFor } from './orders.ts'
import { endAttempt, markPaid, type Opened, refuseDeposit, startAttempt } from './payments.ts'
import { type Attempt, type Fate, isOfDue, isOfLarge, type Step, stepsOf } from './plots.ts'
import { type Random, randomOf, STREAM } from './random.ts'
import { keepMail, type Shop, type Story, tellInvoice } from './story.ts'

/** The draft of a story. */
export interface Birth {
  index: number
  createdMs: number
  fate: Fate
  /** Kept in the metadata of the first invoice, by which a later run knows what was done. */
  marker?: object
}

/** The reference of an invoice: what tells that it was made before. */
export const referenceOf = (seed: number, index: number): string => referencesOf(seed, index)('INV')

/** The references of one story, in the order in which they are asked for. */
function referencesOf(seed: number, index: number): (prefix: string) => string {
  const random = randomOf(seed, STREAM.references, index)
  return (prefix) => `${prefix}_${random.text(20)}`
}

/**
 * Plays one invoice from its creation to the end of the history by the rules of its slices: its
 * schedule runs beside what people do. The same seed and index give the same, but for ids, the
 * secret in its address, and the references of events.
 */
export function storyOf(
  shop: Shop,
  customers: readonly Customer[],
  birth: Birth,
  nextId: () => number,
): Story {
  const random = randomOf(shop.seed, STREAM.orders, birth.index)
  const customer = customerFor(customers, random)
  const order = orderFor(customer, isOfLarge(birth.fate), random)
  const nextReference = referencesOf(shop.seed, birth.index)
  const invoice = createdRow(
    shop,
    birth,
    { customer, order, random },
    {
      id: nextId(),
      reference: nextReference('INV'),
    },
  )
  const story: Story = {
    shop,
    invoice,
    transactions: [],
    accounts: [],
    deposits: [],
    events: [],
    mails: [],
    settled: [],
    bounces: birth.fate === 'bounced',
    random: randomOf(shop.seed, STREAM.plots, birth.index),
    nextId,
    nextReference,
  }
  create(story)
  play(story, birth)
  return story
}

function play(story: Story, { createdMs, fate }: Birth): void {
  const { shop, invoice, random } = story
  const { due_date, amount_minor } = invoice
  const overdueMs = due_date && startOfDay(addDays(due_date, 1), shop.terms.time_zone).getTime()
  const { untilMs } = shop
  const scene = { random, createdMs, overdueMs: overdueMs || null, untilMs, amount_minor }
  const opened = new Map<Attempt, Opened>()
  for (const step of stepsOf(fate, scene, OPEN_MS)) {
    takeSchedule(story, step.ms, true)
    take(story, step, opened)
  }
  takeSchedule(story, untilMs, true)
  // What fell due since then is taken without a mail, or it would all be sent by the next sweep.
  takeSchedule(story, shop.nowMs, false)
}

function take(story: Story, step: Step, opened: Map<Attempt, Opened>): void {
  const at = new Date(step.ms)
  switch (step.does) {
    case 'send':
      send(story, at)
      break
    case 'view':
      view(story, at)
      break
    case 'void':
      cancel(story, at)
      break
    case 'mark_paid':
      markPaid(story, at)
      break
    case 'start':
      opened.set(step.attempt, startAttempt(story, step.attempt, at))
      break
    case 'refuse':
      refuseDeposit(story, opened.get(step.attempt)!, at)
      break
    case 'end':
      endAttempt(story, step.attempt, opened.get(step.attempt)!, at)
  }
}

const DUE_DAYS = [7, 7, 14, 14, 14, 30]

function dueDateOf(shop: Shop, { createdMs, fate }: Birth, { customer, random }: Bought) {
  if (!isOfDue(fate) && random.chance(0.3)) return null
  const days = customer.isOrganisation ? 30 : random.pick(DUE_DAYS)
  return addDays(dayIn(shop.terms.time_zone, new Date(createdMs)), days)
}

const SELLERS = ['Kemi', 'Ifeanyi', 'Halima', 'Tega']
const SOURCES = ['shop', 'shop', 'instagram', 'whatsapp', 'website', 'referral']

interface Bought {
  customer: Customer
  order: Order
  random: Random
}

function createdRow(
  shop: Shop,
  birth: Birth,
  bought: Bought,
  { id, reference }: Pick<InvoiceRow, 'id' | 'reference'>,
): InvoiceRow {
  const { customer, order, random } = bought
  const { createdMs, fate, marker } = birth
  const { tenant } = shop
  const at = new Date(createdMs)
  const sold = random.chance(0.4) && { seller: random.pick(SELLERS), source: random.pick(SOURCES) }
  return {
    business_id: tenant.businessId,
    live: tenant.live,
    id,
    number: null,
    number_prefix: null,
    reference,
    token: newTokenSecret(),
    status: isDraft(fate) ? 'Draft' : 'Sent',
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    amount_minor: order.amount_minor,
    paid_minor: 0n,
    currency: 'NGN',
    note: order.note,
    line_items: order.lines.length > 0 ? printLines(order.lines) : null,
    due_date: dueDateOf(shop, birth, bought),
    allow_partial_payment: isOfLarge(fate) || random.chance(0.15),
    metadata: sold || marker ? JSON.stringify({ ...sold, ...marker }) : null,
    email_status: isDraft(fate) ? null : 'Queued',
    sent_at: isDraft(fate) ? null : at,
    viewed_at: null,
    paid_at: null,
    voided_at: null,
    reminded_at: null,
    next_step: null,
    next_step_at: null,
    event_sequence: 1,
    created_at: at,
    updated_at: at,
  }
}

const isDraft = (fate: Fate): boolean =>
  fate === 'draft' || fate === 'drafted' || fate === 'cancelled'

/** As src/sales/invoices/create.ts: both events show the invoice as it was answered. */
function create(story: Story): void {
  const { invoice } = story
  const at = invoice.created_at
  const isSent = invoice.status === 'Sent'
  if (isSent) schedule(story, at)
  tellInvoice(story, 'invoice.created', at)
  if (!isSent) return
  invoice.event_sequence = 2
  const created = story.events[0]!
  const [id, reference] = [story.nextId(), newEventReference(at)]
  story.events.push({ ...created, id, reference, type: 'invoice.sent', sequence: 2 })
  keepMail(story, 'invoice', at)
}

function schedule({ shop, invoice }: Story, sentAt: Date): void {
  const plan = { dueDate: invoice.due_date, timeZone: shop.terms.time_zone }
  Object.assign(invoice, firstStep(plan, sentAt))
}

function changed({ invoice }: Story, at: Date): void {
  invoice.event_sequence += 1
  invoice.updated_at = at
}

function send(story: Story, at: Date): void {
  const { invoice } = story
  Object.assign(invoice, { status: 'Sent', sent_at: at, email_status: 'Queued' })
  changed(story, at)
  schedule(story, at)
  tellInvoice(story, 'invoice.sent', at)
  keepMail(story, 'invoice_again', at)
}

function view(story: Story, at: Date): void {
  story.invoice.viewed_at = at
  changed(story, at)
  tellInvoice(story, 'invoice.viewed', at)
}

function cancel(story: Story, at: Date): void {
  Object.assign(story.invoice, { status: 'Void', voided_at: at, next_step_at: null })
  changed(story, at)
  tellInvoice(story, 'invoice.voided', at)
}

/** A sweep comes by within ten seconds. */
const SWEPT_MS = 4_000

/** Reminders and the day after the due date, as src/sales/invoices/reminders.ts takes them. */
function takeSchedule(story: Story, untilMs: number, mails: boolean): void {
  const { shop, invoice } = story
  const plan = { dueDate: invoice.due_date, timeZone: shop.terms.time_zone }
  while (invoice.next_step_at && invoice.next_step_at.getTime() <= untilMs) {
    const at = new Date(Math.min(invoice.next_step_at.getTime() + SWEPT_MS, untilMs))
    const mailedMs = Math.max(invoice.sent_at?.getTime() ?? 0, invoice.reminded_at?.getTime() ?? 0)
    const taken = takeSteps(plan, invoice.next_step ?? 0, new Date(mailedMs), at)
    invoice.next_step = taken.next_step
    invoice.next_step_at = taken.next_step_at
    if (taken.overdue) {
      changed(story, at)
      tellInvoice(story, 'invoice.overdue', at)
    }
    if (taken.remind && mails) {
      invoice.reminded_at = at
      keepMail(story, 'invoice_reminder', at)
    }
  }
}
