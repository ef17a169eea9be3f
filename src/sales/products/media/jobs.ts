import { buffer } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { Deps } from '../../../deps.ts'
import { encodeImage } from '../../../files/images.ts'
import type { Job } from '../../../jobs/jobs.ts'
import { addMs } from '../../../lib/clock.ts'
import { imagePathPrefix, type MediaRow } from '../record/parts.ts'
import {
  claimDue,
  deletePageImage,
  isShownOnPage,
  lockDuePageImages,
  updateChecked,
  updateFailed,
  updateReady,
} from './queries.ts'
import { mediaHashesOf } from './service.ts'

export const MEDIA_JOB = 'media'

/** Longer than re-encoding takes. After this time, another process tries again. */
const LEASE_MS = 2 * 60_000

/** An attempt fails only if it crashes its process or the storage is unavailable. */
const ATTEMPTS_MAX = 5

export const mediaJobs = (deps: JobDeps): Job[] => [mediaJob(deps), pagePictureJob(deps)]

type JobDeps = Pick<Deps, 'db' | 'files'> & { log: Logger }

/**
 * Re-encodes images in two sizes and without metadata, one at a time. The businesses take turns.
 */
function mediaJob(deps: JobDeps): Job {
  let last = 0
  return {
    name: MEDIA_JOB,
    everyMs: 10_000,
    isAwaited: true,
    async run(db, now, only) {
      // Runs for all businesses, by the server’s clock.
      if (only !== undefined) return 0
      const row = await claimDue(db, { now, leasedUntil: addMs(now, LEASE_MS), last })
      if (!row) return 0
      last = row.business_id
      await make(deps, row)
      return 1
    },
  }
}

async function make(deps: JobDeps, row: MediaRow): Promise<void> {
  const { db, files, log } = deps
  const tenant = { businessId: row.business_id, live: row.live }
  if (row.attempts > ATTEMPTS_MAX) return fail(deps, row)
  const blob = await files.find(db, tenant, row.original_sha256)
  const original = await buffer(await files.open(blob))
  let made: Awaited<ReturnType<typeof encodeImage>>
  try {
    made = await encodeImage(row.business_id, original)
  } catch (err) {
    log.warn({ err, mediaId: row.id }, 'could not re-encode an image')
    return fail(deps, row)
  }
  const { picture, thumbnail } = made
  const large = await files.putAwayBytes(picture.content)
  const small = await files.putAwayBytes(thumbnail.content)
  await db.transaction(async (tx) => {
    const stored = [large, small].sort((a, b) => a.sha256.compare(b.sha256))
    for (const one of stored) await files.take(tx, tenant, one)
    const { width, height } = picture
    const updated = await updateReady(tx, row, {
      picture_sha256: large.sha256,
      thumbnail_sha256: small.sha256,
      width,
      height,
      bytes: large.bytes,
    })
    // The image has been deleted in the meantime, so its new content is released.
    if (updated === 0) await files.release(tx, tenant, [large.sha256, small.sha256])
  })
  await files.discard([large, small])
}

async function fail({ db }: JobDeps, row: MediaRow): Promise<void> {
  await db.transaction((tx) => updateFailed(tx, row))
}

const SWEPT_MAX = 50

/** Removes images that no page shows. Uses the server’s clock. */
const pagePictureJob = ({ files }: Pick<Deps, 'files'>): Job => ({
  name: 'page-pictures',
  everyMs: 600_000,
  run: async (db, now, only) => {
    if (only !== undefined) return 0
    return db.transaction(async (tx) => {
      const rows = await lockDuePageImages(tx, now, SWEPT_MAX)
      for (const row of rows) {
        if (await isShownOnPage(tx, row, imagePathPrefix(row))) {
          await updateChecked(tx, row)
          continue
        }
        await deletePageImage(tx, row)
        const tenant = { businessId: row.business_id, live: row.live }
        await files.release(tx, tenant, mediaHashesOf(row))
      }
      return rows.length
    })
  },
})
