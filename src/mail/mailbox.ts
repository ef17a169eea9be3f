import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Cursor } from '../lib/cursor.ts'
import type { Tenant } from '../lib/tenant.ts'
import type { Letter, Mailings } from './letter.ts'
import { type MailRow, selectMail, selectNewest, selectOwn } from './queries.ts'
import type { MailKind } from './queue.ts'

export interface MailboxDeps {
  db: Db
  clock: Clock
  mailings: Mailings
}

/** A mail with its letter, as its subject is now; none when there is no reason for it any more. */
export interface Kept {
  mail: MailRow
  /** Names it in an address. */
  name: string
  letter: Letter | undefined
}

const NEWEST_MAX = 50

/** The newest mails of the whole server. */
export async function newestKept(deps: MailboxDeps): Promise<Kept[]> {
  const mails = await selectNewest(deps.db, NEWEST_MAX)
  return Promise.all(mails.map((mail) => keptOf(deps, mail)))
}

/** Undefined when no mail has this name. */
export async function oneKept(deps: MailboxDeps, name: string): Promise<Kept | undefined> {
  const parsed = parseName(name)
  const mail = parsed && (await selectMail(deps.db, parsed, parsed.id))
  return mail && keptOf(deps, mail)
}

/** Mails of one business, of these kinds, newest first, or from a cursor back to what is newer. */
export async function ownKept(
  deps: MailboxDeps,
  tenant: Tenant,
  wanted: { kinds: readonly MailKind[]; cursor: Cursor | undefined; take: number },
): Promise<Kept[]> {
  const mails = await selectOwn(deps.db, tenant, wanted)
  return Promise.all(mails.map((mail) => keptOf(deps, mail)))
}

/** One mail of a business; undefined when it has none with this id. */
export async function ownKeptOne(deps: MailboxDeps, tenant: Tenant, id: number) {
  const mail = await selectMail(deps.db, tenant, id)
  return mail && keptOf(deps, mail)
}

async function keptOf({ db, clock, mailings }: MailboxDeps, mail: MailRow): Promise<Kept> {
  // When it was taken, or would be now: the words of a reminder depend on the day.
  const now = mail.status === 'Queued' ? clock.now() : mail.due_at
  const letter = await mailings[mail.kind]?.compose(db, mail, now)
  return { mail, name: printName(mail), letter }
}

const printName = ({ business_id, live, id }: MailRow): string =>
  `${business_id.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}`

function parseName(name: string): (Tenant & { id: number }) | undefined {
  const [, business = '', mode, id = ''] =
    /^([0-9a-z]{1,10})([lt])-([0-9a-z]{1,10})$/.exec(name) ?? []
  if (!mode) return undefined
  const [businessId, number] = [Number.parseInt(business, 36), Number.parseInt(id, 36)]
  return { businessId, live: mode === 'l', id: number }
}
