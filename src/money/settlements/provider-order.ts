import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { clearingOf, postHold, postJournal, type Through, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type OrderKind, type ProviderReport, payoutKind } from '../../provider-orders/orders.ts'
import type { PayoutState } from '../../providers/connector/types.ts'
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
import { type Settlement, withNumber } from './record.ts'
import { type SettlementMove, type SettlementState, settlementMachine } from './schemas.ts'
import { recordsOf } from './service.ts'

type MoveDeps = Pick<Deps, 'ids' | 'keyring'>

export const settlementOrders = (deps: MoveDeps): OrderKind<PayoutState, Settlement> => ({
  kind: 'settlement',
  async find(db, tenant, { subject_id }) {
    const row = await selectById(db, tenant, subject_id)
    return row && withNumber(db, deps.keyring, tenant, row)
  },
  ...payoutKind<Settlement>(({ entry_count }) => `Settlement of ${entry_count}`),
  moved: async (tx, tenant, row, to) => ({
    ...row,
    ...(await updateProvider(tx, tenant, row.id, to)),
  }),
  apply: (reported) => apply(deps, reported),
})

/**
 * The moves that bring a settlement to the state reported by the provider. Each is made only if it
 * is allowed. A delayed payout can still be paid, so only the reason changes. If its entries were
 * reopened, the next settlement would pay them again.
 */
const MOVES: Record<PayoutState['status'], readonly SettlementMove[] | 'wait'> = {
  Pending: [],
  Successful: ['pay'],
  Failed: ['fail'],
  Rejected: ['fail'],
  Blocked: 'wait',
  Returned: ['pay', 'return'],
}

/** The final state of a settlement that agrees with what the provider reports. */
const END: Partial<Record<PayoutState['status'], SettlementState>> = {
  Successful: 'Paid',
  Failed: 'Failed',
  Rejected: 'Failed',
  Returned: 'Failed',
}

/**
 * Returns the message for a bank report that contradicts the outcome of a settlement that has
 * ended.
 */
const contradiction = (status: PayoutState['status']): string =>
  status === 'Successful'
    ? 'The bank reported that it was paid'
    : 'The bank reported that it failed'

async function apply(
  deps: MoveDeps,
  {
    tenant,
    row,
    state,
    provider,
    now,
    note,
    commit,
    contradict,
  }: ProviderReport<PayoutState, Settlement>,
): Promise<void> {
  const { id } = row
  const { status, message } = state
  const moves = MOVES[status]
  const through = throughOf(provider.connection, state.fee_minor)
  if (moves.length === 0) return note()
  return commit(
    async (tx) => {
      if (moves === 'wait') return void (await updateReason(tx, tenant, id, message, now))
      let hasMoved = false
      for (const move of moves) {
        const said = status === 'Returned' && move === 'pay' ? 'Paid' : message
        const moved = await moveSettlement(tx, deps, tenant, id, move, {
          now,
          message: said,
          through,
        })
        hasMoved ||= moved !== undefined
      }
      if (hasMoved) return
      const ended = await selectById(tx, tenant, id)
      if (!ended || ended.status === END[status]) return
      // The contract doesn't allow any move out of Failed, and none from Paid other than a return,
      // so a person must resolve the contradiction.
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
  deps: MoveDeps,
  { businessId, live }: Tenant,
  id: number,
  move: SettlementMove,
  { now, message, through }: Reason,
): Promise<SettlementRow | undefined> {
  const { ids } = deps
  const tenant = { businessId, live }
  const { from, to, event, ledger } = settlementMachine.moves[move]
  const row = await updateMoved(tx, tenant, id, {
    from,
    to,
    message,
    failure_reason: move === 'pay' ? null : message,
    isReturn: move === 'return',
    events: event === null ? 0 : 1,
    now,
  })
  if (!row) return undefined
  if (to === 'Failed') await releaseEntries(tx, tenant, id)
  const end = { cause: { type: 'settlement', id }, now }
  if (ledger === 'post') await postHold(tx, ids, tenant, { ...end, through })
  else if (ledger === 'void') await voidHold(tx, ids, tenant, end)
  else await putBack(tx, ids, tenant, row, { now, through })
  if (event !== null) await tell(tx, deps, tenant, event, row, now)
  return row
}

/** Books a payout that the bank has returned for the subaccount again. */
async function putBack(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { id, subaccount_id: subjectId, amount_minor, currency }: SettlementRow,
  { now, through }: Pick<Reason, 'now' | 'through'>,
): Promise<void> {
  const debit = clearingOf(through.connectionId, currency)
  const credit = { kind: 'subaccount', currency, subjectId } as const
  await postJournal(tx, ids, tenant, {
    cause: { type: 'settlement', id },
    verb: 'return',
    now,
    moves: [{ debit, credit, amount_minor, kind: 'return' }],
  })
}

async function tell(
  tx: Tx,
  { ids, keyring }: MoveDeps,
  tenant: Tenant,
  type: string,
  row: SettlementRow,
  at: Date,
): Promise<void> {
  const [data] = await recordsOf(tx, keyring, tenant, [row])
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
