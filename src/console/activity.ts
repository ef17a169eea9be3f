import type { Db } from '../db/database.ts'
import type { Caller } from '../lib/tenant.ts'
import { may } from './may.ts'
import { type ActivityRow, selectActivity } from './queries-overview.ts'
import { pathOf, SCREENS } from './screens.ts'

const SHOWN = 8
/** Of so many newest events; the rest may be of what the role does not see. */
const AMONG = 60

/** What was last, of what the role may read. */
export async function activityOf(db: Db, caller: Caller) {
  const objectTypes = Object.keys(SCREENS).filter((type) => may(caller, SCREENS[type]!.scope))
  const rows = await selectActivity(db, caller, { objectTypes, among: AMONG, take: SHOWN })
  return rows.map(lineOf)
}

/** The few fields that nearly all records share. */
interface Told {
  reference?: unknown
  amount?: unknown
  currency?: unknown
  status?: unknown
}

function lineOf(row: ActivityRow) {
  const told = JSON.parse(row.data) as Told
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const reference = text(told.reference)
  return {
    id: row.reference,
    type: row.type,
    reference,
    amount: typeof told.amount === 'number' ? told.amount : null,
    currency: text(told.currency),
    status: text(told.status),
    path: pathOf(row.object_type, { id: row.object_id, reference }),
    at: row.created_at,
  }
}
