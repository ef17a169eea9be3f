import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { hasScope } from '../../lib/caller.ts'
import { Envelope, Nullable, Timestamp } from '../../lib/schemas.ts'
import { listStopsOf, PAUSED } from '../../providers/pauses.ts'

const PauseList = Envelope(
  Type.Array(
    Type.Object({
      what: Type.Enum([...PAUSED, 'payouts', 'connection']),
      reason: Nullable(Type.String()),
      pausedAt: Timestamp,
      by: Nullable(Type.String({ description: 'Who stopped payouts.' })),
      resumedBy: Type.Enum(['operator', 'owner', 'member'], {
        description: 'Who can end it. `member`: anyone who can change connections.',
      }),
      connection: Nullable(Type.Object({ id: Type.Integer(), name: Type.String() })),
    }),
  ),
)

/** The scope with which a member can see that something is stopped. */
const SEEN_WITH = { payouts: 'transfers:read', connection: 'providers:read' } as const

const RESUMED_BY = { payouts: 'owner', connection: 'member' } as const

/** What the operator has paused, and what the business itself has paused or stopped. */
export const pauseRoutes = ({ db, pauses }: Pick<ConsoleDeps, 'db' | 'pauses'>): Route[] => [
  route({
    method: 'GET',
    caller: 'member',
    operation: 'list_pauses',
    path: '/pauses',
    response: PauseList,
    handle: async ({ caller }) => {
      const ofOperator = (await pauses.of(caller)).map(({ what, reason, paused_at }) => ({
        ...{ what, reason, pausedAt: paused_at },
        ...{ by: null, resumedBy: 'operator' as const, connection: null },
      }))
      const stops = (await listStopsOf(db, caller))
        .filter(({ what }) => hasScope(caller, SEEN_WITH[what]))
        .map(({ what, reason, at, stopped_by: by, is_operators, connection_id: id, name }) => ({
          ...{ what, reason, pausedAt: at, by },
          resumedBy: is_operators ? ('operator' as const) : RESUMED_BY[what],
          connection: id === null ? null : { id, name: name! },
        }))
      return success('Pauses retrieved.', [...ofOperator, ...stops])
    },
  }),
]
