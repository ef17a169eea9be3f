import { type Static, Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { Download } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type ConsoleRoute, consoleRoute } from '../../http/session-route.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { pageOf, paging, rangeOf, TOTAL_MAX, windowOf } from '../../lib/paging.ts'
import { MomentText, Text } from '../../lib/schemas.ts'
import { type AuditFilter, type AuditRow, countEntries, selectEntries } from './queries.ts'

const filters = {
  person: Type.Optional(Type.Integer({ minimum: 1 })),
  action: Type.Optional(Text(100)),
  from: Type.Optional(MomentText),
  to: Type.Optional(MomentText),
}
const Filters = Type.Object(filters)
const reads = { method: 'GET', asker: 'member', scope: 'audit:read' } as const
const ROWS_AT_ONCE = 500

/** What people did in a business: to read, and to keep. */
export const auditRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    ...reads,
    path: '/audit',
    query: Type.Object({ ...filters, ...paging }),
    handle: async ({ caller: { businessId, timeZone }, query }) => {
      const filter = filterOf(query, timeZone)
      const [rows, counted] = await Promise.all([
        selectEntries(db, businessId, filter, { before: null, ...windowOf(query) }),
        countEntries(db, businessId, filter, TOTAL_MAX + 1),
      ])
      const { rows: shown, meta } = pageOf(rows, query, counted)
      return success('What was done.', shown.map(recordOf), meta)
    },
  }),
  consoleRoute({
    ...reads,
    path: '/audit/export',
    query: Filters,
    handle: async ({ caller: { businessId, timeZone }, query }) => {
      const filter = filterOf(query, timeZone)
      const next = (before: number | null) =>
        selectEntries(db, businessId, filter, { before, offset: 0, take: ROWS_AT_ONCE })
      return new Download(csvOf(await next(null), next), {
        type: 'text/csv; charset=utf-8',
        name: 'audit-log.csv',
        disposition: 'attachment',
      })
    },
  }),
]

function filterOf({ person, action, from, to }: Static<typeof Filters>, timeZone: string) {
  const days = { ...(from && { startDate: from }), ...(to && { endDate: to }) }
  return { person, action, ...rangeOf(days, timeZone) } satisfies AuditFilter
}

const recordOf = (row: AuditRow) => ({
  number: row.seq,
  at: row.at,
  mode: row.live === null ? null : row.live ? 'live' : 'test',
  personId: row.person_id,
  person: row.person_name,
  action: row.action,
  object: row.object,
  detail: row.detail,
  ip: row.ip,
  requestId: row.request_id,
})

const COLUMNS = [
  'number',
  'at',
  'mode',
  'person',
  'action',
  'object',
  'detail',
  'ip',
  'requestId',
] as const

async function* csvOf(first: AuditRow[], next: (before: number) => Promise<AuditRow[]>) {
  yield CSV_START + csvLine(COLUMNS)
  for (let rows = first; rows.length > 0; rows = await next(rows.at(-1)!.seq)) {
    yield rows
      .map(recordOf)
      .map((record) => csvLine(COLUMNS.map((column) => record[column])))
      .join('')
  }
}
