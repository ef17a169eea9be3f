import type { Tx } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Sweeper } from '../../jobs/jobs.ts'
import { post, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { lookUp, orderOrLookUp, providerOrderJob } from '../../provider-orders/orders.ts'
import type { PayoutOrder, PayoutState } from '../../provider-orders/provider.ts'
import {
  type ClaimedRow,
  claimDuePayouts,
  claimPending,
  ENTRIES_MS,
  markContradicted,
  releaseEntries,
  type SettlementRow,
  selectSettlement,
  updateMoved,
  updateReason,
} from './queries.ts'
import { recordsOf } from './service.ts'
import { type SettlementMove, settlementMachine } from './states.ts'

export const SETTLEMENT_PAYOUTS = 'settlement-payouts'

type PayoutDeps = Pick<Deps, 'db' | 'ids' | 'providers'> & { log: Log }

/** Orders settlements, and asks about those of which nothing was heard. */
export const settlementPayoutSweeper = (deps: PayoutDeps): Sweeper =>
  providerOrderJob({
    name: SETTLEMENT_PAYOUTS,
    log: deps.log,
    claim: claimDuePayouts,
    run: (tenant, row, now) => payOut(deps, tenant, row, now),
  })

/**
 * Orders one at once, unless the provider knows it; for a test that cannot wait for a sweep. One
 * that is about to order it too does so under the same reference.
 */
export async function payOutNow(deps: PayoutDeps, tenant: Tenant, reference: string, now: Date) {
  const row = await claimPending(deps.db, tenant, reference, now)
  if (row) await payOut(deps, tenant, row, now)
}

async function payOut(deps: PayoutDeps, tenant: Tenant, row: ClaimedRow, now: Date) {
  const { reference } = row
  const provider = deps.providers.of(row.live, 'PAYOUTS')
  const order: PayoutOrder = {
    tenant,
    reference,
    amount_minor: row.amount_minor,
    currency: row.currency,
    bankCode: row.bank_code,
    accountNumber: row.account_number,
    narration: `Settlement of ${row.entry_count}`,
    attempt: 1,
    now,
  }
  const state = await orderOrLookUp<PayoutState>({
    wasSent: row.was_sent,
    send: () => provider.payOut(order),
    lookUp: () => provider.lookUpPayout(tenant, reference),
    refused: (message) => ({ status: 'Rejected', message }),
  })
  if (state) await apply(deps, tenant, row, state, now)
}

/**
 * Asks the provider about an order of ours and acts on what it says; a notice only triggers this.
 * Answers whether the order is a settlement's.
 */
export async function lookUpSettlement(
  deps: PayoutDeps,
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const row = await selectSettlement(deps.db, tenant, reference)
  if (!row) return false
  const provider = deps.providers.of(tenant.live, 'PAYOUTS')
  const state = await lookUp(provider.lookUpPayout(tenant, reference))
  if (state && state !== 'never ordered') await apply(deps, tenant, row, state, now)
  return true
}

/**
 * What each answer of the provider does. A payout that is held up may yet be paid, so it only says
 * why it waits: giving it back would pay it twice with the next settlement.
 */
const NEWS: Record<PayoutState['status'], SettlementMove | 'wait' | 'none'> = {
  Pending: 'none',
  Successful: 'pay',
  Failed: 'fail',
  Rejected: 'fail',
  Blocked: 'wait',
  // Paid and sent back before we heard of either: nobody has it.
  Returned: 'fail',
}

/** What the record says when this is heard of one that has ended otherwise. */
const contradiction = (status: PayoutState['status']): string => {
  if (status === 'Returned') return 'The bank sent it back'
  return status === 'Successful' ? 'The bank said that it was paid' : 'The bank said that it failed'
}

async function apply(
  { db, ids, log }: PayoutDeps,
  tenant: Tenant,
  { id, reference }: SettlementRow,
  { status, message }: PayoutState,
  now: Date,
): Promise<void> {
  const news = NEWS[status]
  if (news === 'none') return
  if (news === 'wait') return void (await updateReason(db, tenant, id, message, now))
  const work = (tx: Parameters<typeof moveSettlement>[0]) =>
    moveSettlement(tx, ids, tenant, id, news, { now, message })
  if (await db.transaction(work, { statementMs: ENTRIES_MS })) return
  const ended = await selectSettlement(db, tenant, reference)
  const expected = news === 'pay' ? 'Paid' : 'Failed'
  if (!ended || ended.status === expected) return
  // There is no way back from either in the contract: a person has to put it right.
  const reason = `${contradiction(status)} on ${now.toISOString().slice(0, 10)}`
  if ((await markContradicted(db, tenant, id, ended.status, reason, now)) === 0) return
  const fields = { businessId: tenant.businessId, live: tenant.live, reference, provider: status }
  log.error(fields, `the bank says otherwise of a settlement that is ${ended.status}`)
}

interface Reason {
  now: Date
  /** What the provider said, for people. */
  message: string | null
}

/**
 * Ends a settlement with its money, its entries and its event, all of it or nothing. Answers
 * undefined when it has ended before, which is what repeated and late news find.
 */
export async function moveSettlement(
  tx: Tx,
  ids: Deps['ids'],
  { businessId, live }: Tenant,
  id: number,
  move: SettlementMove,
  { now, message }: Reason,
): Promise<SettlementRow | undefined> {
  const tenant = { businessId, live }
  const { from, to, event, ledger } = settlementMachine.moves[move]
  const row = await updateMoved(tx, tenant, id, {
    from,
    to,
    message,
    failure_reason: move === 'fail' ? message : null,
    events: event === null ? 0 : 1,
    now,
  })
  if (!row) return undefined
  if (move === 'fail') await releaseEntries(tx, tenant, id)
  const end = { cause: { type: 'settlement', id }, now }
  await (ledger === 'post' ? post : voidHold)(tx, ids, tenant, end)
  if (event !== null) await tell(tx, ids, tenant, event, row, now)
  return row
}

async function tell(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  type: string,
  row: SettlementRow,
  at: Date,
): Promise<void> {
  const [data] = await recordsOf(tx, tenant, [row])
  await appendEvents(tx, ids, [
    {
      ...tenant,
      type,
      objectType: 'settlement',
      objectId: row.id,
      sequence: row.event_sequence,
      data: data!,
      at,
    },
  ])
}
