import { Accordion, Group, Stack, Text } from '@mantine/core'
import type { WebhookDelivery } from '../../../../sdk/src/operations.ts'
import { Facts } from '../../parts/DetailPage.tsx'
import { Json, When } from '../../parts/values.tsx'
import { Answer } from './Answer.tsx'

type Attempt = WebhookDelivery['attemptLog'][number]

/** Each try of a delivery, the newest first; that one lies open. */
export function Attempts({ of: attempts }: { of: Attempt[] }) {
  const newest = attempts.toSorted((a, b) => b.number - a.number)
  const [first] = newest
  if (!first) {
    return <Text c="dimmed">Not tried yet. It takes a moment.</Text>
  }
  return (
    <Accordion key={first.number} defaultValue={String(first.number)} variant="contained">
      {newest.map((attempt) => (
        <Accordion.Item key={attempt.number} value={String(attempt.number)}>
          <Accordion.Control>
            <Group gap="sm">
              <Text fw={600}>Attempt {attempt.number}</Text>
              <Answer status={attempt.status} error={attempt.error} />
              <Text size="sm" c="dimmed" component="span">
                <When at={attempt.at} />
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptFacts of={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

/** What was sent where, and what came back. */
export function AttemptFacts({ of: attempt }: { of: Attempt }) {
  return (
    <Stack gap="md">
      <Facts
        of={{
          'Sent to': attempt.url,
          Response: attempt.status ?? 'No answer',
          'What went wrong': attempt.error ?? undefined,
          Took: `${attempt.durationMs} ms`,
        }}
      />
      <Part title="Request headers">
        <Json value={textOf(attempt.headers)} />
      </Part>
      <Part title="Response body">
        {attempt.response ? (
          <Json value={attempt.response} />
        ) : (
          <Text size="sm" c="dimmed">
            Empty.
          </Text>
        )}
      </Part>
    </Stack>
  )
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      {children}
    </div>
  )
}

const textOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
