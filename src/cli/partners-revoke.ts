import type { Command } from 'commander'
import { revokePartner } from '../resources/partners/service.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines } from './output.ts'

interface Options {
  json?: true
}

export function partnersRevoke(partners: Command): void {
  partners
    .command('revoke')
    .description('End a partner for good, and its tokens; running servers do within a second')
    .argument('<CLIENT_ID>', 'as partners list shows it')
    .option('--json', 'print its record as JSON')
    .addHelpText('after', '\nExample:\n  $ tradepost partners revoke pc_test_4fJ0aQx7Lk2Zr9TbWc1D')
    .action(revoke)
}

async function revoke(clientId: string, { json }: Options): Promise<void> {
  const record = await withDatabase(({ db, now }) =>
    db.transaction((tx) => revokePartner(tx, clientId, now)),
  )
  if (json) printJson(record)
  else printLines(`Partner ${record.name} (${record.clientId}) is revoked.`)
}
