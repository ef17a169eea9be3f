import { Badge, Text } from '@mantine/core'
import { type Envelope, useRead } from '../../api/hooks.ts'
import type { Filter } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/audit.ts'
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
  { value: 'member', label: t.members },
  { value: 'invitation', label: t.invitationsTakenBack },
  { value: 'key', label: t.keys },
  { value: 'session', label: t.signIns },
  { value: 'person', label: t.passwordsAndTwoFactor },
  { value: 'create_transfer', label: t.transfersMade },
  { value: 'approve_transfer', label: t.transfersApproved },
  { value: 'create_refund', label: t.refunds },
  { value: 'update_profile_settings', label: t.settings },
  { value: 'branding.change', label: t.branding },
  { value: 'business.change', label: t.detailsOfTheBusiness },
]

/** What is not an operation of the API, as one would say it. */
const NAMES: Record<string, string> = {
  'session.begin': t.signedIn,
  'member.invite': t.invited,
  'member.join': t.joined,
  'member.role': t.roleChanged,
  'member.remove': t.memberRemoved,
  'invitation.revoke': t.invitationTakenBack,
  'key.create': t.keyCreated,
  'key.rotate': t.keyRotated,
  'key.revoke': t.keyRevoked,
  'person.password': t.passwordChanged,
  'person.two_factor': t.twoFactorChanged,
  'person.passkey': t.passkeysChanged,
  'redirect_secret.show': t.redirectSecretShown,
  'order_note.create': t.orderNoteAdded,
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
      ? [{ kind: 'choice', name: 'person', label: t.person, options: people } as const]
      : []),
    { kind: 'choice', name: 'action', label: t.action, options: ACTIONS },
    { kind: 'day', name: 'from', label: t.from },
    { kind: 'day', name: 'to', label: t.to },
  ]
  return (
    <ListPage<Entry>
      title={t.auditLog}
      path="/console/audit"
      csv="/console/audit/export"
      filters={filters}
      columns={[
        { label: t.action, cell: ({ action }) => <b className="whole">{nameOf(action)}</b> },
        { label: t.person, cell: ({ person }) => <Clip text={person} />, onPhone: 'below' },
        {
          label: t.what,
          cell: ({ object, detail }) => <What object={object} detail={detail} />,
          onPhone: 'below',
        },
        { label: t.mode, cell: ({ mode }) => <Mode of={mode} /> },
        { label: t.ipAddress, cell: ({ ip }) => ip ?? '–' },
        { label: t.when, cell: ({ at }) => <When at={at} />, align: 'right', onPhone: true },
      ]}
      keyOf={({ number }) => number}
      empty={{
        title: t.nothingWasDoneYet,
        text: t.eachChangeThatAPerson,
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
