import { Badge, Text } from '@mantine/core'
import { type Envelope, useRead } from '../../api/hooks.ts'
import type { Filter } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import type { Member } from '../team/Team.tsx'

interface Entry {
  number: number
  at: string
  mode: 'test' | 'live' | null
  person: string
  action: string
  object: string | null
  detail: string
  ip: string | null
}

/** What people are looked for by; an operation of the API has its own name. */
const ACTIONS = [
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations taken back' },
  { value: 'key', label: 'Keys' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'person', label: 'Passwords and two-factor' },
  { value: 'create_transfer', label: 'Transfers made' },
  { value: 'approve_transfer', label: 'Transfers approved' },
  { value: 'create_refund', label: 'Refunds' },
  { value: 'update_profile_settings', label: 'Settings' },
  { value: 'branding.change', label: 'Branding' },
  { value: 'business.change', label: 'Details of the business' },
]

/** What is not an operation of the API, as one would say it. */
const NAMES: Record<string, string> = {
  'session.begin': 'Signed in',
  'member.invite': 'Invited',
  'member.join': 'Joined',
  'member.role': 'Role changed',
  'member.remove': 'Member removed',
  'invitation.revoke': 'Invitation taken back',
  'key.create': 'Key created',
  'key.rotate': 'Key rotated',
  'key.revoke': 'Key revoked',
  'person.password': 'Password changed',
  'person.two_factor': 'Two-factor changed',
  'person.passkey': 'Passkeys changed',
  'redirect_secret.show': 'Redirect secret shown',
}

const nameOf = (action: string) => NAMES[action] ?? words(action.replaceAll('.', ' '))

export function AuditLog() {
  const may = useMay()
  const { data } = useRead<Envelope<{ members: Member[] }>>('/console/team', {}, may('team:read'))
  const people = (data?.data.members ?? []).map(({ personId, name }) => ({
    value: String(personId),
    label: name,
  }))
  const filters: Filter[] = [
    ...(people.length > 0
      ? [{ kind: 'choice', name: 'person', label: 'Person', options: people } as const]
      : []),
    { kind: 'choice', name: 'action', label: 'Action', options: ACTIONS },
    { kind: 'day', name: 'from', label: 'From' },
    { kind: 'day', name: 'to', label: 'To' },
  ]
  return (
    <ListPage<Entry>
      title="Audit log"
      path="/console/audit"
      csv="/console/audit/export"
      filters={filters}
      columns={[
        { label: 'Action', cell: ({ action }) => <b className="whole">{nameOf(action)}</b> },
        { label: 'Person', cell: ({ person }) => <Clip text={person} />, onPhone: 'below' },
        {
          label: 'What',
          cell: ({ object, detail }) => <What object={object} detail={detail} />,
          onPhone: 'below',
        },
        { label: 'Mode', cell: ({ mode }) => <Mode of={mode} /> },
        { label: 'IP address', cell: ({ ip }) => ip ?? '–' },
        { label: 'When', cell: ({ at }) => <When at={at} />, align: 'right', onPhone: true },
      ]}
      keyOf={({ number }) => number}
      empty={{
        title: 'Nothing was done yet',
        text: 'Each change that a person makes appears here, and can neither be changed nor removed.',
      }}
    />
  )
}

/** What it was done to, unless the words below say so already. */
function What({ object, detail }: Pick<Entry, 'object' | 'detail'>) {
  if (!object || detail.includes(object)) {
    return (
      <Text size="sm" className="breaks">
        {detail}
      </Text>
    )
  }
  return (
    <>
      <Text size="sm" component="div">
        <Clip text={object} />
      </Text>
      <Text size="xs" c="dimmed">
        {detail}
      </Text>
    </>
  )
}

const Mode = ({ of }: { of: Entry['mode'] }) =>
  of === null ? (
    '–'
  ) : (
    <Badge variant="light" miw="max-content" className={`mode-${of}`}>
      {words(of)}
    </Badge>
  )
