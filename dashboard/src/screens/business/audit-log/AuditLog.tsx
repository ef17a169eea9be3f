import { Badge, Text } from '@mantine/core'
import { useOperation } from '../../../api/hooks.ts'
import type { AuditEntry } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import type { Filter } from '../../../ui/Filters.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { formatState, Truncated, When } from '../../../ui/values.tsx'

/** The choices for filtering by action. API operations have their operation names in the log. */
const ACTIONS = [
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations revoked' },
  { value: 'key', label: 'Keys' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'person', label: 'Passwords and two-factor authentication' },
  { value: 'create_transfer', label: 'Transfers created' },
  { value: 'approve_transfer', label: 'Transfers approved' },
  { value: 'create_refund', label: 'Refunds' },
  { value: 'update_profile_settings', label: 'Settings' },
  { value: 'branding.change', label: 'Branding' },
  { value: 'business.change', label: 'Business details' },
]

/** The names of actions that are not API operations. */
const NAMES: Record<string, string> = {
  'session.begin': 'Signed in',
  'member.invite': 'Member invited',
  'member.join': 'Member joined',
  'member.role': 'Role changed',
  'member.remove': 'Member removed',
  'invitation.revoke': 'Invitation revoked',
  'key.create': 'Key created',
  'key.rotate': 'Key rotated',
  'key.revoke': 'Key revoked',
  'person.password': 'Password changed',
  'person.two_factor': 'Two-factor authentication changed',
  'person.passkey': 'Passkeys changed',
  'redirect_secret.show': 'Redirect secret viewed',
  'order_note.create': 'Note added to order',
}

const nameOf = (action: string) => NAMES[action] ?? formatState(action.replaceAll('.', ' '))

export function AuditLog() {
  const may = usePermission()
  const { data } = useOperation('get_team', undefined, { enabled: may('team:read') })
  const people = (data?.data.members ?? []).map(({ personId, name }) => ({
    value: String(personId),
    label: name,
  }))
  const filters: Filter[] = [
    ...(people.length > 0 ? [choice('person', 'Member', people)] : []),
    choice('action', 'Action', ACTIONS),
    { kind: 'day', name: 'from', label: 'From' },
    { kind: 'day', name: 'to', label: 'To' },
  ]
  return (
    <ListPage
      title="Audit log"
      operation="list_audit_entries"
      csv="export_audit_entries"
      filters={filters}
      columns={[
        { label: 'Action', cell: ({ action }) => <b className="whole">{nameOf(action)}</b> },
        { label: 'Member', cell: ({ person }) => <Truncated text={person} />, onPhone: 'below' },
        {
          label: 'Details',
          cell: ({ object, detail }) => <What object={object} detail={detail} />,
          onPhone: 'below',
        },
        { label: 'Mode', cell: ({ mode }) => <Mode of={mode} /> },
        { label: 'IP address', cell: ({ ip }) => ip ?? '–' },
        { label: 'Date', cell: ({ at }) => <When at={at} />, align: 'right', onPhone: true },
      ]}
      keyOf={({ number }) => number}
      empty={{
        title: 'No activity yet',
        text: 'Every change that a team member makes appears here. Entries cannot be edited or deleted.',
      }}
    />
  )
}

/** Omits the object if the detail already names it. */
function What({ object, detail }: Pick<AuditEntry, 'object' | 'detail'>) {
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
        <Truncated text={object} />
      </Text>
      <Text size="xs" c="dimmed">
        {detail}
      </Text>
    </>
  )
}

const Mode = ({ of }: { of: AuditEntry['mode'] }) =>
  of === null ? (
    '–'
  ) : (
    <Badge variant="light" miw="max-content" className={`mode-${of}`}>
      {formatState(of)}
    </Badge>
  )
