import { Type } from 'typebox'
import { actorOf } from '../../business/audit-log/log.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { conflict } from '../../lib/problem.ts'
import { Email, Envelope, Nullable, Timestamp } from '../../lib/schemas.ts'
import { selectErasure, upsertErasure } from './queries.ts'
import { ERASURE_JOB, ErasureRefused, refuseHeld } from './service.ts'

const Customer = Type.Object({ email: Email() })
const Erasure = Envelope(
  Nullable(Type.Object({ askedAt: Timestamp, refused: Nullable(Type.String()) })),
)

/**
 * Erases a customer's personal data for a member of the business. A job does the work, because it
 * reads all records and deletes events, which requests cannot do.
 */
export const erasureRoutes = ({
  db,
  ids,
  nudge,
}: Pick<ConsoleDeps, 'db' | 'ids' | 'nudge'>): Route[] => [
  route({
    operation: 'get_erasure',
    method: 'GET',
    path: '/erasures',
    caller: 'member',
    scope: 'business:write',
    query: Customer,
    response: Erasure,
    handle: async ({ caller, query }) => {
      const found = await selectErasure(db, caller.businessId, query.email.toLowerCase())
      const asked = found && { askedAt: found.asked_at, refused: found.refused }
      return success('Erasure retrieved.', asked ?? null)
    },
  }),
  route({
    operation: 'erase_customer',
    method: 'POST',
    path: '/erasures',
    caller: 'member',
    scope: 'business:write',
    proven: true,
    body: Customer,
    response: Erasure,
    handle: async (input) => {
      const { caller, body, now } = input
      const { businessId } = caller
      const email = body.email.toLowerCase()
      await refuseHeld(db, businessId, email).catch((error: unknown) => {
        if (!(error instanceof ErasureRefused)) throw error
        throw conflict('erasure_refused', error.forMembers)
      })
      await db.transaction(async (tx) => {
        const id = await ids.next(tx)
        await upsertErasure(tx, { businessId, id, email, actor: actorOf(input), now })
        tx.after(() => nudge(ERASURE_JOB))
      })
      return success('The customer’s personal data is being erased.', {
        askedAt: now,
        refused: null,
      })
    },
  }),
]
