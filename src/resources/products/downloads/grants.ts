import type { Tx } from '../../../db/database.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import { newTokenSecret } from '../../../lib/page-token.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import { expiryOf } from './limits.ts'
import { selectFilesSold } from './queries.ts'
import {
  type GrantRow,
  insertGrant,
  lockFiles,
  selectGrantsOf,
  updateRevoked,
} from './queries-grants.ts'
import { grantRecord, grantUrl } from './record.ts'

type GrantDeps = Pick<Deps, 'ids' | 'publicUrl'>

/** What was bought, and by whom. */
export interface Bought {
  /** The order: the same one grants nothing twice. */
  causeId: number
  productIds: readonly number[]
  customerEmail: string | null
  now: Date
}

export interface Granted {
  fileId: number
  name: string
  url: string
  expiresAt: Date | null
}

/**
 * Gives a buyer the files of what was bought, in the transaction that settles it. The limits that
 * hold now are theirs for good. Answers all links of the cause, also those that it had already.
 */
export async function grantDownloads(
  tx: Tx,
  deps: GrantDeps,
  tenant: Tenant,
  { causeId, productIds, customerEmail, now }: Bought,
): Promise<Granted[]> {
  await lockFiles(tx, tenant, productIds)
  const files = await selectFilesSold(tx, tenant, productIds)
  const fresh = new Set<number>()
  for (const file of files) {
    const grant = {
      id: await deps.ids.next(tx),
      fileId: file.id,
      secret: newTokenSecret(),
      expiresAt: expiryOf(file, now),
      maxDownloads: file.max_downloads,
    }
    const isNew = await insertGrant(tx, tenant, grant, { causeId, customerEmail, now })
    if (isNew) fresh.add(grant.id)
  }
  const rows = await selectGrantsOf(tx, tenant, causeId)
  const events = rows.filter(({ id }) => fresh.has(id))
  await appendEvents(
    tx,
    deps.ids,
    events.map((row) => downloadEvent('granted', row, deps.publicUrl, now)),
  )
  return rows.map((row) => ({
    fileId: row.file_id,
    name: row.name,
    url: grantUrl(row, deps.publicUrl),
    expiresAt: row.expires_at,
  }))
}

/** Takes back all that a cause gave, when all of it was refunded. Once; what has ended stays so. */
export function revokeDownloads(
  tx: Tx,
  deps: GrantDeps,
  tenant: Tenant,
  causeId: number,
  now: Date,
): Promise<void> {
  return revoke(tx, deps, tenant, { causeId }, now)
}

/** Of a file, or of what was bought: some at a time, with their events, until none is left. */
export async function revoke(
  tx: Tx,
  { ids, publicUrl }: GrantDeps,
  tenant: Tenant,
  which: { fileId: number } | { causeId: number },
  now: Date,
): Promise<void> {
  for (;;) {
    const rows = await updateRevoked(tx, tenant, which, now)
    if (rows.length === 0) return
    await appendEvents(
      tx,
      ids,
      rows.map((row) => downloadEvent('revoked', row, publicUrl, now)),
    )
  }
}

type EventType = 'granted' | 'accessed' | 'revoked'

/** The event that a row has just counted. */
export const downloadEvent = (
  type: EventType,
  row: GrantRow,
  publicUrl: string,
  at: Date,
): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type: `download.${type}`,
  objectType: 'download',
  objectId: row.id,
  sequence: row.event_sequence,
  data: grantRecord(row, publicUrl),
  at,
})
