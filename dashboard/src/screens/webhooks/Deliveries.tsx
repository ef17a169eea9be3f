import type { ListedWebhookDelivery, Webhook } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, Name, When } from '../../parts/values.tsx'
import { Answer } from './Answer.tsx'
import { useEventTypes } from './EventTypes.tsx'

/** What was sent to one endpoint in the last 30 days, and what waits for it. */
export function Deliveries({ of: { reference } }: { of: Webhook }) {
  const types = useEventTypes()
  return (
    <ListPage<ListedWebhookDelivery>
      title="Deliveries"
      isPart
      path={`user-service/webhooks/${reference}/deliveries`}
      cut="cursor"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Pending', 'Delivered', 'Failed'],
        },
        {
          kind: 'choice',
          name: 'type',
          label: 'Event',
          options: types?.map(({ type }) => type) ?? [],
        },
      ]}
      columns={[
        { label: 'Event', cell: ({ type }) => <Name of={type} /> },
        STATUS,
        {
          label: 'Answer',
          cell: ({ lastStatus, lastError }) => <Answer status={lastStatus} error={lastError} />,
        },
        { label: 'Attempts', cell: ({ attempts }) => attempts, align: 'right' },
        { label: 'Id', cell: ({ id }) => <Copyable text={id} /> },
        {
          label: 'Queued',
          cell: ({ createdAt }) => <When at={createdAt} />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `webhooks/${reference}/deliveries/${id}`}
      empty={{
        title: 'Nothing was sent yet',
        text: 'Each event that this endpoint wants appears here with what your server answered. Send a test to see one.',
      }}
    />
  )
}
