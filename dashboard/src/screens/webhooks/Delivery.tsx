import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Copyable, Json, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/webhooks.ts'
import { Attempts } from './Attempts.tsx'
import { useResend } from './resend.ts'

/** One event on its way to one endpoint. */
export function Delivery() {
  const { reference, id } = useParams({ strict: false }) as { reference: string; id: string }
  const path = `user-service/webhooks/${reference}`
  const read = useRead<Envelope<WebhookDelivery>>(`${path}/deliveries/${id}`)
  const endpoint = useRead<Envelope<Webhook>>(path).data?.data
  const delivery = read.data?.data
  const resend = useResend(reference, id)
  const may = useMay()
  return (
    <DetailPage
      back={{ to: `webhooks/${reference}`, label: t.endpoint }}
      title={delivery?.type}
      status={<Status of={delivery?.status} />}
      read={read}
      actions={
        // Until the endpoint is known it holds its place.
        (!endpoint || endpoint.status === 'Active') &&
        may('webhooks:write') && (
          <Button
            leftSection={<IconRefresh size={16} />}
            loading={resend.isPending}
            disabled={!endpoint}
            onClick={() => resend.mutate()}
          >
            {t.resend}
          </Button>
        )
      }
    >
      {delivery && (
        <Stack gap="lg">
          <Card title={t.delivery}>
            <Facts
              of={{
                [t.event]: (
                  <ScreenLink to={`events/${delivery.eventId}`}>{delivery.eventId}</ScreenLink>
                ),
                [t.endpoint]: (
                  <ScreenLink to={`webhooks/${reference}`}>{endpoint?.url ?? reference}</ScreenLink>
                ),
                [t.id]: <Copyable text={delivery.id} />,
                [t.attempts]: delivery.attempts,
                [t.whatWentWrong]: delivery.lastError ?? undefined,
                [t.nextAttempt]: delivery.nextAttemptAt ? (
                  <When at={delivery.nextAttemptAt} />
                ) : undefined,
                [t.queued]: <When at={delivery.createdAt} />,
                [t.finished]: delivery.finishedAt ? <When at={delivery.finishedAt} /> : undefined,
              }}
            />
          </Card>
          <Card title={t.attempts}>
            <Attempts of={delivery.attemptLog} />
          </Card>
          <Card title={t.requestBody}>
            <Json value={delivery.body} />
          </Card>
        </Stack>
      )}
    </DetailPage>
  )
}
