import { Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { act, useAction } from '../../api/hooks.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { Card } from '../../ui/DetailPage.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useEventTypes } from '../developers/webhooks/EventTypes.tsx'

interface Values {
  type: string | null
  data: string
}

/** Sends an event about something that did not happen, so that users can test their server. */
export function TestEvent() {
  const types = useEventTypes()
  const form = useForm<Values>({
    initialValues: { type: null, data: '' },
    validate: {
      type: (type) => (type ? null : 'Choose a type.'),
      data: (data) => (objectOf(data) === null ? 'Enter a JSON object.' : null),
    },
  })
  const tell = useAction(
    act('simulate_event', {
      input: ({ type, data }: Values) => ({
        type: type!,
        ...(data.trim() && { data: objectOf(data)! }),
      }),
      done: 'Event sent.',
      caught: form.showErrors,
    }),
  )
  const told = tell.data?.data
  return (
    <Card title="Trigger a test event">
      <form onSubmit={form.onSubmit((values) => tell.mutate(values))} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            Every endpoint that is subscribed to this type receives an example event. Nothing else
            changes.
          </Text>
          <Select
            label="Type"
            placeholder="Choose a type"
            data={types?.map(({ type }) => type) ?? []}
            searchable
            required
            {...form.field('type')}
          />
          <Textarea
            label="Custom data"
            description="Optional. A JSON object whose fields replace those in the example."
            placeholder='{ "amount": 1500 }'
            autosize
            minRows={3}
            maxRows={10}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.field('data')}
          />
          <Group justify="space-between">
            <Text size="sm" component="div" role="status">
              {told && <ScreenLink to={`events/${told.id}`}>View event</ScreenLink>}
            </Text>
            <ActionButton label="Send event" isMain type="submit" loading={tell.isPending} />
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

/** Returns undefined for empty text, and null if the text is not a JSON object. */
function objectOf(text: string): Record<string, unknown> | null | undefined {
  if (!text.trim()) return undefined
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown> | null)
      : null
  } catch {
    return null
  }
}
