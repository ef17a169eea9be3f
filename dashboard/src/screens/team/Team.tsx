import { Badge, Box, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type Envelope, useAction, useMe, useRead } from '../../api/hooks.ts'
import type { Role } from '../../api/session.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { useNew } from '../../parts/new.ts'
import { ShownOnce } from '../../parts/ShownOnce.tsx'
import { Failure, LoadingRows } from '../../parts/states.tsx'
import { When } from '../../parts/values.tsx'
import { useMay, useOwnRole } from '../../shell/may.ts'
import { t } from '../../texts/team.ts'
import { Invite } from './Invite.tsx'
import { RequiredFactor } from './RequiredFactor.tsx'
import { mayMake, ROLES, roleName } from './roles.ts'

export interface Member {
  personId: number
  name: string
  email: string
  role: Role
  twoFactor: boolean
  joinedAt: string
}

export interface Invitation {
  id: string
  email: string
  role: Role
  invitedBy: string | null
  expiresAt: string
}

interface Listed {
  requiresTwoFactor: boolean
  members: Member[]
  invitations: Invitation[]
}

const PATH = '/console/team'

/** Who works with the business, and what each may do. */
export function Team() {
  const read = useRead<Envelope<Listed>>(PATH)
  const { data, error, isPending, refetch } = read
  const [isInviting, inviting] = useNew()
  const may = useMay()
  const own = useOwnRole()
  const { members = [], invitations = [], requiresTwoFactor = false } = data?.data ?? {}
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>{t.title}</Title>
        {may('team:write') && <Button onClick={inviting.open}>{t.invite}</Button>}
      </Group>
      {isPending ? (
        <Card title={t.members}>
          <LoadingRows count={3} />
        </Card>
      ) : error ? (
        <div className="card">
          <Failure level={2} error={error} again={() => void refetch()} />
        </div>
      ) : (
        <>
          <Card title={t.members}>
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
            <Card title={t.invitations}>
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
  /** Nobody could go on without them: there is nothing to change. */
  isLastOwner: boolean
}) {
  const { data: me } = useMe()
  const own = useOwnRole()
  const may = useMay()
  const { personId, name, email, role } = member
  const isSelf = me?.person.id === personId
  const isMine = may('team:write') && mayMake(own, role) && !isLastOwner
  const change = useAction<unknown, { role: Role; before: Role }>({
    path: `${PATH}/${personId}/role`,
    send: ({ role: wanted }) => ({ role: wanted }),
    done: t.changed,
    undo: ({ before }) => ({
      path: `${PATH}/${personId}/role`,
      body: { role: before },
      says: t.changedBack(name, before),
    }),
  })
  const remove = useAction({ path: `${PATH}/${personId}/remove`, done: t.removed })
  const askChange = (wanted: Role) =>
    confirm({
      title: t.changeTitle(name, wanted),
      text: t.roles[wanted],
      verb: t.changeVerb,
      go: () => change.mutate({ role: wanted, before: role }),
    })
  const askRemove = () =>
    confirm({
      title: t.removeTitle(name),
      text: t.removeText,
      verb: isSelf ? t.leave : t.remove,
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
              {t.you}
            </Badge>
          )}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="sm" c="dimmed">
          {member.twoFactor ? t.twoFactor : t.noTwoFactor} · {t.joined}{' '}
          <When at={member.joinedAt} />
        </Text>
      </Box>
      <Group gap="xs">
        {isMine ? (
          <Select
            aria-label={t.roleOf(name)}
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
            {isLastOwner ? t.onlyOwner : roleName(role)}
          </Badge>
        )}
        {isMine && (
          <Button
            variant="default"
            aria-label={`${isSelf ? t.leave : t.remove} ${name}`}
            onClick={askRemove}
          >
            {isSelf ? t.leave : t.remove}
          </Button>
        )}
      </Group>
    </Group>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const own = useOwnRole()
  const may = useMay()
  const { id, email, role, invitedBy, expiresAt } = invitation
  const [link, setLink] = useState<string>()
  const copy = useAction<Envelope<{ url: string }>>({
    path: `${PATH}/invitations/${id}/link`,
    refresh: [],
  })
  const revoke = useAction({ path: `${PATH}/invitations/${id}/revoke`, done: t.revoked })
  const ask = () =>
    confirm({
      title: t.revokeTitle(email),
      text: t.revokeText,
      verb: t.revoke,
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
          {roleName(role)} · {invitedBy && `${t.by(invitedBy)} · `}
          {t.until} <When at={expiresAt} />
        </Text>
      </Box>
      {may('team:write') && mayMake(own, role) && (
        <Group gap="xs">
          <Button
            variant="default"
            aria-label={`${t.copyLink} ${email}`}
            loading={copy.isPending}
            onClick={() => copy.mutate(undefined, { onSuccess: ({ data }) => setLink(data.url) })}
          >
            {t.copyLink}
          </Button>
          <Button variant="default" aria-label={`${t.revoke} ${email}`} onClick={ask}>
            {t.revoke}
          </Button>
        </Group>
      )}
      <ShownOnce title={t.linkTitle} secret={link} onClose={() => setLink(undefined)}>
        {t.linkText(email)}
      </ShownOnce>
    </Group>
  )
}
