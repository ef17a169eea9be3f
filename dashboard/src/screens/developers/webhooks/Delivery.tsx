import { Accordion, Badge, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { WebhookDelivery } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { Json, Status, When } from '../../../ui/values.tsx'

/** The delivery of one event to one endpoint. */
export function Delivery() {
  const { reference, id } = useParams({ from: '/$mode/webhooks/$reference/deliveries/$id' })
  const read = useOperation('get_webhook_delivery', { reference, id })
  const endpoint = useOperation('get_webhook', { reference }).data?.data
  const delivery = read.data?.data
  const resend = useResend(reference, id)
  const may = usePermission()
  return (
    <DetailPage
      back={{ to: `webhooks/${reference}`, label: 'Endpoint' }}
      title={delivery?.type}
      status={<Status of={delivery?.status} />}
      read={read}
      actions={
        // Shows the button as for an active endpoint until the endpoint has loaded, so that the
        // layout does not jump.
        (!endpoint || endpoint.status === 'Active') &&
        may('webhooks:write') && (
          <ActionButton
            icon={IconRefresh}
            label="Redeliver"
            isMain
            loading={resend.isPending}
            disabled={!endpoint}
            onClick={() => resend.mutate()}
          />
        )
      }
    >
      {delivery && (
        <Stack gap="lg">
          <Card title="Delivery">
            <Facts>
              <Fact
                label="Event"
                value={
                  <ScreenLink to={`events/${delivery.eventId}`}>{delivery.eventId}</ScreenLink>
                }
              />
              <Fact
                label="Endpoint"
                value={
                  <ScreenLink to={`webhooks/${reference}`}>{endpoint?.url ?? reference}</ScreenLink>
                }
              />
              <Fact label="ID" copy={delivery.id} />
              <Fact label="Attempts" value={delivery.attempts} />
              <Fact label="Error" value={delivery.lastError ?? undefined} />
              <Fact label="Next attempt" at={delivery.nextAttemptAt} />
              <Fact label="Queued" at={delivery.createdAt} />
              <Fact label="Finished" at={delivery.finishedAt} />
            </Facts>
          </Card>
          <Card title="Attempts">
            <Attempts of={delivery.attemptLog} />
          </Card>
          <Card title="Request body">
            <Json value={delivery.body} />
          </Card>
        </Stack>
      )}
    </DetailPage>
  )
}

type Attempt = WebhookDelivery['attemptLog'][number]

/** Lists attempts, newest first. The newest one is expanded. */
function Attempts({ of: attempts }: { of: Attempt[] }) {
  const newest = attempts.toSorted((a, b) => b.number - a.number)
  const [first] = newest
  if (!first) {
    return <Text c="dimmed">No attempts yet. The first one will start in a moment.</Text>
  }
  return (
    <Accordion key={first.number} defaultValue={String(first.number)} variant="contained">
      {newest.map((attempt) => (
        <Accordion.Item key={attempt.number} value={String(attempt.number)}>
          <Accordion.Control>
            <Group gap="sm">
              <Text fw={600}>Attempt {attempt.number}</Text>
              <ResponseStatus status={attempt.status} error={attempt.error} />
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

export function AttemptFacts({ of: attempt }: { of: Attempt }) {
  return (
    <Stack gap="md">
      <Facts>
        <Fact label="Sent to" value={attempt.url} />
        <Fact label="Response" value={attempt.status ?? 'No response'} />
        <Fact label="Error" value={attempt.error ?? undefined} />
        <Fact label="Duration" value={`${attempt.durationMs} ms`} />
      </Facts>
      <Part title="Request headers">
        <Json value={textOf(attempt.headers)} />
      </Part>
      <Part title="Response body">
        {attempt.response ? (
          <Json value={attempt.response} />
        ) : (
          <Text size="sm" c="dimmed">
            Empty
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

const colorOf = (status: number): string =>
  status < 300 ? 'green' : status < 400 ? 'gray' : status < 500 ? 'yellow' : 'red'

/** Shows an HTTP status in its colour, which is red whenever there was an error. */
export function ResponseStatus({
  status,
  error,
}: {
  status: number | null
  error?: string | null
}) {
  if (status === null) {
    return error ? <Mark color="red">No response</Mark> : <>–</>
  }
  return <Mark color={error ? 'red' : colorOf(status)}>{status}</Mark>
}

function Mark({ color, children }: { color: string; children: React.ReactNode }) {
  return (
    <Badge
      className={`state-${color}`}
      variant="light"
      color={color}
      radius="sm"
      miw="max-content"
      tt="none"
      fw={600}
    >
      {children}
    </Badge>
  )
}

export function useResend(reference: string, id: string) {
  const redelivery = useAction(
    act('redeliver_webhook', { input: () => ({ reference, id }), refresh: ['get_webhook'] }),
  )
  const mutate = () =>
    redelivery.mutate(undefined, {
      onSuccess: ({ data: { status, lastError } }) =>
        notifications.show(
          status === 'Delivered'
            ? { message: 'Event delivered.', color: 'green' }
            : {
                title: 'Delivery failed again',
                message: lastError ?? 'No response.',
                color: 'red',
              },
        ),
    })
  return { isPending: redelivery.isPending, mutate }
}
