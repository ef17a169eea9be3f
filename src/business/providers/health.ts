import type { Db } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { callHealthOf } from '../../providers/calls/health.ts'
import {
  type StoredConnection,
  selectOpenOrders,
  selectRefusedNotices,
} from '../../providers/connections.ts'

const DAY_MS = 24 * 3_600_000

/** Returns what shows whether a connection works. */
export async function healthOf(
  { db, calls }: { db: Db } & Pick<ConsoleDeps, 'calls'>,
  tenant: Tenant,
  row: StoredConnection,
  now: Date,
) {
  const { connection_id: connectionId, probe } = row
  const since = addMs(now, -DAY_MS)
  const [orders, refused, { figures, suspended }] = await Promise.all([
    selectOpenOrders(db, tenant, connectionId),
    selectRefusedNotices(db, tenant, { connectionId, since }),
    callHealthOf({ db, calls }, tenant, connectionId, now),
  ])
  return {
    status: row.status,
    checkedAt: row.probed_at,
    problem: probe && !probe.isDone ? { code: probe.code, message: probe.message } : null,
    openOrders: orders.open,
    ordersNeedingAttention: orders.attention,
    oldestOpenOrderAt: orders.oldest_at,
    lastNoticeAt: row.last_notice_at,
    refusedNoticesToday: refused,
    calls: figures.map(({ p50_ms: p50Ms, p95_ms: p95Ms, calls: kind, ...rest }) => ({
      ...{ kind, ...rest, p50Ms, p95Ms },
    })),
    suspended,
  }
}
