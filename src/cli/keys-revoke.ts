import type { Command } from 'commander'
import { revokeKey } from '../resources/keys/service.ts'
import { businessOf, businessOption, keyOf } from './keys.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines } from './output.ts'

interface Options {
  business?: number
  json?: true
}

export function keysRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('End a key for good; running servers refuse it within a second')
    .argument('<KEY>', 'its id or reference, as keys list shows it')
    .addOption(businessOption())
    .option('--json', 'print its record as JSON')
    .addHelpText('after', '\nExample:\n  $ tradepost keys revoke 104')
    .action(revoke)
}

async function revoke(named: string, { business, json }: Options): Promise<void> {
  const record = await withDatabase(async ({ db, ids, now }) => {
    const { tenant, keyId } = await keyOf(db, await businessOf(db, business), named, now)
    return db.transaction((tx) => revokeKey(tx, ids, tenant, keyId, now))
  })
  if (json) printJson(record)
  else printLines(`Key ${record.id} (${record.hint}) is revoked.`)
}
