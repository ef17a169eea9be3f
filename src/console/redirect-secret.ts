import { success } from '../http/envelopes.ts'
import { redirectTermsOf } from '../resources/profile/service.ts'
import { actorOf, appendAudit } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/**
 * What signs the addresses that payers are led back to. Whoever has it signs as we do, so that it
 * is in no answer that a screen asks for by itself, and the log says who looked at it.
 */
export const redirectSecretRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/redirect-secret/show',
    asker: 'member',
    scope: 'profile:write',
    proven: true,
    handle: async (asked) => {
      const { caller, now: at } = asked
      const { secret } = await redirectTermsOf(db, caller)
      const { businessId, live } = caller
      await db.transaction((tx) => {
        const about = { action: 'redirect_secret.show', detail: 'Looked at the redirect secret' }
        return appendAudit(tx, actorOf(asked), { businessId, live, at, ...about })
      })
      return success('The redirect secret.', { secret })
    },
  }),
]
