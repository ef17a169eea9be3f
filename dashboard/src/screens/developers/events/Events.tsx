import { Text } from '@mantine/core'
import { useMode } from '../../../api/history.ts'
import { usePermission } from '../../../api/permissions.ts'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { Name, When } from '../../../ui/values.tsx'
import { useEventTypes } from '../webhooks/EventTypes.tsx'
import { objectLabel } from './object-label.ts'

/** Lists all events, including those that no endpoint received. */
export function Events() {
  const types = useEventTypes()
  const may = usePermission()
  const isOffered = useMode() === 'test' && may('simulator:write')
  return (
    <ListPage
      title="Events"
      operation="list_events"
      filters={[
        choice('type', 'Type', types?.map(({ type }) => type) ?? []),
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        { label: 'Type', cell: ({ type }) => <Name of={type} /> },
        {
          label: 'About',
          onPhone: 'below',
          cell: (event) => (
            <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
              {objectLabel(event)}
            </Text>
          ),
        },
        {
          label: 'Date',
          cell: ({ timestamp }) => <When at={timestamp} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `events/${id}`}
      empty={{
        title: 'No events yet',
        text: 'Everything that happens to payments, invoices, transfers and other records appears here. Events have the same names as in webhooks.',
        ...(isOffered && { action: <ScreenLink to="simulator">Test tools</ScreenLink> }),
      }}
    />
  )
}
