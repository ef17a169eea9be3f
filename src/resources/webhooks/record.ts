import type { WebhookRow } from './queries.ts'

/** An endpoint as the API and its events show it (CONTRACT.md, section 17); never its secrets. */
export const webhookRecord = (row: WebhookRow) => ({
  id: row.id,
  reference: row.reference,
  url: row.url,
  events: row.events ?? ['*'],
  description: row.description,
  status: row.status,
  failingSince: row.failing_since,
  lastSuccessAt: row.last_success_at,
  createdAt: row.created_at,
})

export type WebhookRecord = ReturnType<typeof webhookRecord>
