import type { Db } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'

export interface MediaRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  /** Null for a payment page’s image. */
  product_id: number | null
  /** Null if the image shows the product itself. */
  variant_id: number | null
  original_sha256: Buffer
  picture_sha256: Buffer | null
  thumbnail_sha256: Buffer | null
  status: 'Processing' | 'Ready' | 'Failed'
  /** The type of the original, which is also the type of the image made from it. */
  content_type: string
  width: number
  height: number
  bytes: number
  is_primary: boolean
  position: number
  due_at: Date | null
  attempts: number
  created_at: Date
  /** When to check whether any page shows this payment page image; null if no check is needed. */
  look_at: Date | null
}

export const MEDIA_COLUMNS = sql`business_id, live, id, reference, product_id, variant_id,
  original_sha256, picture_sha256, thumbnail_sha256, status, content_type, width, height, bytes,
  is_primary, position, due_at, attempts, created_at, look_at`

/** The path under which the server serves images. */
export const MEDIA = '/media/'

/** Returns an image as the API shows it (docs/CONTRACT.md, Products). */
export function mediaRecord(row: MediaRow, publicUrl: string) {
  const shown = row.status === 'Failed' ? null : (row.picture_sha256 ?? row.original_sha256)
  const tenant = { businessId: row.business_id, live: row.live }
  const urlOf = (sha256: Buffer | null) =>
    sha256 &&
    `${publicUrl}${MEDIA}${printMediaName({ ...tenant, id: row.id, hash: hashOf(sha256) })}`
  return {
    mediaId: row.id,
    reference: row.reference,
    status: row.status,
    productId: String(row.product_id),
    variantId: row.variant_id,
    url: urlOf(shown),
    thumbnailUrl: urlOf(row.thumbnail_sha256),
    contentType: row.content_type,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    isPrimary: row.is_primary,
    position: row.position,
    createdAt: row.created_at,
  }
}

export type MediaRecord = ReturnType<typeof mediaRecord>

/**
 * Returns the images of products, by product id and in order: those of the product, with
 * `variantId` null, and those of its variants. Omits products without images.
 */
export async function mediaOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
  publicUrl: string,
): Promise<Map<number, MediaRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectMediaOf(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id!)
  return new Map(
    [...byProduct].map(([id, own]) => [id, own.map((row) => mediaRecord(row, publicUrl))]),
  )
}

function selectMediaOf(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<MediaRow[]> {
  return db.many<MediaRow>`
    select ${MEDIA_COLUMNS} from product_media
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${productIds}::bigint[])
    order by product_id, variant_id nulls first, position`
}

/**
 * Identifies an image’s row and, by a hash of its content, one of its files. A name therefore
 * always shows the same content.
 */
export interface MediaName extends Tenant {
  id: number
  /** 132 bits of the SHA-256. Only someone who has the file or the name can know them. */
  hash: string
}

const HASH_LENGTH = 22

export const hashOf = (sha256: Buffer): string => sha256.toString('base64url').slice(0, HASH_LENGTH)

const printMediaName = ({ businessId, live, id, hash }: MediaName): string =>
  `${businessId.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}-${hash}`

/** Returns the common start of the paths to all files of an image. */
export const imagePathPrefix = ({ business_id, live, id }: MediaRow): string =>
  `${MEDIA}${printMediaName({ businessId: business_id, live, id, hash: '' })}`

const NAME = /^([0-9a-z]{1,11}?)([lt])-([0-9a-z]{1,11})-([\w-]{22})$/

/** Returns undefined for a name that Tradepost did not create. */
export function parseMediaName(name: string): MediaName | undefined {
  const [, business = '', mode, id = '', hash] = NAME.exec(name) ?? []
  if (!hash) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  if (!Number.isSafeInteger(businessId) || !Number.isSafeInteger(number)) return undefined
  return { businessId, live: mode === 'l', id: number, hash }
}
