import { IconRefresh } from '@tabler/icons-react'
import { act, useAction } from '../../../api/hooks.ts'
import type { ListedProviderNotification } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { Copyable, shortReference, When, WithNote } from '../../../ui/values.tsx'

const STATUSES = ['Received', 'Applied', 'Unchanged', 'Unmatched', 'Unreadable', 'Failed']

/** What the provider has told us, and what came of it. */
export function Notifications({ connectionId }: { connectionId: number }) {
  const may = usePermission()
  return (
    <ListPage
      title="Notifications"
      isPart
      operation="list_provider_notifications"
      query={{ connectionId: String(connectionId) }}
      cut="cursor"
      filters={[choice('status', 'Status', STATUSES)]}
      columns={[
        {
          label: 'About',
          cell: ({ about, type, result }) => (
            <WithNote note={result ?? type}>{about === 'none' ? type : about}</WithNote>
          ),
        },
        STATUS,
        {
          label: 'Reference',
          cell: ({ reference }) =>
            reference ? <Copyable text={reference} shown={shortReference(reference)} /> : '–',
          onPhone: 'below',
        },
        {
          label: 'Received',
          cell: ({ receivedAt }) => <When at={receivedAt} isExact />,
          onPhone: true,
          align: 'right',
        },
        {
          label: 'Actions',
          cell: (one) =>
            may('providers:write') && one.status !== 'Unreadable' && <Replay of={one} />,
          align: 'right',
          onPhone: 'below',
        },
      ]}
      keyOf={({ id }) => id}
      empty={{
        title: 'No notifications yet',
        text: 'Every message from the provider appears here, with what we did about it.',
      }}
    />
  )
}

/** We never believe a notification, so reading it again only makes us ask the provider again. */
function Replay({ of: { id, connectionId, about } }: { of: ListedProviderNotification }) {
  const replay = useAction(
    act('replay_provider_notification', {
      input: () => ({ connectionId, noticeId: id }),
      done: 'The notification is read again.',
    }),
  )
  return (
    <ActionButton
      icon={IconRefresh}
      label="Replay"
      size="xs"
      loading={replay.isPending}
      onClick={() => replay.mutate()}
      aria-label={`Replay the notification about ${about}`}
    />
  )
}
