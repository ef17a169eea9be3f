import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { shownNumber } from '../../encryption/account-numbers.ts'
import type { Tenant } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import { type OrderKind, type ProviderReport, payoutKind } from '../../provider-orders/orders.ts'
import type { PayoutState } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { selectById, updateProvider } from './queries.ts'
import { type Transfer, withNumber } from './record.ts'
import type { TransferMove, TransferState } from './schemas.ts'
import { type MoveDeps, moveTransfer } from './transition.ts'

type TransferOrderDeps = MoveDeps & Pick<Deps, 'people'>

export const transferOrders = (deps: TransferOrderDeps): OrderKind<PayoutState, Transfer> => ({
  kind: 'transfer',
  async find(db, tenant, { subject_id }) {
    const row = await selectById(db, tenant, subject_id)
    return row && withNumber(db, deps.keyring, tenant, row)
  },
  ...payoutKind<Transfer>(({ narration }) => narration),
  moved: async (tx, tenant, row, to) => ({
    ...row,
    ...(await updateProvider(tx, tenant, row.id, to)),
  }),
  attemptOf: ({ attempt }) => attempt,
  apply: (heard) => apply(deps, heard),
})

/**
 * The moves that bring a transfer to the state reported by the provider. Each is made only if it is
 * allowed.
 */
const MOVES: Record<PayoutState['status'], readonly TransferMove[]> = {
  Pending: [],
  Successful: ['succeed'],
  Failed: ['fail'],
  Blocked: ['block'],
  // A transfer that was already blocked can only fail.
  Rejected: ['refuse', 'fail'],
  Returned: ['succeed', 'return'],
}

function apply(
  deps: TransferOrderDeps,
  { tenant, order, row, state, provider, now, note, commit, contradict }: TransferReport,
): Promise<void> {
  const { status, message } = state
  const through = throughOf(provider.connection, state.fee_minor)
  if (MOVES[status].length === 0) return note()
  // An earlier attempt that was paid after all, before the current one was sent.
  const paidBy = order.attempt < row.attempt ? order.attempt : undefined
  return commit(async (tx) => {
    let present = row.attempt
    let hasMoved = false
    for (const move of MOVES[status]) {
      const said = status === 'Returned' && move === 'succeed' ? 'Paid' : message
      const reason = { now, message: said, attempt: present, paidBy, through }
      const moved = await moveTransfer(tx, deps, tenant, row.id, move, reason)
      hasMoved ||= moved !== undefined
      if (moved && isLoss(move)) await emailAboutLoss(tx, deps.people, tenant, moved)
      present = moved?.attempt ?? present
    }
    const ended = hasMoved ? undefined : await selectById(tx, tenant, row.id)
    if (ended?.completed_at && !ENDS[status].includes(ended.status)) {
      await contradict(tx, ended.status)
    }
  })
}

const isLoss = (move: TransferMove): boolean => ['fail', 'refuse', 'return'].includes(move)

/** Nobody may be watching a payout, least of all one that the schedule made. */
async function emailAboutLoss(
  tx: Tx,
  people: Deps['people'],
  tenant: Tenant,
  row: Transfer,
): Promise<void> {
  if (row.origin !== 'payout') return
  await people.emailHolders(tx, tenant, 'transfers:write', {
    what: 'payout_failed',
    isReturned: row.reversed_at !== null,
    amount: formatAmount(row.amount_minor, row.currency),
    to: `${row.bank_name}, ${shownNumber(row.account_last4 ?? '')}`,
    reason: row.failure_reason,
    path: `transfers/${row.reference}`,
  })
}

type TransferReport = ProviderReport<PayoutState, Transfer>

/** The final states of a transfer that agree with what the provider reports. */
const ENDS: Record<PayoutState['status'], readonly TransferState[]> = {
  Pending: [],
  Successful: ['Successful'],
  Failed: ['Failed', 'Rejected'],
  Rejected: ['Failed', 'Rejected'],
  // Still being decided, after it was paid: its next state decides.
  Blocked: ['Successful', 'Failed', 'Rejected'],
  Returned: ['Failed'],
}
