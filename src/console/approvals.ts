import { Type } from 'typebox'
import type { Tx } from '../db/database.ts'
import { success } from '../http/envelopes.ts'
import { MomentText } from '../lib/schemas.ts'
import type { Caller } from '../lib/tenant.ts'
import { confirmChange, dropChange, waitingFor } from '../resources/approval/change.ts'
import { actorOf, appendAudit } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

/** The change that somebody looked at: another one may have taken its place. */
const Looked = Type.Object({ requestedAt: MomentText })

const DECISIONS = {
  confirm: { decide: confirmChange, detail: 'Confirmed a change of the approval limits' },
  drop: { decide: dropChange, detail: 'Dropped a change of the approval limits' },
} as const

/** What waits for the people who can approve transfers. */
export const approvalRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/approvals',
    asker: 'member',
    scope: 'transfers:read',
    handle: async ({ caller }) => success('What waits for approval.', await waitingFor(db, caller)),
  }),
  ...(['confirm', 'drop'] as const).map((verb) =>
    consoleRoute({
      method: 'POST',
      path: `/approval-change/${verb}`,
      asker: 'member',
      scope: 'transfers:write',
      proven: true,
      body: Looked,
      handle: async (asked) => {
        const { caller, now: at, body } = asked
        const { decide, detail } = DECISIONS[verb]
        const { businessId, live } = caller
        await db.transaction(async (tx: Tx) => {
          await decide(tx, caller as Caller, new Date(body.requestedAt))
          const action = `approval_change.${verb}`
          await appendAudit(tx, actorOf(asked), { businessId, live, at, action, detail })
        })
        return success(`${detail}.`, {})
      },
    }),
  ),
]
