import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { openPeople } from '../app/console.ts'
import { listBusinesses } from '../business/account/service.ts'
import { type Change, OPERATOR } from '../business/audit-log/log.ts'
import { type ConnectionRecord, recordOf } from '../business/providers/record.ts'
import { routeRecord, setRoute } from '../business/providers/routing.ts'
import { SERVICES } from '../business/providers/schemas.ts'
import {
  changeDetails,
  connect,
  listConnections,
  type ProviderDeps,
  pause,
  remove,
  replaceCredentials,
  requireConnection,
  resume,
  testConnection,
} from '../business/providers/service.ts'
import { publicUrlOf } from '../config.ts'
import type { Db } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { bankListJob } from '../providers/bank-lists.ts'
import { openCalls } from '../providers/calls/calls.ts'
import { type StoredConnection, selectTenantOf } from '../providers/connections.ts'
import type { Service } from '../providers/connector/types.ts'
import { selectKnownCredentials } from '../providers/credentials.ts'
import { openHttpProviders } from '../providers/http-provider.ts'
import { itemListJob } from '../providers/item-lists.ts'
import { openProviders } from '../providers/providers.ts'
import { HTTP_CONNECTORS, type HttpProviderName } from '../providers/registry.ts'
import { businessOf, businessOption } from './keys.ts'
import { type CommandContext, quietLog, withDatabase } from './open.ts'
import {
  dim,
  EXIT,
  printFields,
  printJson,
  printLines,
  printList,
  terminal,
  UsageError,
} from './output.ts'
import { readHours, readId, readList, readNaira, readWhole } from './values.ts'

type Mode = 'test' | 'live'

export function providersCommands(program: Command): void {
  const providers = program
    .command('providers')
    .description('Connect businesses to payment providers')
  providersConnect(providers)
  providersList(providers)
  providersTest(providers)
  providersRoute(providers)
  providersRotate(providers)
  providersFees(providers)
  simpleCommand(providers, 'pause', 'Send nothing new through a connection', pause)
  simpleCommand(
    providers,
    'resume',
    'Use a paused connection again, or one that was not ready',
    resume,
  )
  providersRemove(providers)
}

// ----------------------------------------------------------------------------------- opening

interface Opened extends CommandContext {
  deps: ProviderDeps
  publicUrl: string
  /** Reads the lists of new connections, which a server only does once an hour. */
  readLists(): Promise<void>
  shown(row: StoredConnection): Promise<ConnectionRecord>
}

const NOBODY_LISTENS = () => {}

/**
 * Runs `work` with what the dashboard's routes have, too. The operator can use any URL of this
 * machine.
 */
function withProviders<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  return withDatabase(async (opened) => {
    const { config, db, ids, keyring, now } = opened
    const clock = systemClock
    const calls = openCalls({ db, ids, clock, log: quietLog })
    const httpProviders = openHttpProviders({ db, keyring, clock }, calls)
    const { bind } = httpProviders
    const providers = openProviders(db, {
      paystack: bind(HTTP_CONNECTORS.paystack),
      flutterwave: bind(HTTP_CONNECTORS.flutterwave),
    })
    const publicUrl = publicUrlOf(config)
    const people = openPeople({ ids, clock, nudge: NOBODY_LISTENS })
    const baseUrls = { allowsLoopback: true, hosts: config.PROVIDER_HOSTS }
    const deps = { db, ids, keyring, httpProviders, people, baseUrls, nudge: NOBODY_LISTENS }
    try {
      return await work({
        ...opened,
        deps,
        publicUrl,
        async readLists() {
          const reading = { providers, log: quietLog }
          for (const job of [bankListJob(reading), itemListJob(reading)]) {
            await job.run(db, now, undefined)
          }
        },
        shown: async (row) =>
          recordOf(row, await selectKnownCredentials(db, [row.connection_id], now), publicUrl),
      })
    } finally {
      httpProviders.close()
    }
  })
}

/** Finds a connection by its id, whatever its business and mode. */
async function changeOf(db: Db, id: number, now: Date): Promise<Change> {
  const tenant = await selectTenantOf(db, id)
  if (!tenant) throw new Error(`there is no connection ${id}; see tradepost providers list`)
  return { ...tenant, actor: OPERATOR, now }
}

async function secretIn(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code})`)
  })
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

interface SecretFiles {
  secretKeyFile?: string
  webhookSecretFile?: string
}

/** The secret hash can also be the second line of the secret key's file. */
async function credentialsIn(
  provider: string,
  { secretKeyFile, webhookSecretFile }: SecretFiles,
): Promise<Record<string, string>> {
  const [key, second] = secretKeyFile ? await secretIn(secretKeyFile) : []
  if (secretKeyFile && !key) throw new Error(`${secretKeyFile} is empty`)
  if (webhookSecretFile && provider !== 'flutterwave') {
    throw new UsageError('--webhook-secret-file is only for Flutterwave')
  }
  const [given] = webhookSecretFile ? await secretIn(webhookSecretFile) : []
  if (webhookSecretFile && !given) throw new Error(`${webhookSecretFile} is empty`)
  const hash = given ?? second
  return {
    ...(key && { secret_key: key }),
    ...(hash && provider === 'flutterwave' && { secret_hash: hash }),
  }
}

const modeOption = () =>
  new Option('--mode <mode>', 'mode of the connection').choices(['test', 'live'])

// ------------------------------------------------------------------------------------ connect

interface ConnectOptions extends SecretFiles {
  business?: number
  mode: Mode
  name?: string
  baseUrl?: string
  json?: true
}

function providersConnect(providers: Command): void {
  providers
    .command('connect')
    .description('Connect a business to its account with a provider, and use it')
    .argument('<PROVIDER>', 'paystack or flutterwave', readProvider)
    .addOption(businessOption('business that owns the account'))
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--secret-key-file <file>', 'file that contains the secret key')
    .option(
      '--webhook-secret-file <file>',
      'file that contains Flutterwave’s secret hash (default: a new one)',
    )
    .option('--name <text>', 'name that people see (default: the provider’s)')
    .option('--base-url <url>', 'URL to call instead of the provider’s own')
    .option('--json', 'print {connectionId, noticeUrl} as JSON, with a secretHash that was made')
    .addHelpText(
      'after',
      `
The secret key is checked by asking the provider for the balance. If that fails, the connection
stays a draft and the status is 1; correct what is wrong, and run tradepost providers resume.
Enter the notification URL that is printed at the provider.

Examples:
  $ tradepost providers connect paystack --business 101 --mode live --secret-key-file paystack.key
  $ tradepost providers connect flutterwave --mode test --secret-key-file key --json`,
    )
    .action(connectIt)
}

function readProvider(text: string): HttpProviderName {
  if (Object.hasOwn(HTTP_CONNECTORS, text)) return text as HttpProviderName
  throw new InvalidArgumentError('It must be paystack or flutterwave.')
}

async function connectIt(provider: HttpProviderName, options: ConnectOptions): Promise<void> {
  const { business, mode, name, baseUrl, json } = options
  const credentials = await credentialsIn(provider, options)
  const { record, made } = await withProviders(async (opened) => {
    const { db, deps, now, readLists, shown } = opened
    const businessId = await businessOf(db, business)
    const change = { businessId, live: mode === 'live', actor: OPERATOR, now }
    const request = { provider, credentials, name, baseUrl }
    const { connection, made } = await connect(deps, change, request)
    if (connection.status === 'Active') await readLists()
    return { record: await shown(connection), made }
  })
  const { id: connectionId, noticeUrl, status } = record
  const secretHash = made.secret_hash && { secretHash: made.secret_hash }
  const ready = status === 'Active'
  if (json) {
    printJson({ connectionId, noticeUrl, ...secretHash })
  } else {
    printLines(`Connection ${connectionId} to ${record.title} is ${ready ? 'in use' : 'a draft'}.`)
    printFields({
      'notification URL': noticeUrl,
      ...(secretHash && { 'secret hash': secretHash.secretHash }),
    })
    printLines(
      dim('Enter these at the provider, and see tradepost providers test for what else to do.'),
    )
  }
  if (!ready) failWith(record)
}

function failWith({ problem }: ConnectionRecord): void {
  terminal().exitCode = EXIT.failed
  terminal().stderr.write(`error: the account cannot be used: ${problem?.message ?? ''}\n`)
}

// --------------------------------------------------------------------------------- list, test

const STATUSES = ['Draft', 'Active', 'Paused', 'Removed'] as const

interface ListOptions {
  business?: number
  all?: true
  mode?: Mode
  provider?: HttpProviderName
  status?: (typeof STATUSES)[number]
  json?: true
}

function providersList(providers: Command): void {
  providers
    .command('list')
    .description('List the connections of a business, or of all')
    .addOption(businessOption('business that owns the connections'))
    .addOption(new Option('--all', 'connections of all businesses').conflicts('business'))
    .addOption(modeOption())
    .option('--provider <name>', 'only connections to this provider', readProvider)
    .addOption(new Option('--status <status>', 'only in this state').choices(STATUSES))
    .option('--json', 'print JSON')
    .action(list)
}

async function list({ business, all, mode, provider, status, json }: ListOptions): Promise<void> {
  const modes = [false, true].filter((live) => !mode || live === (mode === 'live'))
  const records = await withProviders(async ({ db, now, publicUrl }) => {
    const businessIds = all
      ? (await listBusinesses(db)).map((one) => one.businessId)
      : [await businessOf(db, business)]
    const found = []
    for (const businessId of businessIds) {
      for (const live of modes) {
        for (const { row, credentials } of await listConnections(db, { businessId, live }, now)) {
          found.push({ businessId, ...recordOf(row, credentials, publicUrl) })
        }
      }
    }
    return found.filter(
      (one) => (!provider || one.provider === provider) && (!status || one.status === status),
    )
  })
  printList(records, {
    json,
    none: 'There are no connections. To make one, see tradepost providers connect --help.',
    columns: {
      ID: ({ id }) => String(id),
      ...(all && { BUSINESS: ({ businessId }: { businessId: number }) => String(businessId) }),
      PROVIDER: ({ title }) => title,
      NAME: ({ name }) => name,
      MODE: ({ mode }) => mode,
      STATUS: ({ status }) => status,
      SERVICES: ({ settings }) => settings.services.join(','),
    },
  })
}

function providersTest(providers: Command): void {
  providers
    .command('test')
    .description('Check a connection; the status is 1 if it cannot be used')
    .argument('<CONNECTION>', 'id from providers list', readId)
    .option('--json', 'print the connection as JSON')
    .action(test)
}

async function test(id: number, { json }: { json?: true }): Promise<void> {
  const record = await withProviders(async ({ db, deps, now, readLists, shown }) => {
    const row = await testConnection(deps, await changeOf(db, id, now), id)
    await readLists()
    return shown(row)
  })
  const { problem, balances, checks } = record
  if (json) printJson(record)
  else if (!problem) {
    const next = record.status === 'Draft' ? ` Use it with tradepost providers resume ${id}.` : ''
    printLines(`Connection ${id} works.${next}`)
    printFields({
      'notification URL': record.noticeUrl,
      ...Object.fromEntries(
        balances.map(({ currency, available }) => [`${currency} available`, String(available)]),
      ),
    })
    const open = checks.filter(({ isDone }) => isDone !== true)
    if (open.length > 0) {
      printLines('Check at the provider:', ...open.map(({ instruction }) => `  ${instruction}`))
    }
  }
  if (problem) failWith(record)
  else if (checks.some(({ isDone }) => isDone === false)) terminal().exitCode = EXIT.failed
}

// --------------------------------------------------------------------------------- the others

type Act = (
  deps: ProviderDeps,
  change: Change,
  id: number,
  reason: string | null,
) => Promise<StoredConnection>

const readIds = (text: string, before: number[] = []): number[] => [...before, readId(text)]

function simpleCommand(providers: Command, word: string, says: string, act: Act): void {
  const command = providers
    .command(word)
    .description(says)
    .argument('<CONNECTION...>', 'ids from providers list', readIds)
    .option('--json', 'print the connection as JSON, or a list of several')
  if (word === 'pause') command.option('--reason <text>', 'why, for other people')
  command.action((ids: number[], { json, reason }: { json?: true; reason?: string }) =>
    ids.length === 1
      ? changed(ids[0]!, json, (deps, change) => act(deps, change, ids[0]!, reason ?? null))
      : changedEach(ids, json, (deps, change, id) => act(deps, change, id, reason ?? null)),
  )
}

/**
 * Changes several connections. One that cannot be changed does not prevent the others, but an
 * unknown one does, before anything changes.
 */
async function changedEach(
  ids: readonly number[],
  json: true | undefined,
  act: (deps: ProviderDeps, change: Change, id: number) => Promise<StoredConnection>,
): Promise<void> {
  const results = await withProviders(async ({ db, deps, now, shown }) => {
    const changes = await Promise.all(ids.map((id) => changeOf(db, id, now)))
    const done: { id: number; ok: boolean; says: string }[] = []
    for (const [i, id] of ids.entries()) {
      try {
        const { name, status } = await shown(await act(deps, changes[i]!, id))
        done.push({ id, ok: true, says: `${name} is ${status}.` })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        done.push({ id, ok: false, says: error.message })
      }
    }
    return done
  })
  printList(results, {
    json,
    columns: { ID: ({ id }) => String(id), RESULT: ({ says }) => says },
  })
  if (results.some(({ ok }) => !ok)) terminal().exitCode = EXIT.failed
}

async function changed(
  id: number,
  json: true | undefined,
  act: (deps: ProviderDeps, change: Change, opened: Opened) => Promise<StoredConnection>,
): Promise<void> {
  const record = await withProviders(async (opened) => {
    const { db, deps, now, shown } = opened
    return shown(await act(deps, await changeOf(db, id, now), opened))
  })
  if (json) printJson(record)
  else printLines(`Connection ${id} (${record.name}) is ${record.status}.`)
}

interface RemoveOptions {
  force?: true
  reason?: string
  json?: true
}

function providersRemove(providers: Command): void {
  providers
    .command('remove')
    .description('Remove a paused connection with its keys; its orders stay')
    .argument('<CONNECTION>', 'id from providers list', readId)
    .option('--force', 'even if the provider still holds money; needs --reason')
    .option('--reason <text>', 'why, for other people')
    .option('--json', 'print the connection as JSON')
    .action((id: number, { force, reason, json }: RemoveOptions) =>
      changed(id, json, (deps, change) => remove(deps, change, id, { force, reason })),
    )
}

interface RotateOptions extends SecretFiles {
  graceHours: number
  json?: true
}

function providersRotate(providers: Command): void {
  providers
    .command('rotate')
    .description('Replace the keys of a connection')
    .argument('<CONNECTION>', 'id from providers list', readId)
    .option('--secret-key-file <file>', 'file that contains the new secret key')
    .option('--webhook-secret-file <file>', 'file that contains Flutterwave’s new secret hash')
    .option(
      '--grace-hours <hours>',
      'how long notifications with the old keys are accepted',
      readHours,
      72,
    )
    .option('--json', 'print the connection as JSON')
    .action((id: number, { graceHours, json, ...files }: RotateOptions) =>
      changed(id, json, async (deps, change, { db }) => {
        const { provider } = await requireConnection(db, change, id)
        if (!files.secretKeyFile && !files.webhookSecretFile) {
          throw new UsageError('rotate requires --secret-key-file, --webhook-secret-file or both')
        }
        const credentials = await credentialsIn(provider, files)
        return replaceCredentials(deps, change, id, { credentials, graceHours })
      }),
    )
}

const BEARERS = ['business', 'operator'] as const

function providersFees(providers: Command): void {
  providers
    .command('fees')
    .description('Set who pays the fees that the provider keeps')
    .argument('<CONNECTION>', 'id from providers list', readId)
    .addOption(
      new Option('--paid-by <who>', 'who pays them from now on')
        .choices(BEARERS)
        .makeOptionMandatory(),
    )
    .option('--json', 'print the connection as JSON')
    .action((id: number, { paidBy, json }: { paidBy: (typeof BEARERS)[number]; json?: true }) =>
      changed(id, json, (deps, change) =>
        changeDetails(deps, change, id, { settings: { feesPaidBy: paidBy } }),
      ),
    )
}

interface RouteOptions {
  service: Service
  priority?: number
  weight?: number
  currency: string
  from?: bigint
  to?: bigint
  banks?: string[]
  off?: true
  json?: true
}

function providersRoute(providers: Command): void {
  providers
    .command('route')
    .description('Set when a connection is used for a service')
    .argument('<CONNECTION>', 'id from providers list', readId)
    .addOption(
      new Option('--service <service>', 'what it is used for')
        .choices(SERVICES)
        .makeOptionMandatory(),
    )
    .option('--priority <number>', '1 to 100; the lowest is used first', readWhole)
    .option('--weight <number>', 'share of the orders among equal priorities', readWhole)
    .option('--currency <code>', 'currency', 'NGN')
    .option('--from <amount>', 'smallest amount in naira', readNaira)
    .option('--to <amount>', 'largest amount in naira', readNaira)
    .option('--banks <codes>', 'only these banks (default: all)', readList)
    .option('--off', 'do not use it for this service')
    .option('--json', 'print the route as JSON')
    .action(setOne)
}

async function setOne(connectionId: number, options: RouteOptions): Promise<void> {
  const { service, currency, priority, weight, from, to, banks, off, json } = options
  const route = await withProviders(async ({ db, deps, now }) => {
    const change = await changeOf(db, connectionId, now)
    return setRoute(deps, change, {
      service,
      currency,
      connectionId,
      isActive: !off,
      ...(priority !== undefined && { priority }),
      ...(weight !== undefined && { weight }),
      ...(from !== undefined && { least_minor: from }),
      ...(to !== undefined && { most_minor: to }),
      ...(banks && { banks }),
    })
  })
  if (json) printJson(routeRecord(route))
  else {
    const state = route.isActive ? `priority ${route.priority}, weight ${route.weight}` : 'off'
    printLines(`Connection ${connectionId}, ${service} in ${currency}: ${state}.`)
  }
}
