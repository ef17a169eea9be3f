import { logEnds, logPage } from '../business/audit-log/audit.ts'
import { type Database, type Db, dbOn } from '../db/database.ts'
import type { Finding } from '../ledger/audit.ts'
import type { ProtectedRows } from '../ledger/row-notes.ts'
import {
  type Checking,
  type Examined,
  type Link,
  type LogPosition,
  type Position,
  type Positions,
  REWRITTEN,
  START,
  type Within,
} from './position.ts'
import { checkDigests } from './since-digests.ts'
import { checkLedger } from './since-ledger.ts'

interface SinceResult {
  findings: Finding[]
  /** Where the next audit continues. A tenant with findings stays where it was. */
  positions: Positions
  examined: Examined
}

/**
 * Checks everything that was sealed since these positions, tenant by tenant and in pages, so that
 * no statement or transaction takes longer than seconds, whatever the size of the database. Does
 * not read older rows again; docs/operations.md lists what this cannot find.
 */
export async function auditSince(
  db: Db,
  within: Within,
  from: Positions,
  watched: readonly ProtectedRows[],
  now: Date,
): Promise<SinceResult> {
  const findings: Finding[] = []
  const examined = { transfers: 0, events: 0, notes: 0, logEntries: 0 }
  const tenants: Position[] = []
  const logs: LogPosition[] = []
  const positions = new Map(from.tenants.map((one) => [`${one.businessId} ${one.live}`, one]))
  const ends = new Map(from.logs.map(({ businessId, log }) => [businessId, log]))
  for (const { id: businessId } of await db.many<{ id: number }>`
    select id from businesses order by id`) {
    for (const live of [false, true]) {
      const position = positions.get(`${businessId} ${live}`) ?? startOf(businessId, live)
      positions.delete(`${businessId} ${live}`)
      const found: Finding[] = []
      const report: Checking['report'] = (check, table, id, problem) =>
        void found.push({ check, table, businessId, live, id: String(id), problem })
      const checking = { db, within, position, examined, report }
      const ledger = await checkLedger(checking)
      const digests = await checkDigests(checking, watched)
      tenants.push(found.length > 0 ? position : { ...position, ...ledger, ...digests })
      findings.push(...found)
    }
    const log = ends.get(businessId) ?? START
    const end = await checkLog({ db, within, examined }, { businessId, log }, findings)
    logs.push({ businessId, log: end })
  }
  for (const position of positions.values()) {
    const { businessId, live } = position
    const where = { check: 'heads', table: 'businesses', businessId, live, id: String(businessId) }
    findings.push({ ...where, problem: 'it is missing, but an earlier audit has checked it' })
    tenants.push(position)
  }
  const at = findings.length > 0 ? from.at : now.toISOString()
  return { findings, positions: { at, tenants, logs }, examined }
}

/** Opens a snapshot for each piece of work, which takes seconds at most. */
export const shortSnapshots =
  (db: Database): Within =>
  (work) =>
    db.withClient(async (client) => {
      await client.query('begin isolation level repeatable read read only')
      try {
        return await work(
          dbOn((query) => client.query(query), { prepare: false, isDivided: db.isDivided }),
        )
      } finally {
        await client.query('rollback')
      }
    })

const startOf = (businessId: number, live: boolean): Position => ({
  businessId,
  live,
  ledger: START,
  digests: START,
  accounts: {},
  eventsFrom: null,
  eventIds: [],
})

const PAGE = 5_000

type LogChecking = Pick<Checking, 'db' | 'within' | 'examined'>

/**
 * Checks the entries of a business's audit log. Returns the last one, or where it began if anything
 * is wrong.
 */
async function checkLog(
  { db, within, examined }: LogChecking,
  { businessId, log }: LogPosition,
  findings: Finding[],
): Promise<Link> {
  const found: Finding[] = []
  const report = (seq: number, problem: string) =>
    void found.push({
      check: 'audit-log',
      table: 'audit_log',
      businessId,
      live: false,
      id: String(seq),
      problem,
    })
  let last = log
  /** Reads all entries that are there. */
  async function readAll(from: Db): Promise<void> {
    for (let count = PAGE; count === PAGE; ) {
      const page = await logPage(from, businessId, last, PAGE)
      for (const { seq, fits, hash } of page) {
        const next = last.seq + 1
        if (seq !== next) report(next, `entries ${next} to ${seq - 1} are missing`)
        else if (!fits) report(seq, 'the entry or its hash was changed')
        last = { seq, hash }
      }
      count = page.length
      examined.logEntries += count
    }
  }
  await readAll(db)
  await within(async (snapshot) => {
    await readAll(snapshot)
    const { kept, head } = await logEnds(snapshot, businessId, log.seq)
    if (log.seq > 0 && kept !== log.hash) report(log.seq, REWRITTEN)
    if ((head?.seq ?? 0) !== last.seq || (last.seq > 0 && head?.hash !== last.hash)) {
      report(last.seq, 'the chain head does not match the last entry')
    }
  })
  findings.push(...found)
  return found.length > 0 ? log : last
}
