import type { Answer } from '../db/idempotency.ts'

/**
 * An answer of which a repeat gets null for each secret: the values of the fields `names` of
 * `body.data`. What is stored for a repeat never has them.
 */
export function withoutSecrets(
  answer: Answer,
  body: object,
  names: readonly string[] = [],
): Answer {
  const { data } = body as { data?: Record<string, unknown> }
  const secrets = names.map((name) => data?.[name]).filter((value) => typeof value === 'string')
  if (secrets.length === 0) return answer
  const blank = (text: string, secret: string) => text.replaceAll(JSON.stringify(secret), 'null')
  return { ...answer, kept: secrets.reduce(blank, answer.body) }
}
