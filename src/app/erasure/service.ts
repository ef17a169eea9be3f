import { type Actor, appendAudit, OPERATOR } from '../../business/audit-log/log.ts'
import { listHolds, lockHolds } from '../../business/holds/service.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { type Customer, idsOf, type PersonalData } from '../../db/personal-data.ts'
import { eventPersonalData } from '../../developers/events/retention.ts'
import { requestPersonalData } from '../../developers/request-log/record.ts'
import { deliveryPersonalData } from '../../developers/webhooks/record.ts'
import type { Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { randomText } from '../../lib/tokens.ts'
import { mailPersonalData } from '../../mail/sent-mails.ts'
import { billPersonalData } from '../../money/bills/record.ts'
import {
  transactionPersonalData,
  virtualAccountPersonalData,
} from '../../payments/attempts/record.ts'
import { depositPersonalData } from '../../payments/deposits/record.ts'
import { disputePersonalData } from '../../payments/disputes/record.ts'
import { refundPersonalData } from '../../payments/refunds/record.ts'
import { callPersonalData } from '../../providers/calls/calls.ts'
import { checkoutPersonalData } from '../../sales/checkout/record.ts'
import { discountPersonalData } from '../../sales/discounts/record.ts'
import { invoicePersonalData } from '../../sales/invoices/record.ts'
import { orderPersonalData } from '../../sales/orders/record.ts'
import { downloadPersonalData } from '../../sales/products/downloads/record.ts'
import {
  type DueErasure,
  selectDueErasures,
  updateDueAt,
  updateErased,
  updateRefused,
} from './queries.ts'

/** Every kind of record with personal data. Later kinds can use what earlier ones have found. */
const KINDS: readonly PersonalData[] = [
  invoicePersonalData,
  checkoutPersonalData,
  transactionPersonalData,
  virtualAccountPersonalData,
  depositPersonalData,
  refundPersonalData,
  disputePersonalData,
  orderPersonalData,
  downloadPersonalData,
  discountPersonalData,
  billPersonalData,
  callPersonalData,
  mailPersonalData,
  requestPersonalData,
  eventPersonalData,
  deliveryPersonalData,
]

export interface Erased {
  businessId: number
  /** What replaces the email address, so that the records still belong together. */
  pseudonym: string
  /** How many records of each kind were changed, in both modes. */
  records: Record<string, number>
}

/** Why the data of a customer cannot be erased now. */
export class ErasureRefused extends Error {
  /** Without what only the operator may know: the reason for a legal hold can be confidential. */
  readonly forMembers: string

  constructor(message: string, forMembers = message) {
    super(message)
    this.forMembers = forMembers
  }
}

interface Erasing {
  now: Date
  /** The operator, unless a member has asked for it. */
  actor?: Actor | typeof OPERATOR
}

/**
 * Erases the personal data of a customer, known by an email address in lower case, from all records
 * of a business in both modes. Amounts, references, times and the ledger stay. Needs a database
 * whose role owns the tables. Returns undefined if there are no records. Throws ErasureRefused if
 * the customer is on legal hold, or has something that is not finished.
 */
export async function eraseCustomer(
  db: Database,
  businessId: number,
  email: string,
  { now, actor = OPERATOR }: Erasing,
): Promise<Erased | undefined> {
  const pseudonym = `erased-${randomText(16)}@erased.invalid`.toLowerCase()
  const parts: Part[] = [true, false].map((live) => ({
    customer: { businessId, live, email },
    erased: new Map(),
    found: new Map(),
  }))
  const records: Record<string, number> = {}
  const isNone = () => Object.values(records).every((count) => count === 0)
  // Reading all records takes a while. Meanwhile, some of them can change and others can be added,
  // so they are read again until nothing new is found.
  let isRead = false
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    for (const part of parts) part.found = await findRecords(db, part, pseudonym)
    if (isRead && parts.every(({ found }) => idsOf(found).length === 0)) {
      await db.transaction((tx) => updateErased(tx, businessId, email, now))
      return isNone() ? undefined : { businessId, pseudonym, records }
    }
    const counts = await db.transaction(async (tx) => {
      await lockHolds(tx, businessId)
      await refuseHeld(tx, businessId, email)
      const made = await eraseFound(tx, parts, pseudonym)
      if (made?.some(([, count]) => count > 0)) {
        await appendAudit(tx, actor, {
          businessId,
          action: 'customer.erase',
          object: pseudonym,
          detail: 'Erased the personal data of a customer',
          at: now,
        })
      }
      return made
    })
    if (!counts) continue
    isRead = true
    for (const [name, count] of counts) records[name] = (records[name] ?? 0) + count
    for (const { erased, found } of parts) {
      for (const [name, ids] of found) erased.set(name, [...(erased.get(name) ?? []), ...ids])
    }
  }
  throw new Error('The records of the customer changed each time they were read')
}

const PASSES_MAX = 10

/** The records of a customer in one mode. */
interface Part {
  customer: Customer
  /** Those that have been erased. */
  erased: Map<string, number[]>
  found: Map<string, number[]>
}

/**
 * Finds records that have not been erased, also those that belong to erased ones. An erased record
 * whose address has been changed since is no longer the customer's.
 */
async function findRecords(db: Db, { customer, erased }: Part, pseudonym: string) {
  const known = new Map<string, number[]>()
  const found = new Map<string, number[]>()
  for (const { name, find, lock } of KINDS) {
    const before = erased.get(name) ?? []
    const kept = new Set(lock ? await lock(db, { ...customer, email: pseudonym }, before) : before)
    const ids = (await find(db, customer, known)).filter((id) => !kept.has(id))
    found.set(name, ids)
    known.set(name, [...kept, ...ids])
  }
  return found
}

/**
 * Erases the records that were found. Returns how many there were of each kind; undefined if the
 * address of one has changed since.
 */
async function eraseFound(
  tx: Tx,
  parts: readonly Part[],
  pseudonym: string,
): Promise<[name: string, count: number][] | undefined> {
  for (const { customer, found } of parts) {
    for (const { name, lock } of KINDS) {
      const ids = found.get(name) ?? []
      if (lock && (await lock(tx, customer, ids)).length < ids.length) return undefined
    }
  }
  for (const { customer, found } of parts) await refuseOpen(tx, customer, found)
  const counts: [string, number][] = []
  for (const { customer, found } of parts) {
    for (const { name, erase } of KINDS) {
      counts.push([name, await erase(tx, customer, found.get(name) ?? [], pseudonym, found)])
    }
  }
  return counts
}

/** Throws ErasureRefused if a customer, known by an address in lower case, is on legal hold. */
export async function refuseHeld(tx: Db, businessId: number, email: string): Promise<void> {
  const holds = await listHolds(tx, businessId)
  const hold = holds.find(({ customer }) => customer === null || customer === email)
  if (!hold) return
  const whose = hold.customer === null ? 'The business' : 'The customer'
  const says = `${whose} is on legal hold`
  throw new ErasureRefused(`${says}: ${hold.reason}`, `${says}. Ask the operator of this server.`)
}

async function refuseOpen(
  tx: Db,
  { businessId, live }: Tenant,
  found: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const open: string[] = []
  for (const { name, open: of } of KINDS) {
    const ids = found.get(name) ?? []
    if (!of || ids.length === 0) continue
    const { count } = await tx.one<{ count: number }>`
      select count(*) from ${of.table}
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
        and ${of.condition}`
    if (count > 0) open.push(`${of.words} (${count})`)
  }
  if (open.length === 0) return
  const customer = live ? 'The customer' : 'In test mode, the customer'
  throw new ErasureRefused(`${customer} still has ${open.join('; ')}.`)
}

export const ERASURE_JOB = 'erasures'

/** Few, because each reads all records of a business. */
const ROWS_MAX = 5
const RETRY_MS = 60 * 60_000
/** How long it is tried, because the cause of a failure can pass. */
const TRIED_MS = 5 * RETRY_MS

/** An attempt that ended the process left no error, so this is when another one is due. */
const GIVEN_UP_MS = TRIED_MS + RETRY_MS

/** What members read about a failure; the log has the error. */
const FAILED =
  'Something went wrong on the server. Ask its operator to look at the log, then try again.'

/** Erases what members have asked for. `owner` can delete events, unlike the server's role. */
export const erasureJob = (owner: Database): Job => ({
  name: ERASURE_JOB,
  everyMs: 60_000,
  async run(db, now, only) {
    if (only !== undefined) return 0
    const due = await selectDueErasures(db, now, ROWS_MAX)
    for (const erasure of due) {
      const taken = await updateDueAt(db, erasure, now, addMs(now, RETRY_MS))
      if (taken > 0) await erase(db, owner, erasure, now)
    }
    return due.length
  },
})

async function erase(db: Database, owner: Database, erasure: DueErasure, now: Date): Promise<void> {
  const { business_id: businessId, email } = erasure
  const actor = {
    personId: erasure.person_id,
    name: erasure.person_name,
    ip: erasure.ip,
    requestId: erasure.request_id,
  }
  const refuse = (why: string, detail: string) =>
    db.transaction(async (tx) => {
      if ((await updateRefused(tx, erasure, why)) === 0) return
      await appendAudit(tx, actor, { businessId, action: 'customer.erase', detail, at: now })
    })
  if (isTried(erasure) && addMs(erasure.asked_at, GIVEN_UP_MS) <= now) {
    return refuse(FAILED, 'Could not erase a customer, because each attempt ended the server')
  }
  try {
    await eraseCustomer(owner, businessId, email, { now, actor })
  } catch (error) {
    if (error instanceof ErasureRefused) {
      return refuse(
        error.forMembers,
        'Could not erase a customer who is on legal hold or has unfinished records',
      )
    }
    if (addMs(erasure.asked_at, TRIED_MS) <= now) {
      await refuse(FAILED, 'Could not erase a customer because of an error')
    }
    throw error
  }
}

/** Each attempt moves the time of the next one. */
const isTried = ({ asked_at, due_at }: DueErasure): boolean => due_at > asked_at
