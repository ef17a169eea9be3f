import type { Tenant } from '../../../lib/caller.ts'
import type { MediaRow } from './queries.ts'

/** Where pictures are, below the address of the server. */
export const MEDIA = '/media/'

/** A picture as the API shows it (docs/CONTRACT.md, Products). */
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

/** Names a picture's row and, by its content, which of its files: one name shows one thing. */
export interface MediaName extends Tenant {
  id: number
  /** 132 bits of the SHA-256, which only those know who have the file or were given the name. */
  hash: string
}

const HASH_LENGTH = 22

export const hashOf = (sha256: Buffer): string => sha256.toString('base64url').slice(0, HASH_LENGTH)

const printMediaName = ({ businessId, live, id, hash }: MediaName): string =>
  `${businessId.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}-${hash}`

/** How every address of a picture begins, whichever of its files it names. */
export const beginningOf = ({ business_id, live, id }: MediaRow): string =>
  `${MEDIA}${printMediaName({ businessId: business_id, live, id, hash: '' })}`

const NAME = /^([0-9a-z]{1,11}?)([lt])-([0-9a-z]{1,11})-([\w-]{22})$/

/** Undefined for what is no name of ours. */
export function parseMediaName(name: string): MediaName | undefined {
  const [, business = '', mode, id = '', hash] = NAME.exec(name) ?? []
  if (!hash) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  if (!Number.isSafeInteger(businessId) || !Number.isSafeInteger(number)) return undefined
  return { businessId, live: mode === 'l', id: number, hash }
}
