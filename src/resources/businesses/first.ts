import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { createBusiness } from './create.ts'

/**
 * Where a laptop's test key is kept: keys are stored as hashes only, and this one is shown again.
 */
const FILE = 'test-key'

/** What it is called until somebody gives it a name. */
export const FIRST_NAME = 'My business'

/**
 * A new server begins with one business, so that the first request needs no set-up.
 *
 * Its test key (never a live one) is kept beside an embedded database, readable by its owner alone,
 * so that each start can show it. With a DATABASE_URL nothing is written to disk.
 */
export async function firstBusiness(
  db: Database,
  ids: Ids,
  dataDir: string,
  isEmbedded: boolean,
): Promise<{ isNew: boolean; testKey?: string }> {
  const created = await db.transaction(async (tx) => {
    // Two servers may start on one new database: the second waits here and then finds it made.
    await tx.run`lock table businesses in share row exclusive mode`
    if (await tx.maybe`select 1 from businesses limit 1`) return undefined
    return createBusiness(tx, ids, { name: FIRST_NAME, now: new Date() })
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
