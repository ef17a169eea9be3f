import { SegmentedControl } from '@mantine/core'
import { useUndecided } from '../../../api/undecided.ts'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, WHEN } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { Copyable, Status, shortReference, Truncated, WithNote } from '../../../ui/values.tsx'
import { reasonName, senderOf, stateOf } from './names.ts'

/** Money that reached a provider for a payment, whether it was accepted or not. */
export function Deposits() {
  return (
    <ListPage
      title="Deposits"
      operation="list_deposits"
      csv="export_deposits"
      search="search"
      searchFor="Account number or reference"
      filters={[
        choice('status', 'Status', ['Accepted', { value: 'Rejected', label: 'Not accepted' }]),
        choice('returnStatus', 'If not accepted', [
          'Held',
          'Returning',
          'Returned',
          { value: 'ReturnedByProvider', label: 'Returned by provider' },
        ]),
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        { label: 'Status', cell: (deposit) => <Status of={stateOf(deposit)} />, onPhone: true },
        {
          label: 'From',
          cell: (deposit) => (
            <WithNote note={deposit.reason && reasonName(deposit.reason)}>
              <Truncated text={senderOf(deposit)} also={deposit.sender?.bankName} />
            </WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'Payment',
          cell: ({ transactionReference: its }) =>
            its ? (
              <span className="whole">
                <ScreenLink to={`payments/${its}`}>{shortReference(its)}</ScreenLink>
              </span>
            ) : (
              '–'
            ),
        },
        {
          label: 'Account',
          cell: ({ accountNumber }) => accountNumber ?? '–',
          isWide: true,
        },
        {
          label: 'Reference',
          cell: ({ reference }) => <Copyable text={reference} shown={shortReference(reference)} />,
          isWide: true,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `deposits/${reference}`}
      empty={{
        title: 'No deposits yet',
        text: 'All money that payers send appears here. If an amount is wrong or arrives too late, you can decide here whether to accept or return it.',
      }}
      nothing={({ returnStatus, status, search }) =>
        returnStatus === 'Held' && !status && !search
          ? {
              title: 'Nothing to decide',
              text: 'Money that we could not accept, but that your provider keeps, waits here until someone accepts or returns it.',
            }
          : undefined
      }
    >
      <Tabs />
    </ListPage>
  )
}

function Tabs() {
  const [{ returnStatus }, change] = useSearchState()
  const { deposits } = useUndecided()
  return (
    <SegmentedControl
      w="fit-content"
      aria-label="Which deposits"
      value={returnStatus === 'Held' ? returnStatus : ''}
      onChange={(chosen) => change({ returnStatus: chosen || undefined, page: undefined })}
      data={[
        { value: '', label: 'All' },
        { value: 'Held', label: deposits > 0 ? `To decide (${deposits})` : 'To decide' },
      ]}
    />
  )
}
