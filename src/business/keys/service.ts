import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents } from '../../events/append.ts'
import { readAddresses } from '../../http/ip-addresses.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { forgetKeysOf } from './authenticate.ts'
import { hashOf, hintOf, type KeyType, newKey } from './format.ts'
import {
  insertKey,
  type KeyRow,
  selectKey,
  selectKeys,
  updateReplaced,
  updateRevoked,
} from './queries.ts'
import { type KeyRecord, keyEvent, keyRecord } from './record.ts'
import { readScopes } from './scopes.ts'

export const LABEL_LENGTH_MAX = 100
export const GRACE_HOURS = { least: 0, most: 168, default: 24 } as const
const HOUR_MS = 3_600_000

export interface KeyRequest {
  /** Secret by default. */
  type?: KeyType
  label?: string | null
  /** Absent or null for full access. */
  scopes?: readonly string[] | null
  /** The IP addresses and CIDR ranges that can use the key; absent or empty for all. */
  allowedIps?: readonly string[]
  expiresAt?: Date | null
  /** The member who creates the key, if any. */
  madeBy?: number | null
}

/** The key itself is only available here: the database stores its hash. */
export interface IssuedKey {
  key: string
  record: KeyRecord
}

/** Creates a key. Throws 400 naming the invalid fields. */
export async function createKey(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  request: KeyRequest,
  now: Date,
): Promise<IssuedKey> {
  const { key, row } = await issue(tx, ids, tenant, { type: 'secret', ...request }, now)
  const told = { ...row, event_sequence: 1 }
  await insertKey(tx, told, hashOf(key))
  await appendEvents(tx, ids, [keyEvent('api_key.created', told, now)])
  return { key, record: keyRecord(told, now) }
}

/**
 * Creates the first keys of a new business. They need no event, because the event for the business
 * covers them.
 */
export async function firstKey(tx: Tx, ids: Ids, tenant: Tenant, type: KeyType, now: Date) {
  const { key, row } = await issue(tx, ids, tenant, { type }, now)
  await insertKey(tx, row, hashOf(key))
  return key
}

/** Lists all of a business's keys in one mode, newest first. */
export async function listKeys(db: Db, tenant: Tenant, now: Date): Promise<KeyRecord[]> {
  const rows = await selectKeys(db, tenant)
  return rows.map((row) => keyRecord(row, now))
}

/**
 * Revokes a key: at once in this process, and within a second on other servers. Has no effect on a
 * revoked key. Throws 404 for a key that belongs to another business or mode.
 */
export async function revokeKey(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  keyId: number,
  now: Date,
): Promise<KeyRecord> {
  const revoked = await updateRevoked(tx, tenant, keyId, now)
  if (!revoked) return keyRecord(await existing(tx, tenant, keyId), now)
  await appendEvents(tx, ids, [keyEvent('api_key.revoked', revoked, now)])
  tx.after(() => forgetKeysOf(tenant.businessId))
  return keyRecord(revoked, now)
}

/**
 * Creates a successor with the same permissions and lifetime. The old key works for another
 * `graceHours` (0..168). `madeBy` is the member who receives the new key. Throws 409 for a key that
 * was already rotated or has expired, so only one of two simultaneous rotations succeeds.
 */
export async function rotateKey(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  keyId: number,
  graceHours: number,
  now: Date,
  madeBy: number | null = null,
): Promise<IssuedKey & { replaced: KeyRecord }> {
  const endsAt = addMs(now, graceMs(graceHours))
  const before = await existing(tx, tenant, keyId)
  const { key, row } = await issue(tx, ids, tenant, { ...successorOf(before, now), madeBy }, now)
  const replaced = await updateReplaced(tx, tenant, keyId, { replacedBy: row.id, endsAt, now })
  if (!replaced) throw notRotatable(keyRecord(await existing(tx, tenant, keyId), now))

  const told = { ...row, event_sequence: 1 }
  await insertKey(tx, told, hashOf(key))
  await appendEvents(tx, ids, [
    keyEvent('api_key.created', told, now),
    keyEvent('api_key.rotated', replaced, now),
  ])
  tx.after(() => forgetKeysOf(tenant.businessId))
  return { key, record: keyRecord(told, now), replaced: keyRecord(replaced, now) }
}

/** Throws 400 naming `graceHours` if it is out of range. */
export function graceMs(hours: number): number {
  const { least, most } = GRACE_HOURS
  if (Number.isFinite(hours) && hours >= least && hours <= most) return hours * HOUR_MS
  throw invalid({ graceHours: [`must be a number from ${least} to ${most}`] })
}

function successorOf(row: KeyRow, now: Date): NewKey {
  const { type, label, scopes, allowed_ips: allowedIps, expires_at, created_at } = row
  const lifeMs = expires_at && expires_at.getTime() - created_at.getTime()
  return { type, label, scopes, allowedIps, expiresAt: lifeMs ? addMs(now, lifeMs) : null }
}

const notRotatable = ({ status }: KeyRecord) =>
  conflict('key_state', `This key is ${status}. Only an Active key can be rotated.`, {
    status: [`is ${status}`],
  })

async function existing(tx: Tx, tenant: Tenant, keyId: number): Promise<KeyRow> {
  const row = await selectKey(tx, tenant, keyId)
  if (!row) throw notFound('key')
  return row
}

async function issue(
  tx: Tx,
  ids: Ids,
  { businessId, live }: Tenant,
  { type, label = null, scopes = null, allowedIps = [], expiresAt = null, madeBy = null }: NewKey,
  now: Date,
): Promise<{ key: string; row: KeyRow }> {
  if (label !== null && !isLabel(label)) {
    throw invalid({ label: [`must be a single line of 1 to ${LABEL_LENGTH_MAX} characters`] })
  }
  if (expiresAt && expiresAt <= now) throw invalid({ expiresAt: ['must be in the future'] })
  const key = newKey(type, live)
  const row: KeyRow = {
    business_id: businessId,
    live,
    id: await ids.next(tx),
    reference: newReference('KEY'),
    type,
    label,
    hint: hintOf(key),
    scopes: readScopes(scopes),
    allowed_ips: readAddresses(allowedIps),
    expires_at: expiresAt,
    last_used_at: null,
    browser_seen_at: null,
    replaced_by: null,
    revoked_at: null,
    event_sequence: 0,
    created_by: madeBy,
    created_at: now,
  }
  return { key, row }
}

/** Returns whether the string is one line of visible text. */
export const isLabel = (text: string) =>
  text.trim() !== '' &&
  text.length <= LABEL_LENGTH_MAX &&
  text.isWellFormed() &&
  !/[\0-\x1f\x7f]/.test(text)

type NewKey = KeyRequest & { type: KeyType }
