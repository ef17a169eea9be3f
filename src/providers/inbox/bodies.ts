import type { EncryptedColumn } from '../../encryption/columns.ts'
import { selectBodies, updateBody } from './queries.ts'

export const aboutBody = (noticeId: number): string => `provider_notices.body ${noticeId}`

export const noticeBodies: EncryptedColumn = {
  name: 'provider_notices.body_encrypted',
  select: async (db, wanted) =>
    (await selectBodies(db, wanted)).map((row) => ({ ...row, about: aboutBody(row.id) })),
  update: updateBody,
}
