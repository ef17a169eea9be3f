import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { EncryptedRow, EncryptedValue, WantedValues } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'

export type SecretColumn = 'secret' | 'previous_secret'

const ENCRYPTED = {
  secret: sql`secret_encrypted`,
  previous_secret: sql`previous_secret_encrypted`,
}
const PLAIN = { secret: sql`secret_plain`, previous_secret: sql`previous_secret_plain` }

const KEY = sql`business_id as "businessId", live, id`
const isRow = ({ businessId, live, id }: EncryptedRow) =>
  sql`business_id = ${businessId} and live = ${live} and id = ${id}`

export const selectSecrets = (
  db: Db,
  column: SecretColumn,
  { keyId, after, limit }: WantedValues,
) =>
  db.many<EncryptedRow & { value: Buffer }>`
    select ${KEY}, ${ENCRYPTED[column]} as value from webhooks
    where (business_id, live, id) > (${after.businessId}, ${after.live}, ${after.id})
      and ${isEncryptedWith(ENCRYPTED[column], keyId)}
    order by business_id, live, id limit ${limit}`

export const updateEncrypted = (tx: Tx, column: SecretColumn, row: EncryptedValue, value: Buffer) =>
  tx.run`
    update webhooks set ${ENCRYPTED[column]} = ${value}
    where ${isRow(row)} and ${ENCRYPTED[column]} = ${row.value}`

export const selectOldSecrets = (db: Db, column: SecretColumn, limit: number) =>
  db.many<EncryptedRow & { text: string }>`
    select ${KEY}, ${PLAIN[column]} as text from webhooks
    where ${PLAIN[column]} is not null limit ${limit}`

/** A rotation may have replaced the old secret meanwhile. */
export const updateOldSecret = (
  tx: Tx,
  column: SecretColumn,
  row: EncryptedRow & { text: string },
  value: Buffer,
) =>
  tx.run`
    update webhooks set ${ENCRYPTED[column]} = ${value}, ${PLAIN[column]} = null
    where ${isRow(row)} and ${PLAIN[column]} = ${row.text}`
