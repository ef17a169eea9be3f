import { Skeleton, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { EventRecord } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Copyable, Json, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/events.ts'
import { inWords, useEventTypes } from '../webhooks/EventTypes.tsx'
import { aboutOf, screenOf } from './about.ts'
import { SentTo } from './SentTo.tsx'

export function Event() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<EventRecord>>(`user-service/events/${id}`)
  const event = read.data?.data
  const types = useEventTypes()
  const meaning = types?.find(({ type }) => type === event?.type)?.description
  const may = useMay()
  return (
    <DetailPage back={{ to: 'events', label: t.events }} title={event?.type} read={read}>
      {event && (
        <div className="beside">
          <Stack gap="lg">
            <Card title={t.event}>
              <Facts
                of={{
                  [t.id]: <Copyable text={event.id} />,
                  [t.whatItMeans]: types ? meaning && inWords(meaning) : <Skeleton height={20} />,
                  [t.about]: <About of={event} />,
                  [t.sequence]: event.sequence,
                  [t.when]: <When at={event.timestamp} />,
                }}
              />
            </Card>
            <Card title={t.data}>
              <Json value={event.data} />
            </Card>
          </Stack>
          {may('webhooks:read') && <SentTo event={event} />}
        </div>
      )}
    </DetailPage>
  )
}

function About({ of: event }: { of: EventRecord }) {
  const screen = screenOf(event)
  return screen ? <ScreenLink to={screen}>{aboutOf(event)}</ScreenLink> : aboutOf(event)
}
