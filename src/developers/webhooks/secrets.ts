import type { KeyObject } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import {
  type SecretColumn,
  selectOldSecrets,
  selectSecrets,
  updateEncrypted,
  updateOldSecret,
} from './queries.ts'
import type { ClaimedRow } from './queries-deliver.ts'
import { signingKeyOf } from './send.ts'

/** The same for both secrets of an endpoint, because a rotation moves one to the other. */
export const aboutSecret = (webhookId: number): string => `webhooks.secret ${webhookId}`

/** The keys with which a delivery is signed. */
export interface SigningKeys {
  secret: KeyObject
  previous: KeyObject | undefined
}

const KEYS_MAX = 10_000

/**
 * Decrypts endpoints' secrets. Keeps the keys, because decrypting a secret and creating its key
 * take several times as long as signing with it.
 */
export function openSigningKeys(db: Db, keyring: Keyring) {
  const keys = new Map<string, KeyObject>()

  async function keyOf(
    webhookId: number,
    encrypted: Buffer | null,
    plain: string | null,
  ): Promise<KeyObject | undefined> {
    if (!encrypted) return plain === null ? undefined : signingKeyOf(plain)
    const name = `${webhookId} ${encrypted.toString('latin1')}`
    const known = keys.get(name)
    if (known) return known
    const key = signingKeyOf(await keyring.decrypt(db, aboutSecret(webhookId), encrypted))
    if (keys.size >= KEYS_MAX) keys.clear()
    keys.set(name, key)
    return key
  }

  /** Throws if the endpoint has been deleted meanwhile. */
  return async function signingKeysOf(claim: ClaimedRow): Promise<SigningKeys> {
    const { webhook_id: id } = claim
    const secret = await keyOf(id, claim.secret_encrypted, claim.secret_plain)
    if (!secret) throw new Error(`the endpoint ${id} has no secret`)
    const { previous_secret_encrypted, previous_secret_plain } = claim
    return { secret, previous: await keyOf(id, previous_secret_encrypted, previous_secret_plain) }
  }
}

const named = <T extends { id: number }>(row: T) => ({ ...row, about: aboutSecret(row.id) })

const columnOf = (column: SecretColumn): EncryptedColumn => ({
  name: `webhooks.${column}_encrypted`,
  select: async (db, wanted) => (await selectSecrets(db, column, wanted)).map(named),
  update: (tx, row, value) => updateEncrypted(tx, column, row, value),
  old: {
    select: async (db, limit) => (await selectOldSecrets(db, column, limit)).map(named),
    update: (tx, row, value) => updateOldSecret(tx, column, row, value),
  },
})

export const webhookSecrets: readonly EncryptedColumn[] = [
  columnOf('secret'),
  columnOf('previous_secret'),
]
