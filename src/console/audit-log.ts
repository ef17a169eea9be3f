import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Background } from './background.ts'
import { insertEntry, lockChain, selectBusinessIds } from './queries-audit.ts'

/** Who did something, and by which request. */
export interface Actor {
  personId: number
  name: string
  ip: string
  requestId: string
}

export interface Entry {
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
export async function appendAudit(tx: Tx, actor: Actor, entry: Entry): Promise<void> {
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

/** The same for what is about the account itself: in every business that the person is of. */
export async function appendOfPerson(
  tx: Tx,
  actor: Actor,
  entry: Omit<Entry, 'businessId'>,
): Promise<void> {
  for (const businessId of await selectBusinessIds(tx, actor.personId)) {
    await appendAudit(tx, actor, { ...entry, businessId })
  }
}

/**
 * The hook that notes, after the answer, each operation with which a person changed something, or
 * tried to. What writes with its cause has no operation of its own here.
 */
export const auditHook =
  ({ db, clock, background }: { db: Database; clock: Clock; background: Background }) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { caller, method, routeOptions, id: requestId, ip, errorCode } = request
    const operation = routeOptions.config?.operation
    const isRead = method === 'GET' || method === 'HEAD'
    // A replayed answer did nothing, and what asks for the password is sent again with it.
    const isNothing =
      reply.hasHeader('idempotent-replayed') || errorCode === 'reauthentication_needed'
    if (caller?.person && operation && !isRead && !isNothing) {
      const { person, businessId, live } = caller
      const actor = { personId: person.id, name: person.name, ip, requestId }
      const { statusCode } = reply
      const entry = {
        businessId,
        live,
        action: operation,
        object: objectOf(request),
        detail: statusCode < 400 ? `Done (${statusCode})` : `Refused (${statusCode})`,
        at: clock.now(),
      }
      background.run(() => db.transaction((tx) => appendAudit(tx, actor, entry)))
    }
    done()
  }

const ANSWER_LENGTH_MAX = 100_000

/** What the address names, else the reference of what was made. */
function objectOf({ params, answered }: FastifyRequest): string | null {
  const [named] = Object.values((params ?? {}) as Record<string, string>)
  if (named) return named
  if (!answered || answered.length > ANSWER_LENGTH_MAX) return null
  try {
    const { data } = JSON.parse(answered) as { data?: { reference?: unknown } }
    return typeof data?.reference === 'string' ? data.reference : null
  } catch {
    return null
  }
}
