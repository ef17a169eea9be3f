import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import type { Reference } from '../../../files/files.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { allOrPage, type Page } from '../../../lib/paging.ts'
import { notFound } from '../../../lib/problem.ts'
import { isPublicAddress } from '../../../safe-fetch/guard.ts'
import { type CopiedIds, copiedRowsOf } from '../core/copy.ts'
import { type MediaRow, mediaOf, mediaRecord } from '../core/media.ts'
import { lockProduct, productChanged, requireProduct } from '../core/service.ts'
import {
  deleteMediaOf,
  deleteMediaOfProduct,
  deleteMediaRow,
  insertMediaCopies,
  isVariant,
  type Owner,
  selectMedia,
  updatePositions,
} from './queries.ts'

export type { MediaRecord } from '../core/media.ts'

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
