import { Alert, Table } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Refund as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { businessId } from '../../api/session.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { SubaccountLink } from '../../parts/names.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, money, Status, sentence, When } from '../../parts/values.tsx'
import { t } from '../../texts/refunds.ts'
import { InLedger } from '../ledger/InLedger.tsx'
import { ofRefund } from '../simulator/outcomes.ts'

export function Refund() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>('transaction-service/refund-by-reference', {
    businessId: businessId(),
    reference,
  })
  // All refunds have one path: the answer before may be another refund's.
  const refund = read.isPlaceholderData ? undefined : read.data?.data
  return (
    <DetailPage
      back={{ to: 'refunds', label: t.refunds }}
      title={refund && money(refund.amount, refund.currency)}
      status={<Status of={refund?.status} />}
      read={{ ...read, data: refund, isPending: read.isPending || read.isPlaceholderData }}
    >
      {refund && (
        <>
          <Notes of={refund} />
          <Simulated of={reference} kind="refund" outcomes={ofRefund(refund)} />
          <WithTimeline of={refund.timeline}>
            <RefundFacts of={refund} />
            {refund.shares.length > 0 && <GivenBack of={refund} />}
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

/** What a reader should know before anything else. */
function Notes({ of: { status, message } }: { of: Record }) {
  if (status === 'NeedsAttention') {
    return (
      <Alert color="yellow" title={t.theBankNeedsSomethingFirst}>
        {sentence(message) ?? t.itDidNotSayWhat} {t.untilThenTheMoneyIs}
      </Alert>
    )
  }
  if (status !== 'Failed') return null
  return (
    <Alert color="red" title={t.theRefundFailed}>
      {sentence(message) ?? t.theBankDidNotSay} {t.theMoneyIsBackIn}
    </Alert>
  )
}

function RefundFacts({ of: refund }: { of: Record }) {
  const { currency, overpaidAmount } = refund
  return (
    <Card title={t.refund}>
      <Facts
        of={{
          [t.payment]: (
            <ScreenLink to={`payments/${refund.transactionReference}`}>
              {refund.transactionReference}
            </ScreenLink>
          ),
          [t.amount]: money(refund.amount, currency),
          [t.fromTheOverpayment]: overpaidAmount > 0 ? money(overpaidAmount, currency) : undefined,
          [t.reason]: refund.reason,
          [t.reference]: <Copyable text={refund.reference} />,
          [t.inTheBooks]: <InLedger reference={refund.reference} />,
          [t.created]: <When at={refund.createdAt} />,
          [t.processed]: refund.processedAt ? <When at={refund.processedAt} /> : undefined,
        }}
      />
    </Card>
  )
}

/** What subaccounts gave back of their shares; the rest is the business's own. */
function GivenBack({ of: { shares, currency } }: { of: Record }) {
  return (
    <Card title={t.paidBackBySubaccounts}>
      <Table aria-label={t.paidBackBySubaccounts}>
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
