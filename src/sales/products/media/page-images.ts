import type { Db, Tx } from '../../../db/database.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { addMs } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/problem.ts'
import { MEDIA, mediaRecord, parseMediaName } from '../record/parts.ts'
import { newMediaRow, type StoredImage } from './add.ts'
import { MEDIA_JOB } from './jobs.ts'
import {
  countUncheckedImages,
  insertMedia,
  lockTenant,
  selectMediaById,
  updateCheckDue,
} from './queries.ts'
import type { MediaDeps } from './service.ts'

/**
 * How long an image that no page shows is kept, in case a page with it is being edited or restored.
 */
const KEPT_UNUSED_MS = 24 * 3_600_000

/** The maximum number of new or newly unused images per day, each at most 10 MiB. */
const PICTURES_OF_A_DAY_MAX = 500

/**
 * Throws 400 `too_many_files` if PICTURES_OF_A_DAY_MAX images were uploaded, or stopped being used,
 * within a day.
 */
export async function requireImageQuota(db: Db, tenant: Tenant): Promise<void> {
  if ((await countUncheckedImages(db, tenant)) < PICTURES_OF_A_DAY_MAX) return
  const text = `would exceed the limit of ${PICTURES_OF_A_DAY_MAX} images a day`
  throw invalid({ file: [text] }, 'too_many_files')
}

/**
 * Stores an image for the business’s pages, which accept its `url` in their `image` field. Throws
 * the same error as `requireImageQuota`.
 */
export async function addPageImage(tx: Tx, deps: MediaDeps, caller: Caller, picture: StoredImage) {
  await lockTenant(tx, caller)
  await requireImageQuota(tx, caller)
  await deps.files.take(tx, caller, picture.stored)
  const id = await deps.ids.next(tx)
  const ofNoProduct = { productId: null, variantId: null }
  const row = newMediaRow(deps, caller, ofNoProduct, id, 1, picture)
  await insertMedia(tx, { ...row, look_at: addMs(deps.clock.now(), KEPT_UNUSED_MS) })
  tx.after(() => deps.nudge(MEDIA_JOB))
  const record = mediaRecord(row, deps.publicUrl)
  const { mediaId, reference, status, url, thumbnailUrl } = record
  const { contentType, width, height, bytes, createdAt } = record
  return {
    mediaId,
    reference,
    status,
    url,
    thumbnailUrl,
    contentType,
    width,
    height,
    bytes,
    createdAt,
  }
}

/**
 * Throws 400 if a page refers to an image on this server that has been removed. Must be called
 * after `scheduleImageChecks`, which waits for any removal in progress.
 */
export async function requirePageImage(
  tx: Tx,
  caller: Caller,
  image: string | null,
): Promise<void> {
  const name = image?.startsWith(MEDIA) ? parseMediaName(image.slice(MEDIA.length)) : undefined
  if (!name || (await selectMediaById(tx, caller, name.id))) return
  throw invalid({
    image: ['refers to an image that was removed because no page used it: upload it again'],
  })
}

/**
 * Schedules a check of the images that a page showed before or shows now. One day later, the check
 * finds out whether any page still shows them.
 */
export async function scheduleImageChecks(
  tx: Tx,
  { clock }: Pick<MediaDeps, 'clock'>,
  caller: Caller,
  images: readonly (string | null)[],
): Promise<void> {
  const ids = images.flatMap((image) =>
    image?.startsWith(MEDIA) ? (parseMediaName(image.slice(MEDIA.length))?.id ?? []) : [],
  )
  // Uses the server’s clock, as the upload does, because a test clock that is ahead would keep the
  // image for years.
  const lookAt = addMs(clock.now(), KEPT_UNUSED_MS)
  // The fixed order prevents deadlocks between pages that change their images.
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    await updateCheckDue(tx, caller, id, lookAt)
  }
}
