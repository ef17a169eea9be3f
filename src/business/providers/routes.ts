import { Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { cursorOf } from '../../db/paginate.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { Tenant } from '../../lib/caller.ts'
import { CursorMeta, cursorPage, cursorPaging } from '../../lib/paging.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { cut, redactedJson, redactText } from '../../lib/redact.ts'
import { Envelope, Nullable, NullableTimestamp, Text, Timestamp } from '../../lib/schemas.ts'
import {
  aboutBody,
  findNotice,
  hasConnection,
  listNotices,
  NOTICE_JOB,
  type NoticeRow,
  replayNotice,
} from '../../providers/inbox/inbox.ts'
import { actorOf, appendAudit } from '../audit-log/log.ts'
import { ConnectionPath, NoticePath } from './schemas.ts'

const STATUSES = ['Received', 'Applied', 'Unchanged', 'Unmatched', 'Unreadable', 'Failed'] as const
const Status = Type.Enum([...STATUSES])
const ListQuery = Type.Object({
  status: Type.Optional(Status),
  type: Type.Optional(Text(300)),
  ...cursorPaging,
})

const text = Type.String()
const line = {
  id: Type.Integer(),
  connectionId: Type.Integer(),
  type: Nullable(text),
  about: text,
  reference: Nullable(text),
  providerId: Nullable(text),
  deliveries: Type.Integer(),
  status: Status,
  result: Nullable(text),
  tries: Type.Integer(),
  nextTryAt: NullableTimestamp,
  receivedAt: Timestamp,
  lastReceivedAt: Timestamp,
  doneAt: NullableTimestamp,
}
const NoticeList = Type.Object({
  ...Envelope(Type.Array(Type.Object(line))).properties,
  meta: CursorMeta,
})
const OneNotice = Envelope(Type.Object(line))
const NoticeWithBody = Envelope(Type.Object({ ...line, body: text, isBodyCut: Type.Boolean() }))

/** The longest body that people are shown. */
const BODY_BYTES_MAX = 16 * 1024

/** What people can see of their providers' notifications, and do about them. */
export const noticeRoutes = ({ db, keyring, nudge }: ConsoleDeps): Route[] => [
  route({
    operation: 'list_provider_notifications',
    method: 'GET',
    path: '/providers/:connectionId/notices',
    caller: 'member',
    scope: 'providers:read',
    params: ConnectionPath,
    query: ListQuery,
    response: NoticeList,
    handle: async ({ caller, params, query: { limit, cursor: given, type, ...query } }) => {
      const { connectionId } = params
      if (!(await hasConnection(db, caller, connectionId))) throw notFound('connection')
      const status = query.status as NoticeRow['status'] | undefined
      const name = `console/notices ${connectionId} ${status ?? ''} ${type ?? ''}`
      const { key, cursor } = await cursorOf(db, caller, name, given)
      const wanted = { connectionId, status, type, cursor, take: limit + 1 }
      const listed = await listNotices(db, caller, wanted)
      const places = listed.map((row) => ({ ...row, created_at: row.received_at }))
      const { rows, meta } = cursorPage(key, places, limit, cursor)
      return success('Notifications retrieved.', rows.map(recordOf), meta)
    },
  }),
  route({
    operation: 'get_provider_notification',
    method: 'GET',
    path: '/providers/:connectionId/notices/:noticeId',
    caller: 'member',
    scope: 'providers:read',
    params: NoticePath,
    response: NoticeWithBody,
    handle: async ({ caller, params }) => {
      const notice = await requireNotice(db, caller, params)
      const stored = await keyring.decrypt(db, aboutBody(notice.id), notice.body_encrypted)
      const shown = shownOf(Buffer.from(stored, 'latin1').toString('utf8'))
      return success('Notification retrieved.', {
        ...recordOf(notice),
        body: shown.text,
        isBodyCut: shown.truncated,
      })
    },
  }),
  route({
    operation: 'replay_provider_notification',
    method: 'POST',
    path: '/providers/:connectionId/notices/:noticeId/replay',
    caller: 'member',
    scope: 'providers:write',
    params: NoticePath,
    response: OneNotice,
    handle: async (input) => {
      const { caller, params, now } = input
      const { businessId, live } = caller
      await requireNotice(db, caller, params)
      const replayed = await db.transaction(async (tx) => {
        const notice = await replayNotice(tx, caller, params, now)
        if (!notice) throw unreadable()
        await appendAudit(tx, actorOf(input), {
          businessId,
          live,
          at: now,
          action: 'provider.notification_replay',
          object: String(notice.id),
          detail: 'Looked up again what a notification was about',
        })
        tx.after(() => nudge(NOTICE_JOB))
        return notice
      })
      return success('The notification is being looked up again.', recordOf(replayed))
    },
  }),
]

async function requireNotice(
  db: Db,
  tenant: Tenant,
  key: { connectionId: number; noticeId: number },
): Promise<NoticeRow & { body_encrypted: Buffer }> {
  const notice = await findNotice(db, tenant, key)
  if (!notice) throw notFound('notification')
  return notice
}

const unreadable = () =>
  conflict('notification_state', 'This notification cannot be read, so nothing can be looked up.')

const recordOf = (row: NoticeRow) => ({
  id: row.id,
  connectionId: row.connection_id,
  type: row.type || null,
  about: row.about,
  reference: row.reference,
  providerId: row.provider_id,
  deliveries: row.deliveries,
  status: row.status,
  result: row.result,
  tries: row.tries,
  nextTryAt: row.next_at,
  receivedAt: row.received_at,
  lastReceivedAt: row.last_received_at,
  doneAt: row.done_at,
})

/** Bodies contain customers' data, and what is not JSON is shown as text. */
function shownOf(body: string) {
  try {
    return redactedJson(JSON.parse(body), BODY_BYTES_MAX)
  } catch {
    return cut(redactText(body), BODY_BYTES_MAX)
  }
}
