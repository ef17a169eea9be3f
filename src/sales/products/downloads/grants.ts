import type { Readable } from 'node:stream'
import { clockOffsetMs } from '../../../business/account/payment-settings.ts'
import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import type { ByteRange } from '../../../files/storage.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { addMs } from '../../../lib/clock.ts'
import { invalid, notFound, Problem } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { isSameSecret, newTokenSecret, parseToken } from '../../../lib/tokens.ts'
import { fileRecord } from '../record/parts.ts'
import {
  type LinkLimits,
  lockProduct,
  type ProductRow,
  productChanged,
  updateLinkLimits,
} from '../record/service.ts'
import {
  type GrantRow,
  insertGrant,
  lockFiles,
  selectFile,
  selectFilesSold,
  selectGrant,
  selectGrantsOf,
  updateDownloadCounted,
  updateDownloadReturned,
  updateDownloads,
  updateFileLimits,
  updateRevoked,
} from './queries.ts'
import { grantRecord, grantUrl } from './record.ts'
import type { SetExpiry } from './schemas.ts'
import type { FileDeps } from './service.ts'

type GrantDeps = Pick<Deps, 'ids' | 'publicUrl'>

interface Bought {
  /** The order. Each order grants a file only once. */
  causeId: number
  productIds: readonly number[]
  customerEmail: string | null
  now: Date
}

interface Granted {
  fileId: number
  name: string
  url: string
  expiresAt: Date | null
}

/**
 * Grants a buyer the files of an order, in the transaction that settles it. The current limits stay
 * in force for these links. Returns all links for the cause, including previous ones.
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

/**
 * Revokes everything that a cause granted, after a full refund. Takes effect only once, and leaves
 * expired links unchanged.
 */
export function revokeDownloads(
  tx: Tx,
  deps: GrantDeps,
  tenant: Tenant,
  causeId: number,
  now: Date,
): Promise<void> {
  return revokeGrants(tx, deps, tenant, { causeId }, now)
}

/** Revokes the grants for a file or a cause, with their events, in batches until none are left. */
export async function revokeGrants(
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

/** Returns the event that the row’s event sequence already includes. */
const downloadEvent = (type: EventType, row: GrantRow, publicUrl: string, at: Date): NewEvent => ({
  businessId: row.business_id,
  live: row.live,
  type: `download.${type}`,
  objectType: 'download',
  objectId: row.id,
  sequence: row.event_sequence,
  data: grantRecord(row, publicUrl),
  at,
})

type DownloadDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'files' | 'publicUrl'>

/** How long a download can be resumed after it has been counted. */
const RESUMED_WITHIN_MS = 24 * 3_600_000

interface Opened {
  row: GrantRow
  tenant: Tenant
  /** The current time, which for a test purchase comes from the test clock. */
  now: Date
  file: { bytes: number; sha256: Buffer; type: string }
}

/**
 * Finds what a link leads to. Throws 404 for an unknown link, and 410 for one that is no longer
 * valid.
 */
export async function openDownload({ db, clock }: DownloadDeps, token: string): Promise<Opened> {
  const parsed = parseToken(token)
  const row = parsed && (await selectGrant(db, parsed, parsed.id))
  if (!parsed || !row || !isSameSecret(row.secret, parsed.secret)) throw notFound('download')
  const tenant = { businessId: parsed.businessId, live: parsed.live }
  const now = addMs(clock.now(), await clockOffsetMs(db, tenant))
  const { sha256, bytes, content_type: type } = row
  if (row.revoked_at || !sha256 || (row.expires_at && row.expires_at <= now)) throw ended()
  return { row, tenant, now, file: { bytes, sha256, type } }
}

const ended = () => new Problem('gone', 'download_ended', 'This download link is no longer valid.')

/** Throws 410 if no downloads are left and none can be resumed. */
export function requireDownloadsLeft({ row, now }: Opened): void {
  const isUsedUp = row.max_downloads !== null && row.downloads >= row.max_downloads
  if (isUsedUp && !isGoingOn(row, now)) throw ended()
}

const isGoingOn = ({ begun_at, downloads }: GrantRow, now: Date): boolean =>
  downloads > 0 && begun_at !== null && addMs(begun_at, RESUMED_WITHIN_MS) > now

/**
 * Counts a download before it starts, in a statement that never allows more downloads than are
 * left. Fetching a later part of the file is free while a counted download can be resumed. Returns
 * whether the download was counted. Throws 410.
 */
export async function countDownload(
  { db, ids, publicUrl }: DownloadDeps,
  { row, tenant, now }: Opened,
  span: ByteRange | undefined,
): Promise<boolean> {
  if (span && span.start > 0 && isGoingOn(row, now)) return false
  await db.transaction(async (tx) => {
    const taken = await updateDownloadCounted(tx, tenant, row.id, now)
    if (!taken) throw ended()
    await updateDownloads(tx, tenant, row.file_id, 1)
    await appendEvents(tx, ids, [downloadEvent('accessed', taken, publicUrl, now)])
  })
  return true
}

/** Subtracts a download again if its connection broke early, at most ten times per link. */
export async function returnDownload({ db }: DownloadDeps, { row, tenant }: Opened): Promise<void> {
  await db.transaction(async (tx) => {
    const given = await updateDownloadReturned(tx, tenant, row.id)
    if (given === 1) await updateDownloads(tx, tenant, row.file_id, -1)
  })
}

/** Opens the content of a file, or only the requested range. */
export async function openContent(
  { db, files }: DownloadDeps,
  { tenant, file }: Opened,
  span: ByteRange | undefined,
): Promise<Readable> {
  return files.open(await files.find(db, tenant, file.sha256), span)
}

const UNIT_MS: Record<NonNullable<LinkLimits['link_expiry_unit']>, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 24 * 3_600_000,
}

const YEARS_MAX = 10
const EXPIRY_MS_MAX = YEARS_MAX * 365 * UNIT_MS.days

/** Returns when a link that is created now expires. Null means never. */
function expiryOf({ link_expiry, link_expiry_unit }: LinkLimits, now: Date): Date | null {
  if (link_expiry === null || link_expiry_unit === null) return null
  return addMs(now, link_expiry * UNIT_MS[link_expiry_unit])
}

/**
 * Sets the limits for future links, either to one file or to all of the product’s files that have
 * no limits of their own. Existing links keep their limits. Throws 400, 404.
 */
export async function setLinkLimits(tx: Tx, deps: FileDeps, caller: Caller, sent: SetExpiry) {
  const change = changeOf(sent)
  const product = await lockProduct(tx, caller, sent.productId)
  const { digitalDownloadFileId } = sent
  if (digitalDownloadFileId === undefined) {
    const limits = merged(product, change)
    await updateLinkLimits(tx, caller, product.id, limits)
    await productChanged(tx, deps, caller, product.id)
    return { ...product, ...limits }
  }
  const file = await selectFile(tx, caller, product.id, toId(digitalDownloadFileId))
  if (!file) throw notFound('digital_file')
  const limits = merged(file, change)
  await updateFileLimits(tx, caller, file.id, limits, caller.now)
  await productChanged(tx, deps, caller, product.id)
  return { ...product, ...limits, file: { ...file, ...limits } }
}

/** Returns what was set: the record of the file, or the limits of the product. */
export const limitsRecord = (set: Awaited<ReturnType<typeof setLinkLimits>>) =>
  'file' in set ? fileRecord(set.file) : productLimits(set)

const productLimits = (set: LinkLimits & Pick<ProductRow, 'id' | 'reference' | 'status'>) => ({
  reference: set.reference,
  status: set.status,
  productId: String(set.id),
  expiryValue: set.link_expiry,
  expiryUnit: set.link_expiry_unit,
  maxDownloads: set.max_downloads,
})

type Change = Partial<LinkLimits>

function changeOf({ expiryValue, expiryUnit, maxDownloads }: SetExpiry): Change {
  if (expiryValue === undefined && maxDownloads === undefined) {
    throw invalid({ expiryValue: ['is required unless maxDownloads is given'] })
  }
  const change: Change = maxDownloads === undefined ? {} : { max_downloads: maxDownloads }
  if (expiryValue === undefined) return change
  if (expiryValue === null) return { ...change, link_expiry: null, link_expiry_unit: null }
  if (!expiryUnit) {
    throw invalid({
      expiryUnit: ['is required with expiryValue and must be minutes, hours or days'],
    })
  }
  if (expiryValue * UNIT_MS[expiryUnit] > EXPIRY_MS_MAX) {
    throw invalid({ expiryValue: [`must be at most ${YEARS_MAX} years`] })
  }
  return { ...change, link_expiry: expiryValue, link_expiry_unit: expiryUnit }
}

const merged = (
  { link_expiry, link_expiry_unit, max_downloads }: LinkLimits,
  change: Change,
): LinkLimits => ({ link_expiry, link_expiry_unit, max_downloads, ...change })
