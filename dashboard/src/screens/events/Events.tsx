import { Text } from '@mantine/core'
import type { EventRecord } from '../../../../sdk/src/operations.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Name, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/simulator.ts'
import { useEventTypes } from '../webhooks/EventTypes.tsx'
import { aboutOf } from './about.ts'

/** Everything that happened, whether an endpoint was told or not. */
export function Events() {
  const types = useEventTypes()
  const may = useMay()
  const isOffered = useMode() === 'test' && may('simulator:write')
  return (
    <ListPage<EventRecord>
      title="Events"
      path="user-service/events"
      filters={[
        {
          kind: 'choice',
          name: 'type',
          label: 'Type',
          options: types?.map(({ type }) => type) ?? [],
        },
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
              {aboutOf(event)}
            </Text>
          ),
        },
        {
          label: 'When',
          cell: ({ timestamp }) => <When at={timestamp} />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `events/${id}`}
      empty={{
        title: 'No events yet',
        text: 'Everything that happens to payments, invoices, transfers and the rest is kept here, under the names that webhooks use.',
        ...(isOffered && { action: <ScreenLink to="simulator">{t.title}</ScreenLink> }),
      }}
    />
  )
}
