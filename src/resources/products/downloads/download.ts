import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import { appendEvents } from '../../../events/append.ts'
import { addMs } from '../../../lib/clock.ts'
import { parseToken } from '../../../lib/page-token.ts'
import { notFound, Problem } from '../../../lib/problem.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { Span } from '../../../storage/storage.ts'
import { clockOffsetMs } from '../../businesses/terms.ts'
import type { Deps } from '../../deps.ts'
import { downloadEvent } from './grants.ts'
import {
  type GrantRow,
  selectGrant,
  updateDownloads,
  updateGivenBack,
  updateTaken,
} from './queries-grants.ts'

type DownloadDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'files' | 'publicUrl'>

/** How long a download that was counted may be gone on with. */
const RESUMED_WITHIN_MS = 24 * 3_600_000

/** A buyer's look at what a link gives. */
export interface Opened {
  row: GrantRow
  tenant: Tenant
  /** The moment that decides: the test clock's for a test purchase. */
  now: Date
  file: { bytes: number; sha256: Buffer; type: string }
}

/** Finds what a link gives. Throws 404 for no link of ours, 410 for one that has ended. */
export async function openDownload({ db, clock }: DownloadDeps, token: string): Promise<Opened> {
  const parsed = parseToken(token)
  const row = parsed && (await selectGrant(db, parsed, parsed.id))
  if (!parsed || !row || !isSame(row.secret, parsed.secret)) throw notFound('download')
  const tenant = { businessId: parsed.businessId, live: parsed.live }
  const now = addMs(clock.now(), await clockOffsetMs(db, tenant))
  const { sha256, bytes, content_type: type } = row
  if (row.revoked_at || !sha256 || (row.expires_at && row.expires_at <= now)) throw ended()
  return { row, tenant, now, file: { bytes, sha256, type } }
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const ended = () => new Problem('gone', 'download_ended', 'This link has ended.')

/** Throws 410 when nothing that is asked for could be sent. */
export function requireLeft({ row, now }: Opened): void {
  const isUsedUp = row.max_downloads !== null && row.downloads >= row.max_downloads
  if (isUsedUp && !isGoingOn(row, now)) throw ended()
}

const isGoingOn = ({ begun_at, downloads }: GrantRow, now: Date): boolean =>
  downloads > 0 && begun_at !== null && addMs(begun_at, RESUMED_WITHIN_MS) > now

/**
 * Counts a download before it begins, by a guarded statement, so that no more begin than are left.
 * A part from further on is free while one that was counted may be gone on with. Answers whether it
 * was counted. Throws 410.
 */
export async function beginDownload(
  { db, ids, publicUrl }: DownloadDeps,
  { row, tenant, now }: Opened,
  span: Span | undefined,
): Promise<boolean> {
  if (span && span.start > 0 && isGoingOn(row, now)) return false
  await db.transaction(async (tx) => {
    const taken = await updateTaken(tx, tenant, row.id, now)
    if (!taken) throw ended()
    await updateDownloads(tx, tenant, row.file_id, 1)
    await appendEvents(tx, ids, [downloadEvent('accessed', taken, publicUrl, now)])
  })
  return true
}

/** For a download whose connection broke early; at most ten times for each link. */
export async function giveBack({ db }: DownloadDeps, { row, tenant }: Opened): Promise<void> {
  await db.transaction(async (tx) => {
    const given = await updateGivenBack(tx, tenant, row.id)
    if (given === 1) await updateDownloads(tx, tenant, row.file_id, -1)
  })
}

/** The content of a file, or the span of it that was asked for. */
export async function openContent(
  { db, files }: DownloadDeps,
  { tenant, file }: Opened,
  span: Span | undefined,
): Promise<Readable> {
  return files.open(await files.find(db, tenant, file.sha256), span)
}
