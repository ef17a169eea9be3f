import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { cursorPaging } from '../../lib/paging.ts'
import { getEntry, listAccounts } from './entry.ts'
import { exportMoves, listMoves } from './list.ts'
import { EntryList, LedgerAccounts, ledgerFilters, OneEntry } from './record.ts'

const reads = { method: 'GET', caller: 'member', scope: 'wallet:read' } as const

/** Every movement between a business's accounts, not only those in the wallet. */
export const ledgerRoutes = ({ db }: ConsoleDeps): Route[] => [
  route({
    ...reads,
    operation: 'list_ledger_entries',
    path: '/ledger',
    query: Type.Object({ ...ledgerFilters, ...cursorPaging }),
    response: EntryList,
    handle: async (input) => {
      const { caller, query } = input
      const { records, meta } = await listMoves(db, caller, input.member.currency, query)
      return success('The ledger.', records, meta)
    },
  }),
  route({
    ...reads,
    operation: 'get_ledger_accounts',
    path: '/ledger/accounts',
    response: LedgerAccounts,
    handle: async ({ caller }) => success('The accounts.', await listAccounts(db, caller)),
  }),
  route({
    ...reads,
    operation: 'export_ledger_entries',
    path: '/ledger/export',
    query: Type.Object(ledgerFilters),
    response: FileOf('text/csv'),
    handle: async (input) => {
      const { caller, query } = input
      return new Download(await exportMoves(db, caller, input.member.currency, query), {
        type: 'text/csv; charset=utf-8',
        name: 'ledger.csv',
        disposition: 'attachment',
      })
    },
  }),
  route({
    ...reads,
    operation: 'get_ledger_entry',
    path: '/ledger/:reference',
    params: Type.Object({
      reference: Type.String({
        maxLength: 30,
        description: '`LED_` followed by the number of an entry.',
      }),
    }),
    response: OneEntry,
    handle: async ({ caller, params }) =>
      success('Entry.', await getEntry(db, caller, params.reference)),
  }),
]
