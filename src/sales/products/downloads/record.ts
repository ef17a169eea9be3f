import { Type } from 'typebox'
import { idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../../db/personal-data.ts'
import { sql } from '../../../db/sql.ts'
import { kindsOf } from '../../../events/catalogue.ts'
import { Nullable, NullableTimestamp, Timestamp } from '../../../lib/schemas.ts'
import { printToken } from '../../../lib/tokens.ts'
import type { GrantRow } from './queries.ts'

/** Returns a download as its events show it. */
export const grantRecord = (row: GrantRow, publicUrl: string) => ({
  id: row.id,
  reference: row.file_reference,
  status: row.revoked_at ? 'Revoked' : 'Active',
  digitalDownloadFileId: String(row.file_id),
  productId: String(row.product_id),
  name: row.name,
  bytes: row.bytes,
  url: grantUrl(row, publicUrl),
  customerEmail: row.customer_email,
  downloads: row.downloads,
  maxDownloads: row.max_downloads,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
})

export const grantUrl = ({ business_id, live, id, secret }: GrantRow, publicUrl: string): string =>
  `${publicUrl}/d/${printToken({ businessId: business_id, live, id, secret })}`

const text = Type.String()
const whole = Type.Integer()

const GrantRecord = Type.Object({
  id: whole,
  reference: Type.String({ description: 'The file’s reference.' }),
  status: Type.String({ description: 'Active or Revoked.' }),
  digitalDownloadFileId: text,
  productId: text,
  name: text,
  bytes: whole,
  url: Type.String({ description: 'The buyer’s download link.' }),
  customerEmail: Nullable(text),
  downloads: Type.Integer({ description: 'The number of downloads by this buyer.' }),
  maxDownloads: Nullable(whole),
  expiresAt: NullableTimestamp,
  revokedAt: NullableTimestamp,
  createdAt: Timestamp,
})

const example = {
  id: 41220,
  reference: 'DDF_8mG2zO7cJh1uX6nIe9Ad',
  status: 'Active',
  digitalDownloadFileId: '40610',
  productId: '40600',
  name: 'Pattern.pdf',
  bytes: 482133,
  url: 'https://pay.example.com/d/1tr9c-Pq4mZ8w2',
  customerEmail: 'ada@example.com',
  downloads: 0,
  maxDownloads: 5,
  expiresAt: '2026-11-09T14:02:10.550Z',
  revokedAt: null,
  createdAt: '2026-11-02T14:02:10.550Z',
}

export const downloadEvents = kindsOf(
  { object: 'download', schema: GrantRecord, example },
  {
    'download.granted': ['A buyer received a download link for a digital file.'],
    'download.accessed': ['A buyer downloaded a digital file.', { downloads: 1 }],
    'download.revoked': [
      'A buyer’s download link was revoked because the file was deleted or the order was refunded.',
      { status: 'Revoked', revokedAt: '2026-11-04T08:20:03.902Z' },
    ],
  },
)

export const downloadPersonalData: PersonalData = {
  name: 'downloads',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`download_grants`,
      match: sql`(${isOfCustomer(customer)}
        or cause_id = any(${idsOf(found, 'orders')}::bigint[]))`,
    }),
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update download_grants set customer_email = case when customer_email is not null
        then ${pseudonym} end
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
