import { Alert } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Transfer as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, Json, money, Status, sentence, When, words } from '../../parts/values.tsx'
import { InLedger } from '../ledger/InLedger.tsx'
import { ofTransfer } from '../simulator/outcomes.ts'
import { NeedsSecond, useDecisions } from './decisions.tsx'

export function Transfer() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>(`transaction-service/transfers/${reference}`)
  const transfer = read.data?.data
  const { buttons, needsSecond } = useDecisions(transfer)
  return (
    <DetailPage
      back={{ to: 'transfers', label: 'Transfers' }}
      title={transfer && money(transfer.amount, transfer.currency)}
      status={<Status of={transfer?.status} />}
      read={read}
      actions={buttons}
    >
      {transfer && (
        <>
          {needsSecond && <NeedsSecond />}
          <Notes of={transfer} />
          <Simulated of={reference} kind="transfer" outcomes={ofTransfer(transfer)} />
          <WithTimeline
            of={transfer.timeline}
            titleOf={(status) => (status === 'Unverified' ? 'Waiting for approval' : words(status))}
          >
            <Card title="Transfer">
              <TransferFacts of={transfer} />
            </Card>
          </WithTimeline>
          {transfer.metadata && (
            <Card title="Metadata">
              <Json value={transfer.metadata} />
            </Card>
          )}
        </>
      )}
    </DetailPage>
  )
}

/** What a reader should know before anything else. */
function Notes({ of: { status, failureReason, reversedAt } }: { of: Record }) {
  if (status === 'Unverified') {
    return (
      <Alert color="yellow" title="Waiting for approval">
        {sentence(failureReason) ??
          'It is above the approval limit, or the bank has another name for the account holder.'}{' '}
        Until then the money is set aside in the wallet.
      </Alert>
    )
  }
  if (status === 'Blocked') {
    return (
      <Alert color="red" title="The bank is holding it">
        {sentence(failureReason) ?? 'It did not say why.'} Retry withdraws this order and sends
        another.
      </Alert>
    )
  }
  if (status !== 'Failed' && status !== 'Rejected') return null
  return (
    <Alert color="red" title={reversedAt ? 'The bank sent it back' : 'It was not paid'}>
      {sentence(failureReason) ?? 'The bank did not say why.'} Amount and fee are in your wallet
      again.
    </Alert>
  )
}

function TransferFacts({ of: transfer }: { of: Record }) {
  const { currency, fee, amount } = transfer
  return (
    <Facts
      of={{
        To: transfer.accountName ?? 'Not known',
        'Account number': <Copyable text={transfer.accountNumber} />,
        Bank: transfer.bankName,
        Amount: money(amount, currency),
        Fee: money(fee, currency),
        'Taken from the wallet': money(amount + fee, currency),
        Narration: transfer.narration ?? undefined,
        Reference: <Copyable text={transfer.reference} />,
        'Your reference':
          transfer.transferReference === transfer.reference ? undefined : (
            <Copyable text={transfer.transferReference} />
          ),
        'In the books': <InLedger reference={transfer.reference} />,
        Attempt: transfer.attempt > 1 ? transfer.attempt : undefined,
        Created: <When at={transfer.createdAt} />,
        Completed: transfer.completedAt ? <When at={transfer.completedAt} /> : undefined,
        'Sent back': transfer.reversedAt ? <When at={transfer.reversedAt} /> : undefined,
      }}
    />
  )
}
