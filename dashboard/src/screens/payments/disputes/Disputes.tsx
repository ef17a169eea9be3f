import { Text } from '@mantine/core'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { shortReference, When, WithNote } from '../../../ui/values.tsx'

export function Disputes() {
  return (
    <ListPage
      title="Disputes"
      operation="list_disputes"
      filters={[
        choice('status', 'Status', [
          'Open',
          { value: 'UnderReview', label: 'Under review' },
          'Won',
          'Lost',
          'Accepted',
        ]),
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: 'Reason',
          cell: ({ reason, status, dueAt }) => (
            <WithNote note={status === 'Open' && dueAt && <RespondBy at={dueAt} />}>
              <Text span inherit lineClamp={2}>
                {reason}
              </Text>
            </WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'Payment',
          cell: ({ transactionReference: its }) => (
            <span className="whole">
              <ScreenLink to={`payments/${its}`}>{shortReference(its)}</ScreenLink>
            </span>
          ),
          isWide: true,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `disputes/${reference}`}
      empty={{
        title: 'No disputes',
        text: 'If a customer asks their bank to take back a payment, it appears here with the date by which you have to respond.',
      }}
    />
  )
}

const RespondBy = ({ at }: { at: string }) => (
  <>
    Respond by <When at={at} />
  </>
)
