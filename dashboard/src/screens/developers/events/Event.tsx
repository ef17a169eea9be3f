import { Box, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { EventRecord, Webhook, WebhookDelivery } from '../../../../../sdk/src/operations.ts'
import { ApiError } from '../../../api/call.ts'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { Json, Status, When } from '../../../ui/values.tsx'
import { ResponseStatus, useResend } from '../webhooks/Delivery.tsx'
import { useEventTypes, withoutBackticks } from '../webhooks/EventTypes.tsx'
import { objectLabel, objectScreen } from './object-label.ts'

export function Event() {
  const { id } = useParams({ from: '/$mode/events/$id' })
  const read = useOperation('get_event', { id })
  const event = read.data?.data
  const types = useEventTypes()
  const meaning = types?.find(({ type }) => type === event?.type)?.description
  const may = usePermission()
  return (
    <DetailPage back={{ to: 'events', label: 'Events' }} title={event?.type} read={read}>
      {event && (
        <div className="beside">
          <Stack gap="lg">
            <Card title="Event">
              <Facts>
                <Fact label="ID" copy={event.id} />
                <Fact
                  label="Description"
                  value={types ? meaning && withoutBackticks(meaning) : <Skeleton height={20} />}
                />
                <Fact label="About" value={<About of={event} />} />
                <Fact label="Sequence" value={event.sequence} />
                <Fact label="Date" value={<When at={event.timestamp} />} />
              </Facts>
            </Card>
            <Card title="Data">
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
  const screen = objectScreen(event)
  return screen ? <ScreenLink to={screen}>{objectLabel(event)}</ScreenLink> : objectLabel(event)
}

/** The maximum number of endpoints of a business. */
const ENDPOINTS_MAX = 50

function SentTo({ event }: { event: EventRecord }) {
  const { data, error, refetch } = useOperation('list_webhooks', { limit: ENDPOINTS_MAX })
  const endpoints = data?.data
  return (
    <Card title="Sent to">
      {endpoints ? (
        <Stack gap="md">
          {endpoints.map((endpoint) => (
            <At key={endpoint.reference} endpoint={endpoint} id={event.id} />
          ))}
          {endpoints.length === 0 && (
            <Text c="dimmed">
              No endpoints yet. <ScreenLink to="webhooks">Add one</ScreenLink>, then replay this
              time range to that endpoint.
            </Text>
          )}
        </Stack>
      ) : error ? (
        <Failure error={error} again={() => void refetch()} />
      ) : (
        <Skeleton height={44} />
      )}
    </Card>
  )
}

function At({ endpoint, id }: { endpoint: Webhook; id: string }) {
  const { reference, url, status } = endpoint
  const { data, error } = useOperation('get_webhook_delivery', { reference, id })
  const delivery = data?.data
  const may = usePermission()
  const canResend = delivery && status === 'Active' && may('webhooks:write')
  return (
    <Group justify="space-between" gap="sm" mih={44}>
      <Box style={{ minWidth: 0, flex: '1 1 16rem', overflowWrap: 'anywhere' }}>
        <ScreenLink
          to={delivery ? `webhooks/${reference}/deliveries/${id}` : `webhooks/${reference}`}
        >
          {url}
        </ScreenLink>
        <Text size="sm" c="dimmed" component="div">
          {delivery ? <Story of={delivery} /> : error ? storyOfNone(error) : 'Loading…'}
        </Text>
      </Box>
      <Group gap="sm">
        {delivery && <ResponseStatus status={delivery.lastStatus} error={delivery.lastError} />}
        {delivery && <Status of={delivery.status} />}
        {canResend && <Resend reference={reference} id={id} url={url} />}
      </Group>
    </Group>
  )
}

function Story({ of: { attempts, nextAttemptAt, finishedAt } }: { of: WebhookDelivery }) {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  if (nextAttemptAt) {
    return (
      <>
        {times}, next <When at={nextAttemptAt} />
      </>
    )
  }
  return (
    <>
      {times}, finished <When at={finishedAt} />
    </>
  )
}

const storyOfNone = (error: unknown): string =>
  error instanceof ApiError && error.status === 404
    ? 'Not sent: the endpoint was not subscribed to this event or did not exist yet.'
    : (error as Error).message

function Resend({ reference, id, url }: { reference: string; id: string; url: string }) {
  const resend = useResend(reference, id)
  return (
    <ActionButton
      icon={IconRefresh}
      label="Redeliver"
      size="xs"
      loading={resend.isPending}
      onClick={() => resend.mutate()}
      aria-label={`Redeliver to ${url}`}
    />
  )
}
