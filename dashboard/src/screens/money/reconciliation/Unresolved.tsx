import { Text } from '@mantine/core'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import {
  formatState,
  minorMoney,
  Status,
  shortReference,
  When,
  WithNote,
} from '../../../ui/values.tsx'
import { useConnections } from './connections.ts'
import { attentionOf, ORDER_OPTIONS, orderName } from './names.ts'

/** Orders that nobody knows the outcome of, or that a person has to look at. */
export function Unresolved() {
  const { options, nameOf } = useConnections()
  return (
    <ListPage
      title="Unresolved orders"
      operation="list_unresolved_orders"
      filters={[
        choice('kind', 'Kind', ORDER_OPTIONS),
        choice('connectionId', 'Connection', options),
      ]}
      columns={[
        {
          label: 'Order',
          cell: ({ kind, reference }) => (
            <WithNote note={shortReference(reference)}>{orderName(kind)}</WithNote>
          ),
        },
        {
          label: 'Amount',
          align: 'right',
          cell: ({ amountMinor, currency }) => (
            <Text span inherit fw={600} className="whole">
              {minorMoney(amountMinor, currency)}
            </Text>
          ),
          onPhone: true,
        },
        {
          label: 'Why',
          cell: ({ attention, received }) => (
            <WithNote note={received.message}>{attentionOf(attention)}</WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'State there',
          cell: ({ received: { state } }) => (state ? <Status of={formatState(state)} /> : '–'),
          isWide: true,
        },
        {
          label: 'Connection',
          cell: ({ connectionId }) => nameOf(connectionId),
          isWide: true,
        },
        {
          label: 'Since',
          align: 'right',
          cell: ({ since }) => <When at={since} />,
          onPhone: true,
        },
      ]}
      keyOf={({ kind, id, attempt }) => `${kind} ${id} ${attempt}`}
      hrefOf={({ kind, id }) => `unresolved/${kind}-${id}`}
      empty={{
        title: 'No unresolved orders',
        text: 'If a provider does not tell us for 15 minutes whether it has paid, the payment or transfer appears here, with what was sent and received.',
      }}
    />
  )
}
