import type { Tx } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { post, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Heard, OrderKind } from '../../provider-orders/orders.ts'
import type { PayoutState } from '../../provider-orders/provider.ts'
import {
  ENTRIES_MS,
  markContradicted,
  releaseEntries,
  type SettlementRow,
  selectById,
  updateMoved,
  updateReason,
} from './queries.ts'
import { recordsOf } from './service.ts'
import { type SettlementMove, settlementMachine } from './states.ts'

/** Settlements, as they are ordered from the provider that pays them. */
export const settlementOrders = (
  deps: Pick<Deps, 'ids'> & { log: Log },
): OrderKind<PayoutState, SettlementRow> => ({
  kind: 'settlement',
  about: 'payout',
  find: (db, tenant, { subject_id }) => selectById(db, tenant, subject_id),
  send: (provider, sending, row) =>
    provider.payOut({
      ...sending,
      amount_minor: row.amount_minor,
      currency: row.currency,
      bankCode: row.bank_code,
      accountNumber: row.account_number,
      narration: `Settlement of ${row.entry_count}`,
    }),
  lookUp: (provider, tenant, reference) => provider.lookUpPayout(tenant, reference),
  refused: (message) => ({ status: 'Rejected', message }),
  apply: (heard) => apply(deps, heard),
})

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
  { ids, log }: Pick<Deps, 'ids'> & { log: Log },
  { tenant, row, state, now, commit }: Heard<PayoutState, SettlementRow>,
): Promise<void> {
  const { id, reference } = row
  const { status, message } = state
  const news = NEWS[status]
  const contradicted = await commit(
    async (tx) => {
      if (news === 'none') return undefined
      if (news === 'wait') return void (await updateReason(tx, tenant, id, message, now))
      if (await moveSettlement(tx, ids, tenant, id, news, { now, message })) return undefined
      const ended = await selectById(tx, tenant, id)
      const expected = news === 'pay' ? 'Paid' : 'Failed'
      if (!ended || ended.status === expected) return undefined
      // There is no way back from either in the contract: a person has to put it right.
      const reason = `${contradiction(status)} on ${now.toISOString().slice(0, 10)}`
      const marked = await markContradicted(tx, tenant, id, ended.status, reason, now)
      return marked === 0 ? undefined : ended.status
    },
    { statementMs: ENTRIES_MS },
  )
  if (!contradicted) return
  const fields = { ...tenant, reference, provider: status }
  log.error(fields, `the bank says otherwise of a settlement that is ${contradicted}`)
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
