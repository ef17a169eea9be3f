import { type Static, Type } from 'typebox'
import { CursorMeta, cursorPaging, dateRange } from '../../lib/paging.ts'
import { Envelope, Nullable, Timestamp } from '../../lib/schemas.ts'

const text = Type.String()
const Word = (lengthMax: number, description?: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: lengthMax, ...(description && { description }) }),
  )

export const RequestQuery = Type.Object({
  ...cursorPaging,
  ...dateRange,
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](?:[0-9]{2}|[xX]{2})$',
      'x-says': 'must be a status such as 404, or a class such as 4xx',
      examples: ['4xx'],
    }),
  ),
  operation: Word(80, 'The name of an operation, such as create_invoice.'),
  method: Type.Optional(
    Type.String({
      pattern: '^(?:[gG][eE][tT]|[hH][eE][aA][dD]|[pP][oO][sS][tT]|[pP][uU][tT])$',
      'x-says': 'must be GET, HEAD, POST or PUT',
    }),
  ),
  requestId: Word(64, 'The X-Request-Id of a response.'),
  keyReference: Word(64, 'The reference of the key that was used.'),
  idempotencyKey: Word(255),
  search: Word(200, 'Part of the URL, the request id or the error code.'),
})
export type RequestQuery = Static<typeof RequestQuery>

export const RequestId = Type.Object({
  requestId: Type.String({ maxLength: 64, description: 'The X-Request-Id of a response.' }),
})

const line = {
  id: Type.Integer(),
  reference: Type.String({ description: 'The same as requestId.' }),
  requestId: text,
  at: { ...Timestamp, description: 'When the server responded, according to its own clock.' },
  mode: Type.String({ description: 'test or live' }),
  keyReference: Nullable(text),
  partner: Nullable({
    ...text,
    description: 'The client id of the partner that sent the request.',
  }),
  method: text,
  operation: text,
  url: Type.String({ description: 'Path and query.' }),
  status: Type.Integer({ description: 'The HTTP status.' }),
  errorCode: Nullable(text),
  durationMs: Type.Number(),
  ip: text,
  userAgent: Nullable(text),
  idempotencyKey: Nullable(text),
  replayed: Type.Boolean({
    description: 'Whether the stored response to an earlier request was returned.',
  }),
  requestBytes: Nullable(Type.Integer()),
  responseBytes: Nullable(Type.Integer()),
}

const bodies = {
  requestBody: Nullable({ ...text, description: 'The first 4 KiB of the JSON, as a string.' }),
  responseBody: Nullable({ ...text, description: 'The first 4 KiB of the JSON, as a string.' }),
  truncated: Type.Boolean({ description: 'Whether a body was truncated.' }),
  bodiesDropped: Type.Boolean({
    description: 'Whether the bodies were dropped because of high load.',
  }),
}

export const RequestList = Type.Object({
  status: Type.Literal('success'),
  message: text,
  data: Type.Array(Type.Object(line)),
  meta: CursorMeta,
})
export const OneRequest = Envelope(Type.Object({ ...line, ...bodies }))
