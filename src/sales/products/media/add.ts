import type { Tx } from '../../../db/database.ts'
import { oneChunk, type SpooledFile, type StoredFile } from '../../../files/files.ts'
import { type ImageInfo, inspectImage } from '../../../files/images.ts'
import type { Caller } from '../../../lib/caller.ts'
import { invalid } from '../../../lib/problem.ts'
import { fileNameError } from '../../../lib/text.ts'
import { newReference } from '../../../lib/tokens.ts'
import { fetchFile } from '../../../safe-fetch/fetch-file.ts'
import { type MediaRow, mediaRecord } from '../record/parts.ts'
import { lockProduct, productChanged } from '../record/service.ts'
import { MEDIA_JOB } from './jobs.ts'
import { insertMedia, type Owner, selectMedia, updateOrder } from './queries.ts'
import type { NewMedia } from './schemas.ts'
import { type MediaDeps, type MediaRecord, requireVariant } from './service.ts'

/** The maximum number of images of a product and, in addition, of each of its variants. */
const MEDIA_MAX = { product: 20, variant: 5 }

type Sent = Pick<NewMedia, 'base64' | 'url' | 'filename'>
type Named = SpooledFile & { name: string }

/** An image that has been checked and stored, but that no row refers to yet. */
export interface StoredImage extends ImageInfo {
  stored: StoredFile
}

const BASE64 = /^(?:data:[a-z/+.-]+;base64,)?([A-Za-z0-9+/]+={0,2})$/

/**
 * Checks and stores images sent as files, base64 or a URL, and passes them to `work`. Throws 400 if
 * one of them is invalid, and then stores none. Removes those that `work` does not take.
 */
export async function withStoredImages<T>(
  deps: MediaDeps,
  caller: Caller,
  files: readonly Named[],
  body: Sent,
  work: (pictures: readonly StoredImage[]) => Promise<T>,
): Promise<T> {
  const ways = [files.length > 0, body.base64 !== undefined, body.url !== undefined]
  const sent = ways.filter(Boolean).length
  if (sent !== 1) {
    const fault = sent === 0 ? 'is required' : 'was sent in more than one way'
    throw invalid({
      file: [`${fault}: send one or more parts named file, or send either base64 or url`],
    })
  }
  const spooled = files.length > 0 ? [] : [await spoolSent(deps, caller, body)]
  const pictures: StoredImage[] = []
  try {
    await putAwayAll(deps, caller, [...files, ...spooled], pictures)
    return await work(pictures)
  } finally {
    for (const file of spooled) await file.remove()
    await deps.files.discard(pictures.map(({ stored }) => stored))
  }
}

async function spoolSent(
  { files, mediaBytesMax, allowsAddress, publicUrl }: MediaDeps,
  { live }: Caller,
  { base64, url, filename }: Sent,
): Promise<Named> {
  const fault = filename === undefined ? undefined : fileNameError(filename.normalize('NFC'))
  if (fault) throw invalid({ filename: [fault] })
  const spool = (content: AsyncIterable<Uint8Array>) => files.spool(content, mediaBytesMax)
  const name = filename ?? (url === undefined ? 'base64' : 'url')
  if (url !== undefined) {
    const options = { allows: allowsAddress, from: { live, publicUrl } }
    return { ...(await fetchFile(url, options, spool)), name }
  }
  const [, digits] = BASE64.exec(base64 ?? '') ?? []
  if (!digits) throw invalid({ base64: ['must be base64 without spaces'] })
  return { ...(await spool(oneChunk(Buffer.from(digits, 'base64')))), name }
}

/** Stores nothing until every file has been checked. */
async function putAwayAll(
  { files }: MediaDeps,
  { businessId }: Caller,
  sent: readonly Named[],
  pictures: StoredImage[],
): Promise<void> {
  const looks: ImageInfo[] = []
  for (const { path, name } of sent) looks.push(await inspectImage(businessId, path, name))
  for (const [i, file] of sent.entries()) {
    pictures.push({ ...looks[i]!, stored: await files.putAway(file) })
  }
}

/** Appends images. The first image of a product or variant is its primary one. Throws 400, 404. */
export async function addMedia(
  tx: Tx,
  deps: MediaDeps,
  caller: Caller,
  owner: Owner,
  pictures: readonly StoredImage[],
) {
  await lockProduct(tx, caller, owner.productId)
  await requireVariant(tx, caller, owner)
  const before = await selectMedia(tx, caller, owner)
  const most = MEDIA_MAX[owner.variantId === null ? 'product' : 'variant']
  if (before.length + pictures.length > most) {
    const text = `would exceed the limit of ${most} images`
    throw invalid({ file: [text] }, 'too_many_files')
  }
  // The fixed order prevents deadlocks between requests that store the same content.
  for (const { stored } of inOrder(pictures)) await deps.files.take(tx, caller, stored)
  const rows: MediaRow[] = []
  for (const [i, picture] of pictures.entries()) {
    const id = await deps.ids.next(tx)
    rows.push(newMediaRow(deps, caller, owner, id, before.length + i + 1, picture))
  }
  for (const row of rows) await insertMedia(tx, row)
  await productChanged(tx, deps, caller, owner.productId)
  tx.after(() => deps.nudge(MEDIA_JOB))
  const media = rows.map((row) => mediaRecord(row, deps.publicUrl))
  return { ...media[0]!, media }
}

const inOrder = (pictures: readonly StoredImage[]) =>
  pictures.toSorted((a, b) => a.stored.sha256.compare(b.stored.sha256))

/** Returns the row for a new image, which a job re-encodes later. */
export const newMediaRow = (
  { clock }: Pick<MediaDeps, 'clock'>,
  { businessId, live, now }: Caller,
  { productId, variantId }: { productId: number | null; variantId: number | null },
  id: number,
  position: number,
  { stored, contentType, width, height }: StoredImage,
): MediaRow => ({
  business_id: businessId,
  live,
  id,
  reference: newReference('MED'),
  product_id: productId,
  variant_id: variantId,
  original_sha256: stored.sha256,
  picture_sha256: null,
  thumbnail_sha256: null,
  status: 'Processing',
  content_type: contentType,
  width,
  height,
  bytes: stored.bytes,
  is_primary: position === 1,
  position,
  // The server’s clock, because re-encoding does not depend on a test clock.
  due_at: clock.now(),
  attempts: 0,
  created_at: now,
  look_at: null,
})

/**
 * Puts all images of a product or a variant in the order of `ids`. The first becomes the primary
 * image. Sending the current order again changes nothing. Throws 400 unless each image is named
 * exactly once, and 404 for unknown ones.
 */
export async function orderMedia(
  tx: Tx,
  deps: MediaDeps,
  caller: Caller,
  owner: Owner,
  ids: readonly number[],
): Promise<MediaRecord[]> {
  await lockProduct(tx, caller, owner.productId)
  await requireVariant(tx, caller, owner)
  const before = await selectMedia(tx, caller, owner)
  const had = before.map(({ id }) => id)
  const isAll = ids.length === had.length && had.every((id) => ids.includes(id))
  if (!isAll) throw invalid({ mediaIds: [`must name each of the ${had.length} images once`] })
  if (ids.some((id, i) => id !== had[i])) {
    await updateOrder(tx, caller, owner, ids)
    await productChanged(tx, deps, caller, owner.productId)
  }
  const rows = await selectMedia(tx, caller, owner)
  return rows.map((row) => mediaRecord(row, deps.publicUrl))
}
