import type { FastifyInstance } from 'fastify'
import {
  approvalRoutes,
  brandingRoutes,
  businessRoutes,
  redirectSecretRoutes,
} from '../business/account/console.ts'
import { auditRoutes } from '../business/audit-log/routes.ts'
import { keyRoutes } from '../business/keys/console.ts'
import { passkeyRoutes, twoFactorRoutes } from '../business/people/factor-routes.ts'
import { accountRoutes, passwordRoutes, sessionRoutes } from '../business/people/routes.ts'
import { orderRoutes, pauseRoutes, providerRoutes } from '../business/providers/console.ts'
import { payoutRoutes } from '../business/providers/payouts.ts'
import { noticeRoutes } from '../business/providers/routes.ts'
import { routingRoutes } from '../business/providers/routing.ts'
import { teamRoutes } from '../business/team/routes.ts'
import type { ConsoleDeps } from '../deps.ts'
import { networkOf } from '../http/ip-addresses.ts'
import { type Limiting, openLimiter, type RateLimit } from '../http/rate-limit.ts'
import type { Route } from '../http/route.ts'
import type { MailboxDeps } from '../mail/mailbox.ts'
import { ledgerRoutes } from '../money/ledger-book/routes.ts'
import { customerRoutes } from '../overview/customers.ts'
import { type LiveOptions, liveRoutes } from '../overview/live.ts'
import { mailRoutes } from '../overview/mails.ts'
import { overviewRoutes, pagePreviewRoutes, waitingRoutes } from '../overview/overview.ts'
import { searchRoutes } from '../overview/search.ts'
import { orderNoteRoutes } from '../sales/orders/console.ts'

import { erasureRoutes } from './erasure/routes.ts'

export { personEmailComposer } from '../business/people/mails.ts'
export { peopleJob } from '../business/people/sessions.ts'
export { memberEmailComposer, openPeople } from '../business/team/mails.ts'

/**
 * Limits sign-ins per network, across all email addresses, because checking a password takes 18 ms
 * of CPU time. A whole office that signs in on a Monday morning stays below this limit.
 */
const SIGN_INS: RateLimit = { perSecond: 10 / 60, burst: 30 }

/** The routes under `/console`, which only the dashboard uses. */
export function consoleRoutes(
  server: FastifyInstance,
  options: Omit<DataDeps, 'takeStranger'> & Limiting,
): Route[] {
  const take = openLimiter(options, 'sign-ins', SIGN_INS)
  const takeStranger = (ip: string) => void take(networkOf(ip))
  const deps = { ...options, takeStranger }
  return [
    ...accountRoutes(deps),
    ...passwordRoutes(deps),
    ...twoFactorRoutes(deps),
    ...passkeyRoutes(deps),
    ...sessionRoutes(deps),
    ...teamRoutes(deps),
    ...auditRoutes(deps),
    ...noticeRoutes(deps),
    ...providerRoutes(deps),
    ...routingRoutes(deps),
    ...payoutRoutes(deps),
    ...pauseRoutes(deps),
    ...orderRoutes(deps),
    ...dataRoutes(server, deps),
  ]
}

type DataDeps = ConsoleDeps & Pick<MailboxDeps, 'emailComposers'> & LiveOptions

/** Routes for a business's data that only the dashboard needs. */
const dataRoutes = (server: FastifyInstance, deps: DataDeps): Route[] => [
  ...overviewRoutes(deps),
  ...waitingRoutes(deps),
  ...approvalRoutes(deps),
  ...pagePreviewRoutes(deps),
  ...searchRoutes(deps),
  ...customerRoutes(deps),
  ...erasureRoutes(deps),
  ...orderNoteRoutes(deps),
  ...keyRoutes(deps),
  ...redirectSecretRoutes(deps),
  ...brandingRoutes(deps),
  ...businessRoutes(deps),
  ...mailRoutes(deps),
  ...ledgerRoutes(deps),
  ...liveRoutes(server, deps),
]
