import { Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { isIfMatchMet, tagOfValue } from '../../http/etag.ts'
import { type MemberInput, type Route, route } from '../../http/route.ts'
import { Envelope, NoData, Nullable, Text, Timestamp } from '../../lib/schemas.ts'
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

const Team = Envelope(
  Type.Object({
    requiresTwoFactor: Type.Boolean(),
    members: Type.Array(
      Type.Object({
        personId: Type.Integer(),
        name: Type.String(),
        email: Type.String(),
        role: Role,
        twoFactor: Type.Boolean(),
        joinedAt: Timestamp,
      }),
    ),
    invitations: Type.Array(
      Type.Object({
        id: Type.String(),
        email: Type.String(),
        role: Role,
        invitedBy: Nullable(Type.String()),
        expiresAt: Timestamp,
        createdAt: Timestamp,
      }),
    ),
  }),
)
const InvitationLink = Envelope(Type.Object({ url: Type.String() }))

const changes = { method: 'POST', caller: 'member', scope: 'team:write', proven: true } as const

export const teamRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    operation: 'get_team',
    method: 'GET',
    path: '/team',
    caller: 'member',
    scope: 'team:read',
    response: Team,
    handle: async ({ caller: { businessId }, now }) =>
      success('Team retrieved.', await teamOf(deps, businessId, now)),
  }),
  route({
    ...changes,
    operation: 'invite_member',
    path: '/team/invite',
    body: Type.Object({ email: Text(254), role: Role }),
    response: NoData,
    handle: async (input) => {
      const { body, member } = input
      await invite(deps, editorOf(input), { ...body, business: member.name })
      return success('Invitation sent.', null)
    },
  }),
  route({
    ...changes,
    operation: 'require_two_factor',
    path: '/team/two-factor',
    body: Type.Object({ required: Type.Boolean() }),
    response: NoData,
    handle: async (input) => {
      const { required } = input.body
      await requireTwoFactor(deps, editorOf(input), input.signedIn.session.id, required)
      return success(
        required ? 'Two-factor authentication required.' : 'Two-factor authentication optional.',
        null,
      )
    },
  }),
  route({
    ...changes,
    operation: 'change_member_role',
    path: '/team/:personId/role',
    params: PersonId,
    body: Type.Object({ role: Role }),
    response: NoData,
    handle: async (input) => {
      const { params, body, request, reply } = input
      const { role } = body
      const isMeant = (before: string) => isIfMatchMet(request, () => tagOfValue(before))
      await changeRole(deps, editorOf(input), { ...params, role, isMeant })
      reply.header('etag', tagOfValue(role))
      return success('Role changed.', null)
    },
  }),
  route({
    ...changes,
    operation: 'remove_member',
    path: '/team/:personId/remove',
    params: PersonId,
    response: NoData,
    handle: async (input) => {
      await removeMember(deps, editorOf(input), input.params.personId)
      return success('Member removed.', null)
    },
  }),
  route({
    ...changes,
    operation: 'copy_invitation_link',
    path: '/team/invitations/:id/link',
    params: InvitationId,
    response: InvitationLink,
    handle: async (input) => {
      const url = await copyInvitation(deps, editorOf(input), input.params.id)
      return success('Link created.', { url })
    },
  }),
  route({
    ...changes,
    operation: 'revoke_invitation',
    path: '/team/invitations/:id/revoke',
    params: InvitationId,
    response: NoData,
    handle: async (input) => {
      await revokeInvitation(deps, editorOf(input), input.params.id)
      return success('Invitation revoked.', null)
    },
  }),
]

const editorOf = (input: MemberInput): Editor => ({
  actor: actorOf(input),
  person: input.caller.person!,
  businessId: input.caller.businessId,
  now: input.now,
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
