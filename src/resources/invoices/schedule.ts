import { addDays, hourOfDay } from '../../lib/dates.ts'

/** What happens around a due date. The invoice is overdue from the first moment of the next day. */
const STEPS = [
  { kind: 'reminder', days: -3, hour: 9 },
  { kind: 'reminder', days: 0, hour: 9 },
  { kind: 'overdue', days: 1, hour: 0 },
  { kind: 'reminder', days: 3, hour: 9 },
  { kind: 'reminder', days: 7, hour: 9 },
] as const

/** Steps from here on are taken by invoices that are known to be overdue. */
export const OVERDUE_STEP = 2

/** Where an invoice stands in its schedule; both null for one without, or not yet sent. */
export interface Step {
  next_step: number | null
  /** Null also when every step is taken. */
  next_step_at: Date | null
}

const NONE: Step = { next_step: null, next_step_at: null }

interface Plan {
  /** `YYYY-MM-DD`, in the days of `timeZone`. */
  dueDate: string | null
  timeZone: string
}

/**
 * The first step of an invoice that goes out at `sentAt`. Reminders from before are left out,
 * since its mail has just told the customer; that it is overdue is told however late.
 */
export function firstStep({ dueDate, timeZone }: Plan, sentAt: Date): Step {
  if (dueDate === null) return NONE
  const times = timesOf(dueDate, timeZone)
  const next = STEPS.findIndex(({ kind }, i) => kind === 'overdue' || times[i]! > sentAt)
  return { next_step: next, next_step_at: times[next]! }
}

export interface Taken extends Step {
  /** Of several reminders that fell due, one is sent. */
  remind: boolean
  overdue: boolean
}

/**
 * Takes the steps from `step` on that fell due by `now`. After a long pause only the latest
 * reminder counts, and none that the last mail about it, at `mailedAt`, came after.
 */
export function takeSteps(
  { dueDate, timeZone }: Plan,
  step: number,
  mailedAt: Date | null,
  now: Date,
): Taken {
  if (dueDate === null) return { ...NONE, remind: false, overdue: false }
  const times = timesOf(dueDate, timeZone)
  let next = step
  let remind = false
  let overdue = false
  for (; next < STEPS.length && times[next]! <= now; next++) {
    if (STEPS[next]!.kind === 'overdue') overdue = true
    else remind = mailedAt === null || times[next]! > mailedAt
  }
  return { next_step: next, next_step_at: times[next] ?? null, remind, overdue }
}

// Looking up an offset costs some 2 µs, and most invoices of a day fall due on the same few days.
const cache = new Map<string, readonly Date[]>()
const CACHED_MAX = 2_000

function timesOf(dueDate: string, timeZone: string): readonly Date[] {
  const key = `${dueDate} ${timeZone}`
  let times = cache.get(key)
  if (!times) {
    times = STEPS.map(({ days, hour }) => hourOfDay(addDays(dueDate, days), hour, timeZone))
    if (cache.size >= CACHED_MAX) cache.clear()
    cache.set(key, times)
  }
  return times
}
