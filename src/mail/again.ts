import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { EmailComposers, MailRow } from './email.ts'
import { updateDropped, updateQueuedAgain } from './queries.ts'

interface Change {
  id: number
  /** By the business's clock, which decides when an email is due. */
  now: Date
  serverNow: Date
}

/**
 * Sends an email again that failed or waits to be retried, with all its retries. Returns
 * false if it has been sent, or is being sent.
 */
export async function sendMailAgain(
  tx: Tx,
  emailComposers: EmailComposers,
  tenant: Tenant,
  { id, ...at }: Change,
): Promise<boolean> {
  return noted(tx, emailComposers, await updateQueuedAgain(tx, tenant, id, at))
}

/** Gives an email up that failed or waits to be retried. Returns like `sendMailAgain`. */
export async function dropMail(
  tx: Tx,
  emailComposers: EmailComposers,
  tenant: Tenant,
  { id, reason, serverNow }: Change & { reason: string },
): Promise<boolean> {
  return noted(tx, emailComposers, await updateDropped(tx, tenant, id, { reason, serverNow }))
}

async function noted(
  tx: Tx,
  emailComposers: EmailComposers,
  mail: MailRow | undefined,
): Promise<boolean> {
  if (mail) await emailComposers[mail.kind]?.noted?.(tx, [mail])
  return mail !== undefined
}
