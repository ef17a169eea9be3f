import { type Command, Option } from 'commander'
import { listBusinesses } from '../business/account/service.ts'
import type { KeyRecord } from '../business/keys/record.ts'
import { createKey, GRACE_HOURS, listKeys, revokeKey, rotateKey } from '../business/keys/service.ts'
import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { COLLECTIONS } from '../lib/scopes.ts'
import { withDatabase } from './open.ts'
import {
  dim,
  formatTimestamp,
  printFields,
  printJson,
  printLines,
  printList,
  UsageError,
} from './output.ts'
import { readDurationMs, readHours, readId, readList } from './values.ts'

type Mode = 'test' | 'live'

export const businessOption = (what = 'business that owns the keys') =>
  new Option('--business <ID>', `${what}; required when there are several businesses`).argParser(
    readId,
  )

export function keysCommands(program: Command): void {
  const keys = program.command('keys').description('Manage a business’s secret keys')
  keysList(keys)
  keysCreate(keys)
  keysRevoke(keys)
  keysRotate(keys)
}

/** Returns the given business or, if none is given, the only one. */
export async function businessOf(db: Db, named: number | undefined): Promise<number> {
  const businesses = await listBusinesses(db)
  const [only, another] = businesses.filter(
    ({ businessId }) => named === undefined || businessId === named,
  )
  if (only && !another) return only.businessId
  if (another)
    throw new UsageError(
      'there are several businesses; choose one with --business ID (see tradepost business list)',
    )
  if (named !== undefined)
    throw new Error(`there is no business ${named}; see tradepost business list`)
  throw new Error('there are no businesses yet; create one with tradepost business create NAME')
}

/** Finds a key by its id or its reference, in either mode. */
async function keyOf(
  db: Db,
  businessId: number,
  named: string,
  now: Date,
): Promise<{ tenant: Tenant; keyId: number }> {
  for (const live of [false, true]) {
    const tenant = { businessId, live }
    const keys = await listKeys(db, tenant, now)
    const found = keys.find(({ id, reference }) => String(id) === named || reference === named)
    if (found) return { tenant, keyId: found.id }
  }
  throw new Error(`business ${businessId} has no key ${named}; see tradepost keys list`)
}

/** Describes what a key can do, and when it expires. */
function limitsOf({ scopes, allowedIps, expiresAt }: KeyRecord): string {
  const limits = [scopes?.join(','), allowedIps.length > 0 && `from ${allowedIps.join(',')}`]
  if (expiresAt) limits.push(`until ${expiresAt.toISOString().slice(0, 16)}Z`)
  return limits.filter(Boolean).join(' ') || 'everything'
}

interface Options {
  business?: number
  mode: Mode
  label?: string
  scopes?: string[]
  ip?: string[]
  expiresIn?: number
  json?: true
}

function keysCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create a secret key, which is shown once')
    .addOption(businessOption())
    .addOption(
      new Option('--mode <mode>', 'mode of the key')
        .choices(['test', 'live'])
        .default('test' as Mode),
    )
    .option('--label <text>', 'what the key is for')
    .option('--scopes <list>', 'what the key can do (default: everything)', readList)
    .option('--ip <list>', 'IP addresses and ranges that can use the key (default: all)', readList)
    .option(
      '--expires-in <time>',
      'when the key expires, such as 90d, 12h or 30m (default: never)',
      readDurationMs,
    )
    .option('--json', 'print the key and its record as JSON')
    .addHelpText(
      'after',
      `
A scope is a collection with :read or :write. :write includes :read. Collections:
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
  printLines(`Key ${record.id} of business ${record.businessId} is shown only once:`)
  printFields({ key, scopes: limitsOf(record) })
  printLines(dim('Keep it on your server, never in a browser, an app or a repository.'))
}

interface ListOptions {
  business?: number
  mode?: Mode
  json?: true
}

function keysList(keys: Command): void {
  keys
    .command('list')
    .description('List a business’s keys, without the secrets')
    .addOption(businessOption())
    .addOption(new Option('--mode <mode>', 'only this mode').choices(['test', 'live']))
    .option('--json', 'print JSON')
    .action(list)
}

async function list({ business, mode, json }: ListOptions): Promise<void> {
  const modes = [false, true].filter((live) => !mode || live === (mode === 'live'))
  const keys = await withDatabase(async ({ db, now }) => {
    const businessId = await businessOf(db, business)
    const lists = await Promise.all(modes.map((live) => listKeys(db, { businessId, live }, now)))
    return lists.flat()
  })
  printList(keys, {
    json,
    columns: {
      ID: ({ id }) => String(id),
      KEY: ({ hint }) => hint,
      STATUS: ({ status }) => status,
      LABEL: ({ label }) => label ?? '-',
      SCOPES: (key) => (key.type === 'public' ? '-' : limitsOf(key)),
      'LAST USED': ({ lastUsedAt }) => formatTimestamp(lastUsedAt),
    },
  })
}

interface RevokeOptions {
  business?: number
  json?: true
}

function keysRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('Revoke a key permanently; running servers refuse it within a second')
    .argument('<KEY>', 'id or reference from keys list')
    .addOption(businessOption())
    .option('--json', 'print the record as JSON')
    .addHelpText('after', '\nExample:\n  $ tradepost keys revoke 104')
    .action(revoke)
}

async function revoke(named: string, { business, json }: RevokeOptions): Promise<void> {
  const record = await withDatabase(async ({ db, ids, now }) => {
    const { tenant, keyId } = await keyOf(db, await businessOf(db, business), named, now)
    return db.transaction((tx) => revokeKey(tx, ids, tenant, keyId, now))
  })
  if (json) printJson(record)
  else printLines(`Key ${record.id} (${record.hint}) was revoked.`)
}

interface RotateOptions {
  business?: number
  graceHours: number
  json?: true
}

function keysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Replace a key with a new one that has the same permissions and is shown once')
    .argument('<KEY>', 'id or reference from keys list')
    .addOption(businessOption())
    .option(
      '--grace-hours <hours>',
      `how long the old key keeps working, 0 to ${GRACE_HOURS.most}`,
      readHours,
      GRACE_HOURS.default,
    )
    .option('--json', 'print the new key, its record and the old record as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost keys rotate 104
  $ tradepost keys rotate 104 --grace-hours 0    (disable a leaked key now)`,
    )
    .action(rotate)
}

async function rotate(named: string, { business, graceHours, json }: RotateOptions): Promise<void> {
  const { key, record, replaced } = await withDatabase(async ({ db, ids, now }) => {
    const { tenant, keyId } = await keyOf(db, await businessOf(db, business), named, now)
    return db.transaction((tx) => rotateKey(tx, ids, tenant, keyId, graceHours, now))
  })
  if (json) {
    printJson({ key, ...record, replaced })
    return
  }
  const end = replaced.revokedAt
    ? 'has expired'
    : `expires at ${formatTimestamp(replaced.expiresAt)}`
  printLines(
    `Key ${record.id} replaces ${replaced.id}, which ${end}. The new key is shown only once:`,
  )
  printFields({ key, scopes: limitsOf(record) })
  printLines(dim('Keep it on your server, never in a browser, an app or a repository.'))
}
