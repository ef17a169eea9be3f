import { type Static, Type } from 'typebox'
import { exportRows } from '../../db/csv.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { pageOf, paging, rangeOf, TOTAL_MAX, windowOf } from '../../lib/paging.ts'
import { Nullable, PageOf, Text, Timestamp, TimestampText } from '../../lib/schemas.ts'
import { type AuditFilter, type AuditRow, countEntries, selectEntries } from './queries.ts'

const filters = {
  person: Type.Optional(Type.Integer({ minimum: 1 })),
  action: Type.Optional(Text(100)),
  from: Type.Optional(TimestampText),
  to: Type.Optional(TimestampText),
}
const Filters = Type.Object(filters)
const orNull = Nullable(Type.String())
const AuditList = PageOf(
  Type.Object({
    number: Type.Integer(),
    at: Timestamp,
    mode: Nullable(Type.String({ description: 'test or live' })),
    personId: Nullable(Type.Integer()),
    person: Type.String(),
    action: Type.String(),
    object: orNull,
    detail: Type.String(),
    ip: orNull,
    requestId: orNull,
  }),
)
const reads = { method: 'GET', caller: 'member', scope: 'audit:read' } as const

export const auditRoutes = ({ db }: ConsoleDeps): Route[] => [
  route({
    ...reads,
    operation: 'list_audit_entries',
    path: '/audit',
    query: Type.Object({ ...filters, ...paging }),
    response: AuditList,
    handle: async ({ caller: { businessId, timeZone }, query }) => {
      const filter = filterOf(query, timeZone)
      const [rows, counted] = await Promise.all([
        selectEntries(db, businessId, filter, { before: null, ...windowOf(query) }),
        countEntries(db, businessId, filter, TOTAL_MAX + 1),
      ])
      const { rows: shown, meta } = pageOf(rows, query, counted)
      return success('Audit log retrieved.', shown.map(recordOf), meta)
    },
  }),
  route({
    ...reads,
    operation: 'export_audit_entries',
    path: '/audit/export',
    query: Filters,
    response: FileOf('text/csv'),
    handle: async ({ caller: { businessId, timeZone }, query }) => {
      const filter = filterOf(query, timeZone)
      const rows = await exportRows<AuditRow>(db, {
        columns: COLUMNS,
        read: (tx, after, take) =>
          selectEntries(tx, businessId, filter, { before: after?.seq ?? null, offset: 0, take }),
        cellsOf: (row) => {
          const record = recordOf(row)
          return COLUMNS.map((column) => record[column])
        },
      })
      return new Download(rows, {
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
