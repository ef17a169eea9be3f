import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { cachedBriefly } from '../brief-cache.ts'
import type { Credentials, Notices } from '../connector/http-connector.ts'
import type { ProviderName } from '../connector/types.ts'
import { type CredentialDeps, credentialsOf, findCredentials } from '../credentials.ts'
import { selectAccount } from './queries.ts'

/** What each provider's notifications look like. */
export type NoticeReaders = Readonly<Partial<Record<ProviderName, Notices>>>

/** A connection, as far as its notifications are concerned. */
export interface Account extends Tenant {
  connectionId: number
  isRemoved: boolean
  notices: Notices
  credentials: Credentials
}

/**
 * Returns a function that finds a connection by the token in its URL. It also remembers for a
 * second that there is none.
 */
export function openAccounts(deps: CredentialDeps, readers: NoticeReaders) {
  const accounts = cachedBriefly((token: string, tx: Db | undefined) =>
    findAccount({ ...deps, db: tx ?? deps.db }, readers, token),
  )
  return async (token: string): Promise<Account | undefined> =>
    TOKEN.test(token) ? accounts.get(token, token) : undefined
}

/** Anything else is nobody's, and the database could not even compare some of it. */
const TOKEN = /^[\w-]{1,64}$/

async function findAccount(
  deps: Omit<CredentialDeps, 'db'> & { db: Db },
  readers: NoticeReaders,
  token: string,
): Promise<Account | undefined> {
  const row = await selectAccount(deps.db, token, deps.clock.now())
  const notices = row && readers[row.provider]
  if (!row || row.business_id === null || !notices) return undefined
  const { connection_id: connectionId, business_id: businessId, live } = row
  const isRemoved = row.status === 'Removed'
  const credentials = isRemoved ? credentialsOf({}) : await findCredentials(deps, connectionId)
  return { businessId, live, connectionId, isRemoved, notices, credentials }
}
