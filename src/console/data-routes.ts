import type { FastifyInstance } from 'fastify'
import type { MailboxDeps } from '../mail/mailbox.ts'
import { approvalRoutes } from './approvals.ts'
import { brandingRoutes } from './branding.ts'
import { businessRoutes } from './business.ts'
import { customerRoutes } from './customers.ts'
import type { ConsoleDeps } from './deps.ts'
import { keyRoutes } from './keys.ts'
import { ledgerRoutes } from './ledger.ts'
import { type LiveOptions, liveRoutes } from './live.ts'
import { mailRoutes } from './mails.ts'
import { orderNoteRoutes } from './order-notes.ts'
import { overviewRoutes } from './overview.ts'
import { pagePreviewRoutes } from './page-preview.ts'
import { redirectSecretRoutes } from './redirect-secret.ts'
import type { ConsoleRoute } from './route.ts'
import { searchRoutes } from './search.ts'

export type DataDeps = ConsoleDeps & Pick<MailboxDeps, 'mailings'> & LiveOptions

/** What the dashboard shows of a business beside what the API does. */
export const dataRoutes = (server: FastifyInstance, deps: DataDeps): ConsoleRoute[] => [
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
