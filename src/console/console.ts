import type { FastifyInstance } from 'fastify'
import { mountDashboard } from '../http/dashboard.ts'
import type { guessLimiter } from '../http/guesses.ts'
import { type RateLimit, rateLimiter } from '../http/rate-limit.ts'
import { networkOf } from '../resources/keys/network.ts'
import { accountRoutes } from './account-routes.ts'
import { auditOperations } from './audit-hooks.ts'
import { auditRoutes } from './audit-routes.ts'
import { openBackground } from './background.ts'
import { type DataDeps, dataRoutes } from './data-routes.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { passwordRoutes } from './password-routes.ts'
import { mountConsole } from './route.ts'
import { sessionRoutes } from './session-routes.ts'
import { callerOf, sessionProver } from './sessions.ts'
import { teamRoutes } from './team-routes.ts'
import { twoFactorRoutes } from './two-factor-routes.ts'

export { newsMailing, openPeople } from './news.ts'
export { personMailing } from './notices.ts'
export { peopleSweeper } from './sweep.ts'

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
