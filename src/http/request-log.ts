import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallLog } from '../lib/call-record.ts'
import type { Upload } from './uploads.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as received, before defaults were filled in. */
    sent: Buffer | null
    /** The JSON response, once sent. */
    answered: string | null
    errorCode: string | null
    /** The uploaded files; their content is removed when the request ends. */
    uploads: readonly Upload[] | null
  }
}

/** Returns the hook that logs an operation's requests, if they are logged. */
export function requestLogHook(
  log: CallLog | undefined,
  { operation, unlogged }: { operation: string; unlogged?: boolean },
) {
  return log && !unlogged ? { onResponse: noteExchange(log, operation) } : {}
}

/**
 * Logs a request after its response has been sent, so that the client does not wait.
 * Unauthenticated requests are not logged. Dashboard requests are not logged either: changes are in
 * the audit log, and the many reads would hide the requests from the merchant's own programs.
 */
const noteExchange =
  (log: CallLog, operation: string) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { caller, headers, method, answered } = request
    if (caller && !caller.person) {
      const isFailure = reply.statusCode >= 400
      const isRead = method === 'GET' || method === 'HEAD'
      log.note({
        tenant: caller,
        keyId: caller.keyId,
        partner: caller.partner,
        requestId: request.id,
        method,
        operation,
        url: request.url,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        ip: request.ip,
        userAgent: headers['user-agent'],
        idempotencyKey: headers['idempotency-key'] as string | undefined,
        replayed: reply.hasHeader('idempotent-replayed'),
        errorCode: request.errorCode ?? undefined,
        requestBytes: bytesIn(headers['content-length']),
        responseBytes: bytesIn(reply.getHeader('content-length')),
        sent: isRead ? undefined : sentBy(request),
        answered: isRead && !isFailure ? undefined : (answered ?? undefined),
      })
    }
    done()
  }

function bytesIn(length: unknown): number | undefined {
  const bytes = Number(length ?? Number.NaN)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** For a multipart body, returns the names and sizes of its parts. */
function sentBy({ body, sent, headers, uploads }: FastifyRequest): unknown {
  if (!headers['content-type']?.startsWith('multipart/')) return sent ?? body
  if (!uploads) return undefined
  const fields = Object.entries(body ?? {})
  return {
    fields: Object.fromEntries(
      fields.map(([name, value]) => [name, `${String(value).length} characters`]),
    ),
    files: uploads.map(({ name, bytes }) => ({ name, bytes })),
  }
}
