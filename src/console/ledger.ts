import { Type } from 'typebox'
import { serverSecret } from '../db/secrets.ts'
import { success } from '../http/envelopes.ts'
import { cursorPage, cursorPaging, parseCursor } from '../lib/cursor.ts'
import { toAmount } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'
import { causeKey, referencesOf } from '../resources/wallet/ledger.ts'
import type { ConsoleDeps } from './deps.ts'
import { type MoveRow, selectMoves, selectSubaccounts } from './queries-ledger.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/** The books: every movement between accounts of a business, not those of the wallet alone. */
export const ledgerRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/ledger',
    asker: 'member',
    scope: 'wallet:read',
    query: Type.Object(cursorPaging),
    handle: async ({ caller, query: { limit, cursor: given } }) => {
      const secret = await serverSecret(db, 'cursor')
      const key = { secret, tenant: caller, list: 'console/ledger' }
      const cursor = given === undefined ? undefined : parseCursor(key, given)
      const read = await selectMoves(db, caller, cursor, limit + 1)
      const { rows, meta } = cursorPage(key, read, limit, cursor)
      return success('The ledger.', await recordsOf(db, caller, rows), meta)
    },
  }),
]

async function recordsOf(db: ConsoleDeps['db'], tenant: Tenant, rows: readonly MoveRow[]) {
  const ids = rows
    .flatMap((row) => [row.debit_subject, row.credit_subject])
    .filter((id) => id !== 0)
  const references = await referencesOf(db, tenant, rows)
  const subaccounts = new Map(
    (await selectSubaccounts(db, tenant, [...new Set(ids)])).map((one) => [one.id, one]),
  )
  const account = (kind: string, subjectId: number) => {
    const of = subaccounts.get(subjectId)
    return { kind, subaccount: of ? { code: of.reference, name: of.business_name } : null }
  }
  return rows.map((row) => ({
    id: row.id,
    reference: `LED_${row.id}`,
    kind: row.kind,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    /** Whose balance fell, and whose rose. */
    from: account(row.debit_kind, row.debit_subject),
    to: account(row.credit_kind, row.credit_subject),
    cause: {
      type: row.cause_type,
      id: row.cause_id,
      reference: references.get(causeKey(row)) ?? null,
    },
    createdAt: row.created_at,
  }))
}
