/**
 * How providers' notifications come in. A notification never carries a decision: it only causes a
 * lookup, so a forged or an old one costs a lookup at most, and their order does not matter.
 *
 * 1. The signature is checked over the bytes as received, before anything parses them. Refused ones
 *    are counted in memory, and written once a minute: no forgery is stored as a row.
 * 2. An authentic one is stored, with its body encrypted, and committed before the response. The
 *    provider sends it again after any other response. Repeated deliveries of an event have the
 *    same key, and only count.
 * 3. A job looks up what the notification is about (jobs.ts).
 */

import { hash } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import { openBatch } from '../../db/batch.ts'
import type { Db } from '../../db/database.ts'
import { isLostConnection } from '../../db/failures.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { Problem, unavailable } from '../../lib/problem.ts'
import { cachedBriefly } from '../brief-cache.ts'
import type { Credentials, Notice, Notices, RawNotice } from '../connector/http-connector.ts'
import type { ProviderName } from '../connector/types.ts'
import { type CredentialDeps, credentialsOf, findCredentials } from '../credentials.ts'
import {
  addRefusals,
  insertNotices,
  type NewNotice,
  type Refusal,
  selectAccount,
  selectBodies,
  updateBody,
  updateNotified,
} from './queries.ts'

/** What each provider's notifications look like. */
export type NoticeReaders = Readonly<Partial<Record<ProviderName, Notices>>>

/** A connection, as far as its notifications are concerned. */
export interface Account extends Tenant {
  connectionId: number
  isRemoved: boolean
  notices: Notices
  credentials: Credentials
}

/**
 * Returns a function that finds a connection by the token in its URL. It also remembers for a
 * second that there is none.
 */
function openAccounts(deps: CredentialDeps, readers: NoticeReaders) {
  const accounts = cachedBriefly((token: string, tx: Db | undefined) =>
    findAccount({ ...deps, db: tx ?? deps.db }, readers, token),
  )
  return async (token: string): Promise<Account | undefined> =>
    TOKEN.test(token) ? accounts.get(token, token) : undefined
}

/** Anything else is nobody's, and the database could not even compare some of it. */
const TOKEN = /^[\w-]{1,64}$/

async function findAccount(
  deps: Omit<CredentialDeps, 'db'> & { db: Db },
  readers: NoticeReaders,
  token: string,
): Promise<Account | undefined> {
  const row = await selectAccount(deps.db, token, deps.clock.now())
  const notices = row && readers[row.provider]
  if (!row || row.business_id === null || !notices) return undefined
  const { connection_id: connectionId, business_id: businessId, live } = row
  const isRemoved = row.status === 'Removed'
  const credentials = isRemoved ? credentialsOf({}) : await findCredentials(deps, connectionId)
  return { businessId, live, connectionId, isRemoved, notices, credentials }
}

export const NOTICE_JOB = 'provider-notices'

type RefusalReason = Refusal['reason']
type Outcome = 'stored' | RefusalReason

interface InboxDeps extends CredentialDeps {
  ids: Ids
  log: Log
  nudge(job: string): void
}

interface Delivery extends RawNotice {
  address: string
  receivedAt: Date
}

export interface Inbox {
  /** Returns the connection that has the token in its URL. */
  find(token: string): Promise<Account | undefined>
  /**
   * Verifies a notification, and stores it if it is authentic. It is durable when this resolves to
   * `stored`. Throws `unavailable` if it may not be.
   */
  receive(account: Account, delivery: Delivery): Promise<Outcome>
  /** Counts a notification that was refused. */
  refuse(account: Account, reason: RefusalReason, delivery: Omit<Delivery, 'headers'>): void
  /** Writes the counts of refusals, once a minute and when the server stops. */
  flush(): Promise<void>
  job: Job
  measure(registry: Registry): void
}

const MINUTE_MS = 60_000

/** How many seconds a provider should wait while the database is down. */
const RETRY_SECONDS = 5

export function openInbox(deps: InboxDeps, readers: NoticeReaders): Inbox {
  const { db, log } = deps
  const counts: Record<Outcome, number> = { stored: 0, forged: 0, unsigned: 0, too_large: 0 }
  const refusals = new Map<string, Refusal>()
  const batch = noticeBatch(deps)

  function refuse(account: Account, reason: RefusalReason, delivery: Omit<Delivery, 'headers'>) {
    const { connectionId, businessId, live } = account
    const minute = new Date(Math.floor(delivery.receivedAt.getTime() / MINUTE_MS) * MINUTE_MS)
    const key = `${connectionId} ${minute.getTime()} ${reason}`
    const before = refusals.get(key)
    if (!before)
      log.warn({ connection: connectionId, businessId, live, reason }, 'a notification was refused')
    refusals.set(key, {
      businessId,
      live,
      connectionId,
      minute,
      reason,
      count: (before?.count ?? 0) + 1,
      lastAddress: delivery.address,
      lastDigest: reason === 'too_large' ? null : hash('sha256', delivery.body, 'buffer'),
    })
    counts[reason]++
  }

  async function flush(): Promise<void> {
    const written = [...refusals.values()]
    if (written.length === 0) return
    refusals.clear()
    try {
      await addRefusals(db, written)
    } catch (error) {
      for (const one of written) {
        const key = `${one.connectionId} ${one.minute.getTime()} ${one.reason}`
        const since = refusals.get(key)
        refusals.set(key, { ...one, ...since, count: one.count + (since?.count ?? 0) })
      }
      throw error
    }
  }

  return {
    find: openAccounts(deps, readers),
    async receive(account, delivery) {
      const verdict = account.notices.verify(delivery, account.credentials)
      if (verdict !== 'authentic') {
        refuse(account, verdict, delivery)
        return verdict
      }
      const notices = readNotices(account, delivery)
      try {
        const { receivedAt } = delivery
        await Promise.all(notices.map((notice) => batch.add({ ...notice, receivedAt })))
      } catch (error) {
        throw notStored(error)
      }
      counts.stored += notices.length
      deps.nudge(NOTICE_JOB)
      return 'stored'
    },
    refuse,
    flush,
    job: {
      name: 'provider-notice-refusals',
      everyMs: MINUTE_MS,
      isOfProcess: true,
      async run() {
        await flush()
        return 0
      },
    },
    measure: (registry) => measureNotices(registry, counts),
  }
}

type ReadNotice = Omit<NewNotice, 'id' | 'body' | 'deliveries' | 'receivedAt'> & { text: string }

/** One that is authentic and cannot be read is stored too, so that people can see it. */
function readNotices(account: Account, { headers, body }: RawNotice): ReadNotice[] {
  const { businessId, live, connectionId, notices } = account
  const common = { businessId, live, connectionId, text: body.toString('latin1') }
  try {
    return notices
      .read({ headers, body })
      .map((notice) => ({ ...common, ...storable(notice), status: 'Received', result: null }))
  } catch (error) {
    const key = hash('sha256', body, 'hex')
    const result = storableText((error as Error).message)
    const unread = { reference: null, providerId: null, accountNumber: null }
    return [{ ...common, ...unread, key, type: '', about: 'none', status: 'Unreadable', result }]
  }
}

const TEXT_MAX = 300

/** PostgreSQL cannot store NUL or half a surrogate pair, and an index has a limit. */
const storableText = (text: string): string =>
  text.replaceAll('\0', '').toWellFormed().slice(0, TEXT_MAX).toWellFormed()

const orNull = (text: string | null) => text && storableText(text)

const storable = (notice: Notice): Notice => ({
  key: storableText(notice.key),
  type: storableText(notice.type),
  about: notice.about,
  reference: orNull(notice.reference),
  providerId: orNull(notice.providerId),
  accountNumber: orNull(notice.accountNumber),
})

type Waiting = ReadNotice & Pick<NewNotice, 'receivedAt'>

/** Stores the notifications that arrive together in one transaction. */
const noticeBatch = ({ db, ids, keyring }: Pick<InboxDeps, 'db' | 'ids' | 'keyring'>) =>
  openBatch<Waiting, void>({
    db,
    businessOf: ({ businessId }) => businessId,
    async write(items) {
      // In one order, so that two processes do not wait for each other.
      const groups = [...Map.groupBy(items, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1))
      const connections = [...new Set(items.map(({ connectionId }) => connectionId))].sort()
      await db.transaction(async (tx) => {
        const rows: NewNotice[] = []
        for (const [, [first, ...others]] of groups) {
          const { text, ...notice } = first!
          const id = await ids.next(tx)
          const body = await keyring.encrypt(tx, aboutBody(id), text)
          rows.push({ ...notice, id, body, deliveries: 1 + others.length })
        }
        await insertNotices(tx, rows)
        await updateNotified(tx, connections, items[0]!.receivedAt)
      })
      return items.map(() => undefined)
    },
    bytesOf: ({ text }) => text.length,
    groupOf: ({ businessId }) => `${businessId}`,
  })

const keyOf = ({ connectionId, key }: Waiting): string => `${connectionId} ${key}`

/**
 * If the connection was lost, the notification may be stored. A 503 is right even then, because the
 * provider sends it again, and the second delivery only counts.
 */
function notStored(error: unknown): unknown {
  const isUnknown = error instanceof Problem && error.code === 'outcome_unknown'
  const isDown = error instanceof Problem && error.kind === 'unavailable'
  if (!isUnknown && !isDown && !isLostConnection(error)) return error
  const problem = unavailable('database_unavailable', 'The notification was not stored.')
  return new Problem('unavailable', 'database_unavailable', problem.message, {
    retryAfterSeconds: RETRY_SECONDS,
    cause: error,
  })
}

function measureNotices(registry: Registry, counts: Record<Outcome, number>): void {
  new Counter({
    name: 'tradepost_provider_notices_total',
    help: 'Notifications from providers, by their outcome on arrival.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
    },
  })
}

export const aboutBody = (noticeId: number): string => `provider_notices.body ${noticeId}`

export const noticeBodies: EncryptedColumn = {
  name: 'provider_notices.body_encrypted',
  select: async (db, wanted) =>
    (await selectBodies(db, wanted)).map((row) => ({ ...row, about: aboutBody(row.id) })),
  update: updateBody,
}

export {
  hasConnection,
  type NoticeRow,
  selectNotice as findNotice,
  selectNotices as listNotices,
  updateClosed as closeNotice,
  updateReplayed as replayNotice,
} from './queries.ts'
