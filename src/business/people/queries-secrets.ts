import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { EncryptedRow, WantedValues } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'

export type TotpColumn = 'totp_secret' | 'totp_pending'

const COLUMNS: Record<TotpColumn, Sql> = {
  totp_secret: sql`totp_secret`,
  totp_pending: sql`totp_pending`,
}

/** A nonce, a tag and the secret's 32 characters. Newer values are five bytes longer. */
export const OLD_TOTP_BYTES = 60

/** People belong to no business. */
const KEY = sql`0 as "businessId", false as live, id`

type TotpRow = EncryptedRow & { value: Buffer }

export const selectTotp = (db: Db, column: TotpColumn, { keyId, after, limit }: WantedValues) =>
  db.many<TotpRow>`
    select ${KEY}, ${COLUMNS[column]} as value from people
    where id > ${after.id} and ${isEncryptedWith(COLUMNS[column], keyId)}
      and octet_length(${COLUMNS[column]}) <> ${OLD_TOTP_BYTES}
    order by id limit ${limit}`

export const selectOldTotp = (db: Db, column: TotpColumn, limit: number) =>
  db.many<TotpRow>`
    select ${KEY}, ${COLUMNS[column]} as value from people
    where octet_length(${COLUMNS[column]}) = ${OLD_TOTP_BYTES} limit ${limit}`

/** Encrypts the same secret again, so that it is still the same app. */
export const updateTotp = (
  tx: Tx,
  column: TotpColumn,
  { id, value: before }: Pick<TotpRow, 'id' | 'value'>,
  value: Buffer,
) =>
  tx.run`
    update people set ${COLUMNS[column]} = ${value}
    where id = ${id} and ${COLUMNS[column]} = ${before}`
