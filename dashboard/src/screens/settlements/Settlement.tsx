import { Alert } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Settlement as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { CsvButton } from '../../parts/CsvButton.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, money, Status, sentence, When } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/settlements.ts'
import { InLedger } from '../ledger/InLedger.tsx'
import { ofSettlement } from '../simulator/outcomes.ts'
import { Lines } from './Lines.tsx'

const LINES = 50

export function Settlement() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const [{ page = '1' }] = useSearchState()
  const path = `transaction-service/settlements/${reference}`
  const read = useRead<Envelope<Record>>(path, { page, limit: LINES })
  const settlement = read.data?.data
  return (
    <DetailPage
      back={{ to: 'settlements', label: t.settlements }}
      title={settlement && money(settlement.amount, settlement.currency)}
      status={<Status of={settlement?.status} />}
      read={read}
      actions={settlement && <CsvButton path={`${path}/export`} query={{}} />}
    >
      {settlement && (
        <>
          {settlement.failureReason && (
            <Alert
              color={settlement.status === 'Failed' ? 'red' : 'yellow'}
              title={settlement.status === 'Failed' ? t.itWasNotPaid : t.theBankSays}
            >
              {sentence(settlement.failureReason)}
              {settlement.status === 'Failed' && t.whatItShouldHavePaid}
            </Alert>
          )}
          <Simulated of={reference} kind="transfer" outcomes={ofSettlement(settlement)} />
          <WithTimeline of={settlement.timeline}>
            <SettlementFacts of={settlement} />
            <Lines of={settlement} />
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

function SettlementFacts({ of }: { of: Record }) {
  return (
    <Card title={t.settlement}>
      <Facts
        of={{
          [t.subaccount]: of.subaccountCode ? (
            <ScreenLink to={`subaccounts/${of.subaccountCode}`}>
              {of.business_name ?? of.subaccountCode}
            </ScreenLink>
          ) : (
            of.business_name
          ),
          [t.accountHolder]: of.accountName,
          [t.accountNumber]: <Copyable text={of.accountNumber} />,
          [t.bank]: of.bankName,
          [t.reference]: <Copyable text={of.reference} />,
          [t.inTheBooks]: <InLedger reference={of.reference} />,
          [t.started]: <When at={of.createdAt} />,
          [t.paid]: of.paidAt ? <When at={of.paidAt} /> : undefined,
        }}
      />
    </Card>
  )
}
