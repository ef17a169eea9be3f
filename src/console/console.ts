import type { FastifyInstance } from 'fastify'
import { mountDashboard } from '../http/dashboard.ts'
import type { guessLimiter } from '../http/guesses.ts'
import { accountRoutes } from './account-routes.ts'
import { auditOperations } from './audit-hooks.ts'
import { auditRoutes } from './audit-routes.ts'
import { openBackground } from './background.ts'
import { type DataDeps, dataRoutes } from './data-routes.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { passwordRoutes } from './password-routes.ts'
import { mountConsole } from './route.ts'
import { sessionRoutes } from './session-routes.ts'
import { sessionProver } from './sessions.ts'
import { teamRoutes } from './team-routes.ts'
import { twoFactorRoutes } from './two-factor-routes.ts'

export { newsMailing, openPeople } from './news.ts'
export { personMailing } from './notices.ts'
export { peopleSweeper } from './sweep.ts'

/** The dashboard: its application at `/`, and the routes of its own under `/console`. */
export function mountPeople(
  server: FastifyInstance,
  options: Omit<DataDeps, 'background'>,
  takeToken: (who: string | number) => void,
  limited: ReturnType<typeof guessLimiter>,
): void {
  mountDashboard(server)
  const background = openBackground(options.log)
  const deps = { ...options, background }
  auditOperations(server, deps)
  server.addHook('onClose', background.settled)
  const { db, clock, publicUrl } = deps
  const prove = limited(sessionProver(deps))
  mountConsole(server, { db, clock, publicUrl, prove, takeToken }, [
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
