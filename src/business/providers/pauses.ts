import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { Envelope, Timestamp } from '../../lib/schemas.ts'
import { PAUSED } from '../../providers/pauses.ts'

const PauseList = Envelope(
  Type.Array(
    Type.Object({ what: Type.Enum([...PAUSED]), reason: Type.String(), pausedAt: Timestamp }),
  ),
)

/** What the operator has paused. Only the operator can change it. */
export const pauseRoutes = ({ pauses }: Pick<ConsoleDeps, 'pauses'>): Route[] => [
  route({
    method: 'GET',
    caller: 'member',
    operation: 'list_pauses',
    path: '/pauses',
    response: PauseList,
    handle: async ({ caller }) =>
      success(
        'Pauses retrieved.',
        (await pauses.of(caller)).map(({ what, reason, paused_at: pausedAt }) => ({
          what,
          reason,
          pausedAt,
        })),
      ),
  }),
]
