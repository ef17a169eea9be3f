import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { postHold, type Through, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { OrderKind, ProviderReport } from '../../provider-orders/orders.ts'
import type { PayoutState } from '../../providers/connector/types.ts'
import { payoutQuery } from '../../providers/currencies.ts'
import { throughOf } from '../../providers/providers.ts'
import {
  ENTRIES_TIMEOUT_MS,
  markContradicted,
  releaseEntries,
  type SettlementRow,
  selectById,
  updateMoved,
  updateProvider,
  updateReason,
} from './queries.ts'
import { recordsOf } from './service.ts'
import { type SettlementMove, settlementMachine } from './states.ts'

export const settlementOrders = (
  deps: Pick<Deps, 'ids'>,
): OrderKind<PayoutState, SettlementRow> => ({
  kind: 'settlement',
  find: (db, tenant, { subject_id }) => selectById(db, tenant, subject_id),
  send: (provider, { about, reference }, row) =>
    provider.payOut(about, {
      reference,
      amount_minor: row.amount_minor,
      currency: row.currency,
      bankCode: row.bank_code,
      accountNumber: row.account_number,
      accountName: row.account_name,
      narration: `Settlement of ${row.entry_count}`,
    }),
  lookUp: (provider, about, sent) => provider.lookUpPayout(about, sent),
  refused: (message) => ({ status: 'Rejected', message }),
  routing: (row) => payoutQuery(row),
  moved: (tx, tenant, { id }, to) => updateProvider(tx, tenant, id, to),
  apply: (heard) => apply(deps, heard),
})

/**
 * The effect of each provider state. A delayed payout can still be paid, so only the reason
 * changes. If its entries were reopened, the next settlement would pay them again.
 */
const NEWS: Record<PayoutState['status'], SettlementMove | 'wait' | 'none'> = {
  Pending: 'none',
  Successful: 'pay',
  Failed: 'fail',
  Rejected: 'fail',
  Blocked: 'wait',
  // The payout was made and returned before the provider reported either, so the subaccount does
  // not have the money.
  Returned: 'fail',
}

/**
 * Returns the message for a bank report that contradicts the outcome of a settlement that has
 * ended.
 */
const contradiction = (status: PayoutState['status']): string => {
  if (status === 'Returned') return 'The bank returned it'
  return status === 'Successful'
    ? 'The bank reported that it was paid'
    : 'The bank reported that it failed'
}

async function apply(
  { ids }: Pick<Deps, 'ids'>,
  {
    tenant,
    row,
    state,
    provider,
    now,
    note,
    commit,
    contradict,
  }: ProviderReport<PayoutState, SettlementRow>,
): Promise<void> {
  const { id } = row
  const { status, message } = state
  const news = NEWS[status]
  const through = throughOf(provider.connection, state.fee_minor)
  if (news === 'none') return note()
  return commit(
    async (tx) => {
      if (news === 'wait') return void (await updateReason(tx, tenant, id, message, now))
      if (await moveSettlement(tx, ids, tenant, id, news, { now, message, through })) return
      const ended = await selectById(tx, tenant, id)
      const expected = news === 'pay' ? 'Paid' : 'Failed'
      if (!ended || ended.status === expected) return
      // The contract doesn't allow any move out of either state, so a person must resolve the
      // contradiction.
      const reason = `${contradiction(status)} on ${now.toISOString().slice(0, 10)}`
      await markContradicted(tx, tenant, id, ended.status, reason, now)
      await contradict(tx, ended.status)
    },
    { statementMs: ENTRIES_TIMEOUT_MS },
  )
}

interface Reason {
  now: Date
  /** The provider's human-readable message. */
  message: string | null
  through: Through
}

/**
 * Ends a settlement, moves its money, updates its entries and writes its event. Returns `undefined`
 * if it has already ended, for example because the report is repeated or late.
 */
export async function moveSettlement(
  tx: Tx,
  ids: Deps['ids'],
  { businessId, live }: Tenant,
  id: number,
  move: SettlementMove,
  { now, message, through }: Reason,
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
  if (ledger === 'post') await postHold(tx, ids, tenant, { ...end, through })
  else await voidHold(tx, ids, tenant, end)
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
