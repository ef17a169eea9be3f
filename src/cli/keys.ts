import { Option } from 'commander'
import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'
import { listBusinesses } from '../resources/businesses/service.ts'
import type { KeyRecord } from '../resources/keys/record.ts'
import { listKeys } from '../resources/keys/service.ts'
import { UsageError } from './output.ts'
import { readId } from './values.ts'

/** What the commands on keys share: whose keys, and which. */

export type Mode = 'test' | 'live'

export const businessOption = (what = 'whose keys') =>
  new Option('--business <ID>', `${what}; required when there are several businesses`).argParser(
    readId,
  )

/** The business that was named, or the only one there is. */
export async function businessOf(db: Db, named: number | undefined): Promise<number> {
  const businesses = await listBusinesses(db)
  const [only, another] = businesses.filter(
    ({ businessId }) => named === undefined || businessId === named,
  )
  if (only && !another) return only.businessId
  if (another)
    throw new UsageError(
      'there are several businesses; choose one with --business ID (see tradepost business list)',
    )
  if (named !== undefined)
    throw new Error(`there is no business ${named}: see tradepost business list`)
  throw new Error('there is no business yet: tradepost business create NAME')
}

/** A key by its id or its reference, in either mode. */
export async function keyOf(
  db: Db,
  businessId: number,
  named: string,
  now: Date,
): Promise<{ tenant: Tenant; keyId: number }> {
  for (const live of [false, true]) {
    const tenant = { businessId, live }
    const keys = await listKeys(db, tenant, now)
    const found = keys.find(({ id, reference }) => String(id) === named || reference === named)
    if (found) return { tenant, keyId: found.id }
  }
  throw new Error(`business ${businessId} has no key ${named}: see tradepost keys list`)
}

/** What may be done with a key, and until when. */
export function limitsOf({ scopes, allowedIps, expiresAt }: KeyRecord): string {
  const limits = [scopes?.join(','), allowedIps.length > 0 && `from ${allowedIps.join(',')}`]
  if (expiresAt) limits.push(`until ${expiresAt.toISOString().slice(0, 16)}Z`)
  return limits.filter(Boolean).join(' ') || 'everything'
}
