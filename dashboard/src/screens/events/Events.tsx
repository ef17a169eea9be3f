import { Text } from '@mantine/core'
import type { EventRecord } from '../../../../sdk/src/operations.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Name, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/events.ts'
import { t as tools } from '../../texts/simulator.ts'
import { useEventTypes } from '../webhooks/EventTypes.tsx'
import { aboutOf } from './about.ts'

/** Everything that happened, whether an endpoint was told or not. */
export function Events() {
  const types = useEventTypes()
  const may = useMay()
  const isOffered = useMode() === 'test' && may('simulator:write')
  return (
    <ListPage<EventRecord>
      title={t.events}
      path="user-service/events"
      filters={[
        {
          kind: 'choice',
          name: 'type',
          label: t.type,
          options: types?.map(({ type }) => type) ?? [],
        },
        { kind: 'day', name: 'startDate', label: t.from },
        { kind: 'day', name: 'endDate', label: t.to },
      ]}
      columns={[
        { label: t.type, cell: ({ type }) => <Name of={type} /> },
        {
          label: t.about,
          onPhone: 'below',
          cell: (event) => (
            <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
              {aboutOf(event)}
            </Text>
          ),
        },
        {
          label: t.when,
          cell: ({ timestamp }) => <When at={timestamp} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `events/${id}`}
      empty={{
        title: t.noEventsYet,
        text: t.everythingThatHappensToPayments,
        ...(isOffered && { action: <ScreenLink to="simulator">{tools.title}</ScreenLink> }),
      }}
    />
  )
}
