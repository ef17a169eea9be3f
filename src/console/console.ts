import type { FastifyInstance } from 'fastify'
import type { Log } from '../db/log.ts'
import { mountDashboard } from '../http/dashboard.ts'
import { accountRoutes, type ConsoleDeps } from './account-routes.ts'
import { mountConsole } from './route.ts'
import { sessionProver } from './sessions.ts'

/** The dashboard: its application at `/`, and the routes of its own under `/console`. */
export function mountPeople(
  server: FastifyInstance,
  deps: ConsoleDeps & { log: Log },
  takeToken: (who: string | number) => void,
): void {
  mountDashboard(server)
  const kernel = { db: deps.db, clock: deps.clock, prove: sessionProver(deps), takeToken }
  mountConsole(server, kernel, [...accountRoutes(deps)])
}
