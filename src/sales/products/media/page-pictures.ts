import type { Db, Tx } from '../../../db/database.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { addMs } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/problem.ts'
import { MEDIA, mediaRecord, parseMediaName } from '../core/media.ts'
import { newRow, type Picture } from './add.ts'
import { MEDIA_SWEEPER } from './jobs.ts'
import { countNew, insertMedia, lockTenant, selectMediaById, updateLookAt } from './queries.ts'
import type { MediaDeps } from './service.ts'

/** So long a picture that no page shows is kept: for a page that is being written, or goes back. */
const KEPT_UNUSED_MS = 24 * 3_600_000

/** So many are kept of a day, of 10 MiB each at most. */
const PICTURES_OF_A_DAY_MAX = 500

/** Throws 400 `too_many_files` where so many were sent within a day, or are shown no more. */
export async function requireRoom(db: Db, tenant: Tenant): Promise<void> {
  if ((await countNew(db, tenant)) < PICTURES_OF_A_DAY_MAX) return
  const text = `would be more than the ${PICTURES_OF_A_DAY_MAX} pictures that there can be in a day`
  throw invalid({ file: [text] }, 'too_many_files')
}

/**
 * Keeps a picture for pages of the business to show: its `url` is what their `image` takes. Throws
 * as `requireRoom`.
 */
export async function addPicture(tx: Tx, deps: MediaDeps, caller: Caller, picture: Picture) {
  await lockTenant(tx, caller)
  await requireRoom(tx, caller)
  await deps.files.take(tx, caller, picture.stored)
  const id = await deps.ids.next(tx)
  const ofNoProduct = { productId: null, variantId: null }
  const row = newRow(deps, caller, ofNoProduct, id, 1, picture)
  await insertMedia(tx, { ...row, look_at: addMs(deps.clock.now(), KEPT_UNUSED_MS) })
  tx.after(() => deps.nudge(MEDIA_SWEEPER))
  const record = mediaRecord(row, deps.publicUrl)
  const { mediaId, reference, status, url, thumbnailUrl } = record
  const { contentType, width, height, bytes, createdAt } = record
  return {
    ...{ mediaId, reference, status, url, thumbnailUrl },
    ...{ contentType, width, height, bytes, createdAt },
  }
}

/**
 * Throws 400 for a picture of this server that a page is to show and that is there no more. After
 * `picturesChanged`, which waits for whoever is letting go of it.
 */
export async function requirePicture(tx: Tx, caller: Caller, image: string | null): Promise<void> {
  const name = image?.startsWith(MEDIA) ? parseMediaName(image.slice(MEDIA.length)) : undefined
  if (!name || (await selectMediaById(tx, caller, name.id))) return
  throw invalid({ image: ['is a picture that was let go of: send it again'] })
}

/** For whoever had a page show other pictures than before: each is looked at in a day. */
export async function picturesChanged(
  tx: Tx,
  { clock }: Pick<MediaDeps, 'clock'>,
  caller: Caller,
  images: readonly (string | null)[],
): Promise<void> {
  const ids = images.flatMap((image) =>
    image?.startsWith(MEDIA) ? (parseMediaName(image.slice(MEDIA.length))?.id ?? []) : [],
  )
  // As where it was sent: a test clock that was moved ahead would keep it for years.
  const lookAt = addMs(clock.now(), KEPT_UNUSED_MS)
  // In one order everywhere, so that two pages that change their pictures do not wait in a circle.
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    await updateLookAt(tx, caller, id, lookAt)
  }
}
