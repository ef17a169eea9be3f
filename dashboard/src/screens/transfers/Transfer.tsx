import { Alert } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Transfer as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, Json, money, Status, sentence, When, words } from '../../parts/values.tsx'
import { t } from '../../texts/transfers.ts'
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
      back={{ to: 'transfers', label: t.transfers }}
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
          <WithTimeline of={transfer.timeline} titleOf={words}>
            <Card title={t.transfer}>
              <TransferFacts of={transfer} />
            </Card>
          </WithTimeline>
          {transfer.metadata && (
            <Card title={t.metadata}>
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
      <Alert color="yellow" title={t.needsApproval}>
        {sentence(failureReason) ?? t.itIsAboveTheApproval} {t.untilThenTheMoneyIs}
      </Alert>
    )
  }
  if (status === 'Blocked') {
    return (
      <Alert color="red" title={t.theBankIsHoldingIt}>
        {sentence(failureReason) ?? t.itDidNotSayWhy} {t.retryWithdrawsThisOrderAnd}
      </Alert>
    )
  }
  if (status !== 'Failed' && status !== 'Rejected') return null
  return (
    <Alert color="red" title={reversedAt ? t.theBankSentItBack : t.itWasNotPaid}>
      {sentence(failureReason) ?? t.theBankDidNotSayWhy} {t.amountAndFeeAreIn}
    </Alert>
  )
}

function TransferFacts({ of: transfer }: { of: Record }) {
  const { currency, fee, amount } = transfer
  return (
    <Facts
      of={{
        [t.toLabel]: transfer.accountName ?? t.notKnown,
        [t.accountNumber]: <Copyable text={transfer.accountNumber} />,
        [t.bank]: transfer.bankName,
        [t.amount]: money(amount, currency),
        [t.fee]: money(fee, currency),
        [t.takenFromTheWallet]: money(amount + fee, currency),
        [t.narration]: transfer.narration ?? undefined,
        [t.reference]: <Copyable text={transfer.reference} />,
        [t.yourReference]:
          transfer.transferReference === transfer.reference ? undefined : (
            <Copyable text={transfer.transferReference} />
          ),
        [t.inTheBooks]: <InLedger reference={transfer.reference} />,
        [t.madeBy]: transfer.createdBy?.name,
        [t.approvedBy]: transfer.approvedBy?.name,
        [t.attempt]: transfer.attempt > 1 ? transfer.attempt : undefined,
        [t.created]: <When at={transfer.createdAt} />,
        [t.completed]: transfer.completedAt ? <When at={transfer.completedAt} /> : undefined,
        [t.sentBack]: transfer.reversedAt ? <When at={transfer.reversedAt} /> : undefined,
      }}
    />
  )
}
