import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { Download } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type ConsoleRoute, consoleRoute, currencyOf } from '../../http/session-route.ts'
import { cursorPaging } from '../../lib/paging.ts'
import { getEntry, listAccounts } from './entry.ts'
import { exportMoves, listMoves } from './list.ts'
import { ledgerFilters } from './record.ts'

const reads = { method: 'GET', asker: 'member', scope: 'wallet:read' } as const

/** The books: every movement between accounts of a business, not those of the wallet alone. */
export const ledgerRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    ...reads,
    path: '/ledger',
    query: Type.Object({ ...ledgerFilters, ...cursorPaging }),
    handle: async (asked) => {
      const { caller, query } = asked
      const { records, meta } = await listMoves(db, caller, currencyOf(asked), query)
      return success('The ledger.', records, meta)
    },
  }),
  consoleRoute({
    ...reads,
    path: '/ledger/accounts',
    handle: async ({ caller }) => success('The accounts.', await listAccounts(db, caller)),
  }),
  consoleRoute({
    ...reads,
    path: '/ledger/export',
    query: Type.Object(ledgerFilters),
    handle: async (asked) => {
      const { caller, query } = asked
      return new Download(await exportMoves(db, caller, currencyOf(asked), query), {
        type: 'text/csv; charset=utf-8',
        name: 'ledger.csv',
        disposition: 'attachment',
      })
    },
  }),
  consoleRoute({
    ...reads,
    path: '/ledger/:reference',
    params: Type.Object({
      reference: Type.String({ maxLength: 30, description: '`LED_` and the number of an entry.' }),
    }),
    handle: async ({ caller, params }) =>
      success('Entry.', await getEntry(db, caller, params.reference)),
  }),
]
