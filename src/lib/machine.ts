import type { StateNoun } from './error-codes.ts'
import { conflict, type Problem } from './problem.ts'

interface Move<State extends string> {
  from: readonly State[]
  to: State
}

/**
 * Defines a state machine as plain data: `moves` gives, for each event, the states in which it can
 * happen and the state that follows. A misspelt state fails to compile; an unreachable one stops
 * the server from starting.
 */
export function machine<
  State extends string,
  Event extends string,
  M extends Record<Event, Move<State>>,
>({
  noun,
  initial,
  states,
  moves,
}: {
  noun: StateNoun
  initial: readonly NoInfer<State>[]
  states: readonly State[]
  moves: M
}) {
  const all = Object.values<Move<State>>(moves)
  const reached = new Set<State>(initial)
  // If one pass reaches no new state, no later pass will, so `states.length` passes are enough.
  for (const _ of states) {
    for (const { from, to } of all) if (from.some((state) => reached.has(state))) reached.add(to)
  }
  const lost = states.filter((state) => !reached.has(state))
  if (lost.length > 0) throw new Error(`Unreachable ${noun} states: ${lost.join(', ')}`)

  const isFinal = (state: State) => !all.some(({ from }) => from.includes(state))

  /** Returns the 409 for a move that the state does not allow. */
  function refused(event: keyof M, state: string): Problem {
    const { from, to } = moves[event as Event] as Move<State>
    const verb = String(event).replaceAll('_', ' ')
    const wanted = [from.slice(0, -1).join(', '), from.at(-1)].filter(Boolean).join(' or ')
    const says =
      state === to
        ? `This ${noun.replaceAll('_', ' ')} is already ${state}.`
        : `This ${noun.replaceAll('_', ' ')} is ${state}. To ${verb} it, it must be ${wanted}.`
    return conflict(`${noun}_state`, says, { status: [`is ${state}`] })
  }
  return { initial, states, moves, isFinal, refused }
}
