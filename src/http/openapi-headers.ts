/** A reference to a component of the document. */
export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string', ...(example && { examples: [example] }) },
})
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

/** The headers of answers that a client reads. */
const HEADERS = {
  RequestId: text('The id of this request, which the operator finds in the log.'),
  RateLimitLimit: count('The requests that a key can send at once. Absent without a rate limit.'),
  RateLimitRemaining: count('The requests that are left for this moment.'),
  RateLimitReset: count('The seconds until the limit is full again.'),
  RetryAfter: count('The seconds to wait before the same request is sent again.'),
  WwwAuthenticate: text('How to prove who you are.', 'Bearer'),
  IdempotentReplayed: text(
    'There, and `true`, when this answer is the stored one of an earlier request with the same Idempotency-Key.',
    'true',
  ),
  IgnoredFields: text('The fields of the body that the server does not know and ignored.'),
  ETag: text('The version of the record: send it back as `If-Match` to change just this one.'),
  Deprecation: text('Since when the operation is deprecated (RFC 9745).'),
  Sunset: text('When the operation may stop answering (RFC 8594).'),
  Link: text('The operation to use instead.'),
}

/** What a request can carry beside its key. */
const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Send a new key with each new request, and the same key when you repeat one: the server does it once, and answers a repeat what it answered first. Kept for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of the record as you read it: 412, and nothing is changed, if it has changed since.',
    schema: { type: 'string', maxLength: 1000 },
  },
}

export const headerComponents = (): Record<string, object> => HEADERS
export const parameterComponents = (): Record<string, object> => PARAMETERS

/** What decides which headers an operation takes and answers. */
export interface Headed {
  method: string
  /** It changes nothing, although its method is POST. */
  reads?: true
  scope?: string
  body?: unknown
  /** Its record has versions. */
  edited?: unknown
  held?: unknown
  deprecated?: unknown
}

/** References to the headers that an operation takes; a read and a sign-in take none. */
export function parametersOf({ method, reads, scope, held }: Headed): object[] {
  if (method === 'GET' || reads || scope === undefined) return []
  const names = held ? ['IdempotencyKey', 'IfMatch'] : ['IdempotencyKey']
  return names.map((name) => refTo('parameters', name))
}

/** References to the headers of a success. */
export function headersOf(operation: Headed): Record<string, object> {
  const { method, reads, scope, body, edited, deprecated } = operation
  const isKeyed = method !== 'GET' && scope !== undefined
  const names: [string, keyof typeof HEADERS, boolean][] = [
    ['X-Request-Id', 'RequestId', true],
    ['RateLimit-Limit', 'RateLimitLimit', true],
    ['RateLimit-Remaining', 'RateLimitRemaining', true],
    ['RateLimit-Reset', 'RateLimitReset', true],
    ['Idempotent-Replayed', 'IdempotentReplayed', isKeyed && !reads],
    ['Tradepost-Ignored-Fields', 'IgnoredFields', isKeyed && body !== undefined],
    ['ETag', 'ETag', edited !== undefined],
    ['Deprecation', 'Deprecation', deprecated !== undefined],
    ['Sunset', 'Sunset', deprecated !== undefined],
    ['Link', 'Link', deprecated !== undefined],
  ]
  return Object.fromEntries(
    names.filter(([, , has]) => has).map(([name, of]) => [name, refTo('headers', of)]),
  )
}
