import type { ListedWebhookDelivery, Webhook } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, Name, When } from '../../parts/values.tsx'
import { t } from '../../texts/webhooks.ts'
import { Answer } from './Answer.tsx'
import { useEventTypes } from './EventTypes.tsx'

/** What was sent to one endpoint in the last 30 days, and what waits for it. */
export function Deliveries({ of: { reference } }: { of: Webhook }) {
  const types = useEventTypes()
  return (
    <ListPage<ListedWebhookDelivery>
      title={t.deliveries}
      isPart
      path={`user-service/webhooks/${reference}/deliveries`}
      cut="cursor"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Pending', 'Delivered', 'Failed'],
        },
        {
          kind: 'choice',
          name: 'type',
          label: t.event,
          options: types?.map(({ type }) => type) ?? [],
        },
      ]}
      columns={[
        { label: t.event, cell: ({ type }) => <Name of={type} /> },
        STATUS,
        {
          label: t.answer,
          cell: ({ lastStatus, lastError }) => <Answer status={lastStatus} error={lastError} />,
        },
        { label: t.attempts, cell: ({ attempts }) => attempts, align: 'right' },
        { label: t.id, cell: ({ id }) => <Copyable text={id} /> },
        {
          label: t.queued,
          cell: ({ createdAt }) => <When at={createdAt} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `webhooks/${reference}/deliveries/${id}`}
      empty={{
        title: t.nothingWasSentYet,
        text: t.eachEventThatThisEndpoint,
      }}
    />
  )
}
