import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import type { AccountHolder } from '../../providers/connector/types.ts'
import { HOLDER_RETRY_MS, holderCheckOf, lookUpHolder } from './create.ts'
import {
  claimUnverified,
  type HolderCheck,
  holderCheckIn,
  lockSubaccount,
  type StoredSubaccount,
  type SubaccountRow,
  updateHolderCheck,
} from './queries.ts'
import { subaccountRecord, withNumber } from './record.ts'
import { type EventType, eventsOf } from './service.ts'

const DAY_MS = 24 * 3_600_000
/**
 * If a bank does not respond, payouts wait for this long before a person must check the account.
 */
const WAITING_MS = DAY_MS
/** How far in advance the owners are notified that payouts to an older account will be blocked. */
const ANNOUNCED_MS = 14 * DAY_MS
const ASKED_AT_ONCE = 4

type HolderDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'providers' | 'people' | 'nudge'>

/**
 * Returns the job that asks banks for missing names of account holders. A name is missing if the
 * bank did not respond, or if the account was added before names were compared.
 */
export function holderJob(deps: HolderDeps): Job {
  return {
    name: 'account-holders',
    everyMs: 60_000,
    followsTestClock: true,
    async run(db, now, only) {
      const next = addMs(now, HOLDER_RETRY_MS)
      const due = await claimUnverified(db, now, next, only ?? null, JOB_ROWS_MAX)
      await forEachConcurrent(due, ASKED_AT_ONCE, (row) => ask(deps, row, now))
      return due.length
    },
  }
}

async function ask(deps: HolderDeps, due: StoredSubaccount, now: Date): Promise<void> {
  const row = await withNumber(deps.db, deps.keyring, due)
  const tenant = { businessId: row.business_id, live: row.live }
  const holder = await answerFor(deps, tenant, row)
  await deps.db.transaction(async (tx) => {
    const locked = await lockSubaccount(tx, tenant, row.reference)
    const found = locked && (await withNumber(tx, deps.keyring, locked))
    // If the account has changed in the meantime, its bank was asked when it changed.
    if (!found || !isSame(found, row)) return
    await learn(tx, deps, tenant, found, nextOf(found, holder, now), now)
  })
}

const isSame = (found: SubaccountRow, row: SubaccountRow): boolean =>
  found.bank_code === row.bank_code &&
  found.account_number === row.account_number &&
  found.account_name === row.account_name &&
  found.holder_state === row.holder_state

/** Returns `undefined` if the bank refuses, does not respond, or cannot be asked. */
async function answerFor(
  { providers }: HolderDeps,
  tenant: Tenant,
  { bank_code, account_number }: SubaccountRow,
): Promise<AccountHolder | undefined> {
  if (bank_code === null) return undefined
  try {
    const account = { bankCode: bank_code, accountNumber: account_number }
    return (await lookUpHolder(providers, tenant, account)).holder
  } catch {
    return undefined
  }
}

/** Returns an account's next state. The bank's response is undefined if there is none. */
function nextOf(row: SubaccountRow, holder: AccountHolder | undefined, now: Date): HolderCheck {
  const holding = holderCheckOf(row.account_name, holder, now)
  if (holding.holder_state === 'settled') return holding
  const since = row.holder_waiting_since ?? now
  if (row.holder_state === 'waiting') {
    if (holder) return holding
    return now.getTime() - since.getTime() < WAITING_MS
      ? { ...holding, holder_waiting_since: since }
      : unanswered(holding)
  }
  const from = row.payouts_blocked_from ?? addMs(now, ANNOUNCED_MS)
  if (from <= now) return holder ? holding : unanswered(holding)
  const tomorrow = addMs(now, DAY_MS)
  return {
    ...holding,
    holder_state: 'announced',
    holder_due_at: tomorrow < from ? tomorrow : from,
    holder_waiting_since: null,
    payouts_blocked_from: from,
    payouts_blocked: null,
  }
}

const unanswered = (holding: HolderCheck): HolderCheck => ({
  ...holding,
  holder_state: 'blocked',
  holder_due_at: null,
  payouts_blocked: 'account_unverified',
})

/** Stores what is now known about the account, and writes the events and emails about changes. */
async function learn(
  tx: Tx,
  { ids, keyring, people, nudge }: HolderDeps,
  tenant: Tenant,
  before: SubaccountRow,
  holding: HolderCheck,
  now: Date,
): Promise<void> {
  const isNews = before.holder_state !== holding.holder_state
  const types: EventType[] = isNews ? [EVENTS[holding.holder_state]] : []
  if (holding.verified && isNews) types.unshift('subaccount.updated')
  const stored = await updateHolderCheck(tx, tenant, before.id, holding, types.length, now)
  if (!isNews) return
  const row = await withNumber(tx, keyring, stored)
  await appendEvents(tx, ids, eventsOf(row, types, now))
  if (holding.holder_state === 'settled') tx.after(() => nudge('settlements'))
  else await people.emailOwners(tx, tenant, newsOf(row))
}

/** The event for entering each state. Leaving a state causes no event. */
const EVENTS: Record<HolderCheck['holder_state'], EventType> = {
  unasked: 'subaccount.updated',
  announced: 'subaccount.updated',
  settled: 'account.verified',
  waiting: 'subaccount.updated',
  blocked: 'settlement.blocked',
}

const newsOf = (row: SubaccountRow) => ({
  what: 'payouts_blocked' as const,
  of: row.business_name,
  given: row.account_name,
  found: row.holder_name,
  from: row.payouts_blocked_from?.toISOString() ?? null,
  path: `subaccounts/${row.reference}`,
})

/**
 * Confirms the account after a person has checked it, so that its payouts resume. Repeating the
 * call has no effect. Throws 404, and `bank_missing` (409) if there is no account to confirm.
 */
export async function confirmAccount(
  tx: Tx,
  { ids, keyring, nudge }: Pick<Deps, 'ids' | 'keyring' | 'nudge'>,
  caller: Caller,
  reference: string,
) {
  const locked = await lockSubaccount(tx, caller, reference)
  if (!locked) throw notFound('subaccount')
  const row = await withNumber(tx, keyring, locked)
  if (row.bank_code === null) {
    throw conflict('bank_missing', 'This subaccount has no bank account yet. Add one first.')
  }
  if (row.holder_state === 'settled') return subaccountRecord(row)
  const stored = await updateHolderCheck(
    tx,
    caller,
    row.id,
    {
      ...holderCheckIn(row),
      holder_state: 'settled',
      holder_due_at: null,
      holder_waiting_since: null,
      payouts_blocked_from: null,
      payouts_blocked: null,
    },
    1,
    caller.now,
  )
  const confirmed = { ...stored, account_number: row.account_number }
  await appendEvents(tx, ids, eventsOf(confirmed, ['subaccount.updated'], caller.now))
  tx.after(() => nudge('settlements'))
  return subaccountRecord(confirmed)
}
