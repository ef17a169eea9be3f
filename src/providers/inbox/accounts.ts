import type { Database, Db } from '../../db/database.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Clock } from '../../lib/clock.ts'
import { cachedBriefly } from '../brief-cache.ts'
import type { Credentials, Notices } from '../connector/http-connector.ts'
import type { ProviderName } from '../connector/types.ts'
import { selectAccepted, selectAccount } from './queries.ts'

/** What each provider's notifications look like. */
export type NoticeReaders = Readonly<Partial<Record<ProviderName, Notices>>>

/** A connection, as far as its notifications are concerned. */
export interface Account extends Tenant {
  connectionId: number
  isRemoved: boolean
  notices: Notices
  credentials: Credentials
}

export interface AccountDeps {
  db: Database
  clock: Clock
  keyring: Keyring
}

/** What a credential was encrypted about. */
export const aboutCredential = (connectionId: number, name: string, version: number): string =>
  `provider_credentials.encrypted ${connectionId} ${name} ${version}`

/**
 * Returns a function that finds a connection by the token in its URL. It also remembers for a
 * second that there is none.
 */
export function openAccounts(deps: AccountDeps, readers: NoticeReaders) {
  const accounts = cachedBriefly((token: string, tx: Db | undefined) =>
    findAccount({ ...deps, db: tx ?? deps.db }, readers, token),
  )
  return (token: string): Promise<Account | undefined> => accounts.get(token, token)
}

async function findAccount(
  { db, clock, keyring }: Omit<AccountDeps, 'db'> & { db: Db },
  readers: NoticeReaders,
  token: string,
): Promise<Account | undefined> {
  const row = await selectAccount(db, token)
  const notices = row && readers[row.provider]
  if (!row || row.business_id === null || !notices) return undefined
  const { connection_id: connectionId, business_id: businessId, live } = row
  const isRemoved = row.status === 'Removed'
  const rows = isRemoved ? [] : await selectAccepted(db, connectionId, clock.now())
  const values = await Promise.all(
    rows.map(async ({ name, version, encrypted }) => {
      const value = await keyring.decrypt(
        db,
        aboutCredential(connectionId, name, version),
        encrypted,
      )
      return { name, value }
    }),
  )
  const accepted = (name: string) =>
    values.filter((one) => one.name === name).map(({ value }) => value)
  const credentials: Credentials = {
    accepted,
    current(name) {
      const [value] = accepted(name)
      if (value === undefined) throw new Error(`The connection ${connectionId} has no ${name}`)
      return value
    },
  }
  return { businessId, live, connectionId, isRemoved, notices, credentials }
}
