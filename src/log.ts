import { type Logger, type LoggerOptions, pino } from 'pino'

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
 * The maximum number of bytes per write. Several processes share one output, and the system does
 * not interleave writes of up to this size. A write consists of whole lines.
 */
const WRITE_BYTES_MAX = 4_096

/**
 * Logs to standard output: text for people if it is a terminal, otherwise JSON lines. `worker` is
 * the number of the process, if there are several.
 */
export function openLog({ level, worker }: { level: string; worker?: number }): Logger {
  const shown = process.stdout.isTTY && !process.env.LOG_LEVEL ? 'warn' : level
  const base = worker === undefined ? null : { worker }
  const sizes = { minLength: WRITE_BYTES_MAX / 2, maxWrite: WRITE_BYTES_MAX }
  return pino(
    { ...LOG_OPTIONS, base, level: shown },
    pino.destination({ dest: 1, sync: false, ...sizes, periodicFlush: 1_000 }),
  )
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
