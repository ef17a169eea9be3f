import type { KeyObject } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'
import { decryptWith } from '../../encryption/cipher.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import {
  OLD_TOTP_BYTES,
  selectOldTotp,
  selectTotp,
  type TotpColumn,
  updateTotp,
} from './queries.ts'

/** The same for a pending app and the app that it becomes. */
export const aboutTotp = (personId: number): string => `people.totp ${personId}`

/** Decrypts the secret of an app. */
export const readTotp = (db: Db, keyring: Keyring, personId: number, value: Buffer) =>
  value.length === OLD_TOTP_BYTES
    ? readOld(db, `totp ${personId}`, value)
    : keyring.decrypt(db, aboutTotp(personId), value)

/** Decrypts a value that a version without the key ring encrypted with a key in the database. */
export async function readOld(db: Db, about: string, value: Buffer): Promise<string> {
  return decryptWith(await serverSecret(db, 'people'), about, value).toString('utf8')
}

function readWith(key: KeyObject, about: string, value: Buffer): string | undefined {
  try {
    return decryptWith(key, about, value).toString('utf8')
  } catch {
    return undefined
  }
}

const totpColumn = (column: TotpColumn): EncryptedColumn => ({
  name: `people.${column}`,
  select: async (db, wanted) =>
    (await selectTotp(db, column, wanted)).map((row) => ({ ...row, about: aboutTotp(row.id) })),
  update: (tx, row, value) => updateTotp(tx, column, row, value),
  old: {
    async select(db, limit) {
      const rows = await selectOldTotp(db, column, limit)
      const key = await serverSecret(db, 'people')
      return rows.map(({ value, ...row }) => {
        const text = readWith(key, `totp ${row.id}`, value)
        return { ...row, about: aboutTotp(row.id), text, value }
      })
    },
    update: (tx, { id, value: before }, value) =>
      updateTotp(tx, column, { id, value: before! }, value),
  },
})

/** In this order, because an app's secret moves from the first column to the second. */
export const personSecrets: readonly EncryptedColumn[] = [
  totpColumn('totp_pending'),
  totpColumn('totp_secret'),
]
