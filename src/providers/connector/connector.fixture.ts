import { newReference } from '../../lib/tokens.ts'
import { sentReferenceOf } from './references.ts'
import type { Outcome } from './types.ts'

export const newSentReference = (prefix: string, attempt = 1) =>
  sentReferenceOf(newReference(prefix), attempt)

/** `refused bad_request`, as the table in the design has it. */
export function shown(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'done') return 'done'
  return `${outcome.kind} ${outcome.kind === 'unknown' ? outcome.reason : outcome.code}`
}

export function valueIn<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.value
}
