import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { notFound } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { updateSecret } from './queries.ts'
import { webhookRecord } from './record.ts'
import { newSecret } from './signing.ts'

const HOUR_MS = 3_600_000

/**
 * Gives an endpoint a new secret, which this answer alone shows. The one before signs as well for
 * so many hours; one that was before that does no longer. Throws 404.
 */
export async function rotateSecret(tx: Tx, caller: Caller, reference: string, graceHours: number) {
  const { now } = caller
  const secret = newSecret()
  const until = graceHours === 0 ? null : addMs(now, graceHours * HOUR_MS)
  const row = await updateSecret(tx, caller, reference, { secret, until, now })
  if (!row) throw notFound('webhook')
  return { ...webhookRecord(row), secret }
}
