import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { EventCatalogue } from '../../events/catalogue.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { isDescending, pageOf, windowOf } from '../../lib/paging.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { readPublicUrl, requireOrdinaryUrl } from '../../safe-fetch/guard.ts'
import { readableTypes, requireReadable } from '../events/service.ts'
import { normalisedUrl } from './concurrency.ts'
import { WEBHOOK_JOB } from './jobs.ts'
import {
  type Content,
  insertWebhook,
  lockTenant,
  lockWebhook,
  selectPendingBeside,
  selectWebhook,
  selectWebhooks,
  updateContent,
  updateDeleted,
  updateSecret,
  type WebhookRow,
} from './queries.ts'
import { type ClaimedRow, updateDisabled } from './queries-deliver.ts'
import { type WebhookRecord, webhookRecord } from './record.ts'
import type { WebhookDeps } from './routes.ts'
import type { NewWebhook, UpdateWebhook, WebhookQuery } from './schemas.ts'
import { aboutSecret, allowsFor, newWebhookSecret } from './send.ts'

/** Every event adds a row for each endpoint of its business. */
const WEBHOOKS_MAX = 50

/**
 * Registers an endpoint. Only this response contains its secret. Throws 400 naming the invalid
 * fields, and `webhook_exists` and `webhooks_full` (409).
 */
export async function createWebhook(
  tx: Tx,
  { ids, keyring, webhooks, events }: Pick<WebhookDeps, 'ids' | 'keyring' | 'webhooks' | 'events'>,
  caller: Caller,
  request: NewWebhook,
) {
  const { businessId, live, now } = caller
  const secret = newWebhookSecret()
  const id = await ids.next(tx)
  const wanted = {
    id,
    reference: newReference('WHK'),
    url: readUrl(request.url, caller, webhooks),
    events: readTypes(events, request.events),
    description: request.description ?? null,
    secret: await keyring.encrypt(tx, aboutSecret(id), secret),
    now,
  }
  await lockTenant(tx, caller)
  await refuseSameUrl(tx, caller, wanted.url)
  const row = await insertWebhook(tx, { businessId, live }, wanted, WEBHOOKS_MAX)
  if (!row) throw full()
  return { ...webhookRecord(row), secret }
}

/**
 * A business can have only one endpoint per URL, because with two of them the URL would receive
 * every event twice. Throws `webhook_exists` (409). The caller must hold `lockTenant`.
 */
async function refuseSameUrl(tx: Tx, tenant: Tenant, url: string): Promise<void> {
  const wanted = normalisedUrl(url)
  const same = (await selectWebhooks(tx, tenant, false)).find(
    (one) => normalisedUrl(one.url) === wanted,
  )
  if (!same) return
  const message = `The endpoint ${same.reference} already has this URL. Update that endpoint instead.`
  throw conflict('webhook_exists', message, { url: ['is already the URL of another endpoint'] })
}

const full = () =>
  conflict(
    'webhooks_full',
    `You already have ${WEBHOOKS_MAX} endpoints, which is the limit. Delete one first.`,
  )

/**
 * Changes the given fields. Waiting deliveries go to the new URL, and resume when a disabled
 * endpoint becomes active again. Throws 404, 400 naming the invalid fields, 403 for events that the
 * caller cannot read, and `webhook_exists` (409).
 */
export async function updateWebhook(
  tx: Tx,
  { ids, nudge, webhooks, events }: Pick<WebhookDeps, 'ids' | 'nudge' | 'webhooks' | 'events'>,
  caller: Caller,
  reference: string,
  request: UpdateWebhook,
) {
  const { businessId, live, now } = caller
  if (request.url !== undefined) await lockTenant(tx, caller)
  const before = await lockWebhook(tx, caller, reference)
  if (!before) throw notFound('webhook')
  await requireReadableBefore(tx, events, caller, before, request)
  const content: Content = {
    url: await urlOf(tx, caller, before.url, request.url, webhooks),
    events: request.events === undefined ? before.events : readTypes(events, request.events),
    description: request.description === undefined ? before.description : request.description,
    status: request.status ?? before.status,
  }
  const row = await updateContent(tx, { businessId, live }, before.id, content, now)
  if (row.event_sequence > before.event_sequence) {
    await appendDisabled(tx, { ids }, caller, row, now)
  }
  if (row.status === 'Active') tx.after(() => nudge(WEBHOOK_JOB))
  return webhookRecord(row)
}

/**
 * Throws 403 unless the caller can read what the endpoint received until now and, if it gets a new
 * URL, what is still waiting for it. Otherwise, a restricted key could narrow an endpoint, move it,
 * and then receive the deliveries from before.
 */
async function requireReadableBefore(
  tx: Tx,
  events: EventCatalogue,
  caller: Caller,
  before: WebhookRow,
  { url, events: wanted }: UpdateWebhook,
): Promise<void> {
  const readable = readableTypes(caller, events.types)
  if (readable === undefined || (url === undefined && wanted === undefined)) return
  requireReadable(caller, events, before.events ?? ['*'])
  if (url === undefined) return
  const pending = await selectPendingBeside(tx, caller, before.id, readable)
  if (pending) requireReadable(caller, events, [pending.event_type])
}

/** The statement that disabled the row has already increased its `event_sequence`. */
const appendDisabled = (
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  { businessId, live }: Tenant,
  row: WebhookRow,
  at: Date,
): Promise<void> =>
  appendEvents(tx, ids, [
    {
      businessId,
      live,
      type: 'webhook.disabled',
      objectType: 'webhook',
      objectId: row.id,
      sequence: row.event_sequence,
      data: webhookRecord(row),
      at,
    },
  ])

/**
 * Disables a failing endpoint and emails the owner. Does nothing if the endpoint is already
 * disabled, or if its URL has changed since the failure.
 */
export const disableEndpoint = (
  { db, ids, nudge }: Pick<Deps, 'db' | 'ids' | 'nudge'>,
  {
    business_id: businessId,
    live,
    webhook_id: id,
    url,
  }: Pick<ClaimedRow, 'business_id' | 'live' | 'webhook_id' | 'url'>,
  reason: string,
  now: Date,
): Promise<void> =>
  db.transaction(async (tx) => {
    const tenant = { businessId, live }
    const disabled = await updateDisabled(tx, tenant, { id, url, reason, now })
    if (!disabled) return
    const { owner, ...row } = disabled
    await appendDisabled(tx, { ids }, tenant, row, now)
    if (!owner) return
    const about = { subjectType: 'webhook', subjectId: id, data: { reason } }
    await queueMails(tx, ids, [
      { ...tenant, kind: 'webhook_disabled', ...about, to: owner, at: now },
    ])
    tx.after(() => nudge(MAIL_JOB))
  })

/** An endpoint can keep its current URL, whatever the rules for new URLs are. */
async function urlOf(
  tx: Tx,
  tenant: Tenant,
  before: string,
  wanted: string | undefined,
  rules: WebhookRules,
): Promise<string> {
  if (wanted === undefined || wanted === before) return before
  const url = readUrl(wanted, tenant, rules)
  if (normalisedUrl(url) !== normalisedUrl(before)) await refuseSameUrl(tx, tenant, url)
  return url
}

export async function lockRecord(tx: Tx, tenant: Tenant, reference: string) {
  const row = await lockWebhook(tx, tenant, reference)
  if (!row) throw notFound('webhook')
  return webhookRecord(row)
}

/** Returns the fields that people edit, because delivery results can change between edits. */
export const editablePartOf = ({ url, events, description, status }: WebhookRecord) => [
  url,
  events,
  description,
  status,
]

/** Permanently deletes an endpoint. Its waiting deliveries are never sent. Throws 404. */
export async function deleteWebhook(tx: Tx, caller: Caller, reference: string) {
  const row = await updateDeleted(tx, caller, reference, caller.now)
  if (!row) throw notFound('webhook')
  return webhookRecord(row)
}

const HOUR_MS = 3_600_000

/**
 * Gives an endpoint a new secret, which only this response shows. The previous secret also signs
 * for `graceHours` hours; any older one stops signing. Throws 404, and 403 if the caller cannot
 * read all event types of the endpoint, because the secret can sign any of them.
 */
export async function rotateSecret(
  tx: Tx,
  { keyring, events }: Pick<WebhookDeps, 'keyring' | 'events'>,
  caller: Caller,
  reference: string,
  graceHours: number,
) {
  const { now } = caller
  const { id } = await findWebhook(tx, caller, reference)
  const secret = newWebhookSecret()
  const encrypted = await keyring.encrypt(tx, aboutSecret(id), secret)
  const until = graceHours === 0 ? null : addMs(now, graceHours * HOUR_MS)
  const row = await updateSecret(tx, caller, reference, { secret: encrypted, until, now })
  if (!row) throw notFound('webhook')
  // The row is now locked, so nobody can change its types until this is committed or rolled back.
  requireReadable(caller, events, row.events ?? ['*'])
  return { ...webhookRecord(row), secret }
}

/** Throws 404 for an unknown or deleted endpoint. */
export async function findWebhook(db: Db, tenant: Tenant, reference: string): Promise<WebhookRow> {
  const row = await selectWebhook(db, tenant, reference)
  if (!row) throw notFound('webhook')
  return row
}

export const getWebhook = async (db: Db, tenant: Tenant, reference: string) =>
  webhookRecord(await findWebhook(db, tenant, reference))

/** Lists one page of endpoints with its meta. Reads all of them, because there are so few. */
export async function listWebhooks(db: Db, tenant: Tenant, query: WebhookQuery) {
  const all = await selectWebhooks(db, tenant, isDescending(query.sort))
  const { offset, take } = windowOf(query)
  const { rows, meta } = pageOf(all.slice(offset, offset + take), query, all.length)
  return { records: rows.map(webhookRecord), meta }
}

export interface WebhookRules {
  /** Whether test-mode endpoints can be on this machine. */
  allowsLoopback: boolean
  /** The server's own URL, which can't be the URL of an endpoint. */
  publicUrl: string
}

/**
 * Returns the URL as given. Throws 400 `url_refused` if the string alone shows that it isn't
 * public. The addresses of its host name are checked on each connection.
 */
function readUrl(
  text: string,
  { live }: Tenant,
  { allowsLoopback, publicUrl }: WebhookRules,
): string {
  const url = readPublicUrl(text, allowsFor({ live }, allowsLoopback))
  requireOrdinaryUrl(url, { live, publicUrl })
  // Events contain customers' data. Endpoints registered before this rule keep their URLs.
  if (live && url.protocol !== 'https:') {
    throw invalid({ url: ['must start with https:// in live mode'] }, 'url_refused')
  }
  return text
}

/** Returns the column of subscribed types; null means all. Throws 400 naming `events`. */
function readTypes(known: EventCatalogue, events: readonly string[] | undefined): string[] | null {
  if (events === undefined) return null
  if (events.includes('*')) {
    if (events.some((type) => type !== '*'))
      throw invalid({ events: ['must be ["*"] for all types'] })
    return null
  }
  const unknown = events.find((type) => !known.isType(type) && !known.isWildcard(type))
  if (unknown !== undefined) {
    throw invalid({
      events: [
        `must be event types or wildcards such as invoice.*; ${JSON.stringify(unknown)} is not in GET event-types`,
      ],
    })
  }
  return [...new Set(events)]
}
