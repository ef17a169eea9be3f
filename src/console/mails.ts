import { Type } from 'typebox'
import { serverSecret } from '../db/secrets.ts'
import { success } from '../http/envelopes.ts'
import { cursorPage, cursorPaging, parseCursor } from '../lib/cursor.ts'
import { notFound } from '../lib/problem.ts'
import type { Caller } from '../lib/tenant.ts'
import type { MailRow } from '../mail/letter.ts'
import { type Kept, type MailboxDeps, ownKept, ownKeptOne } from '../mail/mailbox.ts'
import type { ConsoleDeps } from './deps.ts'
import { may } from './may.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/**
 * What a role must read to read a mail of each kind. Those to people of the business are nobody
 * else's: they hold links that sign in.
 */
const SCOPES: Partial<Record<MailRow['kind'], string>> = {
  invoice: 'invoices:read',
  invoice_again: 'invoices:read',
  invoice_reminder: 'invoices:read',
  receipt: 'transactions:read',
  order_receipt: 'orders:read',
  owner_notice: 'keys:read',
  webhook_disabled: 'webhooks:read',
}

/** The mails that a business sent, as their letters are now. */
export const mailRoutes = (deps: ConsoleDeps & MailboxDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/mails',
    asker: 'member',
    scope: 'invoices:read',
    query: Type.Object(cursorPaging),
    handle: async ({ caller, query: { limit, cursor: given } }) => {
      const kinds = kindsFor(caller)
      const secret = await serverSecret(deps.db, 'cursor')
      const key = { secret, tenant: caller, list: `console/mails ${kinds.join()}` }
      const cursor = given === undefined ? undefined : parseCursor(key, given)
      const kept = await ownKept(deps, caller, { kinds, cursor, take: limit + 1 })
      const places = kept.map((one) => ({ ...one, ...placeOf(one) }))
      const { rows, meta } = cursorPage(key, places, limit, cursor)
      return success('Mails.', rows.map(lineOf), meta)
    },
  }),
  consoleRoute({
    method: 'GET',
    path: '/mails/:id',
    asker: 'member',
    scope: 'invoices:read',
    params: Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
    handle: async ({ caller, params }) => {
      const kept = await ownKeptOne(deps, caller, params.id)
      if (!kept || !kindsFor(caller).includes(kept.mail.kind)) throw notFound('mail')
      const { letter, mail } = kept
      return success('Mail.', {
        ...lineOf(kept),
        attempts: mail.attempts,
        error: mail.last_error,
        sentAt: mail.sent_at,
        from: letter?.fromName ?? null,
        replyTo: letter?.replyTo ?? null,
        text: letter?.text ?? null,
      })
    },
  }),
]

const placeOf = ({ mail: { id, created_at } }: Kept) => ({ id, created_at })

const lineOf = ({ mail, letter }: Kept) => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.to_address,
  subject: letter?.subject ?? null,
  status: mail.status,
  createdAt: mail.created_at,
})

const kindsFor = (caller: Caller) =>
  (Object.keys(SCOPES) as MailRow['kind'][]).filter((kind) => may(caller, SCOPES[kind]!))
