import { Type } from 'typebox'
import { callerOf } from '../business/people/sessions.ts'
import type { Db } from '../db/database.ts'
import { cursorOf } from '../db/paginate.ts'
import type { ConsoleDeps } from '../deps.ts'
import { requireScope, sessionOf } from '../http/auth.ts'
import { SentAs } from '../http/download.ts'
import { success } from '../http/errors.ts'
import { EMAIL_PAGE_HEADERS } from '../http/pages.ts'
import { type Route, route } from '../http/route.ts'
import { type Caller, hasScope, type Tenant } from '../lib/caller.ts'
import { CursorMeta, cursorPage, cursorPaging } from '../lib/paging.ts'
import { notFound } from '../lib/problem.ts'
import { Envelope, Nullable, NullableTimestamp, Timestamp } from '../lib/schemas.ts'
import type { MailRow } from '../mail/email.ts'
import {
  findMailOfBusiness,
  listMailsAbout,
  listMailsOfBusiness,
  type MailboxDeps,
  type MailSummary,
} from '../mail/mailbox.ts'
import { mailsOfInvoice } from '../sales/invoices/service.ts'

/**
 * The scope that a role needs to read each kind of email. Only the recipient can read a
 * `person_notice`, because it can contain a sign-in link.
 */
const SCOPES: Partial<Record<MailRow['kind'], string>> = {
  invoice: 'invoices:read',
  invoice_again: 'invoices:read',
  invoice_reminder: 'invoices:read',
  receipt: 'transactions:read',
  order_receipt: 'orders:read',
  refund: 'refunds:read',
  owner_notice: 'keys:read',
  webhook_disabled: 'webhooks:read',
  person_news: 'audit:read',
}

const MailId = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

const text = Type.String()
const step = { id: Type.Integer(), kind: text, to: text, status: text, createdAt: Timestamp }
const line = { ...step, subject: Nullable(text) }
const MailList = Type.Object({
  ...Envelope(Type.Array(Type.Object(line))).properties,
  meta: CursorMeta,
})
const OneMail = Envelope(
  Type.Object({
    ...line,
    attempts: Type.Integer(),
    error: Nullable(text),
    sentAt: NullableTimestamp,
    from: Nullable(text),
    replyTo: Nullable(text),
    htmlUrl: Nullable(text),
    text: Nullable(text),
  }),
)
const Timeline = Envelope(
  Type.Object({ mails: Type.Array(Type.Object(step)), overdueAt: Type.Array(Timestamp) }),
)

export const mailRoutes = (deps: ConsoleDeps & MailboxDeps): Route[] => [
  route({
    operation: 'list_mails',
    method: 'GET',
    path: '/mails',
    caller: 'member',
    scope: 'invoices:read',
    query: Type.Object(cursorPaging),
    response: MailList,
    handle: async ({ caller, query: { limit, cursor: given } }) => {
      const kinds = kindsFor(caller)
      const name = `console/mails ${kinds.join()}`
      const { key, cursor } = await cursorOf(deps.db, caller, name, given)
      const listed = await listMailsOfBusiness(deps, caller, { kinds, cursor, take: limit + 1 })
      const places = listed.map((one) => ({ ...one, ...placeOf(one) }))
      const { rows, meta } = cursorPage(key, places, limit, cursor)
      return success('Mails retrieved.', rows.map(lineOf), meta)
    },
  }),
  route({
    operation: 'get_mail',
    method: 'GET',
    path: '/mails/:id',
    caller: 'member',
    scope: 'invoices:read',
    params: MailId,
    response: OneMail,
    handle: async ({ caller, params }) => {
      const kept = await keptFor(deps, caller, params.id)
      const { content: letter, mail } = kept
      return success('Mail retrieved.', {
        ...lineOf(kept),
        attempts: mail.attempts,
        error: mail.last_error,
        sentAt: mail.sent_at,
        from: letter?.fromName ?? null,
        replyTo: letter?.replyTo ?? null,
        htmlUrl: letter ? htmlUrlOf(caller, mail.id) : null,
        text: letter?.text ?? null,
      })
    },
  }),
  route({
    operation: 'get_invoice_timeline',
    method: 'GET',
    path: '/invoices/:reference/timeline',
    caller: 'member',
    scope: 'invoices:read',
    params: Type.Object({ reference: Type.String({ maxLength: 64 }) }),
    response: Timeline,
    handle: async ({ caller, params }) => {
      const about = await mailsOfInvoice(deps.db, caller, params.reference)
      const [listed, overdue] = await Promise.all([
        listMailsAbout(deps, caller, about),
        selectOverdue(deps.db, caller, about.id),
      ])
      const kinds = kindsFor(caller)
      const mails = listed.filter(({ kind }) => kinds.includes(kind)).map(stepOf)
      return success('Timeline retrieved.', {
        mails,
        overdueAt: overdue.map(({ created_at }) => created_at),
      })
    },
  }),
  // This URL is for a frame, which cannot send the headers for business and mode.
  route({
    operation: 'show_letter',
    method: 'GET',
    path: '/letters/:business/:mode/:id',
    caller: 'person',
    params: Type.Object({
      ...MailId.properties,
      business: Type.String({ maxLength: 100 }),
      mode: Type.Enum(['test', 'live']),
    }),
    response: SentAs('text/html'),
    handle: async ({ signedIn, params, request, reply, now }) => {
      const session = { ...sessionOf(request)!, live: params.mode === 'live' }
      const caller = callerOf(signedIn, { businessId: params.business, session }, now)
      requireScope(caller, 'invoices:read')
      const { content: letter } = await keptFor(deps, caller, params.id)
      if (!letter) throw notFound('mail')
      await reply.headers(EMAIL_PAGE_HEADERS).send(letter.html)
    },
  }),
]

const htmlUrlOf = ({ businessId, live }: Caller, id: number): string =>
  `/console/letters/${businessId}/${live ? 'live' : 'test'}/${id}`

/** Returns one email if the caller can read emails of its kind. */
async function keptFor(deps: MailboxDeps, caller: Caller, id: number) {
  const kept = await findMailOfBusiness(deps, caller, id)
  if (!kept || !kindsFor(caller).includes(kept.mail.kind)) throw notFound('mail')
  return kept
}

/** Uses the business's clock, like everything else about an invoice. */
const stepOf = (mail: MailRow) => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.to_address,
  status: mail.status,
  createdAt: mail.created_at,
})

const placeOf = ({ mail: { id }, at }: MailSummary) => ({ id, created_at: at })

const lineOf = ({ mail, subject, at }: MailSummary) => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.to_address,
  subject: subject ?? null,
  status: mail.status,
  createdAt: at,
})

const kindsFor = (caller: Caller) =>
  (Object.keys(SCOPES) as MailRow['kind'][]).filter((kind) => hasScope(caller, SCOPES[kind]!))

/** Returns when an invoice became overdue, once for each due date that it has had. */
function selectOverdue(db: Db, { businessId, live }: Tenant, invoiceId: number) {
  return db.many<{ created_at: Date }>`
    select created_at from events
    where business_id = ${businessId} and live = ${live} and object_id = ${invoiceId}
      and type = 'invoice.overdue' and object_type = 'invoice'
    order by sequence`
}
