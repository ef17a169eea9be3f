import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import type { PersonInput } from '../../http/route.ts'
import { JOB_ROWS_MAX } from '../../jobs/jobs.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { protectedIntents } from './audit.ts'
import {
  deleteIntent,
  type IntentRow,
  insertEntry,
  insertIntent,
  lockChain,
  selectBusinessIds,
  selectOpenIntents,
} from './queries.ts'

/** The person who did something, and the request with which they did it. */
export interface Actor {
  personId: number
  name: string
  ip: string
  requestId: string
}

export const actorOf = ({ signedIn: { session }, ip, requestId }: PersonInput): Actor => ({
  personId: session.person_id,
  name: session.name,
  ip,
  requestId,
})

export const OPERATOR = { personId: null, name: 'The operator', ip: null, requestId: null }

/** Who changes something of a business, and when. */
export interface Change extends Tenant {
  actor: Actor | typeof OPERATOR
  now: Date
}

/** Someone who is not authenticated. */
interface Outsider {
  personId: null
  name: string
  ip: string
  requestId: null
}

interface Entry {
  businessId: number
  /** Null for objects that belong to neither mode, such as people. */
  live?: boolean | null
  /** Dotted, noun first, such as `member.invite`; for API operations, the operation name. */
  action: string
  /** The reference of the object. */
  object?: string | null
  /** A description for people. Never contains values from the request body. */
  detail: string
  at: Date
}

const TEXT_MAX = 300

/**
 * Appends an entry to the business's audit log, in the same transaction as the change it records.
 * Must be called last, because it locks the log until the commit.
 */
export async function appendAudit(
  tx: Tx,
  actor: Actor | Outsider | typeof OPERATOR,
  entry: Entry,
): Promise<void> {
  await lockChain(tx, entry.businessId)
  await insertEntry(tx, {
    business_id: entry.businessId,
    live: entry.live ?? null,
    at: entry.at,
    person_id: actor.personId,
    person_name: actor.name,
    ip: actor.ip,
    request_id: actor.requestId,
    action: entry.action,
    object: entry.object?.slice(0, TEXT_MAX) ?? null,
    detail: entry.detail.slice(0, TEXT_MAX),
  })
}

/** Logs what a person did with their account, in each of their businesses. */
export const appendOfPerson = (tx: Tx, actor: Actor, entry: Omit<Entry, 'businessId'>) =>
  appendAboutPerson(tx, actor.personId, actor, entry)

/**
 * Logs, in each of a person's businesses, what someone did to the person's account, and returns
 * those businesses.
 */
export async function appendAboutPerson(
  tx: Tx,
  personId: number,
  actor: Actor | Outsider | typeof OPERATOR,
  entry: Omit<Entry, 'businessId'>,
): Promise<number[]> {
  const businessIds = await selectBusinessIds(tx, personId)
  for (const businessId of businessIds) await appendAudit(tx, actor, { ...entry, businessId })
  return businessIds
}

interface HookDeps {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
}

/**
 * Logs every API operation with which a member changes or tries to change something. The request is
 * stored before anything is done, and the outcome before the response is sent. A crash therefore
 * loses no entry, and no member sees a result that isn't in the log. Routes that write their own
 * entry in the same transaction as the change are excluded.
 */
export function auditOperations(server: FastifyInstance, deps: HookDeps): void {
  const asked = new WeakMap<FastifyRequest, IntentRow>()
  const noted = new WeakSet<FastifyRequest>()

  async function storeIntent(request: FastifyRequest): Promise<void> {
    const row = await rowOf(request, deps)
    await deps.db.transaction(async (tx) => {
      await insertIntent(tx, row)
      await noteAsked(tx, row)
    })
    asked.set(request, row)
  }

  async function logOutcome(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    noted.add(request)
    const before = asked.get(request)
    try {
      // Nothing was stored, or done, for a request that was refused before it reached its handler.
      const row = before ?? (await rowOf(request, deps))
      await note(deps, row, outcomeOf(request, reply), objectOf(request))
    } catch (err) {
      // The operation has already been carried out. The job finds the stored request and logs it.
      deps.log.warn({ err }, 'the outcome of a member’s operation could not be logged')
    }
  }

  // Most requests are not from members, and don't have to wait for a promise.
  server.addHook('preHandler', (request, _reply, done) => {
    if (isOperation(request)) storeIntent(request).then(() => done(), done)
    else done()
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (!isOperation(request) || noted.has(request)) done()
    else logOutcome(request, reply).then(() => done(), done)
  })
}

function isOperation(request: FastifyRequest): boolean {
  const { caller, method } = request
  if (!caller?.person) return false
  const { operation } = request.routeOptions.config ?? {}
  // The `check_` operations are POSTs that are sent while someone types, and change nothing.
  const isRead = method === 'GET' || method === 'HEAD' || operation?.startsWith('check_')
  return operation !== undefined && !isRead
}

async function rowOf(request: FastifyRequest, { db, ids, clock }: HookDeps): Promise<IntentRow> {
  const { caller, routeOptions, ip, id: requestId } = request
  const { businessId, live, person } = caller!
  return {
    business_id: businessId,
    id: await ids.next(db),
    live,
    at: clock.now(),
    person_id: person!.id,
    person_name: person!.name,
    ip,
    request_id: requestId,
    action: routeOptions.config.operation!,
    object: namedBy(request),
  }
}

/** Returns the outcome in words; undefined if nothing happened. */
function outcomeOf({ errorCode }: FastifyRequest, reply: FastifyReply): string | undefined {
  // A replay did nothing, and a request refused for lack of the password is sent again with it.
  if (reply.hasHeader('idempotent-replayed') || errorCode === 'reauthentication_needed') return
  const { statusCode } = reply
  if (statusCode < 400) return `Done (${statusCode})`
  if (statusCode < 500) return `Refused (${statusCode})`
  const isOpen = errorCode === 'timed_out' || errorCode === 'outcome_unknown'
  return `${isOpen ? 'Outcome unknown' : 'Failed'} (${statusCode})`
}

const note = (
  { db }: Pick<HookDeps, 'db'>,
  row: IntentRow,
  outcome: string | undefined,
  object: string | null,
): Promise<void> =>
  db.transaction(async (tx) => {
    if (await deleteIntent(tx, row)) await noteAsked(tx, row)
    if (outcome !== undefined) await append(tx, { ...row, object }, outcome)
  })

const noteAsked = (tx: Tx, { business_id: businessId, live, id }: IntentRow) =>
  writeRowNote(tx, protectedIntents, { businessId, live }, id)

function append(tx: Tx, row: IntentRow, detail: string): Promise<void> {
  const { person_id: personId, person_name: name, ip, request_id: requestId } = row
  const { business_id: businessId, live, action, object, at } = row
  const entry = { businessId, live, action, object, detail, at }
  return appendAudit(tx, { personId, name, ip, requestId }, entry)
}

/** Only an upload can take longer than this, and then gets a second entry. */
const ANSWERED_MS = 15 * 60_000
const LOST = 'Requested; outcome unknown'

/**
 * Logs stored requests that never got a response because their server stopped. Returns how many.
 */
export async function logInterruptedRequests(db: Database, now: Date): Promise<number> {
  const rows = await selectOpenIntents(db, addMs(now, -ANSWERED_MS), JOB_ROWS_MAX)
  let count = 0
  for (const row of rows) {
    count += await db.transaction(async (tx) => {
      // Several processes can find the same request, but only one of them deletes it.
      if (!(await deleteIntent(tx, row))) return 0
      await noteAsked(tx, row)
      await append(tx, row, LOST)
      return 1
    })
  }
  return count
}

const ANSWER_LENGTH_MAX = 100_000

const namedBy = ({ params }: FastifyRequest): string | null =>
  Object.values((params ?? {}) as Record<string, string>)[0] || null

/**
 * Returns the object that the URL names or, if there is none, the reference of the created record.
 */
function objectOf(request: FastifyRequest): string | null {
  const { answered } = request
  const named = namedBy(request)
  if (named || !answered || answered.length > ANSWER_LENGTH_MAX) return named
  try {
    const { data } = JSON.parse(answered) as { data?: { reference?: unknown } }
    return typeof data?.reference === 'string' ? data.reference : null
  } catch {
    return null
  }
}
