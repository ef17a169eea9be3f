import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { clearingOf, postJournal, walletOf } from '../../ledger/ledger.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Minor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { SIMULATOR_CONNECTION } from '../../providers/providers.ts'
import { firstKey } from '../keys/service.ts'
import { protectedSettings } from './audit.ts'
import { insertBusiness, insertSettings, lockCreation } from './queries.ts'
import { type BusinessDetails, detailErrors, newRedirectSecret } from './service.ts'

export interface NewBusiness extends BusinessDetails {
  now: Date
}

/** The keys are only available here: the database stores their hashes. */
interface CreatedBusiness {
  businessId: number
  name: string
  reference: string
  keys: { testSecret: string; testPublic: string; liveSecret: string; livePublic: string }
}

/** The opening balance of a new business's test wallet: ₦1,000,000. */
const OPENING_MINOR: Minor = 1_000_000_00n

/**
 * Creates a business with a secret key and a public key for each mode, and money in its test
 * wallet. Throws 400 naming the invalid fields.
 */
export async function createBusiness(
  tx: Tx,
  { ids, keyring }: Pick<Deps, 'ids' | 'keyring'>,
  request: NewBusiness,
): Promise<CreatedBusiness> {
  const { now, email = null, phone = null, firstName = null, lastName = null } = request
  const name = request.name.trim()
  const faults = detailErrors({ ...request, name })
  if (Object.keys(faults).length > 0) throw invalid(faults)

  await lockCreation(tx)
  const businessId = await ids.next(tx)
  const reference = newReference('BUS')
  await insertBusiness(tx, {
    id: businessId,
    reference,
    name,
    email,
    phone,
    first_name: firstName,
    last_name: lastName,
    created_at: now,
  })
  const test = { businessId, live: false }
  const live = { businessId, live: true }
  for (const mode of [test, live]) {
    await insertSettings(tx, mode, await newRedirectSecret(tx, keyring, mode), now)
    await writeRowNote(tx, protectedSettings, mode, businessId)
  }
  const keys = {
    testSecret: await firstKey(tx, ids, test, 'secret', now),
    testPublic: await firstKey(tx, ids, test, 'public', now),
    liveSecret: await firstKey(tx, ids, live, 'secret', now),
    livePublic: await firstKey(tx, ids, live, 'public', now),
  }
  await fillTestWallet(tx, ids, businessId, now)
  return { businessId, name, reference, keys }
}

async function fillTestWallet(tx: Tx, ids: Ids, businessId: number, now: Date): Promise<void> {
  const currency = 'NGN'
  await postJournal(
    tx,
    ids,
    { businessId, live: false },
    {
      cause: { type: 'business', id: businessId },
      verb: 'fund',
      now,
      moves: [
        {
          debit: clearingOf(SIMULATOR_CONNECTION, currency),
          credit: walletOf(currency),
          amount_minor: OPENING_MINOR,
          kind: 'opening',
        },
      ],
    },
  )
}

/**
 * A local server keeps its test key in this file in order to show it again, because the database
 * only has hashes.
 */
const FILE = 'test-key'

const FIRST_NAME = 'My business'

/**
 * Creates one business on a new server, so that the first request needs no setup.
 *
 * Its test key (never a live key) is stored next to an embedded database, readable only by the
 * file's owner, so that it can be shown at every start. With a DATABASE_URL, nothing is written to
 * disk.
 */
export async function firstBusiness(
  db: Database,
  deps: Pick<Deps, 'ids' | 'keyring'>,
  dataDir: string,
  isEmbedded: boolean,
): Promise<{ isNew: boolean; testKey?: string }> {
  const created = await db.transaction(async (tx) => {
    await lockCreation(tx)
    // If two servers start on the same new database, the second waits here and then finds the
    // business.
    await tx.run`lock table businesses in share row exclusive mode`
    if (await tx.maybe`select 1 from businesses limit 1`) return undefined
    return createBusiness(tx, deps, { name: FIRST_NAME, now: new Date() })
  })
  const path = join(dataDir, FILE)
  if (!created) {
    const testKey = isEmbedded ? await readFile(path, 'utf8').catch(() => '') : ''
    return { isNew: false, ...(testKey && { testKey: testKey.trim() }) }
  }
  const testKey = created.keys.testSecret
  if (isEmbedded) {
    await writeFile(path, `${testKey}\n`, { mode: 0o600 })
    await chmod(path, 0o600)
  }
  return { isNew: true, testKey }
}
