import type { NotNowCode, Outcome, Service, UnknownReason } from '../connector/types.ts'

/** After this many failures in a row, within this time, a connection gets no new orders. */
const FAILURES_MAX = 5
const WITHIN_MS = 30_000

/** How long until a connection is tried again. */
const TRY_AGAIN_MS = 30_000
/** The same if someone has to do something first. */
const TRY_LATER_MS = 5 * 60_000

/** A trial counts as ended after this time, even if its outcome was never heard. */
const TRIAL_MS = 60_000

const DOWN: readonly (NotNowCode | UnknownReason)[] = [
  'not_reached',
  'provider_down',
  'timed_out',
  'disconnected',
  'server_error',
  'unreadable',
]

/** These do not pass by themselves, so one is enough. */
const LASTING: readonly NotNowCode[] = [
  'credentials_refused',
  'address_not_allowed',
  'feature_off',
  'insufficient_provider_balance',
]

interface State {
  /** When each of the last failures happened, if no call has succeeded since. */
  failures: number[]
  /** When the next call is allowed; absent while all are. */
  tryAtMs?: number | undefined
  trialSinceMs?: number | undefined
  why?: NotNowCode | UnknownReason
}

/**
 * Remembers in this process which connections fail, for each service. In doubt, new orders wait or
 * go to another connection: that costs little, while a call that times out leaves its order to be
 * looked up. Lookups, notifications and withdrawals are never held back.
 */
export function openBreaker(nowMs: () => number = () => performance.now()) {
  const states = new Map<string, State>()
  const keyOf = (connectionId: number, service: Service) => `${connectionId} ${service}`

  function isOpen({ tryAtMs, trialSinceMs }: State): boolean {
    if (tryAtMs === undefined) return false
    const now = nowMs()
    if (now < tryAtMs) return true
    return trialSinceMs !== undefined && now - trialSinceMs < TRIAL_MS
  }

  return {
    isOpen(connectionId: number, service: Service): boolean {
      const state = states.get(keyOf(connectionId, service))
      return state !== undefined && isOpen(state)
    },
    /** Notes that a call begins. If the connection was suspended, the call is a trial. */
    begin(connectionId: number, service: Service): void {
      const state = states.get(keyOf(connectionId, service))
      if (state?.tryAtMs !== undefined) state.trialSinceMs = nowMs()
    },
    /** Notes how a call ended. Returns why if the connection is suspended from now on. */
    end(
      connectionId: number,
      service: Service,
      outcome: Outcome<unknown>,
    ): NotNowCode | UnknownReason | undefined {
      const key = keyOf(connectionId, service)
      const why = failureIn(outcome)
      const state = states.get(key) ?? { failures: [] }
      state.trialSinceMs = undefined
      if (why === undefined) {
        if (!saysNothing(outcome)) states.delete(key)
        return undefined
      }
      states.set(key, state)
      const now = nowMs()
      const wasOpen = state.tryAtMs !== undefined
      state.failures = [...state.failures, now].slice(-FAILURES_MAX)
      const isLasting = LASTING.includes(why as NotNowCode)
      const isMany = state.failures.length === FAILURES_MAX && now - state.failures[0]! <= WITHIN_MS
      if (!wasOpen && !isLasting && !isMany) return undefined
      state.tryAtMs = now + (isLasting ? TRY_LATER_MS : TRY_AGAIN_MS)
      state.why = why
      return wasOpen ? undefined : why
    },
    /** Allows all calls through a connection again, for example after a person has repaired it. */
    reset(connectionId: number): void {
      for (const key of states.keys()) if (key.startsWith(`${connectionId} `)) states.delete(key)
    },
    /** Returns what is suspended now, and why. */
    open(): { connectionId: number; service: Service; why: string }[] {
      return [...states].flatMap(([key, state]) => {
        const [connectionId, service] = key.split(' ') as [string, Service]
        return isOpen(state)
          ? [{ connectionId: Number(connectionId), service, why: state.why ?? 'unknown' }]
          : []
      })
    },
  }
}

function failureIn(outcome: Outcome<unknown>): NotNowCode | UnknownReason | undefined {
  if (outcome.kind === 'unknown') return DOWN.find((one) => one === outcome.reason)
  if (outcome.kind === 'refused') return undefined
  const code = outcome.kind === 'notNow' ? outcome.code : failureOf(outcome.value)
  return [...DOWN, ...LASTING].find((one) => one === code)
}

/** A payout can fail for a reason that is the connection's. */
const failureOf = (value: unknown): NotNowCode | undefined =>
  (value as { notNow?: NotNowCode } | undefined)?.notNow

/** Neither that a call had to wait nor a duplicate shows that the provider works. */
const saysNothing = ({ kind }: Outcome<unknown>): boolean => kind === 'notNow' || kind === 'unknown'
