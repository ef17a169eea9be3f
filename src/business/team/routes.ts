import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { isWanted, tagOfValue } from '../../http/etag.ts'
import { type Asked, type ConsoleRoute, consoleRoute } from '../../http/session-route.ts'
import { Text } from '../../lib/schemas.ts'
import { actorOf } from '../audit-log/log.ts'
import { ROLES } from '../people/roles.ts'
import { selectInvitations, selectRequiresTwoFactor, selectTeam } from './queries.ts'
import {
  changeRole,
  copyInvitation,
  type Editor,
  invite,
  removeMember,
  requireTwoFactor,
  revokeInvitation,
} from './service.ts'

const Role = Type.Enum([...ROLES])
const PersonId = Type.Object({ personId: Type.Integer({ minimum: 1 }) })
const InvitationId = Type.Object({ id: Type.String({ pattern: '^[\\w-]{43}$' }) })

const changes = { method: 'POST', asker: 'member', scope: 'team:write', proven: true } as const

/** Who works with a business, and what each may do. */
export const teamRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/team',
    asker: 'member',
    scope: 'team:read',
    handle: async ({ caller: { businessId }, now }) =>
      success('Who works here.', await teamOf(deps, businessId, now)),
  }),
  consoleRoute({
    ...changes,
    path: '/team/invite',
    body: Type.Object({ email: Text(254), role: Role }),
    handle: async (asked) => {
      const { businessId } = asked.caller
      const member = asked.signedIn.members.find((one) => one.business_id === businessId)
      await invite(deps, editorOf(asked), { ...asked.body, business: member?.name ?? '' })
      return success('The invitation is on its way.', null)
    },
  }),
  consoleRoute({
    ...changes,
    path: '/team/two-factor',
    body: Type.Object({ required: Type.Boolean() }),
    handle: async (asked) => {
      const { required } = asked.body
      await requireTwoFactor(deps, editorOf(asked), asked.signedIn.session.id, required)
      return success(required ? 'A second factor is required.' : 'None is required.', null)
    },
  }),
  consoleRoute({
    ...changes,
    path: '/team/:personId/role',
    params: PersonId,
    body: Type.Object({ role: Role }),
    handle: async (asked) => {
      const { params, body, request, reply } = asked
      const { role } = body
      const isMeant = (before: string) => isWanted(request, () => tagOfValue(before))
      await changeRole(deps, editorOf(asked), { ...params, role, isMeant })
      reply.header('etag', tagOfValue(role))
      return success('The role is changed.', null)
    },
  }),
  consoleRoute({
    ...changes,
    path: '/team/:personId/remove',
    params: PersonId,
    handle: async (asked) => {
      await removeMember(deps, editorOf(asked), asked.params.personId)
      return success('The member is removed.', null)
    },
  }),
  consoleRoute({
    ...changes,
    path: '/team/invitations/:id/link',
    params: InvitationId,
    handle: async (asked) => {
      const url = await copyInvitation(deps, editorOf(asked), asked.params.id)
      return success('A link to pass on.', { url })
    },
  }),
  consoleRoute({
    ...changes,
    path: '/team/invitations/:id/revoke',
    params: InvitationId,
    handle: async (asked) => {
      await revokeInvitation(deps, editorOf(asked), asked.params.id)
      return success('The invitation is taken back.', null)
    },
  }),
]

const editorOf = (asked: Asked): Editor => ({
  actor: actorOf(asked),
  person: asked.caller.person!,
  businessId: asked.caller.businessId,
  now: asked.now,
})

async function teamOf({ db }: ConsoleDeps, businessId: number, now: Date) {
  const [members, invitations, requiresTwoFactor] = await Promise.all([
    selectTeam(db, businessId),
    selectInvitations(db, businessId, now),
    selectRequiresTwoFactor(db, businessId),
  ])
  return {
    requiresTwoFactor,
    members: members.map((row) => ({
      personId: row.person_id,
      name: row.name,
      email: row.email,
      role: row.role,
      twoFactor: row.has_second_factor,
      joinedAt: row.joined_at,
    })),
    invitations: invitations.map((row) => ({
      id: row.hash.toString('base64url'),
      email: row.email,
      role: row.role,
      invitedBy: row.invited_by,
      expiresAt: row.expires_at,
      createdAt: row.created_at,
    })),
  }
}
