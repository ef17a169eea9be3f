import type { Tx } from '../db/database.ts'
import { insertEntry, lockChain, selectBusinessIds } from './queries-audit.ts'
import type { Asked } from './route.ts'

export { selectBusinessIds } from './queries-audit.ts'

/** Who did something, and by which request. */
export interface Actor {
  personId: number
  name: string
  ip: string
  requestId: string
}

/** Who is signed in, as the audit log names them. */
export const actorOf = ({ signedIn: { session }, ip, requestId }: Asked): Actor => ({
  personId: session.person_id,
  name: session.name,
  ip,
  requestId,
})

/** Whoever runs commands on the server's own machine: nobody who signs in. */
export const OPERATOR = { personId: null, name: 'The operator', ip: null, requestId: null }

/** Somebody who did not prove who they are. */
export interface Outsider {
  personId: null
  name: string
  ip: string
  requestId: null
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
export const appendOfPerson = (
  tx: Tx,
  actor: Actor,
  entry: Omit<Entry, 'businessId'>,
): Promise<void> => appendAboutPerson(tx, actor.personId, actor, entry)

/** The same for what was done to an account, by whoever it was. */
export async function appendAboutPerson(
  tx: Tx,
  personId: number,
  actor: Actor | Outsider,
  entry: Omit<Entry, 'businessId'>,
): Promise<void> {
  for (const businessId of await selectBusinessIds(tx, personId)) {
    await appendAudit(tx, actor, { ...entry, businessId })
  }
}
