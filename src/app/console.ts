import type { FastifyInstance } from 'fastify'
import {
  approvalRoutes,
  brandingRoutes,
  businessRoutes,
  redirectSecretRoutes,
} from '../business/account/console.ts'
import { auditOperations } from '../business/audit-log/log.ts'
import { auditRoutes } from '../business/audit-log/routes.ts'
import { keyRoutes } from '../business/keys/console.ts'
import { passkeyRoutes, twoFactorRoutes } from '../business/people/factor-routes.ts'
import { accountRoutes, passwordRoutes, sessionRoutes } from '../business/people/routes.ts'
import { callerOf, sessionProver } from '../business/people/sessions.ts'
import { teamRoutes } from '../business/team/routes.ts'
import type { ConsoleDeps } from '../deps.ts'
import { openBackground } from '../http/after-response.ts'
import { mountDashboard } from '../http/dashboard.ts'
import { networkOf } from '../http/ip-addresses.ts'
import { type guessLimiter, type RateLimit, rateLimiter } from '../http/rate-limit.ts'
import { type ConsoleRoute, mountConsole } from '../http/session-route.ts'
import type { MailboxDeps } from '../mail/mailbox.ts'
import { ledgerRoutes } from '../money/ledger-book/routes.ts'
import { customerRoutes } from '../overview/customers.ts'
import { type LiveOptions, liveRoutes } from '../overview/live.ts'
import { mailRoutes } from '../overview/mails.ts'
import { overviewRoutes } from '../overview/overview.ts'
import { pagePreviewRoutes } from '../overview/previews.ts'
import { searchRoutes } from '../overview/search.ts'
import { orderNoteRoutes } from '../sales/orders/notes.ts'

export { peopleSweeper } from '../business/people/jobs.ts'
export { personMailing } from '../business/people/mails.ts'
export { newsMailing, openPeople } from '../business/team/mails.ts'

/**
 * Of one network, whatever addresses it tries: checking a password takes 18 ms of a core. An office
 * that signs in on a Monday morning passes.
 */
const SIGN_INS: RateLimit = { perSecond: 10 / 60, burst: 30 }

/** The dashboard: its application at `/`, and the routes of its own under `/console`. */
export function mountPeople(
  server: FastifyInstance,
  options: Omit<DataDeps, 'background' | 'takeStranger'> & { rateLimit: RateLimit },
  takeToken: (who: string | number) => void,
  limited: ReturnType<typeof guessLimiter>,
): void {
  mountDashboard(server)
  const background = openBackground(options.log)
  const { clock, rateLimit } = options
  const take = rateLimiter(rateLimit.perSecond === 0 ? rateLimit : SIGN_INS)
  const takeStranger = (ip: string) => void take(networkOf(ip), clock.now().getTime())
  const deps = { ...options, background, takeStranger }
  auditOperations(server, deps)
  server.addHook('onClose', background.settled)
  const { publicUrl } = deps
  const prove = limited(sessionProver(deps))
  mountConsole(server, { clock, publicUrl, prove, callerOf, takeToken }, [
    ...accountRoutes(deps),
    ...passwordRoutes(deps),
    ...twoFactorRoutes(deps),
    ...passkeyRoutes(deps),
    ...sessionRoutes(deps),
    ...teamRoutes(deps),
    ...auditRoutes(deps),
    ...dataRoutes(server, deps),
  ])
}

type DataDeps = ConsoleDeps & Pick<MailboxDeps, 'mailings'> & LiveOptions

/** What the dashboard shows of a business beside what the API does. */
const dataRoutes = (server: FastifyInstance, deps: DataDeps): ConsoleRoute[] => [
  ...overviewRoutes(deps),
  ...approvalRoutes(deps),
  ...pagePreviewRoutes(deps),
  ...searchRoutes(deps),
  ...customerRoutes(deps),
  ...orderNoteRoutes(deps),
  ...keyRoutes(deps),
  ...redirectSecretRoutes(deps),
  ...brandingRoutes(deps),
  ...businessRoutes(deps),
  ...mailRoutes(deps),
  ...ledgerRoutes(deps),
  ...liveRoutes(server, deps),
]
