import type { Command } from 'commander'
import { ENCRYPTED_COLUMNS } from '../app/encrypted.ts'
import { type Rekeyed, rekey } from '../encryption/rekey.ts'
import { type ServerKeys, serverKeysOf } from '../encryption/server-keys.ts'
import { withDatabase } from './open.ts'
import { dim, printFields, printJson, printLines } from './output.ts'

export function rekeyCommand(program: Command): void {
  program
    .command('rekey')
    .description('Replace the encryption keys while servers keep running')
    .option('--json', 'print {isContinued, before, now, values} as JSON')
    .addHelpText(
      'after',
      `
Encrypts every secret in the database again with a new key. If the key is in a file, a new key is
added to the file first. Otherwise, first put a new key before the old one on every server, and
restart the servers one after another:
  TRADEPOST_ENCRYPTION_KEY=NEW,OLD

If the command is interrupted, run it again: it continues. Afterwards, remove the old key. Keep a
copy of it for as long as you keep backups from before.

Examples:
  $ tradepost rekey
  $ TRADEPOST_ENCRYPTION_KEY=$NEW,$OLD tradepost rekey --json`,
    )
    .action(run)
}

/** Long enough for a request that has just encrypted a secret to end. */
const LOCK_MS = 30_000

async function run({ json }: { json?: true }): Promise<void> {
  const { done, serverKeys } = await withDatabase(
    async ({ config, db, keyring }) => {
      const serverKeys = serverKeysOf(config)
      return { done: await rekey(db, keyring, serverKeys, ENCRYPTED_COLUMNS), serverKeys }
    },
    { lockMs: LOCK_MS },
  )
  if (json) printJson(done)
  else show(done, serverKeys)
}

function show({ isContinued, before, now, values }: Rekeyed, { source }: ServerKeys): void {
  printLines(
    isContinued
      ? 'Continued an interrupted run. Encrypted again with the new key:'
      : 'Encrypted again with a new key:',
  )
  printFields(Object.fromEntries(Object.entries(values).map(([name, n]) => [name, String(n)])))
  printLines(
    ...(before === now
      ? [
          `The server's own key is still ${now}. To replace it too, put a new key before it in`,
          `${source}, restart every server, and run this command again.`,
        ]
      : [
          `The server's key is now ${now}. Nothing in the database needs ${before} any more:`,
          `remove it from ${source}, where it comes second.`,
          dim('Backups from before still need it, so keep a copy for as long as you keep them.'),
        ]),
  )
}
