import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, money, Status, sentence, When } from '../../parts/values.tsx'
import { t } from '../../texts/utility.ts'
import { InLedger } from '../ledger/InLedger.tsx'
import { ofBill } from '../simulator/outcomes.ts'
import { type Bill, NUMBERS, type Paid } from './types.ts'

export function UtilityPayment() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Paid>(
    `payment-service/utility/transactions/${encodeURIComponent(reference)}`,
  )
  const bill = read.data?.responseData
  return (
    <DetailPage
      back={{ to: 'utility', label: t.billsAndAirtime }}
      title={bill && money(bill.amount, bill.currency)}
      status={<Status of={bill?.status} />}
      read={read}
      actions={
        bill?.status === 'Pending' && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={read.isFetching}
            onClick={() => void read.refetch()}
          >
            {t.checkAgain}
          </Button>
        )
      }
    >
      {bill && (
        <>
          <Notes of={bill} />
          <Simulated of={bill.reference} kind="utility" outcomes={ofBill(bill)} />
          <WithTimeline of={bill.timeline}>
            <Bought of={bill} />
            <BillFacts of={bill} />
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

/** What a reader should know before anything else. */
function Notes({ of: { status, failureReason } }: { of: Bill }) {
  if (status === 'Pending') {
    return (
      <Alert color="yellow" title={t.theBillerHasNotAnswered}>
        {t.theMoneyIsSetAside}
      </Alert>
    )
  }
  if (status !== 'Failed') return null
  return (
    <Alert color="red" title={t.nothingWasBought}>
      {sentence(failureReason) ?? t.theBillerDidNotSay} {t.theMoneyIsInYour}
    </Alert>
  )
}

/** What the customer was bought: a token to key in, or pins. */
function Bought({ of: { token, pins } }: { of: Bill }) {
  if (!token?.value && pins.length === 0) return null
  return (
    <Card title={token?.value ? t.token : pins.length === 1 ? t.pin : t.pins}>
      {token?.value && (
        <Stack gap={4}>
          <Text className="figure" component="div">
            <Copyable text={token.value} />
          </Text>
          {token.units !== undefined && <Text c="dimmed">{t.kwh(token.units)}</Text>}
        </Stack>
      )}
      <Stack gap="xs" align="flex-start">
        {pins.map((pin) => (
          <Copyable key={pin} text={pin} />
        ))}
      </Stack>
    </Card>
  )
}

function BillFacts({ of: bill }: { of: Bill }) {
  const { currency } = bill
  return (
    <Card title={t.payment}>
      <Facts
        of={{
          [t.what]: bill.packageName,
          [t.biller]: bill.billerName,
          [t.customer]: bill.customerName,
          [NUMBERS[bill.category] ?? t.number]: <Copyable text={bill.customerId} />,
          [t.amount]: money(bill.amount, currency),
          [t.fee]: bill.fee > 0 ? money(bill.fee, currency) : undefined,
          [t.takenFromTheWallet]: bill.fee > 0 ? money(bill.total, currency) : undefined,
          [t.phone]: bill.phoneNumber ?? undefined,
          [t.eMail]: bill.email ?? undefined,
          [t.reference]: <Copyable text={bill.reference} />,
          [t.yourReference]:
            bill.paymentReference === bill.reference ? undefined : (
              <Copyable text={bill.paymentReference} />
            ),
          [t.inTheBooks]: <InLedger reference={bill.reference} />,
          [t.created]: <When at={bill.createdAt} />,
          [t.completed]: bill.completedAt ? <When at={bill.completedAt} /> : undefined,
        }}
      />
    </Card>
  )
}
