import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { EventRecord, Webhook, WebhookDelivery } from '../../../../sdk/src/operations.ts'
import { ApiError } from '../../api/call.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'
import { Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/events.ts'
import { Answer } from '../webhooks/Answer.tsx'
import { useResend } from '../webhooks/resend.ts'

/** As many as a business may have. */
const ENDPOINTS_MAX = 50

/** What became of an event at each endpoint. */
export function SentTo({ event }: { event: EventRecord }) {
  const { data, error, refetch } = useRead<Envelope<Webhook[]>>('user-service/webhooks', {
    limit: ENDPOINTS_MAX,
  })
  const endpoints = data?.data
  return (
    <Card title={t.sentTo}>
      {endpoints ? (
        <Stack gap="md">
          {endpoints.map((endpoint) => (
            <At key={endpoint.reference} endpoint={endpoint} id={event.id} />
          ))}
          {endpoints.length === 0 && (
            <Text c="dimmed">
              {t.thereIsNoEndpoint} <ScreenLink to="webhooks">{t.addOne}</ScreenLink>
              {t.thenReplayTheTimeOf}
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
  const path = `user-service/webhooks/${reference}/deliveries/${id}`
  const { data, error } = useRead<Envelope<WebhookDelivery>>(path)
  const delivery = data?.data
  const may = useMay()
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
          {delivery ? <Story of={delivery} /> : error ? storyOfNone(error) : t.looking}
        </Text>
      </Box>
      <Group gap="sm">
        {delivery && <Answer status={delivery.lastStatus} error={delivery.lastError} />}
        {delivery && <Status of={delivery.status} />}
        {canResend && <Resend reference={reference} id={id} url={url} />}
      </Group>
    </Group>
  )
}

function Story({ of: { attempts, nextAttemptAt, finishedAt } }: { of: WebhookDelivery }) {
  const times = attempts === 1 ? t.triedOnce : t.triedTimes(attempts)
  if (nextAttemptAt) {
    return (
      <>
        {t.againAt(times)} <When at={nextAttemptAt} />
      </>
    )
  }
  return (
    <>
      {t.ended(times)} <When at={finishedAt} />
    </>
  )
}

const storyOfNone = (error: unknown): string =>
  error instanceof ApiError && error.status === 404
    ? t.notSentTheEndpointDid
    : (error as Error).message

function Resend({ reference, id, url }: { reference: string; id: string; url: string }) {
  const resend = useResend(reference, id)
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
      aria-label={t.resendTo(url)}
    >
      {t.resend}
    </Button>
  )
}
