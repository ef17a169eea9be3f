import type { EncryptedColumn } from '../encryption/columns.ts'
import { selectLinks, updateLink } from './queries.ts'

/** A link's token belongs to the recipient. */
export const aboutLink = (address: string): string => `mails.link ${address}`

export const emailLinks: EncryptedColumn = {
  name: 'mails.link_encrypted',
  select: async (db, wanted) =>
    (await selectLinks(db, wanted)).map(({ to_address, ...row }) => ({
      ...row,
      about: aboutLink(to_address),
    })),
  update: updateLink,
}
