import type { Database, Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { People } from '../../deps.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, invalid, notFound, type Problem, unavailable } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import { BANK_LIST_JOB } from '../../providers/bank-lists.ts'
import {
  findSameCredential,
  insertConnection,
  lockBusiness,
  lockConnection,
  type StoredConnection,
  type StoredProbe,
  selectConnections,
  selectHeldThere,
  selectOpenOrders,
  selectOwnConnection,
  selectUndecided,
  servicesOf,
  updateDetails,
  updateNoticeToken,
  updateProbe,
  updateStatus,
} from '../../providers/connections.ts'
import type { HttpConnector, ProbeReport } from '../../providers/connector/http-connector.ts'
import type { Connection, ConnectionSettings, Outcome } from '../../providers/connector/types.ts'
import {
  deleteCredentials,
  fingerprintOf,
  selectKnownCredentials,
  storeCredential,
} from '../../providers/credentials.ts'
import type { BaseUrls, HttpProviders } from '../../providers/http-provider.ts'
import { ITEM_LIST_JOB } from '../../providers/item-lists.ts'
import { connectionOf } from '../../providers/providers.ts'
import {
  HTTP_CONNECTORS,
  type HttpProviderName,
  httpConnectorOf,
} from '../../providers/registry.ts'
import { appendAudit, type Change, OPERATOR } from '../audit-log/log.ts'
import { addFirstRoutes, removeRoutesTo } from './routing.ts'
import { GRACE_HOURS_MAX } from './schemas.ts'
import { allowedBaseUrl, checkedCredentials, requireSettings } from './validation.ts'

/** What the dashboard and the command line share. */
export interface ProviderDeps {
  db: Database
  ids: Ids
  keyring: Keyring
  httpProviders: Pick<HttpProviders, 'probe'>
  people: Pick<People, 'emailOwners'>
  baseUrls: BaseUrls
  nudge(job: string): void
}

interface ConnectRequest {
  provider: HttpProviderName
  name?: string | undefined
  credentials: Readonly<Record<string, string>>
  baseUrl?: string | undefined
  settings?: Partial<ConnectionSettings> | undefined
}

export interface Connected {
  connection: StoredConnection
  /** Values that the provider has to be told, and that are shown only now. */
  made: Record<string, string>
}

const TOKEN_LENGTH = 32

/**
 * Stores an account with a provider, and checks it. An account that responds is used at once, after
 * the connections that the business already has. Otherwise, the connection stays a draft, with the
 * reason in its `probe`. Throws 400 for a value that cannot be right, and 409 if the account is
 * already connected or the business has moved its test clock.
 */
export async function connect(
  deps: ProviderDeps,
  change: Change,
  { provider, name, credentials, baseUrl, settings = {} }: ConnectRequest,
): Promise<Connected> {
  const { db, ids, keyring } = deps
  const { businessId, live, actor, now } = change
  const connector: HttpConnector = HTTP_CONNECTORS[provider]
  const environment = live ? 'production' : 'sandbox'
  const { values, made } = checkedCredentials(connector, environment, credentials)
  const url = allowedBaseUrl(connector, environment, baseUrl, deps.baseUrls)
  requireSettings(connector, settings)
  requireOperator(change, settings)
  const id = await ids.next(db)
  const stored = await db.transaction(async (tx) => {
    const business = await lockBusiness(tx, businessId)
    if (!live && business.test_clock_offset_ms !== 0) throw testClockMoved()
    await refuseSame(tx, keyring, change, connector, values)
    const row = await insertConnection(tx, {
      id,
      provider,
      businessId,
      live,
      environment,
      status: 'Draft',
      now,
      name: name?.trim() || connector.title,
      baseUrl: url,
      createdBy: actor.name,
      noticeToken: randomText(TOKEN_LENGTH),
      settings: {
        services: servicesOf(connector),
        ussdBanks: connector.ussdBanks ?? [],
        feesPaidBy: 'business',
        automaticSettlement: null,
        ...(business.email && { payerEmail: business.email }),
        ...settings,
      },
    })
    for (const [field, value] of Object.entries(values)) {
      const secret = { connectionId: id, name: field, value, now, formerUntil: now }
      await storeCredential(tx, keyring, secret)
    }
    await record(tx, deps, change, row, 'connected')
    return row
  })
  const outcome = await deps.httpProviders.probe(connector, connectionOf(stored))
  return { connection: await start(deps, change, stored, outcome), made }
}

/** Stores what the check of an account found and, if it responded, starts to use it. */
async function start(
  deps: ProviderDeps,
  change: Change,
  { connection_id: id }: StoredConnection,
  outcome: Outcome<ProbeReport>,
  what?: ConnectionChange,
): Promise<StoredConnection> {
  const { now } = change
  return deps.db.transaction(async (tx) => {
    const checked = await updateProbe(tx, change, id, probeOf(outcome), now)
    if (outcome.kind !== 'done') return checked
    const to = { from: ['Draft'] as const, to: 'Active' as const, reason: null, now }
    const active = await updateStatus(tx, change, id, to)
    if (!active) return checked
    await addFirstRoutes(tx, deps, change, active)
    if (what) await record(tx, deps, change, active, what)
    tx.after(() => {
      deps.nudge(BANK_LIST_JOB)
      deps.nudge(ITEM_LIST_JOB)
    })
    return active
  })
}

const probeOf = (outcome: Outcome<ProbeReport>): StoredProbe => {
  if (outcome.kind !== 'done') {
    const code = outcome.kind === 'unknown' ? outcome.reason : outcome.code
    return { isDone: false, code, message: outcome.message ?? 'The provider did not respond.' }
  }
  const { accountName, balances, checks } = outcome.value
  return {
    isDone: true,
    accountName,
    checks,
    balances: balances.map(({ currency, available_minor, pending_minor }) => ({
      currency,
      availableMinor: String(available_minor),
      pendingMinor: pending_minor === null ? null : String(pending_minor),
    })),
  }
}

/** Two connections to one account would each be reconciled with the balance of both. */
async function refuseSame(
  tx: Tx,
  keyring: Keyring,
  tenant: Tenant,
  connector: HttpConnector,
  values: Readonly<Record<string, string>>,
  but = 0,
): Promise<void> {
  const [{ name } = { name: '' }] = connector.credentials
  if (values[name] === undefined) return
  const fingerprint = await fingerprintOf(tx, keyring, values[name])
  const same = await findSameCredential(tx, tenant, { name, fingerprint, but })
  if (!same) return
  const says =
    same.status === 'Draft'
      ? `Connection ${same.id} has this key already, but is not used yet: resume it.`
      : `This account is already connected: see connection ${same.id}.`
  throw conflict('connection_exists', says)
}

// ------------------------------------------------------------------------------- one of them

/** A connection, and what people can see of its credentials. */
export async function listConnections(db: Db, tenant: Tenant, now: Date) {
  const rows = await selectConnections(db, tenant)
  const ids = rows.map(({ connection_id }) => connection_id)
  const credentials = await selectKnownCredentials(db, ids, now)
  return rows.map((row) => ({
    row,
    credentials: credentials.filter(({ connection_id }) => connection_id === row.connection_id),
  }))
}

export async function requireConnection(
  db: Db,
  tenant: Tenant,
  id: number,
): Promise<StoredConnection> {
  const row = await selectOwnConnection(db, tenant, id)
  if (!row) throw notFound('connection')
  return row
}

/** Checks a connection's account, and stores the result. */
export async function testConnection(
  { db, httpProviders }: Pick<ProviderDeps, 'db' | 'httpProviders'>,
  tenant: Tenant & { now: Date },
  id: number,
): Promise<StoredConnection> {
  const row = await requireConnection(db, tenant, id)
  if (row.status === 'Removed') throw wrongState(row)
  const outcome = await httpProviders.probe(connectorOf(row), connectionOf(row))
  return updateProbe(db, tenant, id, probeOf(outcome), tenant.now)
}

export interface DetailsChange {
  name?: string | undefined
  settings?: Partial<ConnectionSettings> | undefined
}

/** A service that is added or dropped is routed here or not any more. */
export const changeDetails = (
  deps: ProviderDeps,
  change: Change,
  id: number,
  { name, settings }: DetailsChange,
): Promise<StoredConnection> =>
  deps.db.transaction(async (tx) => {
    const before = await locked(tx, change, id)
    requireSettings(connectorOf(before), settings ?? {})
    requireOperator(change, settings ?? {}, before.settings)
    const { now } = change
    const changed = { ...before.settings, ...settings }
    const next = { name: name?.trim() || before.name, settings: changed, now }
    const row = await updateDetails(tx, change, id, next)
    if (!row) throw wrongState(before)
    if (settings?.services) {
      // A draft can have routes too, which are set by hand.
      await removeRoutesTo(tx, deps, change, id, settings.services)
      if (row.status !== 'Draft') await addFirstRoutes(tx, deps, change, row)
    }
    await record(tx, deps, change, row, 'changed')
    return row
  })

interface Replacement {
  credentials: Readonly<Record<string, string>>
  /** How long notifications that are signed with the values before are still accepted. */
  graceHours: number
}

const HOUR_MS = 3_600_000

/**
 * Replaces some of a connection's credentials, once the provider has accepted them. Throws 400 if
 * the provider refuses them, 409 if another connection has them, and 503 if it does not respond.
 */
export async function replaceCredentials(
  deps: ProviderDeps,
  change: Change,
  id: number,
  { credentials, graceHours }: Replacement,
): Promise<StoredConnection> {
  const { db, keyring, httpProviders } = deps
  const { now } = change
  if (graceHours > GRACE_HOURS_MAX) {
    throw invalid({ graceHours: [`must be at most ${GRACE_HOURS_MAX}`] })
  }
  const before = await requireConnection(db, change, id)
  if (before.status === 'Removed') throw wrongState(before)
  const connector = connectorOf(before)
  const { values } = checkedCredentials(connector, before.environment, credentials, 'some')
  const [{ name: key } = { name: '' }] = connector.credentials
  const checked = values[key] === undefined ? undefined : { ...values }
  const outcome = checked && (await httpProviders.probe(connector, connectionOf(before), checked))
  if (outcome && outcome.kind !== 'done') throw notAccepted(key, outcome)
  return db.transaction(async (tx) => {
    await lockBusiness(tx, change.businessId)
    const row = await locked(tx, change, id)
    if (row.status === 'Removed') throw wrongState(row)
    await refuseSame(tx, keyring, change, connector, values, id)
    const formerUntil = addMs(now, graceHours * HOUR_MS)
    const replaced = await withoutCurrent(tx, keyring, id, values, now)
    for (const [name, value] of replaced) {
      await storeCredential(tx, keyring, { connectionId: id, name, value, now, formerUntil })
    }
    if (outcome) await updateProbe(tx, change, id, probeOf(outcome), now)
    if (replaced.length > 0) await record(tx, deps, change, row, 'credentials')
    return requireConnection(tx, change, id)
  })
}

/**
 * Leaves out the values that the connection has already: orders that were sent before a replacement
 * count as sent through what may be another account.
 */
async function withoutCurrent(
  tx: Tx,
  keyring: Keyring,
  id: number,
  values: Readonly<Record<string, string>>,
  now: Date,
): Promise<[name: string, value: string][]> {
  const known = await selectKnownCredentials(tx, [id], now)
  const changed: [name: string, value: string][] = []
  for (const [name, value] of Object.entries(values)) {
    const current = known.find((one) => one.name === name && one.accepted_until === null)
    const isSame = current?.fingerprint === (await fingerprintOf(tx, keyring, value))
    if (!isSame) changed.push([name, value])
  }
  return changed
}

function notAccepted(key: string, outcome: Exclude<Outcome<ProbeReport>, { kind: 'done' }>) {
  const isAboutKey = outcome.kind === 'notNow' && outcome.code === 'credentials_refused'
  if (isAboutKey || outcome.kind === 'refused') {
    return invalid({ [`credentials.${key}`]: [`was refused by the provider: ${outcome.message}`] })
  }
  return unavailable(
    'provider_unavailable',
    'The provider did not respond, so nothing was changed. Try again later.',
  )
}

/** Gives a connection a new URL for notifications. */
export const replaceNoticeUrl = (
  deps: ProviderDeps,
  change: Change,
  id: number,
  graceHours: number,
): Promise<StoredConnection> =>
  deps.db.transaction(async (tx) => {
    const before = await locked(tx, change, id)
    const formerUntil = addMs(change.now, graceHours * HOUR_MS)
    const token = randomText(TOKEN_LENGTH)
    const row = await updateNoticeToken(tx, change, id, { token, formerUntil, now: change.now })
    if (!row) throw wrongState(before)
    await record(tx, deps, change, row, 'notice_url')
    return row
  })

export const pause = (deps: ProviderDeps, change: Change, id: number, reason: string | null) =>
  deps.db.transaction(async (tx) => {
    const before = await locked(tx, change, id)
    const { now } = change
    const row = await updateStatus(tx, change, id, { from: ['Active'], to: 'Paused', reason, now })
    if (!row) throw wrongState(before)
    await record(tx, deps, change, row, 'paused')
    return row
  })

/** Uses a paused connection again, or a draft whose account responds now. */
export async function resume(
  deps: ProviderDeps,
  change: Change,
  id: number,
): Promise<StoredConnection> {
  const { db, httpProviders } = deps
  const { now } = change
  const before = await requireConnection(db, change, id)
  if (before.status === 'Draft') {
    const outcome = await httpProviders.probe(connectorOf(before), connectionOf(before))
    const row = await start(deps, change, before, outcome, 'resumed')
    if (row.status === 'Draft') throw notReady(row)
    return row
  }
  return db.transaction(async (tx) => {
    const to = { from: ['Paused'] as const, to: 'Active' as const, reason: null, now }
    const row = await updateStatus(tx, change, id, to)
    if (!row) throw wrongState(before)
    await record(tx, deps, change, row, 'resumed')
    return row
  })
}

export interface Removal {
  /** Removes it even if the ledger says that the provider still holds money. */
  force?: boolean | undefined
  reason?: string | undefined
}

/**
 * Removes a connection with its credentials and routes. Its row stays, because records refer to it.
 * Throws 409 while a provider order or a dispute there is open, or while the provider holds money
 * or a deposit that nobody has decided on.
 */
export const remove = (
  deps: ProviderDeps,
  change: Change,
  id: number,
  { force = false, reason }: Removal,
): Promise<StoredConnection> =>
  deps.db.transaction(async (tx) => {
    // Waits for provider orders that are being written: each of them locks its connection.
    const before = await locked(tx, change, id)
    const { open } = await selectOpenOrders(tx, change, id)
    if (open > 0) throw inUse(`it has orders that are not finished yet (${open})`)
    const { disputes, deposits } = await selectUndecided(tx, change, id)
    if (disputes > 0) throw inUse(`it has disputes that are not decided yet (${disputes})`)
    if (deposits > 0) {
      throw inUse(`the provider holds deposits; return or accept them first (${deposits})`)
    }
    const held = await selectHeldThere(tx, change, id)
    if (held.length > 0 && !(force && reason?.trim())) {
      const amounts = held.map(({ currency }) => currency).join(', ')
      throw inUse(
        `according to the ledger, the provider still holds money (${amounts}). To remove it ` +
          'nevertheless, send force and a reason',
      )
    }
    const { now } = change
    const to = { from: ['Draft', 'Paused'] as const, to: 'Removed' as const, now }
    const row = await updateStatus(tx, change, id, { ...to, reason: reason?.trim() || null })
    if (!row) throw wrongState(before)
    await deleteCredentials(tx, id)
    await removeRoutesTo(tx, deps, change, id)
    await record(tx, deps, change, row, 'removed')
    return row
  })

// ------------------------------------------------------------------------------------ common

const connectorOf = ({ provider }: Pick<Connection, 'provider'>): HttpConnector =>
  httpConnectorOf(provider)!

async function locked(tx: Tx, tenant: Tenant, id: number): Promise<StoredConnection> {
  const row = await lockConnection(tx, tenant, id)
  if (!row) throw notFound('connection')
  return row
}

/** What happened to a connection, for the audit log and the owners. */
type ConnectionChange =
  | 'connected'
  | 'changed'
  | 'credentials'
  | 'notice_url'
  | 'paused'
  | 'resumed'
  | 'removed'

const ACTIONS: Record<ConnectionChange, { action: string; detail: string }> = {
  connected: { action: 'provider.connect', detail: 'Connected' },
  changed: { action: 'provider.change', detail: 'Changed the name or the settings of' },
  credentials: { action: 'provider.credentials', detail: 'Replaced the credentials of' },
  notice_url: { action: 'provider.notification_url', detail: 'Replaced the notification URL of' },
  paused: { action: 'provider.pause', detail: 'Paused' },
  resumed: { action: 'provider.resume', detail: 'Resumed' },
  removed: { action: 'provider.remove', detail: 'Removed' },
}

/** Emails the owners, except about a name or settings, and then writes the audit log. */
async function record(
  tx: Tx,
  { people }: Pick<ProviderDeps, 'people'>,
  { businessId, live, actor, now: at }: Change,
  { connection_id: id, name }: StoredConnection,
  what: ConnectionChange,
): Promise<void> {
  const { action, detail } = ACTIONS[what]
  if (what !== 'changed') {
    const notice = { what: 'provider_changed', change: what, name, by: actor.name } as const
    await people.emailOwners(tx, { businessId, live }, notice)
  }
  const about = { action, object: String(id), detail: `${detail} ${name}` }
  await appendAudit(tx, actor, { businessId, live, at, ...about })
}

/** Only the operator can take over a business's fees. Throws 400 if someone else tries to. */
function requireOperator(
  { actor }: Change,
  { feesPaidBy }: Partial<ConnectionSettings>,
  before: Partial<ConnectionSettings> = {},
): void {
  if (feesPaidBy !== 'operator' || before.feesPaidBy === 'operator' || actor === OPERATOR) return
  throw invalid({ 'settings.feesPaidBy': ['can be operator only if the operator sets it'] })
}

const testClockMoved = () =>
  conflict(
    'test_clock_moved',
    'The test clock of this business has been moved, and a provider does not know about it. ' +
      'Connect the provider to another business.',
  )

const inUse = (why: string) => conflict('connection_in_use', `This connection is in use: ${why}.`)

const wrongState = ({ status }: StoredConnection) =>
  conflict('connection_state', `This is not possible for a connection whose status is ${status}.`)

function notReady({ probe }: StoredConnection): Problem {
  const message = probe && !probe.isDone ? probe.message : ''
  return conflict('connection_not_ready', `The account cannot be used yet. ${message}`)
}
