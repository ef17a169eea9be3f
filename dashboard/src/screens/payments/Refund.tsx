import { Alert, Table } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Refund as Record } from '../../../../sdk/src/operations.ts'
import { useOperation } from '../../api/hooks.ts'
import { Card, DetailPage, Fact, Facts, WithTimeline } from '../../ui/DetailPage.tsx'
import { ScreenLink, SubaccountLink } from '../../ui/links.tsx'
import { ofRefund, SimulateOutcome } from '../../ui/SimulateOutcome.tsx'
import { money, Status, sentence } from '../../ui/values.tsx'
import { ProviderCard } from '../business/providers/ProviderCard.tsx'
import { InLedger } from '../money/ledger/names.tsx'
import { RefundActions } from './RefundActions.tsx'

export function Refund() {
  const { reference } = useParams({ from: '/$mode/refunds/$reference' })
  const read = useOperation('get_refund', { reference })
  const refund = read.data?.data
  return (
    <DetailPage
      back={{ to: 'refunds', label: 'Refunds' }}
      title={refund && money(refund.amount, refund.currency)}
      status={<Status of={refund?.status} />}
      actions={refund && <RefundActions of={refund} />}
      read={read}
    >
      {refund && (
        <>
          <Notes of={refund} />
          <SimulateOutcome of={reference} kind="refund" outcomes={ofRefund(refund)} />
          <WithTimeline of={refund.timeline}>
            <RefundFacts of={refund} />
            <ProviderCard orders="get_refund_orders" id={refund.id} currency={refund.currency} />
            {refund.shares.length > 0 && <ReturnedShares of={refund} />}
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

function Notes({ of: { status, message } }: { of: Record }) {
  if (status === 'NeedsAttention') {
    return (
      <Alert color="yellow" title="The bank needs more information">
        {sentence(message) ?? 'The bank did not say what it needs.'} The money stays on hold. Ask
        the payer for another account and use that, or check again after you have solved the problem
        at the provider.
      </Alert>
    )
  }
  if (status !== 'Failed') return null
  return (
    <Alert color="red" title="The refund failed">
      {sentence(message) ?? 'The bank gave no reason.'} The money is back in your wallet.
    </Alert>
  )
}

function RefundFacts({ of: refund }: { of: Record }) {
  const { currency, overpaidAmount } = refund
  return (
    <Card title="Refund">
      <Facts>
        <Fact
          label="Payment"
          value={
            <ScreenLink to={`payments/${refund.transactionReference}`}>
              {refund.transactionReference}
            </ScreenLink>
          }
        />
        <Fact label="Amount" value={money(refund.amount, currency)} />
        <Fact
          label="From the overpayment"
          value={overpaidAmount > 0 ? money(overpaidAmount, currency) : undefined}
        />
        <Fact label="Reason" value={refund.reason} />
        <Fact label="Reference" copy={refund.reference} />
        <Fact label="Ledger entry" value={<InLedger reference={refund.reference} />} />
        <Fact label="Created" at={refund.createdAt} />
        <Fact label="Processed" at={refund.processedAt} />
      </Facts>
    </Card>
  )
}

/** Lists what subaccounts paid back from their shares. The business paid the rest of the refund. */
function ReturnedShares({ of: { shares, currency } }: { of: Record }) {
  return (
    <Card title="Paid back by subaccounts">
      <Table aria-label="Paid back by subaccounts">
        <Table.Tbody>
          {shares.map(({ subaccountCode, amount }) => (
            <Table.Tr key={subaccountCode}>
              <Table.Td>
                <SubaccountLink code={subaccountCode} />
              </Table.Td>
              <Table.Td ta="right">{money(amount, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}
