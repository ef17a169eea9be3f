import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Tenant } from '../../lib/caller.ts'
import {
  type SettingsRow,
  selectOldSecrets,
  selectRedirectSecrets,
  selectSettings,
  updateOldSecret,
  updateRedirectSecret,
} from './queries.ts'

const aboutOf = ({ businessId, live }: Tenant) =>
  `business_settings.redirect_secret ${businessId} ${live ? 'live' : 'test'}`

export const newRedirectSecret = (tx: Tx, keyring: Keyring, tenant: Tenant): Promise<Buffer> =>
  keyring.encrypt(tx, aboutOf(tenant), `rsec_${randomBytes(32).toString('hex')}`)

/** Returns the secret used to sign the URLs that payers return to. */
export const redirectSecretOf = async (db: Db, keyring: Keyring, tenant: Tenant) =>
  readRedirectSecret(db, keyring, tenant, await selectSettings(db, tenant))

export async function readRedirectSecret(
  db: Db,
  keyring: Keyring,
  tenant: Tenant,
  row: Pick<SettingsRow, 'redirect_secret_encrypted' | 'redirect_secret_plain'>,
): Promise<string> {
  const { redirect_secret_encrypted: encrypted, redirect_secret_plain: plain } = row
  return encrypted ? keyring.decrypt(db, aboutOf(tenant), encrypted) : plain!
}

const named = <T extends Tenant>(row: T) => ({ ...row, about: aboutOf(row) })

export const redirectSecrets: EncryptedColumn = {
  name: 'business_settings.redirect_secret_encrypted',
  select: async (db, wanted) => (await selectRedirectSecrets(db, wanted)).map(named),
  update: updateRedirectSecret,
  old: {
    select: async (db, limit) => (await selectOldSecrets(db, limit)).map(named),
    update: updateOldSecret,
  },
}
