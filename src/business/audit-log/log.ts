import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import type { PersonInput } from '../../http/route.ts'
import { SWEEP_ROWS_MAX } from '../../jobs/jobs.ts'
import { noteRow } from '../../ledger/watched.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { watchedAsked } from './audit.ts'
import {
  type AskedRow,
  deleteAsked,
  insertAsked,
  insertEntry,
  lockChain,
  selectBusinessIds,
  selectUnanswered,
} from './queries.ts'

/** Who did something, and by which request. */
export interface Actor {
  personId: number
  name: string
  ip: string
  requestId: string
}

/** Who is signed in, as the audit log names them. */
export const actorOf = ({ signedIn: { session }, ip, requestId }: PersonInput): Actor => ({
  personId: session.person_id,
  name: session.name,
  ip,
  requestId,
})

/** Whoever runs commands on the server's own machine: nobody who signs in. */
export const OPERATOR = { personId: null, name: 'The operator', ip: null, requestId: null }

/** Somebody who did not prove who they are. */
interface Outsider {
  personId: null
  name: string
  ip: string
  requestId: null
}

interface Entry {
  businessId: number
  /** The mode that it was done in; null for what is of neither, such as people. */
  live?: boolean | null
  /** Dotted, noun first, as `member.invite`; the operation's name for those of the API. */
  action: string
  /** What it was done to, as it is referred to. */
  object?: string | null
  /** In words, for people. Never what a body held. */
  detail: string
  at: Date
}

const TEXT_MAX = 300

/**
 * Writes what somebody did onto the chain of the business, in the transaction of its cause. The
 * chain is locked until the commit, so this comes last.
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

/** The same for what a person did with their account: in every business that they are of. */
export const appendOfPerson = (tx: Tx, actor: Actor, entry: Omit<Entry, 'businessId'>) =>
  appendAboutPerson(tx, actor.personId, actor, entry)

/** The same for what was done to an account, by anybody; answers the businesses. */
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
 * Notes each operation of the API with which a person changes something, or tries to. That it was
 * asked for is durable before anything is done, and what became of it before it is answered: no
 * crash loses it, and nobody is told of something that the log does not have. What writes its own
 * entry in the transaction of its cause is no operation here.
 */
export function auditOperations(server: FastifyInstance, deps: HookDeps): void {
  const asked = new WeakMap<FastifyRequest, AskedRow>()
  const noted = new WeakSet<FastifyRequest>()

  server.addHook('preHandler', async (request) => {
    if (!isOperation(request)) return
    const row = await rowOf(request, deps)
    await deps.db.transaction(async (tx) => {
      await insertAsked(tx, row)
      await noteAsked(tx, row)
    })
    asked.set(request, row)
  })

  server.addHook('onSend', async (request, reply) => {
    if (!isOperation(request) || noted.has(request)) return
    noted.add(request)
    const before = asked.get(request)
    try {
      // What was refused before it came that far was not asked yet, and nothing was done.
      const row = before ?? (await rowOf(request, deps))
      await note(deps, row, outcomeOf(request, reply), objectOf(request))
    } catch (err) {
      // It was done all the same. What was asked stays, and the sweeper finds it.
      deps.log.warn({ err }, 'an operation of a person was not noted with its answer')
    }
  })
}

function isOperation({ caller, method, routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config ?? {}
  // Whether a link or a short name is free is looked up by POST, as it is typed.
  const isRead = method === 'GET' || method === 'HEAD' || operation?.startsWith('check_')
  return Boolean(caller?.person && operation) && !isRead
}

async function rowOf(request: FastifyRequest, { db, ids, clock }: HookDeps): Promise<AskedRow> {
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

/** In words, for people; undefined for what was nothing. */
function outcomeOf({ errorCode }: FastifyRequest, reply: FastifyReply): string | undefined {
  // A replayed answer did nothing, and what asks for the password is sent again with it.
  if (reply.hasHeader('idempotent-replayed') || errorCode === 'reauthentication_needed') return
  const { statusCode } = reply
  if (statusCode < 400) return `Done (${statusCode})`
  if (statusCode < 500) return `Refused (${statusCode})`
  const isOpen = errorCode === 'timed_out' || errorCode === 'outcome_unknown'
  return `${isOpen ? 'Not known what became of it' : 'Failed'} (${statusCode})`
}

/** Moves what was asked to the log, with what became of it. */
const note = (
  { db }: Pick<HookDeps, 'db'>,
  row: AskedRow,
  outcome: string | undefined,
  object: string | null,
): Promise<void> =>
  db.transaction(async (tx) => {
    if (await deleteAsked(tx, row)) await noteAsked(tx, row)
    if (outcome !== undefined) await append(tx, { ...row, object }, outcome)
  })

const noteAsked = (tx: Tx, { business_id: businessId, live, id }: AskedRow) =>
  noteRow(tx, watchedAsked, { businessId, live }, id)

function append(tx: Tx, row: AskedRow, detail: string): Promise<void> {
  const { person_id: personId, person_name: name, ip, request_id: requestId } = row
  const { business_id: businessId, live, action, object, at } = row
  const entry = { businessId, live, action, object, detail, at }
  return appendAudit(tx, { personId, name, ip, requestId }, entry)
}

/** Longer than operations take. Only files may come in for longer, and are noted once more then. */
const ANSWERED_MS = 15 * 60_000
const LOST = 'Asked; what became of it is not known'

/** Notes what was asked and not answered, as a server ended under way; answers how many. */
export async function noteUnanswered(db: Database, now: Date): Promise<number> {
  const rows = await selectUnanswered(db, addMs(now, -ANSWERED_MS), SWEEP_ROWS_MAX)
  let count = 0
  for (const row of rows) {
    count += await db.transaction(async (tx) => {
      // Of several processes that look, one finds it.
      if (!(await deleteAsked(tx, row))) return 0
      await noteAsked(tx, row)
      await append(tx, row, LOST)
      return 1
    })
  }
  return count
}

const ANSWER_LENGTH_MAX = 100_000

/** What the address names. */
const namedBy = ({ params }: FastifyRequest): string | null =>
  Object.values((params ?? {}) as Record<string, string>)[0] || null

/** What the address names, else the reference of what was made. */
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
