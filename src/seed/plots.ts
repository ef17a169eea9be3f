import type { Minor } from '../lib/money.ts'
import { percentageOf } from '../lib/money.ts'
import { awake, DAY_MS, type Day } from './calendar.ts'
import { type Random, randomOf, STREAM, shuffled } from './random.ts'

/** What becomes of an invoice. */
export type Fate =
  | (
      | 'paid'
      | 'retried'
      | 'left'
      | 'late'
      | 'parts'
      | 'mixed'
      | 'offline'
      | 'wrong_sum'
      | 'overpaid'
    )
  | ('drafted' | 'draft' | 'cancelled' | 'void' | 'viewed' | 'unseen' | 'part_open' | 'bounced')
  | ('failed_open' | 'left_open')

/** Of invoices that had time to come to an end, how many of 42 go which way. */
const ENDED = deckOf({
  paid: 14,
  retried: 3,
  left: 3,
  late: 5,
  parts: 2,
  mixed: 1,
  offline: 4,
  wrong_sum: 1,
  overpaid: 1,
  void: 1,
  cancelled: 1,
  drafted: 1,
  viewed: 2,
  part_open: 2,
  bounced: 1,
})

/** And of the last days', of 20. */
const RECENT = deckOf({
  draft: 3,
  unseen: 3,
  viewed: 3,
  paid: 5,
  retried: 1,
  failed_open: 1,
  left_open: 1,
  part_open: 1,
  offline: 1,
  void: 1,
})

function deckOf(cards: Partial<Record<Fate, number>>): readonly Fate[] {
  return Object.entries(cards).flatMap(([fate, count]) => Array<Fate>(count).fill(fate as Fate))
}

/**
 * The fate of an invoice. They are dealt like cards, so that each occurs in a small shop too: every
 * 42 (or 20) invoices in a row have all of them, each time in another order.
 */
export function fateOf(seed: number, index: number, { isRecent }: Day, recentFrom: number): Fate {
  const deck = isRecent ? RECENT : ENDED
  const position = isRecent ? index - recentFrom : index
  const round = Math.floor(position / deck.length) * 2 + (isRecent ? 1 : 0)
  return dealt(deck, seed, round)[position % deck.length]!
}

let lastDealt = { key: '', cards: [] as Fate[] }

function dealt(deck: readonly Fate[], seed: number, round: number): Fate[] {
  const key = `${seed} ${round}`
  if (lastDealt.key !== key) {
    lastDealt = { key, cards: shuffled(deck, randomOf(seed, STREAM.decks, round)) }
  }
  return lastDealt.cards
}

/** Half-way payments are not made of a few yards of cloth. */
export const isOfLarge = (fate: Fate): boolean =>
  fate === 'parts' || fate === 'mixed' || fate === 'part_open'

/** Without a due date nothing is ever late. */
export const isOfDue = (fate: Fate): boolean =>
  fate === 'late' || fate === 'viewed' || fate === 'part_open' || fate === 'bounced'

/** One try at paying over a rail. */
export interface Attempt {
  channel: 'USSD' | 'BANK_TRANSFER'
  startMs: number
  /** Abandoned ones end when their time is over. */
  endMs: number
  ending: 'paid' | 'failed' | 'abandoned'
  /** Null for all that is due. */
  part_minor: Minor | null
  /** When a wrong sum came and was sent back. */
  wrongMs?: number
}

/** What people do to an invoice, in time. Reminders and the like come by themselves. */
export type Step = { ms: number } & (
  | { does: 'send' | 'view' | 'void' }
  | { does: 'mark_paid'; part_minor: Minor | null }
  | { does: 'start' | 'refuse' | 'end'; attempt: Attempt }
)

export interface Scene {
  random: Random
  createdMs: number
  /** Midnight after which it is overdue; null without a due date. */
  overdueMs: number | null
  /** Nothing happens from here on. */
  untilMs: number
  amount_minor: Minor
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** How long an attempt has, as src/payments/attempts/attempt.ts gives it. */
export type OpenMs = Readonly<Record<Attempt['channel'], number>>

/** All that happens before the end of the history, in order. */
export function stepsOf(fate: Fate, scene: Scene, openMs: OpenMs): Step[] {
  const steps = played(fate, scene, openMs)
  const isOver = ({ ms }: Step) => ms >= scene.untilMs
  const cut = (step: Step) =>
    isOver(step) || ('attempt' in step && step.attempt.endMs >= scene.untilMs)
  return steps.filter((step) => !cut(step)).sort((a, b) => a.ms - b.ms)
}

function played(fate: Fate, scene: Scene, openMs: OpenMs): Step[] {
  const { random, createdMs, untilMs } = scene
  // Most look within hours, some after days.
  const seenMs = awake(createdMs + soon(random, 60), untilMs)
  const payMs = awake(seenMs + soon(random, 96), untilMs)
  const later = (fromMs: number, days: number) =>
    awake(fromMs + Math.floor((0.3 + random.share()) * days * DAY_MS), untilMs)
  const view: Step = { ms: seenMs, does: 'view' }
  const pays = (ms: number, part_minor: Minor | null = null) =>
    tried(attemptAt(ms, 'paid', part_minor, random, openMs))
  const fails = () => tried(attemptAt(payMs, 'failed', null, random, openMs))
  const leaves = () => tried(attemptAt(payMs, 'abandoned', null, random, openMs))

  switch (fate) {
    case 'paid':
      return [view, ...pays(payMs)]
    case 'retried':
      return [view, ...fails(), ...pays(payMs + random.whole(12, 50) * MINUTE_MS)]
    case 'left':
      return [view, ...leaves(), ...pays(later(payMs + HOUR_MS, 4))]
    case 'late':
      return [view, ...pays(later(scene.overdueMs ?? payMs, 9))]
    case 'parts':
      return [view, ...pays(payMs, partOf(scene)), ...pays(later(payMs + HOUR_MS, 16))]
    case 'mixed':
      return [view, ...pays(payMs, partOf(scene)), byHand(later(payMs + HOUR_MS, 12))]
    case 'offline':
      return random.chance(0.5) ? [byHand(payMs)] : [view, byHand(payMs)]
    case 'wrong_sum':
      return [view, ...wrongSum(payMs, openMs)]
    case 'overpaid':
      return [view, ...paidTwice(payMs)]
    case 'drafted': {
      const sentMs = awake(createdMs + random.whole(2, 30) * HOUR_MS, untilMs)
      return [{ ms: sentMs, does: 'send' }, ...pays(later(sentMs + HOUR_MS, 5))]
    }
    case 'cancelled':
    case 'void':
      return [{ ms: later(createdMs + HOUR_MS, 6), does: 'void' }]
    case 'viewed':
      return [view]
    case 'part_open':
      return [view, ...pays(payMs, partOf(scene))]
    case 'bounced':
      return random.chance(0.6) ? [{ ms: later(createdMs, 30), does: 'void' }] : []
    case 'failed_open':
      return [view, ...fails()]
    case 'left_open':
      return [view, ...leaves()]
    case 'draft':
    case 'unseen':
      return []
  }
}

/** Within minutes as often as within days. */
const soon = (random: Random, hoursMax: number): number =>
  (4 + random.share() ** 3 * hoursMax * 60) * MINUTE_MS

const tried = (attempt: Attempt): Step[] => [
  { ms: attempt.startMs, does: 'start', attempt },
  { ms: attempt.endMs, does: 'end', attempt },
]

const byHand = (ms: number): Step => ({ ms, does: 'mark_paid', part_minor: null })

function attemptAt(
  startMs: number,
  ending: Attempt['ending'],
  part_minor: Minor | null,
  random: Random,
  openMs: OpenMs,
): Attempt {
  // A transfer that did not come is nobody's failure: only a dialled code can be declined.
  const isDialled = ending === 'failed' || random.chance(0.36)
  const channel = isDialled ? 'USSD' : 'BANK_TRANSFER'
  const quickMs = Math.floor((isDialled ? 0.4 + random.share() * 4 : 1 + random.share() * 22) * 60)
  const open = openMs[channel]
  // What is over is found by a sweep, up to five seconds later.
  const lastsMs = ending === 'abandoned' ? open + random.whole(200, 5_000) : quickMs * 1000
  return {
    channel,
    startMs: Math.floor(startMs),
    endMs: Math.floor(startMs) + lastsMs,
    ending,
    part_minor,
  }
}

/** A first transfer of too little is sent back, and the right sum follows. */
function wrongSum(startMs: number, openMs: OpenMs): Step[] {
  const start = Math.floor(startMs)
  const attempt: Attempt = {
    channel: 'BANK_TRANSFER',
    startMs: start,
    endMs: start + openMs.BANK_TRANSFER - 4 * MINUTE_MS,
    ending: 'paid',
    part_minor: null,
    wrongMs: start + 9 * MINUTE_MS,
  }
  return [...tried(attempt), { ms: attempt.wrongMs!, does: 'refuse', attempt }]
}

/** The transfer seems not to arrive, so a code is dialled as well; then both have come. */
function paidTwice(startMs: number): Step[] {
  const start = Math.floor(startMs)
  const base = { ending: 'paid', part_minor: null } as const
  const dialMs = start + 6 * MINUTE_MS
  return [
    ...tried({ ...base, channel: 'BANK_TRANSFER', startMs: start, endMs: start + 14 * MINUTE_MS }),
    ...tried({ ...base, channel: 'USSD', startMs: dialMs, endMs: dialMs + 2 * MINUTE_MS }),
  ]
}

/** Part payments are round: whole thousands of naira, or hundreds where there are no thousands. */
const THOUSAND_MINOR: Minor = 1_000_00n
const HUNDRED_MINOR: Minor = 100_00n

/** A share of the amount: more than nothing, since nothing on the shelf costs less than ₦500. */
function partOf({ random, amount_minor }: Scene): Minor {
  const share_minor = percentageOf(amount_minor, random.pick([3_000, 4_000, 5_000, 6_000, 7_000]))
  const step_minor = share_minor < 10n * THOUSAND_MINOR ? HUNDRED_MINOR : THOUSAND_MINOR
  return share_minor - (share_minor % step_minor)
}
