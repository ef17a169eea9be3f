import { Problem } from '../lib/problem.ts'

/* Why an Idempotency-Key is refused. */

export const stillRunning = (key: string) =>
  new Problem('conflict', 'request_in_progress', 'The first request with this key still runs.', {
    fields: { 'Idempotency-Key': [`${key.slice(0, 40)} is in use by a request that still runs`] },
    retryAfterSeconds: 1,
  })

export const keyReused = () =>
  new Problem('key_reused', 'idempotency_key_reused', REUSED, {
    fields: { 'Idempotency-Key': ['was already used with a different request'] },
  })

const REUSED = 'This Idempotency-Key was already used with a different request.'
