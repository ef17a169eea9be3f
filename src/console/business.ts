import { Type } from 'typebox'
import { isProven, proofNeeded } from '../http/auth.ts'
import { success } from '../http/envelopes.ts'
import { Nullable } from '../lib/schemas.ts'
import { changeDetails } from '../resources/businesses/details.ts'
import { sayFees } from '../resources/businesses/fee-words.ts'
import { feesOf } from '../resources/businesses/service.ts'
import { actorOf, appendAudit } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))

const Details = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  email: text(500),
  phone: text(100),
  firstName: text(500),
  lastName: text(500),
})

/** Who a business is, for its owners and admins to change, and what the operator takes. */
export const businessRoutes = ({ db, providers }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/business',
    asker: 'member',
    scope: 'business:write',
    body: Details,
    handle: async (asked) => {
      const { caller, now, body, signedIn } = asked
      const { businessId } = caller
      await db.transaction(async (tx) => {
        const changed = await changeDetails(tx, businessId, body, now)
        if (changed.length === 0) return
        // What is wrong with its keys is told there, which is not for whoever finds an open screen.
        if (changed.includes('email') && !isProven(signedIn.session, now)) throw proofNeeded()
        await appendAudit(tx, actorOf(asked), {
          businessId,
          action: 'business.change',
          detail: `Changed: ${changed.join(', ')}`,
          at: now,
        })
      })
      return success('The details are stored.', null)
    },
  }),
  consoleRoute({
    method: 'GET',
    path: '/fees',
    asker: 'member',
    scope: 'profile:read',
    handle: async ({ caller: { businessId } }) => {
      const { isDefault, rules } = (await feesOf(db, businessId))!
      const { channels, transfers } = sayFees(rules)
      // Of ways that no provider of this server knows, nobody needs to know the price.
      const known = [...providers.channels(true), ...providers.channels(false), 'OFFLINE']
      return success('What payments and transfers cost.', {
        isDefault,
        channels: channels.filter(({ channel }) => known.includes(channel)),
        transfers,
      })
    },
  }),
]
