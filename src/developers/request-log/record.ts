import type { LineRow, RequestRow } from './queries.ts'

export const lineRecord = (row: LineRow) => ({
  id: row.id,
  reference: row.request_id,
  requestId: row.request_id,
  at: row.created_at,
  mode: row.live ? 'live' : 'test',
  keyReference: row.key_reference,
  partner: row.partner,
  method: row.method,
  operation: row.operation,
  url: row.url,
  status: row.status,
  errorCode: row.error_code,
  durationMs: Math.round(row.duration_ms * 10) / 10,
  ip: row.ip,
  userAgent: row.user_agent,
  idempotencyKey: row.idempotency_key,
  replayed: row.replayed,
  requestBytes: row.request_bytes,
  responseBytes: row.response_bytes,
})

export const requestRecord = (row: RequestRow) => ({
  ...lineRecord(row),
  requestBody: row.request_body,
  responseBody: row.response_body,
  truncated: row.truncated,
  bodiesDropped: row.bodies_dropped,
})
