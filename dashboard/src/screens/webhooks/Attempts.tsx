import { Accordion, Group, Stack, Text } from '@mantine/core'
import type { WebhookDelivery } from '../../../../sdk/src/operations.ts'
import { Facts } from '../../parts/DetailPage.tsx'
import { Json, When } from '../../parts/values.tsx'
import { t } from '../../texts/webhooks.ts'
import { Answer } from './Answer.tsx'

type Attempt = WebhookDelivery['attemptLog'][number]

/** Each try of a delivery, the newest first; that one lies open. */
export function Attempts({ of: attempts }: { of: Attempt[] }) {
  const newest = attempts.toSorted((a, b) => b.number - a.number)
  const [first] = newest
  if (!first) {
    return <Text c="dimmed">{t.notTriedYetItTakes}</Text>
  }
  return (
    <Accordion key={first.number} defaultValue={String(first.number)} variant="contained">
      {newest.map((attempt) => (
        <Accordion.Item key={attempt.number} value={String(attempt.number)}>
          <Accordion.Control>
            <Group gap="sm">
              <Text fw={600}>{t.attempt(attempt.number)}</Text>
              <Answer status={attempt.status} error={attempt.error} />
              <Text size="sm" c="dimmed" component="span">
                <When at={attempt.at} isExact />
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
          [t.sentTo]: attempt.url,
          [t.response]: attempt.status ?? t.noAnswer,
          [t.whatWentWrong]: attempt.error ?? undefined,
          [t.took]: `${attempt.durationMs} ms`,
        }}
      />
      <Part title={t.requestHeaders}>
        <Json value={textOf(attempt.headers)} />
      </Part>
      <Part title={t.responseBody}>
        {attempt.response ? (
          <Json value={attempt.response} />
        ) : (
          <Text size="sm" c="dimmed">
            {t.empty}
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
