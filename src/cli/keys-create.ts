import { type Command, Option } from 'commander'
import { addMs } from '../lib/clock.ts'
import { COLLECTIONS } from '../resources/keys/collections.ts'
import { createKey } from '../resources/keys/service.ts'
import { businessOf, businessOption, limitsOf, type Mode } from './keys.ts'
import { withDatabase } from './open.ts'
import { dim, printFields, printJson, printLines } from './output.ts'
import { readDurationMs, readList } from './values.ts'

interface Options {
  business?: number
  mode: Mode
  label?: string
  scopes?: string[]
  ip?: string[]
  expiresIn?: number
  json?: true
}

export function keysCreate(keys: Command): void {
  keys
    .command('create')
    .description('Make a secret key, which is shown once')
    .addOption(businessOption())
    .addOption(
      new Option('--mode <mode>', 'its mode').choices(['test', 'live']).default('test' as Mode),
    )
    .option('--label <text>', 'what it is for')
    .option('--scopes <list>', 'what it may do (everything)', readList)
    .option('--ip <list>', 'addresses and ranges that may use it (all)', readList)
    .option('--expires-in <time>', 'when it ends: 90d, 12h, 30m (never)', readDurationMs)
    .option('--json', 'print the key and its record as JSON')
    .addHelpText(
      'after',
      `
A scope is a collection with :read or :write, which contains :read. Collections:
  ${COLLECTIONS.slice(0, 10).join(', ')},
  ${COLLECTIONS.slice(10).join(', ')}

Examples:
  $ tradepost keys create --label shop
  $ tradepost keys create --scopes invoices:write,wallet:read --expires-in 90d
  $ tradepost keys create --mode live --ip 203.0.113.7,198.51.100.0/24`,
    )
    .action(create)
}

async function create(options: Options): Promise<void> {
  const { business, mode, label, scopes, ip: allowedIps, expiresIn, json } = options
  const { key, record } = await withDatabase(async ({ db, ids, now }) => {
    const tenant = { businessId: await businessOf(db, business), live: mode === 'live' }
    const request = {
      ...(label !== undefined && { label }),
      ...(scopes && { scopes }),
      ...(allowedIps && { allowedIps }),
      ...(expiresIn !== undefined && { expiresAt: addMs(now, expiresIn) }),
    }
    return db.transaction((tx) => createKey(tx, ids, tenant, request, now))
  })
  if (json) {
    printJson({ key, ...record })
    return
  }
  printLines(`Key ${record.id} of business ${record.businessId}, shown this once:`)
  printFields({ key, 'may do': limitsOf(record) })
  printLines(dim('Keep it on your server: never in a browser, an app or a repository.'))
}
