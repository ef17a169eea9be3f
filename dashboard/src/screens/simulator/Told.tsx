import { Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { EventRecord } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { t } from '../../texts/simulator.ts'
import { useEventTypes } from '../webhooks/EventTypes.tsx'

interface Values {
  type: string | null
  data: string
}

/** Tells an event that did not happen, so that one's own server can be tried with it. */
export function Told() {
  const { event } = t
  const types = useEventTypes()
  const form = useForm<Values>({
    initialValues: { type: null, data: '' },
    validate: {
      type: (type) => (type ? null : event.choose),
      data: (data) => (objectOf(data) === null ? event.dataWrong : null),
    },
  })
  const tell = useAction<Envelope<EventRecord>, Values>({
    path: '/api/simulator/events',
    send: ({ type, data }) => ({ type, ...(data.trim() && { data: objectOf(data) }) }),
    done: event.told,
  })
  const told = tell.data?.data
  return (
    <Card title={event.title}>
      <form onSubmit={form.onSubmit((values) => tell.mutate(values))} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {event.text}
          </Text>
          <Select
            label={event.type}
            placeholder={event.choose}
            data={types?.map(({ type }) => type) ?? []}
            searchable
            required
            {...form.getInputProps('type')}
          />
          <Textarea
            label={event.data}
            description={event.dataHint}
            placeholder='{ "amount": 1500 }'
            autosize
            minRows={3}
            maxRows={10}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.getInputProps('data')}
          />
          <Group justify="space-between">
            <Text size="sm" component="div" role="status">
              {told && <ScreenLink to={`events/${told.id}`}>{event.see}</ScreenLink>}
            </Text>
            <Button type="submit" loading={tell.isPending}>
              {event.verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

/** Null is text that is no JSON object; nothing typed is none at all. */
function objectOf(text: string): object | null | undefined {
  if (!text.trim()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
