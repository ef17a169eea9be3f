import type { LoggerOptions } from 'pino'

/**
 * The rules for every log: no secrets, and no client input. Fields whose names suggest a secret are
 * hidden in every line.
 */
export const LOG_OPTIONS: LoggerOptions = {
  base: null,
  redact: ['authorization', '*.authorization', 'key', '*.key', 'password', '*.password'],
  serializers: { err: errorFields },
}

/**
 * The fields of a pg error that are kept; `detail`, `where` and `internalQuery` contain values from
 * the row.
 */
const KEPT = ['code', 'constraint', 'table', 'column', 'routine'] as const

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const own = error as Error & Partial<Record<(typeof KEPT)[number], unknown>>
  const message = messageOf(own)
  const frames = (own.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const fields: Record<string, unknown> = { type: own.constructor.name, message }
  for (const name of KEPT) if (own[name] !== undefined) fields[name] = own[name]
  fields.stack = [message, ...frames].join('\n')
  if (own.cause !== undefined) fields.cause = errorFields(own.cause)
  return fields
}

/**
 * Removes quoted values. PostgreSQL quotes a value that it cannot read: `invalid input syntax for
 * type bigint: "…"`. JSON.parse quotes the text around the error: `Unexpected token 'x', "{…" is
 * not valid JSON`.
 */
function messageOf(error: Error & { code?: unknown }): string {
  const { message, code } = error
  if (error instanceof SyntaxError) return message.replace(/["'][\s\S]*["']/, '"…"')
  return /^22/.test(String(code)) ? message.replace(/"[\s\S]*"/, '"…"') : message
}
