import { Alert, Badge, Group, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Webhook as Endpoint } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Name, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/webhooks.ts'
import { Actions } from './Actions.tsx'
import { Deliveries } from './Deliveries.tsx'
import { isAll } from './wanted.ts'

export function Webhook() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Endpoint>>(`user-service/webhooks/${reference}`)
  const endpoint = read.data?.data
  const may = useMay()
  return (
    <DetailPage
      back={{ to: 'webhooks', label: t.webhooks }}
      title={endpoint && <Address of={endpoint.url} />}
      status={<Status of={endpoint?.status} />}
      read={read}
      actions={endpoint && may('webhooks:write') && <Actions of={endpoint} />}
    >
      {endpoint && (
        <Stack gap="lg">
          <Notes of={endpoint} />
          <Card title={t.endpoint}>
            <Facts
              of={{
                [t.reference]: <Copyable text={endpoint.reference} />,
                [t.description]: endpoint.description ?? undefined,
                [t.events]: <Events of={endpoint.events} />,
                [t.lastSuccess]: endpoint.lastSuccessAt ? (
                  <When at={endpoint.lastSuccessAt} />
                ) : (
                  t.noneYet
                ),
                [t.added]: <When at={endpoint.createdAt} />,
              }}
            />
          </Card>
          <Deliveries of={endpoint} />
        </Stack>
      )}
    </DetailPage>
  )
}

/** A title that may go on in the next line where an address has its joints. */
const Address = ({ of }: { of: string }) => (
  <span className="breaks">
    <Name of={of} />
  </span>
)

function Notes({ of: { status, failingSince } }: { of: Endpoint }) {
  if (status === 'Disabled') {
    return (
      <Alert color="yellow" title={t.nothingIsSentHere}>
        {t.whatHappensMeanwhileIsNot}
      </Alert>
    )
  }
  if (!failingSince) return null
  return (
    <Alert color="red" title={t.thisEndpointDoesNotAnswer}>
      {t.everyAttemptHasFailedSince} <When at={failingSince} />
      {t.afterFiveDaysOfThat}
    </Alert>
  )
}

function Events({ of: events }: { of: string[] }) {
  if (isAll(events)) return t.allAlsoThoseThatCome
  return (
    <Group gap={6}>
      {events.map((type) => (
        <Badge key={type} variant="default" tt="none" fw={500} radius="sm">
          {type}
        </Badge>
      ))}
    </Group>
  )
}
