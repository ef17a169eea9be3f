import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { encryptNumber } from '../../encryption/account-numbers.ts'
import { hold } from '../../ledger/ledger.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { isNoConnection } from '../../providers/providers.ts'
import { payoutQuery } from '../../providers/routing.ts'
import { numberOf } from '../subaccounts/record.ts'
import { protectedSettlements } from './audit.ts'
import {
  claimAny,
  ENTRIES_TIMEOUT_MS,
  insertSettlement,
  type Payee,
  type SettlementRow,
  selectOpen,
  takeEntries,
} from './queries.ts'
import { TABLE } from './record.ts'
import { recordsOf } from './service.ts'

export type SettleDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'providers' | 'nudge'>

/**
 * How many times to try if refunds keep changing the balance between the claim of the entries and
 * the hold.
 */
const ATTEMPTS_MAX = 5

/**
 * Settles what `claim` returns, in a separate transaction. Creates no settlement if nothing is
 * claimed or payable. If a refund reduces the balance before its entry is visible, the hold fails,
 * and the next attempt sees the refund.
 */
export async function settleClaimed(
  deps: SettleDeps,
  tenant: Tenant,
  claim: (tx: Tx) => Promise<Payee | undefined>,
  times: { before: Date; now: Date },
): Promise<SettlementRow | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.db.transaction(
        async (tx) => {
          const payee = await claim(tx)
          return payee && createSettlement(tx, deps, tenant, payee, times)
        },
        { statementMs: ENTRIES_TIMEOUT_MS },
      )
    } catch (error) {
      const isShort = error instanceof Problem && error.code === 'insufficient_balance'
      if (!isShort || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

/**
 * Creates a settlement for the open entries of a claimed subaccount. Returns `undefined` if it has
 * no open entries or can't be paid. Throws `insufficient_balance` if a refund has reduced the
 * balance in the meantime.
 */
async function createSettlement(
  tx: Tx,
  { ids, keyring, providers, nudge }: SettleDeps,
  { businessId, live }: Tenant,
  payee: Payee,
  { before, now }: { before: Date; now: Date },
): Promise<SettlementRow | undefined> {
  const { id: subaccountId, currency, bank_code, bank_name, account_name } = payee
  if (bank_code === null || !payee.is_payable) return undefined
  const tenant = { businessId, live }
  const id = await ids.next(tx)
  const taking = { settlementId: id, subaccountId, currency, before }
  const { entry_count, amount_minor } = await takeEntries(tx, tenant, taking)
  if (entry_count === 0) return undefined
  const reference = newReference('STL')
  const paying = payoutQuery({ currency, amount_minor, bank_code, reference })
  const { connection } = await providers.choose(tenant, paying, tx)
  const accountNumber = await numberOf(tx, keyring, { ...payee, ...tenant })
  const row = await insertSettlement(tx, tenant, {
    id,
    reference,
    subaccount_id: subaccountId,
    amount_minor,
    currency,
    entry_count,
    bank_code,
    bank_name: bank_name ?? bank_code,
    ...(await encryptNumber(tx, keyring, TABLE, { ...tenant, id }, accountNumber)),
    account_name,
    provider: connection.provider,
    connection_id: connection.id,
    now,
  })
  await writeRowNote(tx, protectedSettlements, tenant, id)
  // This comes last because, from here until the commit, payments and refunds that change this
  // subaccount's balance have to wait.
  await hold(tx, ids, tenant, {
    cause: { type: 'settlement', id },
    now,
    amount_minor,
    currency,
    from: { kind: 'subaccount', currency, subjectId: subaccountId },
  })
  tx.after(() => nudge(orderJobName('settlement')))
  return row
}

/**
 * The maximum number of new settlements in the response. The list of settlements has all of them.
 */
const SHOWN_MAX = 100

const PAGE_ROWS = 100

/** The maximum per request. Businesses with more subaccounts repeat the request. */
const SETTLED_MAX = 1_000

/**
 * Settles the outstanding amounts of a tenant's subaccounts now, including today's, in a separate
 * transaction for each subaccount. A repeated call settles only amounts that have been added since.
 * Leaves out subaccounts that no connection can pay at the moment, and throws 503 if there are only
 * such ones.
 */
export async function settleNow(deps: SettleDeps, tenant: Tenant & { now: Date }) {
  const { now } = tenant
  const times = { now, before: addMs(now, 1) }
  const made: SettlementRow[] = []
  let count = 0
  let unpayable: unknown
  for (let after = 0; count < SETTLED_MAX; ) {
    const page = await selectOpen(deps.db, tenant, { ...times, after, limit: PAGE_ROWS })
    for (const { id } of page) {
      const claim = (tx: Tx) => claimAny(tx, tenant, id, now)
      const row = await settleClaimed(deps, tenant, claim, times).catch((error) => {
        if (!isNoConnection(error)) throw error
        unpayable = error
      })
      if (row && made.length < SHOWN_MAX) made.push(row)
      if (row) count += 1
    }
    if (page.length < PAGE_ROWS) break
    after = page.at(-1)!.id
  }
  if (unpayable && count === 0) throw unpayable
  return { count, settlements: await recordsOf(deps.db, deps.keyring, tenant, made) }
}
