import { sql } from '../../../db/sql.ts'
import type { AuditCheck } from '../../../ledger/audit.ts'

export const mediaChecks: readonly AuditCheck[] = [
  {
    name: 'media-contents',
    what: 'an image’s recorded size matches its content, and the image is Ready once re-encoded',
    table: 'product_media',
    sql: sql`
      select m.business_id, m.live, m.id, format(
        'it is %s and recorded with %s bytes, but its content has %s',
        m.status, m.bytes, b.bytes) as problem
      from product_media m
      join blobs b on (b.business_id, b.live, b.sha256)
        = (m.business_id, m.live, coalesce(m.picture_sha256, m.original_sha256))
      where m.bytes <> b.bytes or (m.status = 'Ready') <> (m.picture_sha256 is not null)`,
  },
  {
    name: 'media-positions',
    what: 'the images of a product or variant are numbered from 1, and the first is primary',
    table: 'product_media',
    sql: sql`
      select business_id, live, id,
        format('its position is %s instead of %s%s', position, expected,
          case when is_primary then ', and it is primary' else '' end) as problem
      from (
        select business_id, live, id, position, is_primary, row_number() over (
          partition by business_id, live, product_id, variant_id order by position) as expected
        from product_media where product_id is not null
      ) as m
      where position <> expected or is_primary <> (expected = 1)`,
  },
  {
    name: 'media-blobs',
    what: 'unreferenced content is scheduled for removal',
    table: 'blobs',
    sql: sql`
      select b.business_id, b.live, encode(b.sha256, 'hex') as id,
        'it is unreferenced but not scheduled for removal' as problem
      from blobs b
      left join (
        select business_id, live, original_sha256 as sha256 from product_media
        union select business_id, live, picture_sha256 from product_media
        union select business_id, live, thumbnail_sha256 from product_media
        union select business_id, live, sha256 from digital_files
        union select business_id, live, logo_sha256 from business_branding
        union select business_id, live, sha256 from dispute_files
      ) as r using (business_id, live, sha256)
      where r.sha256 is null and b.release_at is null`,
  },
]
