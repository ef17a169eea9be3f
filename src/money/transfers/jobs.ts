import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import type { OrderAttempt, OrderKind, ProviderReport } from '../../provider-orders/orders.ts'
import type {
  Outcome,
  PayoutOrder,
  PayoutState,
  Provider,
} from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { selectById, type TransferRow } from './queries.ts'
import type { TransferMove } from './states.ts'
import { moveTransfer, orderReference } from './transition.ts'

/** A transfer's state and, if a previous attempt was paid after all, that attempt. */
interface State extends PayoutState {
  paidBy?: number
}

export const transferOrders = ({
  ids,
  log,
}: Pick<Deps, 'ids'> & { log: Log }): OrderKind<State, TransferRow> => ({
  kind: 'transfer',
  async find(db, tenant, { subject_id, attempt }) {
    const row = await selectById(db, tenant, subject_id)
    const isOver = row?.attempt === attempt && !CHANGEABLE.includes(row.status)
    return isOver ? undefined : row
  },
  send(provider, sending, row) {
    const order = orderOf(sending, row)
    return row.attempt === 1 ? provider.payOut(order) : payOutAgain(provider, order, row)
  },
  lookUp: (provider, tenant, reference) => provider.lookUpPayout(tenant, reference),
  refused: (message) => ({ status: 'Rejected', message }),
  apply: (heard) =>
    heard.order.attempt === heard.row.attempt ? apply(ids, heard) : hearOfOther(log, heard),
})

/** The states that the bank can still change: even a paid transfer can be returned. */
const CHANGEABLE: readonly string[] = ['Pending', 'Blocked', 'Successful']

const orderOf = (sending: OrderAttempt, row: TransferRow): PayoutOrder => ({
  ...sending,
  amount_minor: row.amount_minor,
  currency: row.currency,
  bankCode: row.bank_code,
  accountNumber: row.account_number,
  narration: row.narration,
})

/**
 * Requests a blocked transfer again. The previous order could still be paid, so it is withdrawn
 * first. If it has been paid after all, the transfer has succeeded. Otherwise, nothing is requested
 * until the provider reports that the order will never be paid.
 */
async function payOutAgain(
  provider: Provider,
  order: PayoutOrder,
  row: TransferRow,
): Promise<Outcome<State>> {
  const former = { ...row, attempt: row.attempt - 1 }
  const outcome = await provider.cancelPayout(order.tenant, orderReference(former))
  if (outcome.kind !== 'done') return STILL_OPEN
  const { value } = outcome
  if (value.status === 'Failed' || value.status === 'Rejected') return provider.payOut(order)
  return isPaid(value) ? { kind: 'done', value: { ...value, paidBy: former.attempt } } : STILL_OPEN
}

/** The previous attempt at a transfer could still be paid. */
const STILL_OPEN = { kind: 'unknown', reason: 'inconclusive' } as const

/**
 * Ignores a report about a previous attempt. That attempt was withdrawn before the next one was
 * sent, so it can't have been paid too. Before the next attempt is sent, the previous one may turn
 * out to have been paid; the job finds this out when it withdraws that attempt.
 */
async function hearOfOther(
  log: Log,
  { tenant, provider, order, row, state, note }: ProviderReport<State, TransferRow>,
): Promise<void> {
  await note()
  if (!isPaid(state)) return
  const reference = orderReference(row)
  const present = await provider.lookUpPayout(tenant, reference)
  if (present.kind === 'refused' && present.code === 'unknown_order') return
  const fields = { ...tenant, reference, other: order.sent_reference, provider: state.status }
  log.error(fields, `the bank also paid another attempt at a transfer that is ${row.status}`)
}

/**
 * The moves that bring a transfer to the state reported by the provider. Each is made only if it is
 * allowed.
 */
const NEWS: Record<PayoutState['status'], readonly TransferMove[]> = {
  Pending: [],
  Successful: ['succeed'],
  Failed: ['fail'],
  Blocked: ['block'],
  // A transfer that was already blocked can only fail.
  Rejected: ['refuse', 'fail'],
  Returned: ['succeed', 'return'],
}

function apply(
  ids: Deps['ids'],
  { tenant, row, state, provider, now, note, commit }: ProviderReport<State, TransferRow>,
): Promise<void> {
  const { status, message, paidBy } = state
  const through = throughOf(provider.connection, state.fee_minor)
  if (NEWS[status].length === 0) return note()
  return commit(async (tx) => {
    let present = row.attempt
    for (const move of NEWS[status]) {
      const said = status === 'Returned' && move === 'succeed' ? 'Paid' : message
      const reason = { now, message: said, attempt: present, paidBy, through }
      present = (await moveTransfer(tx, ids, tenant, row.id, move, reason))?.attempt ?? present
    }
  })
}

/** Whether money left the wallet, even if it was returned. */
const isPaid = ({ status }: PayoutState): boolean =>
  status === 'Successful' || status === 'Returned'
