import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openConfigured } from '../db/connect.ts'
import { quietLog, refuseMissing } from './open.ts'
import { printJson, printLines, terminal } from './output.ts'

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Update the database for this version, then exit')
    .option('--json', 'print {applied} as JSON: the names of the migrations that were applied')
    .addHelpText(
      'after',
      `
Servers and all other commands do this too before they use the database. This command lets you do
it in a separate step, before you replace the servers. It waits up to a minute for DATABASE_URL to
accept connections, and can create the tables there. Running it again changes nothing.

Examples:
  $ tradepost migrate
  $ tradepost migrate --json`,
    )
    .action(run)
}

const DATABASE_WAIT_MS = 60_000

async function run({ json }: { json?: true }): Promise<void> {
  const config = readConfig(terminal().env)
  // A new embedded database would only hide a wrong DATA_DIR.
  if (!config.DATABASE_URL) await refuseMissing(config)
  const { applied, stop } = await openConfigured(config, quietLog, { waitMs: DATABASE_WAIT_MS })
  await stop()
  if (json) printJson({ applied })
  else if (applied.length === 0) printLines('The database is already up to date.')
  else printLines(...applied.map((name) => `Applied ${name}.`))
}
