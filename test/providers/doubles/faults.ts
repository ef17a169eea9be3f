import type { Behaviour } from './gate.ts'
import { digits, isDigits } from './json.ts'

/** What happens to a connection, before the double has read anything. Only with `on: '*'`. */
export const CONNECTION_FAULTS = ['refuse', 'tls_fail', 'reset_before_read'] as const

/** What happens to a request instead of being executed. */
export const BEFORE_EFFECT = [
  'reset_after_read',
  'hang_before_effect',
  'status',
  'not_found_for',
] as const

/** What happens to the answer of a request that was executed. */
export const AFTER_EFFECT = [
  'hang_after_effect',
  'reset_after_effect',
  'status_after_effect',
  'slow_body',
  'cut_body',
  'html',
  'huge',
  'redirect',
  'missing_field',
  'wrong_amount',
  'other_currency',
  'unknown_status',
] as const

/** What happens to a notice; `on` is `notice charge.success` or `notice *`. */
export const NOTICE_FAULTS = ['lose', 'duplicate', 'hold'] as const

export type FaultKind =
  | (typeof CONNECTION_FAULTS)[number]
  | (typeof BEFORE_EFFECT)[number]
  | (typeof AFTER_EFFECT)[number]
  | (typeof NOTICE_FAULTS)[number]

export interface FaultRule {
  /** `POST /transfer`, `GET /transfer/verify/*`, `*`: the method and the path that is asked for. */
  on: string
  kind: FaultKind
  /** The first request that it applies to, of those that match; the first one by default. */
  nth?: number
  /** How many requests it applies to, from then on. Until it is taken back, by default. */
  times?: number
  /** Applies to this share of the requests, drawn from the double's seed. */
  chance?: number
  /** Of `status` and `status_after_effect`, 500 by default; and of `html`, 200 by default. */
  status?: number
  /** The header `Retry-After`, in seconds. */
  retryAfter?: number
  /** Of `missing_field`: `data.status`. */
  field?: string
  /**
   * How long `hang_…` waits before it answers, for ever by default; how long `slow_body` takes;
   * and how long `not_found_for` lasts, by the double's clock.
   */
  ms?: number
}

export interface Faults {
  /** Throws for a rule that cannot be followed. Returns how to take it back. */
  add(rule: FaultRule): () => void
  clear(): void
  /** Returns the fault of what is about to happen, which counts as one of its times. */
  take(subject: string, kinds: readonly FaultKind[]): FaultRule | undefined
  /** Whether connections are refused now. */
  refuses(): boolean
  rules(): FaultRule[]
}

interface Active {
  rule: FaultRule
  pattern: RegExp
  seen: number
  taken: number
  addedAt: number
}

export function openFaults(random: () => number, now: () => Date): Faults {
  const active = new Set<Active>()

  const isOver = ({ rule, taken, addedAt }: Active) =>
    taken >= (rule.times ?? Number.POSITIVE_INFINITY) ||
    (rule.kind === 'not_found_for' && rule.ms !== undefined && now().getTime() >= addedAt + rule.ms)

  /** Whether a rule applies. A match counts even if it is not yet the nth, or not drawn. */
  function applies(one: Active): boolean {
    one.seen += 1
    if (one.seen < (one.rule.nth ?? 1)) return false
    if (one.rule.chance !== undefined && random() >= one.rule.chance) return false
    one.taken += 1
    return true
  }

  return {
    add(rule) {
      const wrong = faultOf(rule)
      if (wrong) throw new Error(wrong)
      const one = { rule, pattern: patternOf(rule.on), seen: 0, taken: 0, addedAt: now().getTime() }
      active.add(one)
      return () => void active.delete(one)
    },
    clear: () => active.clear(),
    take(subject, kinds) {
      for (const one of active) {
        if (!kinds.includes(one.rule.kind) || !one.pattern.test(subject) || isOver(one)) continue
        if (applies(one)) return one.rule
      }
      return undefined
    },
    refuses: () => [...active].some(({ rule }) => rule.kind === 'refuse'),
    rules: () => [...active].filter((one) => !isOver(one)).map(({ rule }) => rule),
  }
}

function faultOf({ on, kind, nth, times, chance, field }: FaultRule): string | undefined {
  const has = (kinds: readonly FaultKind[]) => kinds.includes(kind)
  if (![CONNECTION_FAULTS, BEFORE_EFFECT, AFTER_EFFECT, NOTICE_FAULTS].some(has)) {
    return `there is no fault ${kind}`
  }
  if (has(CONNECTION_FAULTS) && on !== '*') {
    return `${kind} happens before the request is read, so it applies to "*" only`
  }
  if (kind === 'refuse' && (nth ?? times ?? chance) !== undefined) {
    return 'nobody counts refused connections, so refuse has no nth, times or chance'
  }
  if (has(NOTICE_FAULTS) !== on.startsWith('notice ')) return `${kind} does not apply to ${on}`
  if (kind === 'missing_field' && !field) return 'missing_field needs a field'
  return undefined
}

/** A rule for `*` does not apply to notices. */
function patternOf(on: string): RegExp {
  const [start, ...rest] = on.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${[start, ...rest].join('.*')}$`)
}

/** What a connection fault does at the gate. */
export function atGate({ kind }: FaultRule): Behaviour {
  return kind === 'tls_fail' ? { kind: 'tls_fail' } : { kind: 'reset' }
}

// ---------------------------------------------------------------------- changed answers

/** Returns the answer's body as the fault would have it. The answer itself does not change. */
export function spoil(body: unknown, { kind, field }: FaultRule): unknown {
  const copy = copyOf(body)
  if (kind === 'missing_field') remove(copy, field!.split('.'))
  if (kind === 'wrong_amount') change(copy, 'amount', more)
  if (kind === 'other_currency') change(copy, 'currency', (old) => (old === 'USD' ? 'GHS' : 'USD'))
  if (kind === 'unknown_status') {
    const data = (copy as { data?: unknown } | null)?.data
    change(data, 'status', () => 'awaiting-moonrise')
  }
  return copy
}

/** One minor unit more, as text or as a number. */
function more(amount: unknown): unknown {
  if (typeof amount === 'bigint') return amount + 1n
  if (typeof amount === 'string') return amount.replace(/\d$/, (digit) => `${(+digit + 1) % 10}`)
  if (isDigits(amount)) return digits(`${more(amount.rawJSON)}`)
  return typeof amount === 'number' ? amount + 1 : amount
}

function copyOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(copyOf)
  if (!isRecord(node)) return node
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, copyOf(value)]))
}

function remove(node: unknown, [first, ...rest]: string[]): void {
  if (Array.isArray(node)) for (const item of node) remove(item, [first!, ...rest])
  else if (isRecord(node) && rest.length === 0) delete node[first!]
  else if (isRecord(node)) remove(node[first!], rest)
}

/** Changes each field of this name, at any depth. */
function change(node: unknown, field: string, to: (old: unknown) => unknown): void {
  if (Array.isArray(node)) for (const item of node) change(item, field, to)
  else if (isRecord(node)) {
    for (const [key, value] of Object.entries(node)) {
      if (key === field && !isRecord(value)) node[key] = to(value)
      else change(value, field, to)
    }
  }
}

const isRecord = (node: unknown): node is Record<string, unknown> =>
  typeof node === 'object' && node !== null && !isDigits(node)
