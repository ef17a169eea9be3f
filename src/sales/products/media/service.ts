import type { Readable } from 'node:stream'
import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import type { Reference } from '../../../files/files.ts'
import { THUMBNAIL_TYPE } from '../../../files/images.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { allOrPage, type Page } from '../../../lib/paging.ts'
import { notFound } from '../../../lib/problem.ts'
import { isPublicAddress } from '../../../safe-fetch/guard.ts'
import { hashOf, type MediaRow, mediaOf, mediaRecord, parseMediaName } from '../record/parts.ts'
import {
  type CopiedIds,
  copiedRowsOf,
  lockProduct,
  productChanged,
  requireProduct,
} from '../record/service.ts'
import {
  deleteMediaOf,
  deleteMediaOfProduct,
  deleteMediaRow,
  insertMediaCopies,
  isVariant,
  type Owner,
  selectMedia,
  selectMediaById,
  updatePositions,
} from './queries.ts'

export type { MediaRecord } from '../record/parts.ts'

export interface MediaDeps
  extends Pick<Deps, 'db' | 'ids' | 'clock' | 'files' | 'publicUrl' | 'nudge'> {
  mediaBytesMax: number
  /** Whether the server may fetch an image from an IP address. `isPublicAddress` by default. */
  allowsAddress(address: string): boolean
}

/** By default, 10 MiB, from public addresses only. */
export const mediaLimits = ({
  mediaBytesMax = 10 * 1024 * 1024,
  allowsAddress = isPublicAddress,
}: Partial<Pick<MediaDeps, 'mediaBytesMax' | 'allowsAddress'>>) => ({
  mediaBytesMax,
  allowsAddress,
})

/** Throws 404 for an owner that does not exist. */
export async function requireOwner(db: Db, tenant: Tenant, owner: Owner): Promise<void> {
  await requireProduct(db, tenant, owner.productId)
  await requireVariant(db, tenant, owner)
}

export async function requireVariant(
  db: Db,
  tenant: Tenant,
  { productId, variantId }: Owner,
): Promise<void> {
  if (variantId === null || (await isVariant(db, tenant, productId, variantId))) return
  throw notFound('product_variant')
}

/**
 * Lists the images of the product itself or of one variant: all images, or only the requested page.
 */
export async function listMedia(
  db: Db,
  publicUrl: string,
  tenant: Tenant,
  owner: Owner,
  page: Partial<Page>,
) {
  await requireOwner(db, tenant, owner)
  const { rows, meta } = allOrPage(await selectMedia(db, tenant, owner), page)
  return { records: rows.map((row) => mediaRecord(row, publicUrl)), meta }
}

/**
 * Deletes an image. The images after it move up, and the first one left becomes the primary image.
 */
export async function deleteMedia(
  tx: Tx,
  deps: MediaDeps,
  caller: Caller,
  owner: Owner,
  id: number,
) {
  await lockProduct(tx, caller, owner.productId)
  await requireVariant(tx, caller, owner)
  const row = await deleteMediaRow(tx, caller, owner, id)
  if (!row) throw notFound('media')
  await deps.files.release(tx, caller, mediaHashesOf(row))
  await updatePositions(tx, caller, owner)
  await productChanged(tx, deps, caller, owner.productId)
  // The URLs of a deleted image no longer work.
  return { ...mediaRecord(row, deps.publicUrl), status: 'Deleted', url: null, thumbnailUrl: null }
}

/** Deletes all images of deleted variants. The event of the product covers this. */
export async function deleteMediaOfVariants(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  tenant: Tenant,
  variantIds: readonly number[],
): Promise<void> {
  if (variantIds.length === 0) return
  const rows = await deleteMediaOf(tx, tenant, variantIds)
  await files.release(tx, tenant, rows.flatMap(mediaHashesOf))
}

/** Deletes all images of a deleted product and its variants. */
export async function removeMediaOfProduct(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  tenant: Tenant,
  productId: number,
): Promise<void> {
  const rows = await deleteMediaOfProduct(tx, tenant, productId)
  await files.release(tx, tenant, rows.flatMap(mediaHashesOf))
}

export const mediaHashesOf = ({
  original_sha256,
  picture_sha256,
  thumbnail_sha256,
}: MediaRow): Buffer[] =>
  [original_sha256, picture_sha256, thumbnail_sha256].filter((hash) => hash !== null)

/** Stored content is kept for as long as one of these columns refers to it. */
export const MEDIA_REFERENCES: readonly Reference[] = [
  { table: sql`product_media`, column: sql`original_sha256` },
  { table: sql`product_media`, column: sql`picture_sha256` },
  { table: sql`product_media`, column: sql`thumbnail_sha256` },
]

/** Copies the images of a product, and those of the variants that have a copy. */
export async function copyMedia(
  tx: Tx,
  { ids, publicUrl }: Pick<Deps, 'ids' | 'publicUrl'>,
  caller: Caller,
  products: CopiedIds,
  variants: ReadonlyMap<number, number>,
): Promise<void> {
  const had = (await mediaOf(tx, caller, [products.from], publicUrl)).get(products.from) ?? []
  if (had.length === 0) return
  const rows = had.map(({ mediaId }) => ({ id: mediaId }))
  const pairs = await copiedRowsOf(tx, ids, rows, 'MED')
  await insertMediaCopies(tx, caller, products, pairs, [...variants], caller.now)
}

interface Shown {
  file: { bytes: number; sha256: Buffer; type: string }
  /** Whether the content at this URL never changes. */
  isFinal: boolean
  open(): Promise<Readable>
}

/**
 * Finds the content for an image URL. Once an image is re-encoded, its original is no longer
 * served, because it contains the metadata that cameras add. Its URL then redirects to the new
 * image.
 */
export async function findImageContent(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  name: string,
): Promise<Shown | { movedTo: string }> {
  const parsed = parseMediaName(name)
  const row = parsed && (await selectMediaById(db, parsed, parsed.id))
  if (!row || row.status === 'Failed') throw notFound('media')
  const found = fileOf(row, parsed.hash)
  if (!found) throw notFound('media')
  if (found === 'original' && row.status === 'Ready') {
    // Redirects to a path, because pages only show images from their own origin.
    return { movedTo: mediaRecord(row, '').url! }
  }
  const { sha256, type } =
    found === 'original' ? { sha256: row.original_sha256, type: row.content_type } : found
  const blob = await files.find(db, parsed, sha256)
  return {
    file: { bytes: blob.bytes, sha256, type },
    isFinal: found !== 'original',
    open: () => files.open(blob),
  }
}

function fileOf(row: MediaRow, hash: string) {
  const { original_sha256, picture_sha256, thumbnail_sha256, content_type } = row
  const is = (sha256: Buffer | null): sha256 is Buffer => sha256 !== null && hashOf(sha256) === hash
  // A re-encoded image can be identical to the original.
  if (is(picture_sha256)) return { sha256: picture_sha256, type: content_type }
  if (is(thumbnail_sha256)) return { sha256: thumbnail_sha256, type: THUMBNAIL_TYPE }
  return is(original_sha256) ? 'original' : undefined
}

export interface ImageSizes {
  small: string
  whole: string
}

/**
 * Returns the paths of both sizes of the image at a path; undefined if it has not been re-encoded
 * yet or does not exist.
 */
export async function sizesOf(db: Db, path: string): Promise<ImageSizes | undefined> {
  const parsed = parseMediaName(path.replace(/^\/media\//, ''))
  const row = parsed && (await selectMediaById(db, parsed, parsed.id))
  if (row?.status !== 'Ready' || !fileOf(row, parsed!.hash)) return undefined
  const { thumbnailUrl, url } = mediaRecord(row, '')
  return { small: thumbnailUrl!, whole: url! }
}
