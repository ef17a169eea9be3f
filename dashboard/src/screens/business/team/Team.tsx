import { Badge, Box, Group, Radio, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { act, useAction, useMe, useOperation } from '../../../api/hooks.ts'
import { useOwnRole, usePermission } from '../../../api/permissions.ts'
import type { Data } from '../../../api/request.ts'
import type { Role } from '../../../api/session.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { Failure, LoadingRows } from '../../../ui/feedback.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { OneTimeSecret } from '../../../ui/OneTimeSecret.tsx'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { When } from '../../../ui/values.tsx'

type Member = Data<'get_team'>['members'][number]
type Invitation = Data<'get_team'>['invitations'][number]

export function Team() {
  const read = useOperation('get_team')
  const { data, error, isPending, refetch } = read
  const [isInviting, inviting] = useNewParam()
  const may = usePermission()
  const own = useOwnRole()
  const { members = [], invitations = [], requiresTwoFactor = false } = data?.data ?? {}
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Team</Title>
        {may('team:write') && (
          <ActionButton label="Invite teammate" isMain onClick={inviting.open} />
        )}
      </Group>
      {isPending ? (
        <Card title="Members">
          <LoadingRows count={3} />
        </Card>
      ) : error ? (
        <div className="card">
          <Failure level={2} error={error} again={() => void refetch()} />
        </div>
      ) : (
        <>
          <Card title="Members">
            <Stack gap="lg">
              {members.map((member) => (
                <MemberRow
                  key={member.personId}
                  member={member}
                  isLastOwner={member.role === 'owner' && owners === 1}
                />
              ))}
            </Stack>
          </Card>
          {invitations.length > 0 && (
            <Card title="Invitations">
              <Stack gap="lg">
                {invitations.map((invitation) => (
                  <InvitationRow key={invitation.id} invitation={invitation} />
                ))}
              </Stack>
            </Card>
          )}
          <RequiredFactor
            isRequired={requiresTwoFactor}
            isOwner={own === 'owner'}
            missing={members.filter(({ twoFactor }) => !twoFactor).length}
          />
        </>
      )}
      <Invite opened={isInviting} onClose={inviting.close} />
    </Stack>
  )
}

function MemberRow({
  member,
  isLastOwner,
}: {
  member: Member
  /** The last owner can't be changed or removed. */
  isLastOwner: boolean
}) {
  const { data: me } = useMe()
  const own = useOwnRole()
  const may = usePermission()
  const { personId, name, email, role } = member
  const isSelf = me?.person.id === personId
  const isMine = may('team:write') && mayMake(own, role) && !isLastOwner
  const change = useAction(
    act('change_member_role', {
      input: ({ role: wanted }: { role: Role; before: Role }) => ({ personId, role: wanted }),
      done: 'Role changed.',
      undo: ({ before }) =>
        undoWith(
          'change_member_role',
          { personId, role: before },
          { says: `${name}’s role was changed back to ${before}.` },
        ),
    }),
  )
  const remove = useAction(
    act('remove_member', { input: () => ({ personId }), done: 'Member removed.' }),
  )
  const askChange = (wanted: Role) =>
    confirm({
      title: `Change ${name}’s role to ${wanted}?`,
      text: ROLE_TEXTS[wanted],
      verb: 'Change role',
      go: () => change.mutate({ role: wanted, before: role }),
    })
  const askRemove = () =>
    confirm({
      title: `Remove ${name}?`,
      text: 'They will lose access immediately.',
      verb: isSelf ? 'Leave' : 'Remove',
      isDangerous: true,
      go: () => remove.mutate(),
    })
  return (
    <Group justify="space-between" align="flex-start" data-member={email}>
      <Box style={{ minWidth: 0, flex: '1 1 14rem' }}>
        <Text fw={600}>
          {name}{' '}
          {isSelf && (
            <Badge variant="light" tt="none" className="state-gray">
              You
            </Badge>
          )}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="sm" c="dimmed">
          {member.twoFactor ? 'Two-factor authentication on' : 'Two-factor authentication off'} ·
          Joined <When at={member.joinedAt} />
        </Text>
      </Box>
      <Group gap="xs">
        {isMine ? (
          <Select
            aria-label={`Role for ${name}`}
            data={ROLES.filter((one) => mayMake(own, one)).map((one) => ({
              value: one,
              label: roleName(one),
            }))}
            value={role}
            allowDeselect={false}
            onChange={(wanted) => wanted && wanted !== role && askChange(wanted as Role)}
            w={140}
          />
        ) : (
          <Badge variant="light" className="state-gray">
            {isLastOwner ? 'Only owner' : roleName(role)}
          </Badge>
        )}
        {isMine && (
          <ActionButton
            label={isSelf ? 'Leave' : 'Remove'}
            aria-label={`${isSelf ? 'Leave' : 'Remove'} ${name}`}
            onClick={askRemove}
          />
        )}
      </Group>
    </Group>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const own = useOwnRole()
  const may = usePermission()
  const { id, email, role, invitedBy, expiresAt } = invitation
  const [link, setLink] = useState<string>()
  const copy = useAction(act('copy_invitation_link', { input: () => ({ id }), refresh: [] }))
  const revoke = useAction(
    act('revoke_invitation', { input: () => ({ id }), done: 'Invitation revoked.' }),
  )
  const ask = () =>
    confirm({
      title: `Revoke the invitation for ${email}?`,
      text: 'The invitation links will stop working.',
      verb: 'Revoke invitation',
      isDangerous: true,
      go: () => revoke.mutate(),
    })
  return (
    <Group justify="space-between" align="flex-start">
      <Box style={{ minWidth: 0, flex: '1 1 14rem' }}>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="sm" c="dimmed">
          {roleName(role)} · {invitedBy && `Invited by ${invitedBy} · `}
          {'Expires'} <When at={expiresAt} />
        </Text>
      </Box>
      {may('team:write') && mayMake(own, role) && (
        <Group gap="xs">
          <ActionButton
            label="Copy link"
            aria-label={`Copy link for ${email}`}
            loading={copy.isPending}
            onClick={() => copy.mutate(undefined, { onSuccess: ({ data }) => setLink(data.url) })}
          />
          <ActionButton
            label="Revoke"
            aria-label={`Revoke invitation for ${email}`}
            onClick={ask}
          />
        </Group>
      )}
      <OneTimeSecret title="Invitation link" secret={link} onClose={() => setLink(undefined)}>
        Send this link only to {email}. It can be used once, before the invitation expires. If you
        copy another link, this link stops working.
      </OneTimeSecret>
    </Group>
  )
}

function Invite(dialog: DialogProps) {
  const own = useOwnRole()
  return (
    <FormModal
      title="Invite teammate"
      {...dialog}
      initial={{ email: '', role: 'viewer' as Role }}
      action={act('invite_member', { done: 'Invitation sent.', refresh: ['get_team'] })}
      verb="Send invitation"
    >
      {(form) => (
        <>
          <TextInput
            label="Email address"
            type="email"
            autoComplete="off"
            data-autofocus
            {...form.field('email')}
          />
          <Radio.Group label="Role" {...form.field('role')}>
            <Stack gap="xs" pt="xs">
              {ROLES.filter((role) => mayMake(own, role)).map((role) => (
                <Radio
                  key={role}
                  value={role}
                  label={roleName(role)}
                  description={ROLE_TEXTS[role]}
                />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormModal>
  )
}

/** Only owners can decide whether members must use two-factor authentication. */
function RequiredFactor({
  isRequired,
  isOwner,
  missing,
}: {
  isRequired: boolean
  isOwner: boolean
  /** How many members don't use two-factor authentication. */
  missing: number
}) {
  const { data: me } = useMe()
  const change = useAction(
    act('require_two_factor', {
      done: isRequired
        ? 'Two-factor authentication is now optional.'
        : 'Two-factor authentication is now required.',
    }),
  )
  const ask = () =>
    confirm({
      title: isRequired
        ? 'Stop requiring two-factor authentication?'
        : 'Require two-factor authentication for everyone?',
      text: isRequired
        ? 'Members without two-factor authentication will be able to sign in with just their password.'
        : 'Members without two-factor authentication cannot see the business until they set it up. API keys keep working.',
      verb: isRequired ? 'Make it optional' : 'Require it',
      isDangerous: isRequired,
      go: () => change.mutate({ required: !isRequired }),
    })
  const mayRequire = isRequired || me?.person.secondFactor
  return (
    <Card
      title="Two-factor authentication"
      actions={
        <Badge className={isRequired ? 'state-green' : 'state-gray'} variant="light" tt="none">
          {isRequired ? 'Required' : 'Optional'}
        </Badge>
      }
    >
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {isRequired
            ? 'Members without two-factor authentication can sign in only to set up an authenticator app or a passkey.'
            : 'Without two-factor authentication, anyone who learns a member’s password can act as that member.'}{' '}
          {missing > 0 &&
            (missing === 1
              ? '1 member has not set up two-factor authentication yet.'
              : `${missing} members have not set up two-factor authentication yet.`)}
        </Text>
        {isOwner && mayRequire && (
          <ActionButton
            label={isRequired ? 'Make it optional' : 'Require it'}
            loading={change.isPending}
            onClick={ask}
          />
        )}
        {isOwner && !mayRequire && (
          <Text size="sm">
            Set up two-factor authentication for yourself first, so that you don’t lock yourself
            out:{' '}
            <ScreenLink to="security" underline="always">
              Your security
            </ScreenLink>
          </Text>
        )}
      </Stack>
    </Card>
  )
}

const ROLES: Role[] = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer']

const roleName = (role: Role): string => role.replace(/^./, (first) => first.toUpperCase())

/** Only an owner can add or remove owners. */
const mayMake = (own: Role | undefined, role: Role): boolean => own === 'owner' || role !== 'owner'

const ROLE_TEXTS: Record<Role, string> = {
  owner: 'Full access, and can add other owners',
  admin: 'Full access, except adding owners',
  developer: 'Keys, webhooks, and everything in test mode',
  finance: 'Transfers, refunds, settlements and the wallet',
  support: 'Can view what customers see, send invoices, refund payments and add notes to orders',
  viewer: 'Can view payments, invoices, orders and the wallet',
}
