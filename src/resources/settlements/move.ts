import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { post, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { releaseEntries, type SettlementRow, updateMoved } from './queries.ts'
import { recordsOf } from './service.ts'
import { type SettlementMove, settlementMachine } from './states.ts'

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
