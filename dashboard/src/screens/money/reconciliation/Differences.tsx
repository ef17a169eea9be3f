import { choice } from '../../../ui/Filters.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { dayOf } from '../../../ui/typed-days.ts'
import { minorMoney, shortReference, When, WithNote } from '../../../ui/values.tsx'
import { useConnections } from './connections.ts'
import { CLASS_OPTIONS, differenceName, KIND_OPTIONS } from './names.ts'

export function Differences() {
  const { options, nameOf } = useConnections()
  return (
    <ListPage
      title="Differences"
      operation="list_differences"
      cut="cursor"
      filters={[
        choice('status', 'Status', ['Open', 'Closed']),
        choice('class', 'Difference', CLASS_OPTIONS),
        choice('kind', 'Kind', KIND_OPTIONS),
        choice('connectionId', 'Connection', options),
        { kind: 'day', name: 'day', label: 'Day' },
      ]}
      columns={[
        {
          label: 'Difference',
          cell: (one) => (
            <WithNote
              note={one.order?.reference ?? one.providerId ?? shortReference(one.reference)}
            >
              {differenceName(one)}
            </WithNote>
          ),
        },
        STATUS,
        {
          label: 'Ours',
          align: 'right',
          cell: ({ oursMinor, currency }) => minorMoney(oursMinor, currency),
        },
        {
          label: 'Theirs',
          align: 'right',
          cell: ({ theirsMinor, currency }) => minorMoney(theirsMinor, currency),
          onPhone: true,
        },
        {
          label: 'Day',
          cell: ({ day, connectionId }) => (
            <WithNote note={nameOf(connectionId)}>{dayOf(day)}</WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'Found',
          align: 'right',
          cell: ({ firstSeenAt }) => <When at={firstSeenAt} />,
          isWide: true,
        },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `differences/${reference}`}
      empty={{
        title: 'No differences',
        text: 'Whatever a provider reports and our books do not have, or the reverse, appears here with the evidence of both sides.',
      }}
    />
  )
}
